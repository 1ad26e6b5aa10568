"""What kind of question a case is and how difficult, computed from its gold SQL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sqlglot import exp

from evals.runner.date_use import speaks_of_dates
from references.comparison.alternatives import MalformedReferenceError, expand
from scoring.sql.parsing import Parsed, parse_query


class QuestionKind(StrEnum):
    """What the gold SQL of a question does, with the categories of SQL-Eval among them."""

    JOIN = "join"
    GROUP_BY = "group_by"
    ORDER_BY = "order_by"
    RATIO = "ratio"
    """It divides one quantity by another, not by a plain number, or takes the mean of a condition."""
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
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)
_WHOLES = frozenset({0.0, 1.0, 100.0})
"""What a row counts where a condition holds, and where it does not."""
_TWO_POINTS = frozenset({QuestionKind.NESTED, QuestionKind.SET_OPERATION, QuestionKind.WINDOW})
_FEW_CONDITIONS = 2
_BOUNDS = ((Difficulty.EASY, 1), (Difficulty.MEDIUM, 3), (Difficulty.HARD, 5))
"""The most points of each difficulty."""


@lru_cache(maxsize=4096)
def gold_kinds(gold_sql: str, dialect: str | None = None, dated: frozenset[str] = frozenset()) -> GoldKinds | None:
    """The kinds of the first query that the gold SQL stands for; `None` when it cannot be read.

    `dated` are the names of columns that the schema declares as dates.

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
    found = {kind for node in nodes if (kind := _kind(node, dated)) is not None}
    kinds = tuple(kind for kind in QuestionKind if kind in found)
    return GoldKinds(kinds, _difficulty(nodes, found))


def _kind(node: exp.Expr, dated: frozenset[str]) -> QuestionKind | None:
    for kind, types in _NODES.items():
        if isinstance(node, types):
            return None if kind is QuestionKind.RATIO and _is_number(node.expression) else kind
    if isinstance(node, exp.Order):
        return None if isinstance(node.parent, exp.Window) else QuestionKind.ORDER_BY
    if isinstance(node, exp.Select):
        return QuestionKind.NESTED if _is_nested(node) else None
    if isinstance(node, exp.Avg) and _is_condition(node.this):
        return QuestionKind.RATIO
    return QuestionKind.DATE if speaks_of_dates(node, dated) else None


def _is_number(node: exp.Expr) -> bool:
    """Whether a divisor only changes the unit: 100 of cents, 60 of minutes."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal)


def _is_nested(select: exp.Select) -> bool:
    """Whether a SELECT stands in another query, and is not only one side of a set operation."""
    up = select.parent
    while isinstance(up, exp.SetOperation) or (isinstance(up, exp.Subquery) and _is_side(up)):
        up = up.parent
    return up is not None


def _is_side(subquery: exp.Subquery) -> bool:
    return isinstance(subquery.parent, exp.SetOperation | None)


def _is_condition(node: exp.Expr) -> bool:
    """Whether the mean of an expression is the share of rows for which something holds."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    if isinstance(node, exp.Mul):
        return _is_condition(node.this) or _is_condition(node.expression)
    if isinstance(node, exp.Case | exp.If):
        results = [each.args["true"] for each in node.args.get("ifs") or (node,)]
        other = node.args.get("default") or node.args.get("false")
        return other is not None and all(_is_whole(each) for each in (*results, other))
    return isinstance(node, _CONDITIONS)


def _is_whole(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) in _WHOLES


def _difficulty(nodes: list[exp.Expr], kinds: set[QuestionKind]) -> Difficulty:
    joins = sum(isinstance(node, exp.Join) for node in nodes)
    conditions = sum(isinstance(node, exp.And | exp.Or) for node in nodes) + (QuestionKind.FILTER in kinds)
    points = joins + (conditions > _FEW_CONDITIONS)
    for kind in kinds - {QuestionKind.JOIN, QuestionKind.FILTER}:
        points += 2 if kind in _TWO_POINTS else 1
    return next((difficulty for difficulty, most in _BOUNDS if points <= most), Difficulty.EXTRA)
