"""Signals about an enriched question in words of its own: what it states is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.alignment.lengths import BOUNDS
from scoring.patterns import lazy
from scoring.signals.definitions import is_held
from scoring.signals.finding import Finding, counted
from scoring.specification import QuestionFilter
from scoring.values import Number, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import letters

_COLUMN = lazy(r"\b[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,6}\b")
_CODE = lazy(r"\b[A-Z]{1,4}[0-9]{0,2}\b")
_DESCRIBED = lazy(
    r"\b(?:has|have|holds?|contains?|columns?|one row (?:per|for each|an?))\b[^.;()]{0,200}", re.IGNORECASE
)
"""What Qe tells of a table: `transfers has from_id and to_id`."""
_ACROSS = lazy(r"\b(?:across|regardless of|irrespective of) (?:all |any |every |the )*\w+_\w+\b", re.IGNORECASE)
"""What Qe does not tell apart: `across all warehouse_id`."""
_SET_ASIDE = lazy(
    r"\b[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,6} (?:is |are |was )?"
    r"(?:ignored|irrelevant|left aside|does ?n[o']t matter|not (?:used|needed|looked at))"
    r"|\b(?:including|incl\.?|also|even) (?:those |ones |rows |the )?(?:\w+ )?with (?:an? )?\w+_\w+ "
    r"(?:filled|set|given)\b",
    re.IGNORECASE,
)
"""What Qe sets aside: `is_active ignored`, `including courses with retired_on filled`."""
_MOST = 30
"""Most names of columns and conditions that are looked at."""


def rewriting_ignored(case: Case) -> Finding | None:
    """The enriched question names a column, period or bound that the SQL does not use.

    The agent understood one thing and wrote another. What the enriched question states and the question does not
    contradict is asked for. Definitions have reasons of their own.

    >>> rewriting_ignored(case("How many shops are there?", "SELECT COUNT(*) FROM shops",
    ...     "Count the shops whose closed_on is empty")).detail
    'stated, not used: closed_on'
    """
    if not _rewrites(case):
        return None
    offered = _alternatives(case)
    unread = [each for each in _columns_named(case) if not _is_used(each, case) and each not in offered]
    unread += [*_periods_unused(case), *_bounds_unused(case)]
    return counted(unread, "stated, not used", most=2)


def _periods_unused(case: Case) -> list[str]:
    """The period of two dates that only Qe states, where the SQL tests others."""
    tested = [each.rhs for each in case.sql.filters if isinstance(each.rhs, (TimeRange, RelativeTime))]
    stated = {match.groups() for match in _PERIOD.finditer(case.enriched.text[:4000])}
    if len(stated) != 1 or not tested or any(isinstance(each, RelativeTime) for each in tested):
        return []
    start, end = stated.pop()
    starts = [f"{each.start:%Y-%m-%d}" for each in tested if isinstance(each, TimeRange) and each.start is not None]
    told = any(start in text for text in (case.written, case.asked, *starts))
    return [] if told else [f"{start} to {end}"]


def _bounds_unused(case: Case) -> list[str]:
    """The bounds that only Qe states, of which the SQL has the number in no unit: `at least 30 seconds`."""
    own = {each.value for each in case.question.numbers}
    stated = [each for each in case.enriched.filters if each.op in BOUNDS and not _is_percent(each, case)]
    given = {float(each) for each in _NUMBER.findall(case.written[:20000])} if stated else set[float]()
    unused = [each.span for each in stated if isinstance(each.rhs, Number) and _is_new(each.rhs.value, own, given)]
    return list(dict.fromkeys(unused))[len(case.sql.parameters) :]


def _is_new(number: float, own: set[float], given: set[float]) -> bool:
    return number > 1 and number not in own and not is_held(number, given)


def _is_percent(each: QuestionFilter, case: Case) -> bool:
    """Whether a bound is of a share: more than 50 % is often written as twice one count over the other."""
    return _PERCENT.match(case.enriched.text, each.start + len(each.span)) is not None or "%" in each.span


_PERCENT = lazy(r"\s?(?:%|percent\b|per cent\b|pct\b)", re.IGNORECASE)
_NUMBER = lazy(r"\d{1,15}(?:\.\d{1,6})?")


_PERIOD = lazy(r"\b(\d{4}-\d\d-\d\d) (?:to|through|until|and|–|-) (\d{4}-\d\d-\d\d)\b")


def _alternatives(case: Case) -> set[str]:
    """The names of each list in brackets of which the SQL uses one: `(parcels.net_kg, gross_kg)`."""
    lists = [_COLUMN.findall(each.casefold()) for each in _LISTED.findall(case.enriched.text[:4000])]
    return {name for names in lists if any(_is_used(name, case) for name in names) for name in names}


_LISTED = lazy(r"\((?:[\w.]+: ?)?([\w.]+(?:(?:, | or | / )[\w.]+)+)\)")


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
    return not case.enriched.text.casefold().startswith(case.asked.rstrip("?.! "))


def _columns_named(case: Case) -> Iterator[str]:
    """The names with an underscore that only Qe holds."""
    text = _DESCRIBED.sub(" ", _SET_ASIDE.sub(" ", _ACROSS.sub(" ", case.enriched.text[:4000])))
    names = dict.fromkeys(match.casefold() for match in _COLUMN.findall(text)) if "_" in text else {}
    yield from (name for name in list(names)[:_MOST] if name not in case.asked)


def _codes_named(case: Case) -> Iterator[str]:
    """The codes that only Qe holds and the SQL compares with: `status NSH`."""
    asked = case.question.text
    codes = dict.fromkeys(each for each in _CODE.findall(case.enriched.text[:4000]) if each not in asked)
    yield from (each for each in list(codes)[:_MOST] if f"'{each}'" in case.written)


def _is_used(name: str, case: Case) -> bool:
    """Whether the SQL reads the column or table, or holds the name as a value or an alias."""
    return letters(name) in case.read or name.casefold() in case.written.casefold()
