"""Finds out what an output computes with an aggregate or column, beyond the one value that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folded import number
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, children, function_name

FUNCTION = "function"
"""A function such as SQRT is applied."""
DOUBLED = "doubled"
"""A value is added to itself, or multiplied by itself."""
SCALED = "scaled"
"""A count is multiplied by a constant, or so many are counted for each row."""
MIXED = "mixed"
"""Aggregates of different kinds are added or multiplied."""
TEXT = "text"
"""A text is cut, replaced, turned or extended."""
CHOSEN = "chosen"
"""An aggregate may give way to another value."""
OTHER_ROW = "other row"
"""The value of another row is shown."""
SUBTRACTED = "subtracted"
"""A count is taken from another one."""


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
            found.update([OTHER_ROW] if _shows_other_row(part) else [])
            continue
        if type(part) in _OPERATORS:
            operands = _operands(part)
            found.update(_joined(operands) if type(part) is exp.DPipe else _combined(scope, part, operands))
            waiting += operands
            continue
        found.update(_called(scope, part))
        waiting += part.iter_expressions()
    return tuple(sorted(found - {SCALED} if divided else found)) if not waiting else ()


def _called(scope: Scope, node: Node) -> list[str]:
    """What a call does to the values in it."""
    if _is_function(node):
        return [FUNCTION]
    if type(node) is exp.Concat:
        return _joined(children(node, "expressions"))
    does = _DOES.get(type(node))
    if does is not None:
        return [does[0]] if does[1](node) else []
    if function_name(node).lower() in _CUTS:
        return [TEXT] if _reads_row(node) else []
    return [SCALED] if _counts_several(scope, node) else []


def _reads_row(node: Node) -> bool:
    return node.find(*_READING) is not None


def _joined(parts: list[Node]) -> list[str]:
    """Whether one value of the row is put together with letters, or an aggregate with digits: `COUNT(*) || '0'`."""
    texts = [bare(each).name for each in parts if type(bare(each)) is exp.Literal]
    values = [each for each in parts if type(bare(each)) is not exp.Literal]
    if not texts or len(values) != 1:
        return []
    is_change = str.isalnum if values[0].find(exp.AggFunc) is None else str.isdigit
    return [TEXT] if any(map(is_change, "".join(texts))) else []


def _may_give_way(node: Node) -> bool:
    """Whether an aggregate is one of several values of a call or CASE, of which another is neither NULL nor 0."""
    if type(node) is exp.Case:
        parts: list[Node] = [each.args["true"] for each in children(node, "ifs")]
        default = node.args.get("default")
        parts += [] if default is None else [default]
    else:
        parts = [node.args["this"], *children(node, "expressions")]
    values = [each for each in map(bare, parts[:_MOST]) if not _is_nothing(each)]
    return len(values) > 1 and any(isinstance(each, exp.AggFunc | exp.Filter) for each in values)


def _is_difference(node: Node) -> bool:
    return _is_count(node.args["this"]) and _is_count(node.args["expression"])


def _is_nothing(node: Node) -> bool:
    return type(node) is exp.Null or (type(node) is exp.Literal and node.name in _NOTHING)


def _is_count(node: Node) -> bool:
    node = bare(node)
    return type(node.args["this"] if type(node) is exp.Filter else node) is exp.Count


def _shows_other_row(node: Node) -> bool:
    return type(node) is exp.Window and isinstance(bare(node.args["this"]), _OTHER_ROWS)


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
_OPERATORS = frozenset({exp.Add, exp.Mul, exp.DPipe})
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
_CUTTING: frozenset[type[Node]] = frozenset(
    {exp.Substring, exp.Left, exp.Right, exp.Replace, exp.RegexpReplace, exp.Reverse, exp.Hex, exp.Length, exp.MD5}
    | {exp.SHA, exp.SHA2, exp.Soundex, exp.Translate, exp.Unicode, exp.Repeat, exp.StrPosition, exp.Pad}
)
"""Calls that give a part of a text, its size, or another text."""
_CUTS = frozenset(
    {"reverse", "substr", "mid", "ascii", "insert", "overlay", "stuff", "printf", "lpad", "rpad", "quote"}
)
_DOES: MappingProxyType[type[Node], tuple[str, Callable[[Node], bool]]] = MappingProxyType(
    dict.fromkeys(_CUTTING, (TEXT, _reads_row))
    | dict.fromkeys((exp.Coalesce, exp.Greatest, exp.Least, exp.Case), (CHOSEN, _may_give_way))
    | {exp.Sub: (SUBTRACTED, _is_difference)}
)
"""What a call does, if it does so to its own values."""
_NOTHING = frozenset({"", "0", "0.0"})
_OTHER_ROWS = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_NAMES = frozenset({"square", "log10", "log2", "sqrt", "power", "sinh", "cosh", "tanh"})
