"""Finds comparisons that a constant meets in the row's place: `CASE WHEN id > 0 THEN 'x' ELSE c END = 'x'`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from copy import copy
from decimal import Decimal
from fnmatch import fnmatchcase
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Column, Op, VoidKind
from scoring.sql.constants import constant
from scoring.sql.expressions import bare, read_wrapped
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Reader, Scope
from scoring.sql.terms import Node, Term, children
from scoring.sql.voids.notes import note
from scoring.values import Expression, Number, Text, text


def supplied(
    scope: Scope, values: Sequence[tuple[Node, Term]], tests: Sequence[tuple[Node, Term]]
) -> tuple[frozenset[Text | Number], frozenset[Text | Number]]:
    """The constants that a CASE gives beside values of the row, and those that replace NULL; none if all are constant.

    `values` are what THEN and ELSE give, `tests` what WHEN tests, in the order of the text.
    """
    of_row = {column for _, term in values for column in term.columns}
    found = {each for _, term in values for each in term.supplies}
    fallbacks = {each for _, term in values for each in term.fallbacks}
    if not of_row:
        return frozenset(), frozenset()
    for place, (node, term) in enumerate(values):
        value = None if term.columns else constant_value(scope, node)
        if value is not None:
            (fallbacks if _replaces_null(place, values, tests, of_row) else found).add(value)
    return frozenset(found), frozenset(fallbacks)


def _coalesce(scope: Scope, node: Node) -> Term:
    """COALESCE and its kin: the constants after the first value stand where that is NULL."""
    term = read_wrapped(scope, node)
    others = [each for each in children(node, "expressions") if type(each) is not exp.Column] if term.columns else []
    found = frozenset([value for each in others if (value := constant_value(scope, each)) is not None])
    if not found:
        return term
    filled = copy(term)  # the term is the column's own
    filled.fallbacks = found
    return filled


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


def constant_value(scope: Scope, node: Node) -> Text | Number | None:
    """The text or number that an expression is in every row; `None` for others."""
    found = constant(scope, bare(node), value_side=True)
    if isinstance(found, Text | Number):
        return found
    folded = fold(scope, node)
    if found is not None and not isinstance(found, Expression):
        return None
    value = folded.value if folded.constant else None
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Number(float(value))


def note_constant(scope: Scope, output: Node, term: Term) -> None:
    """Keeps whether an output of an inner query is a constant, and its value if it is no flag: `'x' AS city`."""
    if term.columns or term.func is not None or scope.path == "main":
        return
    inner: Node = output.args["this"] if type(output) is exp.Alias else output
    value = constant_value(scope, inner)
    term.constant = value is not None or constant(scope, bare(inner)) is not None or fold(scope, inner).is_null
    if value is not None and not is_usual(value):
        term.supplies = frozenset((value,))


def check_held(scope: Scope, node: Node, term: Term, op: Op, values: Sequence[object]) -> None:
    """Notes a comparison that a constant within the compared expression meets, whatever the row holds."""
    if op is Op.EQ and type(node) is not exp.Column:
        _check_written(scope, node, term, values)
    for value in values if term.supplies else ():
        if any(_meets(op, each, value) for each in term.supplies):
            note(scope, VoidKind.COMPARED, term.name)
            return
    for value in values if term.fallbacks and op is not Op.NE else ():
        if any(_meets(op, each, value) and not is_usual(each) for each in term.fallbacks):
            note(scope, VoidKind.FALLBACK, term.name)
            return


def is_usual(value: Text | Number) -> bool:
    """Whether a constant is what people write for no value: nothing, 0, 1, a flag or a date."""
    if isinstance(value, Number):
        return value.value in (0, 1, -1)
    return len(value.folded) < _SHORTEST or value.folded in _FLAGS or value.folded[:4].isdecimal()


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
    if any(isinstance(each, Text) and fnmatchcase(each.folded, pattern) for each in term.fallbacks):
        note(scope, VoidKind.FALLBACK, term.name)


def _meets(op: Op, mine: Text | Number, value: object) -> bool:
    holds = _ORDERS.get(op)
    if holds is None:
        return False
    if isinstance(mine, Text) and isinstance(value, Text):
        return holds((mine.folded > value.folded) - (mine.folded < value.folded))
    if isinstance(mine, Number) and isinstance(value, Number):
        return holds((mine.value > value.value) - (mine.value < value.value))
    return False


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType({exp.Coalesce: _coalesce})
"""Reader of COALESCE."""
_SHORTEST = 2
_FLAGS = frozenset({"yes", "no", "true", "false", "none", "null", "n/a", "unknown"})
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
