"""Whether an answer cuts hours and days in the zone that the tenant's rules state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from scoring.alignment.apart import is_month, time_range
from scoring.patterns import lazy
from scoring.rules import TimeZone
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import shapes
from scoring.specification import Column, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.values import DatePart, Grain, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import letters

_UTC = frozenset({"utc", "gmt", "etc/utc", "+00:00"})
_CONVERTS = lazy(
    r"zone|_tz\b|tz_|\bfrom_utc|\bto_utc|\bconvert_tz|\bfrom_tz|\bnew_time|'[a-z]+/[a-z_]+'|\blocal|\bbiz_|\bbusiness_",
    re.IGNORECASE,
)
"""What may turn a moment into another zone, or is kept in one."""
_NAMED = lazy(r"\b(?:utc|gmt|time ?zone|local|[a-z]+ time)\b")


def time_zone_differs(case: Case) -> Finding | None:
    """Hours or days of a time are cut in another zone than in this house.

    Rows near midnight change their day. The tenant's rules state the zone of the house and the columns that hold
    moments of another one. A question that names a zone may mean it, and a length of time up to now is cut nowhere.

    >>> rules = rules_with(time_zones={"calls.began_at": "America/Lima"})
    >>> time_zone_differs(case("How many calls on May 3, 2026?",
    ...     "SELECT COUNT(*) FROM calls WHERE DATE(began_at) = '2026-05-03'", rules=rules)).detail
    'expected → actual: america/lima → began_at as it is stored'
    """
    if not case.rules.time_zones or _NAMED.search(case.said):
        return None
    for rule in case.rules.time_zones:
        cut = [column for column, parts in _cut(rule, case) if not rule.parts or rule.parts & parts]
        if cut and (shown := _other_zone(rule, cut[0], case)) is not None:
            return differing(rule.zone, shown)
    return None


def _other_zone(rule: TimeZone, column: str, case: Case) -> str | None:
    """The zone in which the SQL cuts the column, if it is another one."""
    given = {each.words[0] for each in shapes(case, ShapeKind.ZONE)} - _UTC
    if rule.zone in _UTC:
        return ", ".join(sorted(given)) or None
    return None if _CONVERTS.search(case.written) else f"{column} as it is stored"


def _cut(rule: TimeZone, case: Case) -> Iterator[tuple[str, set[Grain]]]:
    """The columns of the rule that are cut, with the parts into which they are."""
    tests = [(each, column) for each, column in _tests(case) if _is_of(rule, column, case)]
    if rule.zone in _UTC_IN_WINTER and any(_is_in_winter(each, case) for each, _ in tests):
        return
    yield from ((column.name, parts) for each, column in tests if (parts := _parts_of(each)))
    for shape in shapes(case, ShapeKind.GRAIN):
        parts = {Grain(word) for word in shape.words if word in _GRAINS}
        yield from ((column.name, parts) for column in shape.columns if _is_of(rule, column, case))


def _tests(case: Case) -> Iterator[tuple[SqlFilter, Column]]:
    """The conditions on one column, with it."""
    for each in case.sql.filters:
        if each.lhs is not None and len(each.lhs.columns) == 1:
            yield each, each.lhs.columns[0]


_UTC_IN_WINTER = frozenset(
    f"{place}{kind}" for place in ("london", "dublin", "lisbon", "uk") for kind in (" time", "")
) | {"europe/london", "europe/dublin", "europe/lisbon"}
_WINTER = frozenset({11, 12, 1, 2})
_MARCH, _LAST_OF_MARCH = 3, 24
"""Up to this day of March it is winter time in every year."""


def _is_in_winter(condition: SqlFilter, case: Case) -> bool:
    """Whether a condition on a time keeps moments of one winter alone, when these places have UTC."""
    now = case.query.occurred_at
    moment = now.replace(tzinfo=None) if now is not None else None
    kept = time_range(condition.rhs, None, moment)
    start = kept.start if kept is not None else None
    end = (kept.end or moment) if kept is not None else None
    if start is None or end is None or end - start > _LONGEST:
        return False
    return all(each.month in _WINTER or (each.month == _MARCH and each.day <= _LAST_OF_MARCH) for each in (start, end))


_LONGEST = timedelta(days=140)
_GRAINS = frozenset(Grain)


def _parts_of(condition: SqlFilter) -> set[Grain]:
    """The parts of a time that a condition cuts. One that reaches back from this moment cuts none."""
    wanted = condition.rhs
    if isinstance(wanted, TimeRange):
        return {Grain.MONTH if is_month(wanted) else Grain.DAY}
    if isinstance(wanted, RelativeTime):
        return {wanted.unit} if wanted.whole else set()
    named = wanted.part if isinstance(wanted, DatePart) else ""
    return {Grain(named) if named in _GRAINS else Grain.DAY} if named else set()


def _is_of(rule: TimeZone, column: Column, case: Case) -> bool:
    """Whether a column is one of the rule's, by its table or that of the only one of its name that is read."""
    if column.table is not None:
        return any(_placed(one) == (letters(column.table), column.name) for one in rule.columns)
    tables = {letters(one) for block in case.sql.blocks for one in block.tables}
    return any(name == column.name and table in tables for table, name in map(_placed, rule.columns))


def _placed(column: str) -> tuple[str, str]:
    table, _, name = column.rpartition(".")
    return letters(table), name
