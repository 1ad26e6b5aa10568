"""Signals about changes: in points, between two named months or years, and without what is to be taken off."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.ratios.sides import growth_as_index
from scoring.signals.mistakes.wording import cue, first
from scoring.specification.shapes import ShapeKind
from scoring.verdict import Case
from scoring.words import identifier_words

_POINTS = cue(
    "point pts pp",
    r"(?:%|\b(?:percentage|percent|pct))[- ]?points?\b|\b(?:in|by) (?:points|pts|pp)\b|\bpp\b|%-?pts?\b",
)


def points_divided(case: Case) -> str | None:
    """A change of a share is asked for in points, and the difference is divided by one of the shares.

    >>> points_divided(case("Change of the late rate in percentage points",
    ...     "SELECT (rate - LAG(rate) OVER (ORDER BY month)) / LAG(rate) OVER (ORDER BY month) FROM rates"))
    '(rate - LAG(rate) OVER (ORDER BY month)) / NULLIF(LAG(rate) OVER (ORDER BY month), 0) for points'
    """
    change = first(case, ShapeKind.CHANGE)
    if change is None or _POINTS.search(case.asked) is None or any("point" in each.name for each in case.sql.columns):
        return None
    return f"{change.text} for points"


_OF_NAMED = lazy(
    r"\b(?:\w+\.)?([a-z]\w*)\s*-\s*(?:\w+\.)?([a-z]\w*)\)*(?:\s*\*\s*100(?:\.0+)?)?\)*\s*[/,]\s*(?:nullif\s*\(\s*)?"
    r"(?:\w+\.)?([a-z]\w*)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = lazy(
    r"(?:^|_)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?(?:_|$)"
)
_YEAR = lazy(r"(?:^|\D)((?:19|20)\d\d)(?:\D|$)")
_HALF_YEAR = 6
_RISE = cue(
    "gr gain ris ros increas chang diff uplift drop fall fell decreas declin up down",
    r"\b(?:grow|grew|grown|growth|gain|rise|rose|risen|increase|change|diff\w*|uplift|drop\w*|fall|fell|decrease"
    r"|decline)"
    r"(?:s|d)?\b|\b(?:up|down) (?:on|vs|from|over|by)\b|\b(?:go|went|gone) (?:up|down)\b",
)


def later_of_named(case: Case) -> str | None:
    """A change between two months or years that columns are named by is divided by the later one.

    >>> later_of_named(case("Growth of fares June over May in %", "SELECT 100 * (june - may) / june FROM totals"))
    'june - may by june: later value'
    """
    if _RISE.search(case.asked) is None:
        return None
    for one, other, base in _OF_NAMED.findall(case.written.casefold()):
        times = _time_named(one), _time_named(other)
        if None not in times and base in (one, other) and _is_later(base, other if base == one else one):
            return f"{one} - {other} by {base}: later value"
    return None


def _time_named(name: str) -> tuple[int, int] | None:
    """The year and the month that a name tells, 0 for what it leaves open.

    >>> _time_named("fares_2024"), _time_named("june"), _time_named("jun_2024"), _time_named("maybe")
    ((2024, 0), (0, 6), (2024, 6), None)
    """
    year, month = _YEAR.search(name), _MONTH.search(_YEAR.sub("_", name))
    if year is None and month is None:
        return None
    return int(year[1]) if year is not None else 0, _MONTHS.index(month[1]) + 1 if month is not None else 0


def _is_later(one: str, other: str) -> bool:
    """Whether the time that a name tells is after that of another name of the same form."""
    first_time, other_time = _time_named(one) or (0, 0), _time_named(other) or (0, 0)
    if [part == 0 for part in first_time] != [part == 0 for part in other_time]:
        return False
    apart = (first_time[0] - other_time[0]) * 12 + first_time[1] - other_time[1]
    return apart > 0 and (first_time[0] > 0 or apart <= _HALF_YEAR)


_BY_PERCENT = cue(
    "% percent pct",
    r"\bby (?:what |how many |how much )?(?:%|percent|pct)(?! of)[^.?;]{0,40}\b(?:up|down|grow\w*|grew|increased?|rise"
    r"|risen|rose|fell|fall|drop\w*|decreased?)\b|\b(?:growth|increase|change|decrease|drop|rise)\b[^.?;,]{0,60}\b"
    r"(?:in|as)"
    r" (?:a )?(?:%|(?:percent|pct)\b)",
)
_BOUND = lazy(r"\d ?(?:%|percent|pct)")
_TEXTS = lazy(r"'[^']*'")
_SHIFTS = lazy(r"interval\s*-|dateadd\s*\([^()]*\)|\(\s*-\s*\d+\s*\)|--[^\n]*", re.IGNORECASE)
_TAKES_OFF = lazy(r"-|minus|subtract|except", re.IGNORECASE)
_STORED = frozenset({"change", "growth", "diff", "difference", "increase"})


def quotient_for_change(case: Case) -> str | None:
    """A change in percent is asked for, and the later value is divided by the earlier one: 150 for 50 % more.

    >>> quotient_for_change(case("By how many percent are May's fares up on April's?",
    ...     "SELECT 100 * may / april FROM totals"))
    '100 * may / april takes nothing off'
    """
    if not case.sql.divisions or _BY_PERCENT.search(case.asked) is None or _BOUND.search(case.asked) is not None:
        return None
    if _TAKES_OFF.search(_SHIFTS.sub(" ", _TEXTS.sub(" ", case.written))) is not None:
        return None
    if any(not _STORED.isdisjoint(identifier_words(column.name)) for column in case.sql.columns):
        return None
    division = case.sql.divisions[0]
    return f"{division.numerator} / {division.denominator} takes nothing off"


_FALL = cue(
    "less fewer cut drop fell fall decreas declin reduc lower",
    r"\b(?:less|fewer|cut|dropped|drop|fell|fallen|decreas\w*|declin\w*|reduced?|lower)\b",
)
_RISING = lazy(r"\b(?:more in|higher|increas\w*|grew|grow\w*|rose|up)\b")
_BOUNDED_CHANGE = lazy(
    r"\(\s*(?:\w+\.)?\w+\s*-\s*((?:\w+\.)?\w+)\s*\)\s*/\s*(?:nullif\s*\(\s*)?((?:\w+\.)?\w+)(?:\s*,\s*0\s*\))?\s*>=?"
    r"\s*\d|safe_divide\s*\(\s*(?:\w+\.)?\w+\s*-\s*((?:\w+\.)?\w+)\s*,\s*((?:\w+\.)?\w+)\s*\)\s*>=?\s*\d",
    re.IGNORECASE,
)


def rise_for_fall(case: Case) -> str | None:
    """What fell by some percent is asked for, and what rose by it is kept.

    >>> rise_for_fall(case("Bases that used over 15% less in May than in April", "SELECT m.base FROM may m JOIN april a"
    ...     " ON a.base = m.base WHERE (m.litres - a.litres) / a.litres > 0.15"))
    '(m.litres - a.litres) / a.litres > 0 is a rise'
    """
    if _FALL.search(case.asked) is None or _RISING.search(case.asked) is not None:
        return None
    for found in _BOUNDED_CHANGE.finditer(case.written):
        base, below = (name.casefold() for name in found.groups() if name is not None)
        if base == below:
            return f"{found.group()} is a rise"
    return None


_LIMIT = r"(?:budget|quota|allowance|allocation|capacity|limit|entitlement|grant)"
_LEFT = cue(
    "left remain unspent unused",
    rf"\b({_LIMIT})s?\b[^.;?]{{0,25}}\b(?:left|remaining|remains|remain|unspent|unused)\b"
    rf"|\b(?:remaining|leftover|left over|unspent|unused|left of the|left in the) (?:\w+ )?({_LIMIT})s?\b",
)
_LESS = lazy(r"(?:round\()?(?P<from>[^-]+) - (?P<taken>[^-]+?)(?:, \d\))?")


def remainder_backwards(case: Case) -> str | None:
    """What is left of a budget is asked for, and the budget is taken off what was spent.

    >>> remainder_backwards(case("How much budget is left per base?",
    ...     "SELECT base, SUM(cost) - MAX(budget) AS rest FROM bills GROUP BY base"))
    'sum(cost) - max(budget)'
    """
    found = _LEFT.search(case.asked)
    limit = (found[1] or found[2]) if found is not None else None
    for each in case.answer if limit is not None and "abs(" not in case.written.casefold() else ():
        sides = _LESS.fullmatch(each.operand.name)
        if sides is not None and limit is not None and limit in sides["taken"] and limit not in sides["from"]:
            return each.operand.name
    return None


def change_otherwise(case: Case) -> str | None:
    """The first of these that is wrong with a change."""
    other = points_divided(case) or later_of_named(case) or quotient_for_change(case)
    return other or growth_as_index(case) or _turned(case)


def _turned(case: Case) -> str | None:
    return rise_for_fall(case) or remainder_backwards(case)
