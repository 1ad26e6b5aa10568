"""Finds columns that split the groups of an answer which does not show them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_name, key_stems
from scoring.sql.shapes.selects import Select, origin_column
from scoring.sql.terms import Node


def hidden_keys(select: Select) -> Iterator[Shape]:
    """Keys of a thing that the answer neither shows nor names: they split its groups."""
    if select.role != "main":
        return
    plain = [each for node in select.shown if not node.find(exp.AggFunc) for each in select.columns_in(node)]
    shown = _base_columns(select, plain) if select.keys else set[Column]()
    tables = {each.table for each in shown} | {None}
    grouped = (
        _base_columns(select, [key for key in select.keys if isinstance(key, exp.Column)]) if shown else set[Column]()
    )
    for column in sorted(grouped - shown - _linked(select, tables), key=str):
        if column.table not in tables and key_stems(column.name) is not None:
            yield Shape(kind=ShapeKind.HIDDEN_KEY, text=f"grouped by {column.table}.{column.name}", columns=(column,))


def hidden_columns(select: Select) -> Iterator[Shape]:
    """Plain columns that split the groups of other plain columns of their table, and are not shown."""
    nodes = _plain(select.keys) if select.role == "main" else []
    if len(nodes) < 2 or len(nodes) != len(select.keys):
        return
    grouped, shown = _base_columns(select, nodes), _base_columns(select, _plain(select.shown))
    if any(map(_names_row, grouped)):
        return
    tables = {each.table for each in shown}
    for column in sorted(grouped - shown - _base_columns(select, _sorted_or_tested(select)), key=str):
        if column.table in tables:
            yield Shape(kind=ShapeKind.HIDDEN_KEY, text=f"grouped by {column.table}.{column.name}", columns=(column,))


def _plain(nodes: list[Node]) -> list[Node]:
    """The expressions that are just a column."""
    return [each for each in nodes if isinstance(each, exp.Column)]


def _names_row(column: Column) -> bool:
    """Whether a column tells one row from another, and so settles the others."""
    return key_stems(column.name) is not None or is_name(column.name) or _KEYED.search(column.name) is not None


_KEYED = lazy(r"(?:nr|nbr|num|cd|code|key|guid)$")
"""How keys end in houses that run words together: `matnr`."""


def _sorted_or_tested(select: Select) -> list[Node]:
    """The columns that the order follows or that a condition pins."""
    order = select.node.args.get("order")
    keys = [select.named(each.this) for each in order.expressions] if order is not None else []
    return [column for each in [*keys, *select.conjuncts("where")] for column in select.columns_in(each)]


def _base_columns(select: Select, columns: list[Node]) -> set[Column]:
    return {origin_column(each, item) for each in columns if (item := select.item_of(each)) is not None}


def _linked(select: Select, tables: set[str | None]) -> set[Column]:
    """Columns that joins equate with columns of some tables."""
    found: set[Column] = set()
    for left, right, _ in select.pairs:
        pair = _base_columns(select, [left, right])
        found |= pair if any(each.table in tables for each in pair) else set()
    return found
