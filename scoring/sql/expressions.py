"""Readers of plain expressions: columns, literals, arithmetic, casts and functions."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from scoring.specification import Division
from scoring.sql.scopes import Reader, Scope, read
from scoring.sql.terms import Node, Term, as_number, children, combine, function_name, literal_text, merged, shorten
from scoring.values import text

_SYMBOLS: dict[type[Node], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "/",
    exp.Mod: "%",
    exp.DPipe: "||",
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "=",
    exp.NullSafeNEQ: "!=",
    exp.Like: "like",
    exp.ILike: "like",
    exp.Glob: "glob",
    exp.SimilarTo: "similar to",
    exp.RegexpLike: "regexp",
    exp.RegexpILike: "regexp",
    exp.Is: "is",
    exp.And: "and",
    exp.Or: "or",
    exp.Xor: "xor",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.Pow: "^",
    exp.Escape: "escape",
}
_VALUE_SIDED = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike, exp.Glob, exp.Is})
_LIKES = frozenset({exp.Like, exp.ILike})
_DIVIDING = frozenset({exp.Div, exp.IntDiv})
_REAL_TYPES = frozenset(
    {exp.DType.FLOAT, exp.DType.DOUBLE, exp.DType.DECIMAL, exp.DType.BIGDECIMAL, exp.DType.UDECIMAL, exp.DType.MONEY}
)
_WRAPPERS = frozenset(
    {exp.Paren, exp.Cast, exp.TryCast, exp.Convert, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Collate}
)


def bare(node: Node) -> Node:
    """The node without brackets around it."""
    while type(node) is exp.Paren:
        node = node.args["this"]
    return node


def is_quoted_text(scope: Scope, node: Node) -> bool:
    """A lone double-quoted word that stands where a value is compared, in a dialect that reads it as text."""
    if type(node) is not exp.Column or not scope.reading.lenient or (len(node.args) > 1 and node.args.get("table")):
        return False
    identifier = node.args["this"]
    if not identifier.args.get("quoted"):
        return False
    name: str = identifier.args["this"]
    return name.lower() not in scope.aliases and scope.sources.get(name.lower()) is None


def read_value(scope: Scope, node: Node) -> Term:
    """The term of a node on a comparison's right side, where a double-quoted word may be text."""
    node = bare(node)
    if is_quoted_text(scope, node):
        return Term(str(text(node.name)))
    return read(scope, node)


def _column(scope: Scope, node: Node) -> Term:
    if type(node.args["this"]) is exp.Star:
        return Term("*")
    return scope.column(node)[1]


def _literal(_: Scope, node: Node) -> Term:
    term = Term(literal_text(node))
    if not node.args["is_string"]:
        raw: str = node.args["this"]
        term.real = "." in raw or "e" in raw
        number = as_number(raw)
        term.hundred = number is not None and number.value == 100
    return term


def _boolean(_: Scope, node: Node) -> Term:
    return Term("true" if node.args["this"] else "false")


def _null(_: Scope, __: Node) -> Term:
    return Term("null")


def _star(_: Scope, __: Node) -> Term:
    return Term("*")


def _paren(scope: Scope, node: Node) -> Term:
    return read(scope, node.args["this"])


def _negative(scope: Scope, node: Node) -> Term:
    inner = read(scope, node.args["this"])
    return combine(f"-{inner.nested}", [inner])


def _opposite(scope: Scope, node: Node) -> Term:
    negated: Node = node.args["this"]
    if type(negated) is exp.Is and not negated.args.get("negate"):
        parts = [read(scope, negated.args["this"]), read(scope, negated.args["expression"])]
        return combine(f"{parts[0].nested} is not {parts[1].nested}", parts)
    inner = read(scope, negated)
    term = combine(f"not {inner.nested}", [inner])
    term.composite = True
    return term


def _alias(scope: Scope, node: Node) -> Term:
    return read(scope, node.args["this"])


def read_cast(scope: Scope, node: Node) -> Term:
    """A cast is dropped from the name; what it makes real stays known."""
    convert = type(node) is exp.Convert
    value: Node | None = node.args.get("expression") if convert else node.args.get("this")
    if value is None:
        return _function(scope, node)
    inner = read(scope, value)
    scope.reading.functions.add("CAST")
    to = node.args["this"] if convert else node.args.get("to")
    if inner.real or type(to) is not exp.DataType or to.args["this"] not in _REAL_TYPES:
        return inner
    term = Term(inner.name, inner.columns, inner.func)
    term.distinct, term.composite, term.divisions, term.real = inner.distinct, inner.composite, inner.divisions, True
    term.view, term.block = inner.view, inner.block
    return term


def _silent(scope: Scope, node: Node) -> Term:
    """Wrappers that the parser puts around dates by itself."""
    return read(scope, node.args["this"])


def _wrapped(scope: Scope, node: Node) -> Term:
    """COALESCE with a literal, LOWER, UPPER, TRIM: dropped from the name of the column they stand around."""
    scope.reading.functions.add(function_name(node))
    inner = read(scope, node.args["this"])
    others = children(node, "expressions")
    if all(type(other) is exp.Literal for other in others):
        return inner
    parts = [inner, *(read(scope, other) for other in others)]
    return combine(f"{function_name(node).lower()}({', '.join(part.name for part in parts)})", parts)


def _chain(scope: Scope, node: Node) -> Term:
    """A left-deep run of binary operators, read in a loop because hostile SQL makes it thousands long."""
    spine: list[Node] = []
    left = node
    while type(left) in _SYMBOLS:
        spine.append(left)
        left = left.args["this"]
    total = read(scope, left)
    if len(spine) == 1:
        return _joined(scope, node, total, _right(scope, node))
    parts = [total]
    for link in reversed(spine):
        right = _right(scope, link)
        parts.append(right)
        total = _joined(scope, link, total, right, keep_columns=False)
    total.columns = merged(parts)
    return total


def _right(scope: Scope, node: Node) -> Term:
    right: Node = node.args["expression"]
    if type(node) not in _VALUE_SIDED:
        return read(scope, right)
    if type(node) is exp.Is and node.args.get("negate"):
        inner = read(scope, right)
        return Term(f"not {inner.name}", inner.columns)
    return read_value(scope, right)


def _joined(scope: Scope, node: Node, left: Term, right: Term, *, keep_columns: bool = True) -> Term:
    kind = type(node)
    symbol = f"not {_SYMBOLS[kind]}" if kind in _LIKES and node.args.get("negate") else _SYMBOLS[kind]
    name = shorten(f"{_side(node.args['this'], left)} {symbol} {_side(node.args['expression'], right)}")
    columns = left.columns if left.columns is right.columns else merged([left, right]) if keep_columns else ()
    term = Term(name, columns, left.func or right.func)
    term.composite = True
    if kind in _DIVIDING:
        term.real = left.real or right.real
        _divide(scope, node, term, left, right)
    elif kind is exp.Mul:
        _multiply(scope, term, left, right)
    else:
        term.real = left.real or right.real
    return term


def _side(node: Node, term: Term) -> str:
    kind = type(node)
    return term.nested if kind is exp.Paren or kind is exp.Column or kind in _WRAPPERS else term.name


def _divide(scope: Scope, node: Node, term: Term, left: Term, right: Term) -> None:
    done = scope.reading.seen.get(id(node))
    if done is None:
        term.divisions = (len(scope.reading.divisions),)
        division = Division(
            block=scope.path, real=term.real, hundred=left.hundred, numerator=left.name, denominator=right.name
        )
        scope.reading.divisions.append(division)
        scope.reading.seen[id(node)] = term
    else:
        term.divisions = done.divisions


def _multiply(scope: Scope, term: Term, left: Term, right: Term) -> None:
    """A product with 100 makes a quotient a percentage; one with a decimal makes it real."""
    term.real = left.real or right.real
    term.hundred = left.hundred or right.hundred
    if not term.hundred:
        term.divisions = left.divisions + right.divisions if len(left.divisions) < 8 else left.divisions
        return
    divisions = scope.reading.divisions
    for index in left.divisions + right.divisions:
        old = divisions[index]
        divisions[index] = Division(
            block=old.block, real=old.real, hundred=True, numerator=old.numerator, denominator=old.denominator
        )


def _safe_divide(scope: Scope, node: Node) -> Term:
    return divide(scope, node, node.args["this"], node.args["expression"])


def divide(scope: Scope, node: Node, numerator: Node, denominator: Node) -> Term:
    """A division that is written as a call: DIVIDE, SAFE_DIVIDE."""
    left, right = read(scope, numerator), read(scope, denominator)
    term = combine(f"{left.nested} / {right.nested}", [left, right])
    term.composite = term.real = True
    scope.reading.functions.add(function_name(node))
    _divide(scope, node, term, left, right)
    return term


def _between(scope: Scope, node: Node) -> Term:
    parts = [read(scope, node.args["this"]), *(read_value(scope, node.args[each]) for each in ("low", "high"))]
    term = combine(f"{parts[0].nested} between {parts[1].nested} and {parts[2].nested}", parts)
    term.composite = True
    return term


def _function(scope: Scope, node: Node) -> Term:
    """Any function or other node: its name and its arguments' terms, in order."""
    return _called(scope, node, [read(scope, child) for child in _arguments(node)])


def _rounded(scope: Scope, node: Node) -> Term:
    """ROUND and the like keep what is known of the quotient inside."""
    parts = [read(scope, child) for child in _arguments(node)]
    term = _called(scope, node, parts)
    if parts:
        term.divisions, term.real = parts[0].divisions, parts[0].real
    return term


def _called(scope: Scope, node: Node, parts: list[Term]) -> Term:
    name = function_name(node)
    is_call = isinstance(node, exp.Func)
    if is_call:
        scope.reading.functions.add(name)
    inside = ", ".join(part.name for part in parts)
    return combine(f"{name.lower()}({inside})" if parts or is_call else name.lower(), parts)


def _tuple(scope: Scope, node: Node) -> Term:
    parts = [read(scope, child) for child in children(node, "expressions")]
    return combine(f"({', '.join(part.name for part in parts)})", parts)


def _name_only(_: Scope, node: Node) -> Term:
    """A word that is no column: a unit, a type, a parameter."""
    return Term(str(node.name or node.args.get("this") or "?").lower())


def _placeholder(_: Scope, __: Node) -> Term:
    return Term("?")


def _data_type(_: Scope, node: Node) -> Term:
    kind = node.args["this"]
    return Term(str(getattr(kind, "value", kind)).lower())


def _dot(scope: Scope, node: Node) -> Term:
    left = read(scope, node.args["this"])
    field: Node = node.args["expression"]
    if type(field) is exp.Identifier:
        return combine(f"{left.name}.{field.name.lower()}", [left])
    right = read(scope, field)
    return combine(f"{left.name}.{right.name}", [left, right])


def _now(scope: Scope, node: Node) -> Term:
    name = function_name(node)
    scope.reading.functions.add(name)
    return Term(name.lower())


def _arguments(node: Node) -> Iterable[Node]:
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            yield value
        elif type(value) is list:
            yield from (item for item in cast("list[object]", value) if isinstance(item, exp.Expr))


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(
    dict.fromkeys(_SYMBOLS, _chain)
    | {
        exp.Expr: _function,
        exp.Column: _column,
        exp.Literal: _literal,
        exp.Boolean: _boolean,
        exp.Null: _null,
        exp.Star: _star,
        exp.Paren: _paren,
        exp.Neg: _negative,
        exp.Not: _opposite,
        exp.Alias: _alias,
        exp.Cast: read_cast,
        exp.TryCast: read_cast,
        exp.Convert: read_cast,
        exp.TsOrDsToTimestamp: _silent,
        exp.TimeStrToTime: _silent,
        exp.DateStrToDate: _silent,
        exp.Collate: _silent,
        exp.AtTimeZone: _silent,
        exp.Coalesce: _wrapped,
        exp.Lower: _wrapped,
        exp.Upper: _wrapped,
        exp.Trim: _wrapped,
        exp.SafeDivide: _safe_divide,
        exp.Between: _between,
        exp.Round: _rounded,
        exp.Floor: _rounded,
        exp.Ceil: _rounded,
        exp.Tuple: _tuple,
        exp.Identifier: _name_only,
        exp.Var: _name_only,
        exp.Parameter: _placeholder,
        exp.Placeholder: _placeholder,
        exp.DataType: _data_type,
        exp.Dot: _dot,
        exp.CurrentDate: _now,
        exp.CurrentTimestamp: _now,
        exp.CurrentDatetime: _now,
    }
)
"""Which function reads which kind of node; `exp.Expr` stands for all others."""
