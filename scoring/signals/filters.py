"""Signals about conditions: missing, mismatched, extra."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from scoring.alignment.apart import are_apart
from scoring.alignment.bare_periods import run_of
from scoring.alignment.conventions import conventions
from scoring.alignment.same_values import TIMES, Context, same_value
from scoring.display import show_filter, show_match, span_of
from scoring.linking import is_named
from scoring.patterns import lazy
from scoring.signals.excused_times import MADE_ROWS, is_at_a_moment, is_kept, is_of_made_days
from scoring.signals.finding import EXPECTED_ACTUAL, Finding, counted
from scoring.specification import Aggregation, Clause, Definition, FilterOrigin, Op, QuestionFilter, SqlFilter
from scoring.values import (
    Boolean,
    Choices,
    DatePart,
    Expression,
    Number,
    Pattern,
    RelativeTime,
    Text,
    TimeRange,
    Value,
    is_unknown,
)
from scoring.verdict import Case, FilterMatch
from scoring.words import identifier_words, letters


def filter_missing(case: Case) -> Finding | None:
    """The question asks for a condition that the SQL does not apply.

    Rows come back that the question leaves out. A condition counts as met, too, when the answer shows its column,
    when a LIMIT takes its number, or when the SQL reads a column that a definition gives for it.

    >>> filter_missing(case("How many orders were shipped in 2023?", "SELECT COUNT(*) FROM orders")).detail
    'missing: 2023'
    """
    return counted(
        [span_of(each) for each in case.filters.missing[:50] if not _otherwise_met(each, case)], "missing", most=2
    )


def _otherwise_met(each: QuestionFilter, case: Case) -> bool:
    """Whether the answer shows the column itself, a LIMIT takes the number, or a column that is read is defined so."""
    if each.lhs is not None and each.lhs.columns:
        shown = {column.name for projection in case.answer for column in projection.operand.columns}
        return each.source is not FilterOrigin.QUESTION and all(column.name in shown for column in each.lhs.columns)
    if isinstance(each.rhs, Number) and any(limit.count == each.rhs.value for limit in case.sql.limits):
        return True
    if isinstance(each.rhs, TIMES) and _lists_dates(each, case):
        return True
    span = each.span.casefold()
    return any(_mentions(definition, span, case) for definition in case.enriched.definitions)


_DATE = lazy(r"'(\d{4}-\d\d-\d\d)'")


def _lists_dates(each: QuestionFilter, case: Case) -> bool:
    """Whether the SQL lists the dates of a period itself, in a series that starts with it: a calendar to join with."""
    if not MADE_ROWS.search(case.written):
        return False
    moment = case.query.occurred_at.replace(tzinfo=None) if case.query.occurred_at is not None else None
    starts = [datetime.fromisoformat(day) for day in _valid(_DATE.findall(case.written[:4000]))]
    return any(same_value(each.rhs, TimeRange(start, None), Context(moment)) for start in starts)


def _valid(days: list[str]) -> list[str]:
    return [day for day in days if int(day[:4]) > 0 and 1 <= int(day[5:7]) <= 12 and 1 <= int(day[8:]) <= 28]


def _mentions(definition: Definition, span: str, case: Case) -> bool:
    """Whether a definition without conditions contains the words, and the SQL reads a column that it names."""
    if definition.filters or span not in f"{definition.phrase} {definition.text}".casefold():
        return False
    return any(letters(column) in case.read for column in (*definition.columns, *definition.phrase.split()[:1]))


def filter_mismatched(case: Case) -> Finding | None:
    """The SQL filters the right column with another operator or value.

    Other rows come back than those asked for. The column is recognised by its name, by a definition or by a mapping
    of the tenant.

    >>> filter_mismatched(case("Orders with a total over 50", "SELECT id FROM orders WHERE total < 50")).strength > 0
    True
    """
    excuses = (_is_unread, _is_none_otherwise, _is_one_more, _is_a_group, is_of_made_days, is_at_a_moment, is_kept)
    odd = [each for each in case.filters.mismatched if not any(excuse(each, case) for excuse in excuses)]
    if not odd:
        return None
    strength = math.fsum([_LOOSELY if _is_loose(each, case) else _SURELY for each in odd])
    return Finding(min(1.0, strength), f"{EXPECTED_ACTUAL}: {'; '.join(show_match(each) for each in odd[:5])}")


_SURELY, _LOOSELY = 0.5, 0.2
"""What a mismatch counts, and one of two times that may be two readings of one phrase."""


_SINCE = lazy(r"\bsince\s(?:last\s)?\Z", re.IGNORECASE)
"""What stands before a time from which on rows are kept: `since last september`."""


def _is_loose(match: FilterMatch, case: Case) -> bool:
    """Whether the dates overlap the time asked for, are several, or are left out: a phrase has many readings."""
    wanted, moment = match.required, case.query.occurred_at
    if wanted.op is Op.NOT_WITHIN:
        return all(isinstance(each.rhs, TIMES) for each in match.present)
    if not isinstance(wanted.rhs, TIMES) or _is_same_part(wanted.rhs):
        return False
    if any(isinstance(each.rhs, Choices) or each.clause is Clause.CASE for each in match.present):
        return True
    if not all(isinstance(each.rhs, TimeRange) for each in match.present):
        return False
    now = moment.replace(tzinfo=None) if moment is not None else None
    goes_on = _SINCE.search(case.question.text, 0, wanted.start) is not None
    return not any(are_apart(wanted.rhs, each.rhs, now, goes_on=goes_on) for each in match.present)


def _is_same_part(wanted: Value) -> bool:
    """Whether it is the same part of the year before."""
    return isinstance(wanted, RelativeTime) and wanted.start == wanted.end


def _is_unread(match: FilterMatch, case: Case) -> bool:
    """Whether a time is held against the days of a calendar, which the SQL makes."""
    unread = isinstance(match.required.rhs, TIMES) and all(isinstance(each.rhs, Expression) for each in match.present)
    return unread and _CALENDAR.search(case.written) is not None


_CALENDAR = lazy(r"\b(?:generate_(?:date_|timestamp_)?(?:series|array)|sequence|recursive)\b", re.IGNORECASE)


def _is_none_otherwise(match: FilterMatch, case: Case) -> bool:
    """Whether what must not have happened in a time is counted to zero, or waits for an event that has no date yet."""
    if match.required.op is not Op.NOT_WITHIN:
        return False
    zero = any(
        (each.op is Op.EQ and isinstance(each.rhs, Number) and not each.rhs.value and "case" in each.text)
        or (each.clause is Clause.HAVING and each.op is Op.EQ and each.rhs == Number(0))
        for each in case.sql.filters
    )
    waits = [each for each in case.sql.filters if each.op is Op.IS_NULL and each.clause is Clause.WHERE]
    return zero or len(waits) > len(conventions(waits, case.question.stems))


def _is_one_more(match: FilterMatch, case: Case) -> bool:
    """Whether the time begins one unit early, and each unit is compared with the one before: 13 months for 12."""
    wanted, now = match.required.rhs, case.query.occurred_at
    if not isinstance(wanted, RelativeTime) or wanted.start is None or now is None or "LAG" not in case.sql.functions:
        return False
    earlier = replace(wanted, start=wanted.start - 1)
    return any(same_value(earlier, each.rhs, Context(now.replace(tzinfo=None))) for each in match.present)


def _is_a_group(match: FilterMatch, case: Case) -> bool:
    """Whether a quarter or month asked for beside another is one of the groups of a longer time."""
    wanted = match.required.rhs
    if not isinstance(wanted, DatePart) or wanted.part not in ("month", "quarter"):
        return False
    if sum(isinstance(each.rhs, DatePart) for each in case.question.filters) <= 1:
        return False
    grains = (each.operand.name for each in case.sql.group_by)
    longer = all(isinstance(each.rhs, TimeRange) and _holds(each.rhs, wanted) for each in match.present)
    return longer and any(wanted.part in name for name in grains)


def _holds(there: TimeRange, part: DatePart) -> bool:
    run = run_of(part, there.start.year) if there.start is not None else None
    if run is None or run.start is None or run.end is None or there.start is None or there.end is None:
        return False
    return there.start <= run.start and run.end <= there.end


def filter_extra(case: Case) -> Finding | None:
    """The SQL applies a condition that nothing in the question asks for.

    Rows that belong to the answer are lost. A condition is stranger, and counts more, when neither its column nor its
    value is in the question. `IS NOT NULL` and the tenant's benign and ignored filters do not count.

    >>> filter_extra(case("How many orders are there?", "SELECT COUNT(*) FROM orders WHERE region = 'west'")).detail
    "not asked for: region = 'west'"
    """
    unasked = [each for each in case.filters.extra if _restricts(each)]
    if not unasked:
        return None
    text = f"{case.question.text} {case.enriched.text}".casefold()
    numbers = {number.value for spec in (case.question, case.enriched) for number in spec.numbers}
    extra = [(_strangeness(each, case, text, numbers), show_filter(each)) for each in unasked[:50]]
    extra.sort(key=lambda each: -each[0])
    return Finding(
        min(1.0, sum(strangeness for strangeness, _ in extra) / 2),
        f"not asked for: {'; '.join(shown for _, shown in extra[:5])}",
    )


def _strangeness(each: SqlFilter, case: Case, text: str, numbers: set[float]) -> float:
    """1 where the questions mention neither the column nor the value, less where they mention one or both."""
    said = any(
        (isinstance(value, Text) and value.folded in text) or (isinstance(value, Number) and value.value in numbers)
        for value in literals_of(each.rhs)
    )
    columns = each.lhs.columns if each.lhs is not None else ()
    named = any(is_named(word, case.spoken) for column in columns for word in identifier_words(column.name))
    if is_unknown(each.rhs):
        return (_STRANGE[True, named] + _STRANGE[False, named]) / 2
    return _STRANGE[said, named]


_STRANGE = {(False, False): 1.0, (False, True): 0.6, (True, False): 0.4, (True, True): 0.2}
"""By whether the value and the column are mentioned."""


def _restricts(each: SqlFilter) -> bool:
    if (
        each.op is Op.IS_NULL and each.lhs is not None and each.lhs.name == "?"
    ):  # `:x IS NULL OR …`: an optional condition
        return False
    return each.op is not Op.NOT_NULL and not (isinstance(each.rhs, Expression) and each.clause is Clause.ON)


def filters_matched(case: Case) -> Finding | None:
    """The SQL applies every condition that the question asks for, and there is at least one.

    Right answers almost always filter as asked. Conditions are compared after normalisation: `YEAR(d) = 2023` equals
    a range of dates. A condition on a parameter of unknown value counts half.

    >>> filters_matched(case("Orders placed in 2023", "SELECT id FROM orders WHERE YEAR(placed) = 2023")).strength > 0
    True
    """
    filters = case.filters
    if filters.missing or filters.mismatched or not filters.matched:
        return None
    found = counted([show_filter(each.required) for each in filters.matched], "applied")
    supposed = [match for match in filters.matched if any(is_unknown(each.rhs) for each in match.present)]
    if found is None or not supposed:
        return found
    return Finding(found.strength * (1 - len(supposed) / len(filters.matched) / 2), found.detail)


def kinds_listed(case: Case) -> Finding | None:
    """The SQL names several kinds of rows that count, or that do not.

    Its agent has looked at which there are. Such answers are right more often.

    >>> kinds_listed(case("How many trips?",
    ...     "SELECT COUNT(*) FROM trips WHERE state NOT IN ('void', 'draft')")).detail
    "state not in ('draft', 'void')"
    """
    found = next((each for each in _unignored(case) if _lists_kinds(each)), None)
    return Finding(1.0, found.text) if found is not None else None


def amount_open(case: Case) -> Finding | None:
    """The SQL adds amounts up, and few conditions say which rows count.

    Such answers are wrong more often: cancelled, void or internal rows add to the amount, and only someone who knows
    the house can tell. A condition on one code or flag halves it, and a list of codes ends it. It names no fault, and
    alone it takes no verdict.

    >>> amount_open(case("Takings by shop?", "SELECT shop, SUM(amount) FROM payments GROUP BY shop")).detail
    'which rows SUM(amount) counts is left open'
    """
    added = next((each for each in case.sql.aggregations if _adds_amounts(each)), None)
    if added is None:
        return None
    conditions = _unignored(case)
    if any(map(_lists_kinds, conditions)):
        return None
    chosen = any(isinstance(each.rhs, Text | Boolean) for each in conditions)
    return Finding(0.5 if chosen else 1.0, f"which rows SUM({added.column}) counts is left open")


def amount_divided(case: Case) -> Finding | None:
    """The SQL adds amounts up and divides: money kept in cents, a share of a total, a mean by hand.

    Such answers are wrong more often: what counts as revenue or cost, and what a share is taken of, differs from house
    to house. A list of codes ends it, and so does a condition on a code beside one that leaves out deleted or test
    rows: such an agent knows the house. It names no fault, and alone it takes no verdict.

    >>> amount_divided(case("Takings by shop?", "SELECT shop, SUM(cents) / 100 FROM payments GROUP BY shop")).detail
    'SUM(cents) and a division: what counts is the house to say'
    """
    added = next((each for each in case.sql.aggregations if _adds_amounts(each)), None)
    if added is None or not case.sql.divisions or _knows_the_house(case):
        return None
    return Finding(1.0, f"SUM({added.column}) and a division: what counts is the house to say")


def _knows_the_house(case: Case) -> bool:
    """Whether the conditions list kinds of rows, or name a code and leave out rows that companies seldom count."""
    conditions = _unignored(case)
    if any(map(_lists_kinds, conditions)):
        return True
    return any(isinstance(each.rhs, Text) for each in conditions) and bool(
        conventions(case.sql.filters, case.question.stems)
    )


def _adds_amounts(each: Aggregation) -> bool:
    return each.func == "SUM" and not each.conditional and not each.column.startswith("count(")


def _unignored(case: Case) -> Sequence[SqlFilter]:
    return [each for each in case.sql.filters if each not in case.filters.ignored]


def _lists_kinds(condition: SqlFilter) -> bool:
    listed = condition.rhs
    return isinstance(listed, Choices) and len(listed.members) > 1 and all(isinstance(x, Text) for x in listed.members)


def applied(case: Case) -> Sequence[SqlFilter]:
    """The conditions of the SQL that the tenant calls neither benign nor ignored."""
    filters = case.filters
    if not filters.benign and not filters.ignored:
        return case.sql.filters
    left_out = (*filters.benign, *filters.ignored)
    return [each for each in case.sql.filters if each not in left_out]


def literals_of(value: Value | None) -> list[Value]:
    """The literals that a filter compares with, in a fixed order."""
    if isinstance(value, Choices):
        return sorted(value.members, key=str)
    return [value] if isinstance(value, Text | Number | Pattern) else []
