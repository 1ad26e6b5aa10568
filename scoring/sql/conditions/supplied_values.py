"""Finds comparisons that a constant meets in the row's place: `CASE WHEN id > 0 THEN 'x' ELSE c END = 'x'`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from fnmatch import fnmatchcase
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Column, Op, VoidKind
from scoring.sql.constants import constant
from scoring.sql.expressions import bare
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, Term
from scoring.sql.undoing import note
from scoring.values import Expression, Number, Text, text


def supplied(
    scope: Scope, values: Sequence[tuple[Node, Term]], tests: Sequence[tuple[Node, Term]]
) -> frozenset[Text | Number]:
    """The constants that a CASE gives beside values of the row; none where all are constant, or they replace NULL.

    `values` are what THEN and ELSE give, `tests` what WHEN tests, in the order of the text.
    """
    of_row = {column for _, term in values for column in term.columns}
    found = {each for _, term in values for each in term.supplies}
    if not of_row:
        return frozenset()
    for place, (node, term) in enumerate(values):
        if term.columns or _replaces_null(place, values, tests, of_row):
            continue
        value = _value(scope, node)
        if value is not None:
            found.add(value)
    return frozenset(found)


def _replaces_null(
    place: int, values: Sequence[tuple[Node, Term]], tests: Sequence[tuple[Node, Term]], of_row: Set[Column]
) -> bool:
    """Whether a constant stands for NULL alone: `WHEN c IS NULL THEN 0`, or ELSE after `WHEN c IS NOT NULL THEN c`."""
    is_default = place >= len(tests)
    node, term = tests[-1] if is_default else tests[place]
    if is_default and (len(tests) != 1 or not values[0][1].columns):
        return False
    return _tests_null(bare(node), absent=not is_default) and set(term.columns) <= of_row


def _tests_null(node: Node, *, absent: bool) -> bool:
    """Whether a condition is IS NULL, or IS NOT NULL where `absent` is false."""
    negated = type(node) is exp.Not
    if negated:
        node = bare(node.args["this"])
    if type(node) is not exp.Is or type(node.args["expression"]) is not exp.Null:
        return False
    return (negated is bool(node.args.get("negate"))) is absent


def _value(scope: Scope, node: Node) -> Text | Number | None:
    found = constant(scope, bare(node), value_side=True)
    if isinstance(found, Text | Number):
        return found
    folded = fold(scope, node)
    if found is not None and not isinstance(found, Expression):
        return None
    if isinstance(folded.value, str) and folded.constant:
        return text(folded.value)
    return Number(folded.value) if isinstance(folded.value, float) and folded.constant else None


def check_held(scope: Scope, node: Node, term: Term, op: Op, values: Sequence[object]) -> None:
    """Notes a comparison that a constant within the compared expression meets, whatever the row holds."""
    if op is Op.EQ and type(node) is not exp.Column:
        _check_written(scope, node, term, values)
    for value in values if term.supplies else ():
        if any(_meets(op, each, value) for each in term.supplies):
            note(scope, VoidKind.COMPARED, term.name)
            return


def _check_written(scope: Scope, node: Node, term: Term, values: Iterable[object]) -> None:
    """Notes a call that holds the text it is compared with: `LPAD('x', 1, c) = 'x'`; some calls replace texts by it."""
    if not _should_hold_no_text(node):
        return
    wanted = [each.folded for each in values if isinstance(each, Text) and each.folded.strip()]
    held = [each.name.casefold() for each in node.find_all(exp.Literal) if each.is_string] if wanted else []
    if any(one in text for one in wanted for text in held):
        note(scope, VoidKind.COMPARED, term.name)


def _should_hold_no_text(node: Node) -> bool:
    if isinstance(node, exp.Replace):
        return type(node.args["this"]) is exp.Literal
    return isinstance(node, exp.Func | exp.Window) and not isinstance(node, _MAY_HOLD_TEXTS)


def check_pattern(scope: Scope, term: Term, raw: str) -> None:
    """The same for a pattern of LIKE."""
    pattern = raw.casefold().replace("%", "*")
    if any(isinstance(each, Text) and fnmatchcase(each.folded, pattern) for each in term.supplies):
        note(scope, VoidKind.COMPARED, term.name)


def _meets(op: Op, mine: Text | Number, value: object) -> bool:
    holds = _ORDERS.get(op)
    if holds is None:
        return False
    if isinstance(mine, Text) and isinstance(value, Text):
        return holds((mine.folded > value.folded) - (mine.folded < value.folded))
    if isinstance(mine, Number) and isinstance(value, Number):
        return holds((mine.value > value.value) - (mine.value < value.value))
    return False


_MAY_HOLD_TEXTS = (exp.Case, exp.If, exp.Coalesce, exp.Cast, exp.TryCast, exp.And, exp.Or)
_ORDERS: MappingProxyType[Op, Callable[[int], bool]] = MappingProxyType(
    {
        Op.EQ: lambda order: order == 0,
        Op.IN: lambda order: order == 0,
        Op.NE: lambda order: order != 0,
        Op.LT: lambda order: order < 0,
        Op.LE: lambda order: order <= 0,
        Op.GT: lambda order: order > 0,
        Op.GE: lambda order: order >= 0,
    }
)
"""Whether a comparison holds for values of that order: -1, 0 or 1."""
