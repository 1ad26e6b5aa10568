"""Reads binary operators, and records divisions."""

from __future__ import annotations

from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Division
from scoring.sql.expressions import read_value
from scoring.sql.scopes import Reader, Scope, read
from scoring.sql.terms import Node, Term, combine, function_name, merged, shorten

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
_WRAPPERS = frozenset(
    {exp.Paren, exp.Cast, exp.TryCast, exp.Convert, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Collate}
)
"""Nodes whose term may be an operand without brackets of its own: it gets them when it is composite."""


def _chain(scope: Scope, node: Node) -> Term:
    """A left-deep run of binary operators, read in a loop because hostile SQL makes it thousands long."""
    spine: list[Node] = []
    left = node
    while type(left) in _SYMBOLS:
        spine.append(left)
        left = left.args["this"]
    total = read(scope, left)
    if len(spine) == 1:
        return _operation(scope, node, total, _right(scope, node))
    parts = [total]
    for link in reversed(spine):
        right = _right(scope, link)
        parts.append(right)
        total = _operation(scope, link, total, right, keep_columns=False)
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


def _operation(scope: Scope, node: Node, left: Term, right: Term, *, keep_columns: bool = True) -> Term:
    kind = type(node)
    symbol = f"not {_SYMBOLS[kind]}" if kind in _LIKES and node.args.get("negate") else _SYMBOLS[kind]
    name = shorten(f"{_operand_text(node.args['this'], left)} {symbol} {_operand_text(node.args['expression'], right)}")
    columns = left.columns if left.columns is right.columns else merged([left, right]) if keep_columns else ()
    term = Term(name, columns, left.func or right.func)
    term.composite = True
    if kind in _DIVIDING:
        term.real = left.real or right.real
        _record_division(scope, node, term, left, right)
    elif kind is exp.Mul:
        _multiply(scope, term, left, right)
    else:
        term.real = left.real or right.real
        term.divisions = (left.divisions + right.divisions)[:_MOST_DIVISIONS]
    return term


_MOST_DIVISIONS = 16
"""Most divisions of one term that a later factor reaches."""


def _operand_text(node: Node, term: Term) -> str:
    kind = type(node)
    return term.nested if kind is exp.Paren or kind is exp.Column or kind in _WRAPPERS else term.name


def _record_division(scope: Scope, node: Node, term: Term, left: Term, right: Term) -> None:
    done = scope.spec.terms.get(id(node))
    if done is None:
        term.divisions = (len(scope.spec.divisions),)
        division = Division(
            block=scope.path, real=term.real, hundred=left.hundred, numerator=left.name, denominator=right.name
        )
        scope.spec.divisions.append(division)
        scope.spec.terms[id(node)] = term
    else:
        term.divisions = done.divisions


def _multiply(scope: Scope, term: Term, left: Term, right: Term) -> None:
    """Multiplying a quotient by 100 makes it a percentage; by a decimal, real."""
    term.real = left.real or right.real
    term.hundred = left.hundred or right.hundred
    if not term.hundred:
        term.divisions = (left.divisions + right.divisions)[:_MOST_DIVISIONS]
        return
    divisions = scope.spec.divisions
    for index in left.divisions + right.divisions:
        old = divisions[index]
        divisions[index] = Division(
            block=old.block, real=old.real, hundred=True, numerator=old.numerator, denominator=old.denominator
        )


def _safe_divide(scope: Scope, node: Node) -> Term:
    return divide(scope, node, node.args["this"], node.args["expression"])


def divide(scope: Scope, node: Node, numerator: Node, denominator: Node) -> Term:
    """A division written as a call: DIVIDE, SAFE_DIVIDE."""
    left, right = read(scope, numerator), read(scope, denominator)
    term = combine(f"{left.nested} / {right.nested}", [left, right])
    term.composite = term.real = True
    scope.spec.functions.add(function_name(node))
    _record_division(scope, node, term, left, right)
    return term


READERS: MappingProxyType[type[Node], Reader] = MappingProxyType(
    dict.fromkeys(_SYMBOLS, _chain) | {exp.SafeDivide: _safe_divide}
)
"""Readers of operators."""
