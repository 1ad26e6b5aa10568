"""Whether a follow-up's answer still computes what the SQL before it computes: columns, unit, and rates."""

from __future__ import annotations

import re
from math import prod

from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.specification import Aggregation, Column, SqlSpec

_CHANGING = frozenset(
    {ChangeKind.AGGREGATE, ChangeKind.COMPARE, ChangeKind.COUNT, ChangeKind.LIST, ChangeKind.COLUMNS, ChangeKind.WIDE}
)


def lost_terms(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The columns that the measure of the SQL before reads and the answer reads nowhere.

    `SUM(price - refund)` after `net of refunds` is still net in the next turn; a share is a share of the same measure.
    """
    before = asked.before
    if before is None or not _keeps_measure(asked):
        return []
    read = {column.name for column in sql.columns}
    measured = [each for each in before.aggregations if each.func != "COUNT" or each.conditional]
    gone = {column for each in measured for column in each.columns if column.name not in read}
    return sorted(column.name for column in gone if not _is_tested(column, before))


def _keeps_measure(asked: FollowUp) -> bool:
    """Whether the follow-up leaves the measure as it is, or asks for shares of it."""
    return (
        not asked.free & _CHANGING
        or (ChangeKind.UNIT in asked.free and asked.free & _CHANGING == frozenset({ChangeKind.AGGREGATE}))
        or asked.kinds == frozenset({ChangeKind.SHARE})
        or _SUMMED.search(asked.fragment) is not None
    )


_SUMMED = lazy(r"\b(?:cumulat\w+|running|rolling|moving|year[- ]to[- ]date)\b", re.IGNORECASE)
"""Sums up the same measure over time."""


def _is_tested(column: Column, before: SqlSpec) -> bool:
    """Whether the SQL before also restricts its rows by a column, which is another signal's to see."""
    return any(column in each.lhs.columns for each in before.filters if each.lhs is not None and each.clause != "case")


def lost_unit(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The factor by which the SQL before turns its measure into another unit, where the answer has none.

    `SUM(kwh) / 1000` after `in MWh` is still in MWh in the next turn.
    """
    before = asked.before
    may_count = ChangeKind.COUNT in asked.free and all(each.func == "COUNT" for each in sql.aggregations)
    if before is None or may_count or asked.free & _CHANGING - {ChangeKind.COUNT} or ChangeKind.SHARE in asked.free:
        return []
    factors = _factors(before)
    if not factors or _factors(sql) or _has_unit(sql) or not _is_scaled(prod(factors)):
        return []
    return [f"{prod(factors):g}"]


def _factors(spec: SqlSpec) -> list[float]:
    """By what the measures are multiplied or divided, without percentages and casts."""
    names = {each.operand.name for each in spec.projections if each.operand.func} | {
        each.column for each in spec.aggregations
    }
    found = [float(number) for name in sorted(names) for number in _FACTOR.findall(name)]
    return [each for each in found if each not in (0, 1, 100)]


_FACTOR = lazy(r"[/*] \(?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b(?! ?[-+])")
_UNIT = lazy(r"hour|minute|second|day|week|month|year", re.IGNORECASE)


def _has_unit(spec: SqlSpec) -> bool:
    """Whether a measure counts a unit of time, so that no factor is needed."""
    return any(_UNIT.search(each.column) for each in spec.aggregations if each.func != "COUNT")


def _is_scaled(factor: float) -> bool:
    """Whether a factor is one between units: thousands, parts of an hour or a day, pounds in a kilogram."""
    return any(abs(factor - each) < each / 1000 or abs(factor * each - 1) < 1 / 1000 for each in _SCALES)


_IMPERIAL = (2.20462, 28.3495, 1.609344, 3.28084, 1.0936, 2.54, 3.78541, 4.54609, 2.47105)
"""Pounds, ounces, miles, feet, yards, inches, gallons and acres in metric units, or the other way round."""
_SCALES = (1000.0, 1e6, 1e9, 60.0, 3600.0, 86400.0, 24.0, 1440.0, 1024.0, 1024.0**2, 1024.0**3, 7.0, 12.0, *_IMPERIAL)


def lost_rate(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The quotient of aggregates that the SQL before computes, where the answer divides nothing and has no mean."""
    before = asked.before
    if before is None or not _keeps_measure(asked) or _quotients(sql):
        return []
    quotients = _quotients(before)
    if any(each.func in ("AVG", "MEDIAN") or "PERCENTILE" in each.func for each in sql.aggregations):
        quotients = [(above, below) for above, below in quotients if _is_weighted(above, below)]
    return [f"{above} / {below}" for above, below in quotients]


def _is_weighted(above: str, below: str) -> bool:
    """Whether a quotient is a mean of one column weighted by another.

    >>> _is_weighted("SUM(fat * litres)", "SUM(litres)"), _is_weighted("SUM(fat)", "SUM(litres)")
    (True, False)
    """
    weight = _SUM.fullmatch(below)
    terms = _SUM_OF_PRODUCT.fullmatch(above)
    return weight is not None and terms is not None and weight[1] in terms.groups()


_SUM = lazy(r"(?i)sum\((?:\w+\.)?(\w+)\)")
_SUM_OF_PRODUCT = lazy(r"(?i)sum\((?:\w+\.)?(\w+) \* (?:\w+\.)?(\w+)\)")


def _quotients(spec: SqlSpec) -> list[tuple[str, str]]:
    """The divisions by an aggregate."""
    found = [(each.numerator, each.denominator) for each in spec.divisions]
    return [(above, below) for above, below in found if "(" in below and "(" in above]


def is_rate(old: Aggregation, sql: SqlSpec) -> bool:
    """Whether the mean of a condition, or a count of what a quotient divides, is a quotient or a mean there.

    `AVG(CASE WHEN on_time THEN 1 ELSE 0 END)` and `COUNT_IF(on_time) / COUNT(*)` are one rate.
    """
    if old.func == "AVG" and old.conditional:
        return bool(sql.divisions) and any(each.func in ("COUNT", "SUM") for each in sql.aggregations)
    return any(each.func == "AVG" and (each.conditional or not each.columns) for each in sql.aggregations)
