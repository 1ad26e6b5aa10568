"""How far apart the dates are that queries compare. Dates drawn one by one rarely differ by just that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TypeAlias

from sqlglot import exp

from references.date_functions import day_plus
from references.time_zones import zone

Step: TypeAlias = tuple[int, str]
"""A number of units, and the unit."""

_MODIFIER = re.compile(r"[+-]?(\d{1,5}) (second|minute|hour|day|month|year)s?", re.IGNORECASE)
_MODIFIED = frozenset({"date", "datetime", "strftime", "julianday"})
_COUNTING = frozenset({"day_gap", "day_span", "month_span", "second_span"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SMALLER = {"HOUR": "MINUTE", "MINUTE": "SECOND"}
"""What one may be off by, next to a day."""
_SEASONS = (datetime(2024, 1, 1), datetime(2024, 7, 1))
_HOURS = (-25, -23, -1, 1, 23, 25)
_MOST = 40_000
"""Units further apart are not looked for."""


def steps_in(node: exp.Expr) -> Iterator[Step]:
    """The steps that a call takes from a date.

    >>> from sqlglot import parse_one
    >>> [*steps_in(parse_one("DAY_PLUS(d, -3, 'MONTH')"))]
    [(3, 'MONTH')]
    >>> [*steps_in(parse_one("DATE(d, '+1 year')", dialect="sqlite"))]
    [(1, 'YEAR')]
    """
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name == "day_plus" and len(node.expressions) == 3:
        for count in node.expressions[1].find_all(exp.Literal):
            if count.is_int:
                yield int(count.name), node.expressions[2].name.upper()
    elif name == "zone_time":
        yield from (step for each in node.expressions[1:] for step in _offsets(each.name))
    elif name in _MODIFIED or isinstance(node, exp.Date):
        yield from _modified(node)


def _modified(node: exp.Expr) -> Iterator[Step]:
    words = [_MODIFIER.fullmatch(each.name) for each in node.expressions if isinstance(each, exp.Literal)]
    yield from ((int(found[1]), found[2].upper()) for found in words if found is not None)


def _offsets(name: str) -> Iterator[Step]:
    """How far a zone's time is from UTC, in winter and in summer.

    >>> [*_offsets("Europe/London")], [*_offsets("Asia/Kolkata")]
    ([(60, 'MINUTE')], [(330, 'MINUTE')])
    """
    found = zone(name)
    seconds = [each.replace(tzinfo=found).utcoffset() for each in _SEASONS] if found is not None else []
    minutes = {abs(int(each.total_seconds())) // 60 for each in seconds if each is not None}
    yield from ((each, "MINUTE") for each in sorted(minutes) if each)


def steps_between(node: exp.Expr, number: int) -> Iterator[Step]:
    """The steps between dates whose difference is compared with a number."""
    if not 0 <= number <= _MOST:
        return
    calls = [each for each in node.find_all(exp.Anonymous) if each.name.lower() in _COUNTING]
    yield from ((number, each.expressions[2].name.upper()) for each in calls)
    if not calls and node.find(exp.Sub) is not None:
        yield from ((number, unit) for unit in ("DAY", "YEAR"))


def dates_beside(node: exp.Expr, number: int) -> Iterator[str]:
    """The dates around those that lie so far from the constant dates of a computation."""
    days = [each.name for each in node.find_all(exp.Literal) if each.is_string and _DAY.fullmatch(each.name)]
    for day in days:
        for step in steps_between(node, number):
            for sign in (1, -1):
                yield from around(day, step, sign)


def around(date: str, step: Step, sign: int) -> list[str]:
    """The date that lies a step away, and its neighbours; of moments also those an hour from a neighbouring day.

    >>> around("2024-03-31", (1, "MONTH"), -1)
    ['2024-02-29', '2024-02-28', '2024-03-01']
    """
    count, unit = step
    there = day_plus(date, sign * count, unit)
    units = (unit, _SMALLER[unit]) if unit in _SMALLER else ("DAY",)
    near = [there, *(day_plus(there, off, each) for each in units for off in (-1, 1))]
    if there is not None and len(there) > len("2024-03-01"):
        near += [day_plus(there, off, "HOUR") for off in _HOURS]
    return [each for each in near if each is not None]
