"""Finds out what an output computes with an aggregate or column, beyond the one value that is asked for."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folded import number
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, function_name

FUNCTION = "function"
"""A function such as SQRT is applied."""
DOUBLED = "doubled"
"""A value is added to itself, or multiplied by itself."""
SCALED = "scaled"
"""A count is multiplied by a constant, or so many are counted for each row."""
MIXED = "mixed"
"""Aggregates of different kinds are added or multiplied."""


def computed(scope: Scope, node: Node) -> tuple[str, ...]:
    """What an output computes, by the words above; nothing of a large one."""
    found: set[str] = set()
    waiting, divided = [node], False
    for _ in range(_MOST):
        if not waiting:
            break
        part = bare(waiting.pop())
        divided = divided or type(part) in _DIVIDING
        if isinstance(part, _LEFT_OUT):
            continue
        if type(part) in _OPERATORS:
            operands = _operands(part)
            found.update(_combined(scope, part, operands))
            waiting += operands
            continue
        if _is_function(part):
            found.add(FUNCTION)
        elif _counts_several(scope, part):
            found.add(SCALED)
        waiting += part.iter_expressions()
    return tuple(sorted(found - {SCALED} if divided else found)) if not waiting else ()


def _operands(node: Node) -> list[Node]:
    """The operands of a run of one operator."""
    kind = type(node)
    found: list[Node] = []
    while type(node) is kind:
        found.append(bare(node.args["expression"]))
        node = bare(node.args["this"])
        if len(found) > _MOST:
            break
    return [*found, node]


def _combined(scope: Scope, node: Node, operands: list[Node]) -> list[str]:
    """What a sum or product of some operands computes."""
    keys = [key for each in operands if (key := _key(scope, each)) is not None]
    found = [DOUBLED] if _repeats(keys) else []
    kinds = {kind for kind, _ in keys}
    if len(kinds) > 1 and not (exp.Column in kinds and exp.Count not in kinds):
        found.append(MIXED)
    if type(node) is exp.Mul and _ROWS in keys and any(_is_factor(scope, each) for each in operands):
        found.append(SCALED)
    return found


def _repeats(keys: list[tuple[type[Node], int]]) -> bool:
    """Whether an operand comes twice, or the rows are counted beside another count."""
    return len(set(keys)) < len(keys) or (_ROWS in keys and [kind for kind, _ in keys].count(exp.Count) > 1)


def _key(scope: Scope, node: Node) -> tuple[type[Node], int] | None:
    """The kind of an aggregate, column or query, and what tells it from others; `None` for other operands."""
    while type(node) in _WRAPPING:
        node = bare(node.args["this"])
    kind = type(node)
    if kind in (exp.Column, exp.Subquery):
        return kind, fold(scope, node).key
    if not isinstance(node, exp.AggFunc):
        return None
    argument = bare(node.args["this"]) if isinstance(node.args.get("this"), exp.Expr) else None
    if kind in (exp.Count, exp.Sum) and type(argument) in (exp.Star, exp.Literal):
        return _ROWS
    return kind, fold(scope, node).key


def _is_factor(scope: Scope, node: Node) -> bool:
    folded = fold(scope, node)
    value = number(folded.value, 0) if folded.constant else None
    return value is not None and abs(value) not in (0, 1)


def _counts_several(scope: Scope, node: Node) -> bool:
    """Whether SUM adds a constant other than 1 for each row."""
    argument = node.args.get("this") if type(node) is exp.Sum else None
    return type(argument) is exp.Literal and _is_factor(scope, argument)


def _is_function(node: Node) -> bool:
    kind = type(node)
    if kind is exp.Anonymous:
        return function_name(node).lower() in _NAMES
    if kind in _FUNCTIONS:
        return kind in _ALONE or node.find(*_READING) is not None
    return kind in _BITS and node.find(exp.AggFunc) is not None


_MOST = 64
_ROWS: tuple[type[Node], int] = (exp.Count, 0)
"""COUNT(*), COUNT(1) or SUM(1)."""
_OPERATORS = frozenset({exp.Add, exp.Mul})
_DIVIDING = frozenset({exp.Div, exp.IntDiv, exp.SafeDivide})
_LEFT_OUT = (exp.Query, exp.Predicate, exp.Distinct, exp.Filter, exp.Window, exp.Literal, exp.Column)
_READING = (exp.Column, exp.AggFunc, exp.Select)
_WRAPPING = frozenset({exp.Paren, exp.Cast, exp.TryCast, exp.Coalesce, exp.Abs, exp.Round})
_FUNCTIONS: frozenset[type[Node]] = frozenset(
    {exp.Sqrt, exp.Cbrt, exp.Ln, exp.Log, exp.Exp, exp.Pow, exp.Sin, exp.Cos, exp.Tan, exp.Cot, exp.Degrees}
    | {exp.Radians, exp.Factorial, exp.Pi, exp.Rand}
)
_ALONE = frozenset({exp.Pi, exp.Rand})
"""Functions without an argument."""
_BITS: frozenset[type[Node]] = frozenset(
    {exp.BitwiseNot, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseLeftShift, exp.BitwiseRightShift}
    | {exp.Reverse, exp.Hex, exp.Length}
)
"""Operators on bits and functions of texts, where they are applied to an aggregate."""
_NAMES = frozenset({"square", "log10", "log2", "sqrt", "power", "sinh", "cosh", "tanh"})
