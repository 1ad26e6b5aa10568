"""Says of which values an aggregate over ordered values has a known result, and settles orders that are open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from references.equivalence.reading.ordered_values import joins_texts, keys_of, ordered_aggregates, with_ties
from references.equivalence.reading.origins import Origin, Origins, first_select
from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.ordered_aggregates import RISING
from references.schema import DeclaredColumn, Schema, ValueKind

_NUMBERS = frozenset({ValueKind.INTEGER, ValueKind.REAL})
_JOINED = frozenset({ValueKind.TEXT, ValueKind.INTEGER})
"""What every dialect writes alike when it joins it."""
_ONLY_TEXTS = frozenset({"postgres", "bigquery", "trino"})
"""Dialects that join texts and nothing else."""
_THROUGH = (exp.Paren, exp.Alias, exp.Neg, exp.Min, exp.Max, exp.Abs)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Avg, exp.Sum, exp.Round)
_TEXTS = (exp.DPipe, exp.Upper, exp.Lower, exp.Substring, exp.Trim, exp.Replace)
_CASTS: tuple[tuple[set[exp.DType], ValueKind], ...] = (
    (exp.DataType.TEXT_TYPES, ValueKind.TEXT),
    (exp.DataType.INTEGER_TYPES, ValueKind.INTEGER),
    (exp.DataType.NUMERIC_TYPES, ValueKind.REAL),
)
_DEEPEST = 20


def with_known_values(side: Side, schema: Schema) -> Side | Refusal:
    """The query, or why an aggregate over ordered values may have another result in its dialect."""
    if not side.ordered:
        return side
    origins = Origins(side.tree, schema)
    for node in ordered_aggregates(side.tree):
        kind = _kind(node.expressions[0], origins)
        if any(_lists_values(each, origins) for each in keys_of(node)):
            return _refusal("texts joined in the order of an ENUM", side)
        if joins_texts(node) and kind not in ({ValueKind.TEXT} if side.dialect in _ONLY_TEXTS else _JOINED):
            return _refusal("joined values that are not known to be texts or whole numbers", side)
        if node.name.upper() == "VALUE_BETWEEN" and kind not in _NUMBERS:
            return _refusal("a percentile of what is not known to be numbers", side)
        if not joins_texts(node) and kind not in _NUMBERS | {ValueKind.DATE}:
            return _refusal("a percentile of what is not known to be numbers or dates", side)
    return side


def with_open_orders(a: Side | Refusal, b: Side | Refusal) -> tuple[Side | Refusal, Side | Refusal]:
    """Both queries with their joined texts of an open order in the same one, where both leave as many open."""
    if isinstance(a, Refusal) or isinstance(b, Refusal) or not (a.ordered or b.ordered):
        return a, b
    settled = [_refuse_hidden_order(each) for each in (a, b)]
    if any(isinstance(each, Refusal) for each in settled) or _open(a) != _open(b) or not _open(a):
        return settled[0], settled[1]
    return _settled(a), _settled(b)


def _open(side: Side) -> int:
    return sum(joins_texts(node) and not keys_of(node) for node in ordered_aggregates(side.tree))


def _settled(side: Side) -> Side:
    tree = side.tree.copy()
    for node in ordered_aggregates(tree):
        if joins_texts(node) and not keys_of(node):
            with_ties(node, RISING)
    return replace(side, tree=tree, sql=tree.sql(dialect="sqlite"))


def _refuse_hidden_order(side: Side) -> Side | Refusal:
    """Refuses texts that are joined as an inner query orders them, which works though nothing promises it."""
    inner = [each for each in side.tree.find_all(exp.Query) if each is not side.tree]
    if _open(side) and any(each.args.get("order") is not None for each in inner):
        return _refusal("joined texts, whose order is open", side)
    return side


def _refusal(what: str, side: Side) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {what} ({side.dialect})")


def _kind(node: exp.Expr | None, origins: Origins, depth: int = 0) -> ValueKind | None:
    """What kind of values an expression has; `None` where that is not known."""
    if node is None or depth > _DEEPEST:
        return None
    if isinstance(node, exp.Column):
        return _kind_of_column(node, origins, depth)
    if isinstance(node, _COMPUTED):
        # a day and a number are no number
        held = (node.this, node.args.get("expression"))
        parts = {_kind(each, origins, depth + 1) for each in held if isinstance(each, exp.Expr)}
        return ValueKind.REAL if parts <= _NUMBERS else None
    if isinstance(node, (*_THROUGH, exp.Coalesce, exp.Case, exp.Subquery)):
        return _common([_kind(each, origins, depth + 1) for each in _results(node)])
    return _kind_of_call(node)


def _results(node: exp.Expr) -> Sequence[exp.Expr]:
    """The parts of which an expression has the value of one."""
    if isinstance(node, exp.Coalesce):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Case):
        values = [*(each.args["true"] for each in node.args["ifs"]), node.args.get("default")]
        return [each for each in values if each is not None and not isinstance(each, exp.Null)]
    if isinstance(node, exp.Subquery):
        select = first_select(node)
        return select.expressions[:1] if select is not None else []
    return [node.this]


def _kind_of_call(node: exp.Expr) -> ValueKind | None:
    if isinstance(node, exp.Literal):
        return ValueKind.TEXT if node.is_string else ValueKind.INTEGER if node.is_int else ValueKind.REAL
    if isinstance(node, exp.Cast):
        return next((kind for types, kind in _CASTS if node.is_type(*types)), None)
    if isinstance(node, exp.Count | exp.Length):
        return ValueKind.INTEGER
    return ValueKind.TEXT if isinstance(node, _TEXTS) else None


def _common(kinds: Sequence[ValueKind | None]) -> ValueKind | None:
    """The kind of values that may be of any of these."""
    found = set(kinds)
    if len(found) > 1 and found <= _NUMBERS:
        return ValueKind.REAL
    return found.pop() if len(found) == 1 else None


def _kind_of_column(node: exp.Column, origins: Origins, depth: int) -> ValueKind | None:
    origin = origins.of(node, origins.scope(node))
    if origin is not None and origin.cell is None:
        return _kind(origin.tree, origins, depth + 1)
    column = _declared(origin, origins)
    return column.kind if column is not None else None


def _lists_values(key: exp.Expr, origins: Origins, depth: int = 0) -> bool:
    """Whether a key has a column that lists its values, which some dialects sort in that order."""
    for each in key.find_all(exp.Column):
        origin = origins.of(each, origins.scope(each))
        column = _declared(origin, origins)
        if column is not None and column.values is not None:
            return True
        tree = origin.tree if origin is not None else None
        if tree is not None and (depth > _DEEPEST or _lists_values(tree, origins, depth + 1)):
            return True
    return False


def _declared(origin: Origin | None, origins: Origins) -> DeclaredColumn | None:
    if origin is None or origin.cell is None:
        return None
    table = origins.schema.find(origin.cell[0])
    return table.find(origin.cell[1]) if table is not None else None
