"""What kind of question a case is and how difficult, computed from its gold SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sqlglot import exp

from references.comparison.alternatives import MalformedReferenceError, expand
from scoring.sql.parsing import Parsed, parse_query


class QuestionKind(StrEnum):
    """What the gold SQL of a question does, with the categories of SQL-Eval among them."""

    JOIN = "join"
    GROUP_BY = "group_by"
    ORDER_BY = "order_by"
    RATIO = "ratio"
    """It divides one quantity by another."""
    DATE = "date"
    """It computes with dates, or compares with one."""
    NESTED = "nested"
    """A query in a query, also as a common table expression."""
    SET_OPERATION = "set_operation"
    WINDOW = "window"
    FILTER = "filter"


class Difficulty(StrEnum):
    """How much the gold SQL does at once."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class GoldKinds:
    """The kinds of a gold query and its difficulty."""

    kinds: tuple[QuestionKind, ...]
    difficulty: Difficulty


_NODES: dict[QuestionKind, tuple[type[exp.Expr], ...]] = {
    QuestionKind.JOIN: (exp.Join,),
    QuestionKind.GROUP_BY: (exp.Group,),
    QuestionKind.RATIO: (exp.Div, exp.SafeDivide),
    QuestionKind.SET_OPERATION: (exp.SetOperation,),
    QuestionKind.WINDOW: (exp.Window,),
    QuestionKind.FILTER: (exp.Where, exp.Having),
}
_DATES = (
    *(exp.DateAdd, exp.DateSub, exp.DateDiff, exp.DateTrunc, exp.TimestampTrunc, exp.Extract, exp.Interval),
    *(exp.CurrentDate, exp.CurrentTimestamp, exp.Year, exp.Month, exp.Day, exp.StrToDate, exp.StrToTime),
    *(exp.TimeToStr, exp.TsOrDsToDate, exp.TimestampDiff, exp.TimestampAdd, exp.TimestampSub, exp.LastDay),
)
_DATE_CALLS = frozenset({"strftime", "julianday", "date", "datetime", "to_char", "date_part", "age", "make_date"})
_DATE_TEXT = re.compile(r"\d{4}-\d{2}(-\d{2})?([ T].*)?")
_DATE_TYPES = (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.DATETIME, exp.DType.TIMESTAMPTZ)
_TWO_POINTS = frozenset({QuestionKind.NESTED, QuestionKind.SET_OPERATION, QuestionKind.WINDOW})
_FEW_CONDITIONS = 2
_BOUNDS = ((Difficulty.EASY, 1), (Difficulty.MEDIUM, 3), (Difficulty.HARD, 5))
"""The most points of each difficulty."""


@lru_cache(maxsize=4096)
def gold_kinds(gold_sql: str, dialect: str | None = None) -> GoldKinds | None:
    """The kinds of the first query that the gold SQL stands for; `None` when it cannot be read.

    Each join, grouping, order, ratio and date counts a point, and so do more than two conditions; a nested query, a set
    operation and a window count two. Up to 1 point is easy, up to 3 medium, up to 5 hard.

    >>> found = gold_kinds("SELECT town, COUNT(*) FROM mills JOIN looms ON mill = mills.id GROUP BY town ORDER BY 2")
    >>> [str(each) for each in found.kinds], str(found.difficulty)
    (['join', 'group_by', 'order_by'], 'medium')
    >>> str(gold_kinds("SELECT {id, name} FROM looms").difficulty)
    'easy'
    """
    try:
        alternatives = expand(gold_sql, 1, written_out=True).alternatives
        parsed = parse_query(alternatives[0].sql, dialect) if alternatives else None
        if not isinstance(parsed, Parsed):
            return None
        nodes = list(parsed.tree.walk())
    except (MalformedReferenceError, RecursionError):
        return None
    found = {kind for node in nodes if (kind := _kind(node)) is not None}
    kinds = tuple(kind for kind in QuestionKind if kind in found)
    return GoldKinds(kinds, _difficulty(nodes, found))


def _kind(node: exp.Expr) -> QuestionKind | None:
    for kind, types in _NODES.items():
        if isinstance(node, types):
            return kind
    if isinstance(node, exp.Order):
        return None if isinstance(node.parent, exp.Window) else QuestionKind.ORDER_BY
    if isinstance(node, exp.Select):
        return QuestionKind.NESTED if not isinstance(node.parent, exp.SetOperation | None) else None
    return QuestionKind.DATE if _is_date(node) else None


def _is_date(node: exp.Expr) -> bool:
    if isinstance(node, exp.Literal):
        return node.is_string and _DATE_TEXT.fullmatch(node.name) is not None
    if isinstance(node, exp.Cast):
        return node.to.this in _DATE_TYPES
    return isinstance(node, _DATES) or (isinstance(node, exp.Anonymous) and node.name.lower() in _DATE_CALLS)


def _difficulty(nodes: list[exp.Expr], kinds: set[QuestionKind]) -> Difficulty:
    joins = sum(isinstance(node, exp.Join) for node in nodes)
    conditions = sum(isinstance(node, exp.And | exp.Or) for node in nodes) + (QuestionKind.FILTER in kinds)
    points = joins + (conditions > _FEW_CONDITIONS)
    for kind in kinds - {QuestionKind.JOIN, QuestionKind.FILTER}:
        points += 2 if kind in _TWO_POINTS else 1
    return next((difficulty for difficulty, most in _BOUNDS if points <= most), Difficulty.EXTRA)
