"""The key that decides which rows a LIMIT keeps."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.patterns import lazy
from scoring.specification import Limit, SortKey, Superlative, Window
from scoring.verdict import Case
from scoring.words import stem

PROTECTIVE = 100
"""A LIMIT from which tools add it to every query, to protect the database: most reports have fewer rows."""
RANKING = frozenset({"RANK", "DENSE_RANK", "ROW_NUMBER", "PERCENT_RANK", "NTILE"})
MANY_MEANINGS = frozenset({"first", "last", "min", "max"})
"""Words of an extreme that are often something else: a first reply, last Friday, minutes, at most."""


def cutting_key(case: Case) -> SortKey | None:
    """The first key that decides which rows a LIMIT keeps; DISTINCT ON has its own keys before it.

    A rank that is compared with a number keeps rows by the order of its window, whatever order they are shown in.
    """
    windows = _ranking_windows(case)
    ranked = bool(windows) and any(each.ranked for each in case.sql.limits)
    asked = {each.k for each in case.question.superlatives}
    cutting = [each for each in case.sql.limits if _cuts(each, asked) and not (ranked and each.ranked)]
    if ranked and not (cutting and case.sql.order_by):
        return windows[0].order_by[0] if len(windows) == 1 else None
    return _outer_key(case, cutting) or _first_key(case.sql.order_by, cutting)


def _outer_key(case: Case, cutting: list[Limit]) -> SortKey | None:
    """The first key of a LIMIT of the answer itself."""
    return _first_key(case.sql.order_by, [each for each in cutting if each.block in case.sql.outputs])


def _ranking_windows(case: Case) -> list[Window]:
    return [each for each in case.sql.windows if each.func in RANKING and each.order_by]


def _first_key(keys: Iterable[SortKey], cutting: Iterable[Limit]) -> SortKey | None:
    limited = {each.block: {key.name for key in each.partition} for each in cutting}
    return next((key for key in keys if key.block in limited and key.operand.name not in limited[key.block]), None)


def _cuts(limit: Limit, asked: set[int | None]) -> bool:
    """Whether a LIMIT decides which rows come, and does not only protect the database."""
    return limit.count is None or limit.count < PROTECTIVE or limit.count in asked


_COMMON = {"common", "often", "frequent", "popular"}


def shown_order(case: Case, block: str) -> list[SortKey]:
    """What the answer is ordered by, where another block picks its rows: the first class of each, most often."""
    keys = {each.block: each for each in reversed(case.sql.order_by)}
    often = any(_COMMON & set(each.word.split()) for each in case.question.superlatives)
    return [key for path, key in keys.items() if often and path != block and path in case.sql.outputs]


_GOOD = frozenset(
    map(
        stem,
        "revenue sales sale turnover income earnings profit margin rating rated score conversion retention nps csat "
        "satisfaction performance growth attendance yield grade mark win occupancy seller selling reviewed".split(),
    )
)
_LESS = lazy(
    r"\b(?:biggest|largest|highest|steepest|worst|most) (?:\w+ )?(?:drop|decline|decrease|fall|loss|slump)s?\b"
)


def worst_has_most(asked: Superlative, case: Case) -> bool:
    """Whether either end of an order may be meant: the worst of what is not good, or the biggest drop.

    >>> asked = case("What was the worst month for claims?", "SELECT month FROM claims")
    >>> worst_has_most(asked.question.superlatives[0], asked)
    True
    """
    judged = asked.word in ("best", "worst") and _GOOD.isdisjoint(case.question.stems)
    return judged or _LESS.search(case.asked) is not None
