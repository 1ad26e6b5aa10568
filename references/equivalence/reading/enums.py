"""Sorts, compares and takes extremes of columns that list their values as their dialect does: in declared order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from references.equivalence.reading.origins import Origins, first_select
from references.equivalence.reading.side import Refusal, RefusalKind, Side
from references.schema import Schema

Values: TypeAlias = tuple[str, ...]

_BY_ORDER = frozenset({"postgres"})
"""Dialects in which an ENUM is a type of its own: all that compares goes by its order."""
_SORTED_BY_ORDER = frozenset({"mysql", "singlestore", "doris", "starrocks"})
"""Dialects in which only sorting goes by the order, and what compares goes by the text."""
_COMPARED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_EXTREMES = (exp.Min, exp.Max)
_SUMMED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Sum, exp.Avg, exp.Round, exp.Abs)
_FIRST = (exp.Paren, exp.Alias, *_EXTREMES, exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.AnyValue)
_FIRST_OF = (*_FIRST, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.Nullif)
"""What has the type of its first part."""
_DEEPEST = 40


def enumerated(side: Side, schema: Schema) -> Side | Refusal:
    """Returns the query with the declared order of its columns written out. Refuses what has no such form."""
    listed = any(column.values is not None for table in schema.tables.values() for column in table.columns)
    if not listed or not side.translated:
        return side
    try:
        tree = _Ordering(side.tree.copy(), schema, side.dialect).tree
    except _OrderUnknown as error:
        return Refusal(RefusalKind.UNSUPPORTED, f"cannot be translated to SQLite: {error}")
    return replace(side, sql=tree.sql(dialect="sqlite"), tree=tree) if tree != side.tree else side


class _OrderUnknown(Exception):  # noqa: N818 not an error of the program
    """The order of the values has no form in SQLite."""


class _Ordering:
    """Walks one query and writes the place of a value where it is sorted or compared."""

    def __init__(self, tree: exp.Query, schema: Schema, dialect: str) -> None:
        self._origins, self._schema = Origins(tree, schema), schema
        self._by_order = dialect not in _SORTED_BY_ORDER
        known = dialect in _BY_ORDER | _SORTED_BY_ORDER
        nodes = [*tree.walk()]
        # all are found before the first is changed; the inner ones change first
        found = [(node, values) for node in reversed(nodes) if (values := self._affected(node)) is not None]
        if found and not known:
            raise _OrderUnknown(f"the order of the values of an ENUM ({dialect})")
        for node, values in found:
            self._write(node, values)
        self.tree = tree

    def _affected(self, node: exp.Expr) -> Values | None:
        """The values by whose order a node goes; `None` where it goes by none."""
        if isinstance(node, exp.Ordered):
            key = _key(node)
            return self._values(key, self._origins.scope(key))
        if isinstance(node, (*_COMPARED, exp.Between)) and self._by_order:
            return self._shared(self._parts(node))
        if not self._by_order and (isinstance(node, _SUMMED) or _to_number(node)):
            # in a computation, MySQL takes the place of a value for it
            return self._shared(self._parts(node))
        return self._values(node.this, self._origins.scope(node)) if self._extreme(node) else None

    def _extreme(self, node: exp.Expr) -> bool:
        return self._by_order and isinstance(node, (*_EXTREMES, exp.Greatest, exp.Least, exp.ArgMax, exp.ArgMin))

    def _parts(self, node: exp.Expr) -> list[exp.Expr]:
        held = [node.this, *(node.args.get(name) for name in ("expression", "low", "high"))]
        parts = [each for each in held if isinstance(each, exp.Expr)]
        return [one for each in parts for one in (each.expressions if isinstance(each, exp.Tuple) else [each])]

    def _shared(self, nodes: Sequence[exp.Expr]) -> Values | None:
        found = [self._values(each, self._origins.scope(each)) for each in nodes]
        kinds = {each for each in found if each is not None}
        if len(kinds) > 1:
            raise _OrderUnknown("values of two ENUMs compared")
        return next(iter(kinds), None)

    def _values(self, node: exp.Expr | None, scope: Scope | None, depth: int = 0) -> Values | None:
        """The values that an expression may have, where it is of a type that lists them."""
        if node is None or depth > _DEEPEST:
            return None
        if isinstance(node, exp.Column):
            return self._of_column(node, scope, depth)
        if isinstance(node, exp.Query | exp.Subquery):
            select = first_select(node)
            first = next(iter(select.expressions), None) if select is not None else None
            return self._values(first, self._origins.scope(first), depth + 1) if first is not None else None
        return self._of_parts(node, scope, depth)

    def _of_parts(self, node: exp.Expr, scope: Scope | None, depth: int) -> Values | None:
        held = (self._values(each, scope, depth + 1) for each in _results(node))
        found = next((each for each in held if each is not None), None)
        if found is not None and not self._by_order and not isinstance(node, exp.Paren | exp.Alias):
            raise _OrderUnknown("computed values of an ENUM, which may be texts")
        return found

    def _of_column(self, node: exp.Column, scope: Scope | None, depth: int) -> Values | None:
        origin = self._origins.of(node, scope)
        if origin is None:
            return None
        if origin.cell is None:
            return self._values(origin.tree, origin.scope, depth + 1)
        table = self._schema.find(origin.cell[0])
        column = table.find(origin.cell[1]) if table is not None else None
        return column.values if column is not None else None

    def _write(self, node: exp.Expr, values: Values) -> None:
        if not values:
            raise _OrderUnknown("the order of a type of too many values")
        if isinstance(node, exp.Ordered):
            self._write_key(node, values)
        elif isinstance(node, _EXTREMES) and not node.expressions and not isinstance(node.parent, _AROUND):
            extreme = type(node)(this=_place(node.this, values))
            node.replace(_value(extreme, values))
        elif isinstance(node, (*_COMPARED, exp.Between)) and self._by_order:
            for each in self._parts(node):
                if isinstance(each.parent, exp.Tuple):
                    raise _OrderUnknown("rows compared by the order of an ENUM")
                each.replace(_place(each, values))
        else:
            raise _OrderUnknown(f"{node.key.upper()} of an ENUM")

    def _write_key(self, node: exp.Ordered, values: Values) -> None:
        key, query = _key(node), node.find_ancestor(exp.Window, exp.Query)
        combined = next(node.root().find_all(exp.SetOperation), None) is not None and not self._by_order
        if isinstance(query, exp.SetOperation) or combined:
            raise _OrderUnknown("a sort of combined values of an ENUM")
        node.set("this", _place(key, values))


_AROUND = (exp.Window, exp.Filter)


def _to_number(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.is_type(*exp.DataType.NUMERIC_TYPES)


def _key(node: exp.Ordered) -> exp.Expr:
    """What a sort key stands for: also an output of the query, by its alias or its number."""
    query, key = node.find_ancestor(exp.Window, exp.AggFunc, exp.Query), node.this
    select = first_select(query) if isinstance(query, exp.Query) else None
    if select is None:
        return key
    if isinstance(key, exp.Column) and not key.table:
        return _output(key.name.lower(), select, own=isinstance(query, exp.SetOperation)) or key
    place = int(key.name) if isinstance(key, exp.Literal) and key.name.isdigit() else 0
    return select.expressions[place - 1].unalias() if 0 < place <= len(select.expressions) else key


def _output(name: str, select: exp.Select, *, own: bool) -> exp.Expr | None:
    """The output of a query with this alias; with `own`, also a column of this name."""
    named = (each for each in select.expressions if own or isinstance(each, exp.Alias))
    return next((each.unalias() for each in named if each.alias_or_name.lower() == name), None)


def _results(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts whose type an expression has."""
    if isinstance(node, _FIRST_OF):
        yield node.this
    elif isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
        yield from (node.this, *node.expressions)
    elif isinstance(node, exp.Case):
        yield from (each.args["true"] for each in node.args.get("ifs") or ())
        yield from (each for each in (node.args.get("default"),) if each is not None)
    elif isinstance(node, exp.If):
        yield from (each for each in (node.args.get("true"), node.args.get("false")) if each is not None)


def _place(node: exp.Expr, values: Values) -> exp.Expr:
    """The place of a value in the declared order."""
    if isinstance(node, exp.Literal):
        if node.name not in values:
            raise _OrderUnknown(f"{node.name!r} is no value of the ENUM")
        return exp.Literal.number(values.index(node.name) + 1)
    places = [(exp.Literal.string(each), exp.Literal.number(place)) for place, each in enumerate(values, 1)]
    return _case(node, places)


def _value(place: exp.Expr, values: Values) -> exp.Expr:
    return _case(place, [(exp.Literal.number(n), exp.Literal.string(each)) for n, each in enumerate(values, 1)])


def _case(of: exp.Expr, pairs: Sequence[tuple[exp.Expr, exp.Expr]]) -> exp.Case:
    return exp.Case(this=of.copy(), ifs=[exp.If(this=one, true=other) for one, other in pairs])
