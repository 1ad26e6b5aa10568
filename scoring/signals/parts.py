"""Signals about the parts of a question: several questions in one, totals beside groups, yes or no."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.halves import (
    average_beside_missing,
    change_beside_missing,
    number_beside_missing,
    second_noun_missing,
    second_number_missing,
    split_missing,
    total_beside_first_missing,
)
from scoring.signals.mistakes.unmet.times.each_latest import detail_of_latest_missing
from scoring.specification import SubqueryRole
from scoring.verdict import Case


def part_unanswered(case: Case) -> Finding | None:
    """The text asks several questions and the SQL answers fewer.

    The answer has fewer columns than there are parts.

    >>> part_unanswered(case("How many pilots are there? List their names.",
    ...     "SELECT COUNT(*) FROM pilots")).detail
    '2 questions, 1 column'
    """
    given = [each for each in case.sql.projections if each.block in case.sql.outputs]
    if _lacks_total(case):
        return Finding(1.0, "no total beside the groups")
    halves = (
        second_number_missing,
        number_beside_missing,
        total_beside_first_missing,
        change_beside_missing,
        split_missing,
        average_beside_missing,
        second_noun_missing,
        detail_of_latest_missing,
    )
    half = next(filter(None, (each(case) for each in halves)), None)
    if half is not None:
        return Finding(1.0, half)
    asked = len(case.things) + len(case.question.aggregations) + len(_HOW_MUCH.findall(case.question.text))
    if min(case.question.parts, max(asked, 1)) <= len(given) or any(each.star for each in given):
        return None
    return Finding(1.0, f"{case.question.parts} questions, {len(given)} column{'' if len(given) == 1 else 's'}")


_HOW_MUCH = lazy(r"\bhow much (?!more|less|higher|lower)", re.IGNORECASE)
_TOTAL_AND_EACH = lazy(
    r"\b(?:totals?|overall)(?: \w+)? (?:and|&|as well as|plus|along with) (?:per|by|for each|broken down|split)\b"
    r"|\b(?:per|by) \w+(?: \w+)?,? (?:and|&|as well as|plus) (?:in total|overall|the total|a total|total)\b(?! \w)",
    re.IGNORECASE,
)
_TOTALLING = lazy(r"\brollup\b|\bcube\b|\bgrouping\s+sets\b|\bunion\b|\bcompute\b", re.IGNORECASE)


def _lacks_total(case: Case) -> bool:
    """Whether a total and the groups are asked for, and the SQL gives only the groups."""
    sql = case.sql
    if not sql.group_by or sql.windows or _TOTAL_AND_EACH.search(case.question.text) is None:
        return False
    scalar = any(each.role is SubqueryRole.SCALAR for each in sql.subqueries) or len(sql.ctes) > 1
    return not scalar and _TOTALLING.search(case.written) is None


def yes_no_worded(case: Case) -> Finding | None:
    """A yes-or-no question is answered in words that the SQL makes up.

    Execution labels compare words and people do not.

    >>> yes_no_worded(case("Is Ann a pilot?",
    ...     "SELECT CASE WHEN licence = 'P' THEN 'YES' ELSE 'NO' END FROM people WHERE name = 'Ann'")).strength
    1.0
    """
    worded = next((each for each in case.answer if each.conditional), None) if case.question.yes_no else None
    return Finding(1.0, worded.operand.name) if worded is not None and worded.operand.func is None else None
