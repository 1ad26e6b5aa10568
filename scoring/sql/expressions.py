"""Reads plain expressions: columns, literals, casts and functions."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from scoring.sql.parameters.unknown_values import noted_parameter
from scoring.sql.scopes import Reader, Scope, read
from scoring.sql.terms import Node, Term, as_number, bare, children, combine, function_name, literal_text
from scoring.values import text

_REAL_TYPES = frozenset(
    {exp.DType.FLOAT, exp.DType.DOUBLE, exp.DType.DECIMAL, exp.DType.BIGDECIMAL, exp.DType.UDECIMAL, exp.DType.MONEY}
)


def is_quoted_text(scope: Scope, node: Node) -> bool:
    """Whether a value is a lone double-quoted word in a dialect that reads it as text."""
    if type(node) is not exp.Column or not scope.walk.lenient or (len(node.args) > 1 and node.args.get("table")):
        return False
    identifier = node.args["this"]
    if not identifier.args.get("quoted"):
        return False
    name: str = identifier.args["this"]
    return name.lower() not in scope.aliases and name.lower() not in scope.columns.items


def read_value(scope: Scope, node: Node) -> Term:
    """The term of a comparison's right side, where a double-quoted word may be text."""
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


def _json_path(_: Scope, node: Node) -> Term:
    """The keys of a path into a document: `'$.kind'`."""
    parts = [each for each in children(node, "expressions") if each.args.get("this") is not None]
    keys = [f"[{each.this}]" if type(each) is exp.JSONPathSubscript else f".{each.this}" for each in parts]
    return Term(f"'${''.join(keys)}'".lower())


def _boolean(_: Scope, node: Node) -> Term:
    return Term("true" if node.args["this"] else "false")


def _null(_: Scope, __: Node) -> Term:
    return Term("null")


def _star(_: Scope, __: Node) -> Term:
    return Term("*")


def _paren(scope: Scope, node: Node) -> Term:
    return read(scope, node.args["this"])


def _zoned(scope: Scope, node: Node) -> Term:
    """A moment as another time zone has it."""
    return read(scope, node.args["timestamp"])


def _negative(scope: Scope, node: Node) -> Term:
    inner = read(scope, node.args["this"])
    return combine(f"-{inner.nested}", [inner])


def _not(scope: Scope, node: Node) -> Term:
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
    """The term of a cast is the term of its value, marked as real if the cast makes it so."""
    convert = type(node) is exp.Convert
    value: Node | None = node.args.get("expression") if convert else node.args.get("this")
    if value is None:
        return _function(scope, node)
    inner = read(scope, value)
    scope.spec.functions.add("CAST")
    to = node.args["this"] if convert else node.args.get("to")
    kind = to.args["this"] if type(to) is exp.DataType else None
    real, dated = kind in _REAL_TYPES and not inner.real, kind is exp.DataType.Type.DATE and inner.is_column
    if not (real or dated):
        return inner
    term = Term(inner.name, inner.columns, inner.func)
    term.distinct, term.composite, term.divisions = inner.distinct, inner.composite, inner.divisions
    term.view, term.block, term.hundred = inner.view, inner.block, inner.hundred
    term.real, term.dated = real or inner.real, dated
    return term


def _unwrapped(scope: Scope, node: Node) -> Term:
    """Wrappers that the parser itself puts around dates."""
    return read(scope, node.args["this"])


def read_wrapped(scope: Scope, node: Node) -> Term:
    """COALESCE with a literal, LOWER, UPPER and TRIM have the term of the column inside."""
    scope.spec.functions.add(function_name(node))
    inner = read(scope, node.args["this"])
    others = children(node, "expressions")
    if all(type(other) is exp.Literal for other in others):
        return inner
    parts = [inner, *(read(scope, other) for other in others)]
    return combine(f"{function_name(node).lower()}({', '.join(part.name for part in parts)})", parts)


def _between(scope: Scope, node: Node) -> Term:
    parts = [read(scope, node.args["this"]), *(read_value(scope, node.args[each]) for each in ("low", "high"))]
    term = combine(f"{parts[0].nested} between {parts[1].nested} and {parts[2].nested}", parts)
    term.composite = True
    return term


def _function(scope: Scope, node: Node) -> Term:
    """Any function or other node: its name and the terms of its arguments, in order."""
    return _called(scope, node, [read(scope, child) for child in _arguments(node)])


def _rounded(scope: Scope, node: Node) -> Term:
    """ROUND, FLOOR and CEIL of a quotient are still that quotient."""
    parts = [read(scope, child) for child in _arguments(node)]
    term = _called(scope, node, parts)
    if parts:
        term.divisions, term.real = parts[0].divisions, parts[0].real
    return term


def _called(scope: Scope, node: Node, parts: list[Term]) -> Term:
    name = function_name(node)
    is_call = isinstance(node, exp.Func)
    if is_call:
        scope.spec.functions.add(name)
    inside = ", ".join(part.name for part in parts)
    return combine(f"{name.lower()}({inside})" if parts or is_call else name.lower(), parts)


def _tuple(scope: Scope, node: Node) -> Term:
    parts = [read(scope, child) for child in children(node, "expressions")]
    return combine(f"({', '.join(part.name for part in parts)})", parts)


def _name_only(_: Scope, node: Node) -> Term:
    """A word that is not a column: a unit, a type, a parameter."""
    return Term(str(node.name or node.args.get("this") or "?").lower())


def _placeholder(scope: Scope, node: Node) -> Term:
    return Term(noted_parameter(scope, node))


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
    scope.spec.functions.add(name)
    return Term(name.lower())


def _arguments(node: Node) -> Iterable[Node]:
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            yield value
        elif type(value) is list:
            yield from (item for item in cast("list[object]", value) if isinstance(item, exp.Expr))


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(
    {
        exp.Expr: _function,
        exp.Column: _column,
        exp.Literal: _literal,
        exp.JSONPath: _json_path,
        exp.Boolean: _boolean,
        exp.Null: _null,
        exp.Star: _star,
        exp.Paren: _paren,
        exp.Neg: _negative,
        exp.Not: _not,
        exp.Alias: _alias,
        exp.Cast: read_cast,
        exp.TryCast: read_cast,
        exp.Convert: read_cast,
        exp.TsOrDsToTimestamp: _unwrapped,
        exp.TimeStrToTime: _unwrapped,
        exp.DateStrToDate: _unwrapped,
        exp.Collate: _unwrapped,
        exp.AtTimeZone: _unwrapped,
        exp.ConvertTimezone: _zoned,
        exp.Coalesce: read_wrapped,
        exp.Lower: read_wrapped,
        exp.Upper: read_wrapped,
        exp.Trim: read_wrapped,
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
"""Readers by kind of node; `exp.Expr` stands for all other kinds."""
