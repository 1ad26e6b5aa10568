"""Signals about extremes: one of each group in place of one of all, and one of two that is not taken."""

from __future__ import annotations

from scoring.signals.finding import Finding
from scoring.signals.order import EXTREMES, FIRST_OF, PLACES
from scoring.specification import Op, SqlFilter
from scoring.verdict import Case


def extreme_per_group(case: Case) -> Finding | None:
    """One extreme of all is asked for, and one of each group comes.

    GROUP BY turns the lowest fare into a lowest fare for each route.

    >>> extreme_per_group(case("What is the lowest fare, and of which route?",
    ...     "SELECT MIN(fare), route FROM trips GROUP BY route")).detail
    'min(fare) by route'
    """
    sql = case.sql
    if not sql.group_by or sql.limits or sql.having or not _asks_one(case):
        return None
    if any(_is_pinned(each, case) for each in sql.filters):
        return None
    taken = next((each.operand.name for each in case.answer if each.operand.func in EXTREMES), None)
    return Finding(1.0, f"{taken} by {sql.group_by[0].operand.name}") if taken is not None else None


def _asks_one(case: Case) -> bool:
    """Whether one extreme of all is asked for."""
    question = case.question
    if question.group_by or not _EACH.isdisjoint(case.spoken):
        return False
    return bool(question.superlatives) or not EXTREMES.isdisjoint(each.func for each in question.aggregations)


def _is_pinned(each: SqlFilter, case: Case) -> bool:
    """Whether a condition keeps one value of a grouping key: there is one group."""
    keys = {key.operand.columns for key in case.sql.group_by}
    return each.op is Op.EQ and each.lhs is not None and each.lhs.columns in keys and each.alternative is None


_EACH = frozenset({"each", "per", "every"})


def _say_the_same(case: Case) -> bool:
    """Whether all extremes are of how often: `most often`, `the most common`."""
    return all(
        any(word in each.word for word in ("often", "common", "frequent")) for each in case.question.superlatives
    )


def extreme_dropped(case: Case) -> Finding | None:
    """Two extremes are asked for, and the SQL takes one.

    `top`, `first` and their like only say where to cut and are no second extreme.

    >>> extreme_dropped(case("Which is the oldest van with the lowest mileage?",
    ...     "SELECT id FROM vans ORDER BY age DESC LIMIT 1")).detail
    'oldest; lowest'
    """
    asked = list(dict.fromkeys(each.word for each in case.question.superlatives if each.word not in PLACES))
    if len(asked) < 2 or any(each.func in FIRST_OF for each in case.sql.windows) or _say_the_same(case):
        return None
    taken = len(case.sql.order_by) + sum(1 for each in case.sql.aggregations if each.func in EXTREMES)
    return Finding(1.0, "; ".join(asked[:5])) if taken < 2 else None
