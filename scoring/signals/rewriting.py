"""Signals about an enriched question in words of its own: what it states is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.alignment.matching import CERTAIN
from scoring.display import span_of
from scoring.signals.finding import Finding, counted
from scoring.specification import FilterOrigin, QuestionFilter
from scoring.values import Choices, Number, Text, Value
from scoring.verdict import Case
from scoring.words import letters, squeezed

_COLUMN = re.compile(r"\b[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,6}\b")
_CODE = re.compile(r"\b[A-Z]{1,4}[0-9]{0,2}\b")
_MOST = 30
"""Most names of columns and conditions that are looked at."""


def rewriting_ignored(case: Case) -> Finding | None:
    """The enriched question states a column, a value or a number that the SQL does not use.

    The agent understood one thing and wrote another. What the enriched question states and the question does not
    contradict is asked for. Definitions have reasons of their own.

    >>> rewriting_ignored(case("How many shops are there?", "SELECT COUNT(*) FROM shops",
    ...     "Count the shops whose closed_on is empty")).detail
    'stated, not used: closed_on'
    """
    if not _rewrites(case):
        return None
    unread = [each for each in _columns_named(case) if not _is_used(each, case)]
    unmet = [span_of(each) for each in _conditions_stated(case) if not _is_applied(each, case)]
    return counted([*unread, *unmet], "stated, not used", most=2)


def rewriting_followed(case: Case) -> Finding | None:
    """The SQL uses every column and code that the enriched question names in words of its own.

    An agent that names them before it writes SQL knows the database. The more are named, the stronger.

    >>> rewriting_followed(case("How many shops are open?", "SELECT COUNT(*) FROM shops WHERE closed_on IS NULL",
    ...     "Count the shops whose closed_on is empty")).detail
    'used as stated: closed_on'
    """
    if not _rewrites(case):
        return None
    named = [*_columns_named(case), *_codes_named(case)]
    if not named or not all(_is_used(each, case) for each in named):
        return None
    return Finding(min(1.0, 0.4 + len(named) / 5), f"used as stated: {'; '.join(named[:5])}")


def _rewrites(case: Case) -> bool:
    """Whether Qe says Qu in other words, and not Qu with definitions behind it."""
    if case.query.enriched_question is None or case.enriched.definitions:
        return False
    return not case.enriched.text.casefold().startswith(case.question.text.casefold().rstrip("?.! "))


def _columns_named(case: Case) -> Iterator[str]:
    """The names with an underscore that only Qe holds."""
    asked = case.question.text.casefold()
    names = dict.fromkeys(match.casefold() for match in _COLUMN.findall(case.enriched.text[:4000]))
    yield from (name for name in list(names)[:_MOST] if name not in asked)


def _codes_named(case: Case) -> Iterator[str]:
    """The codes that only Qe holds and the SQL compares with: `status NSH`."""
    asked = case.question.text
    codes = dict.fromkeys(each for each in _CODE.findall(case.enriched.text[:4000]) if each not in asked)
    yield from (each for each in list(codes)[:_MOST] if f"'{each}'" in case.query.sql)


def _is_used(name: str, case: Case) -> bool:
    """Whether the SQL reads the column or table, or holds the name as a value or an alias."""
    return letters(name) in case.read or name.casefold() in case.query.sql.casefold()


def _conditions_stated(case: Case) -> Iterator[QuestionFilter]:
    """What Qe surely asks for and Qu does not."""
    own = {each.rhs for each in case.question.filters}
    met = {id(match.required) for match in case.filters.matched}
    for each in case.enriched.filters[:_MOST]:
        stated = each.source is FilterOrigin.ENRICHED and each.certain >= CERTAIN
        if stated and each.rhs not in own and id(each) not in met:
            yield each


def _is_applied(each: QuestionFilter, case: Case) -> bool:
    """Whether the SQL holds the value in any form; times are compared by the alignment alone."""
    texts = [value for value in _members(each.rhs) if isinstance(value, Text | Number)]
    if not texts:
        return True
    given = squeezed(case.query.sql.casefold())
    return all(squeezed(value.folded if isinstance(value, Text) else str(value)) in given for value in texts)


def _members(value: Value | None) -> list[Value]:
    return list(value.members) if isinstance(value, Choices) else [value] if value is not None else []
