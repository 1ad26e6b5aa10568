"""Outer joins that keep no row without a partner, or only such rows, read as what they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from types import MappingProxyType

from scoring.specification import (
    Block,
    Clause,
    Column,
    GroupKey,
    Join,
    Op,
    Operand,
    Projection,
    SortKey,
    SqlFilter,
    Subquery,
    SubqueryRole,
)
from scoring.sql.layers.layer import Steps
from scoring.values import Number

_KEEPS_NULLS = frozenset({Op.IS_NULL, Op.OTHER, Op.EXISTS, Op.NOT_EXISTS})


def read_outer_joins(spec: Steps) -> None:
    """Reads each LEFT JOIN as an inner join or as NOT IN, where its block's conditions make it one."""
    paths = {each.block for each in spec.joins if each.kind == "left"}
    blocks = {each.path: each for each in spec.blocks if each.path in paths}
    for path, block in blocks.items():
        joins = [each for each in spec.joins if each.block == path]
        filters = [each for each in spec.filters.values() if each.block == path]
        _make_inner(spec, block, joins, filters)
        _make_exclusions(spec, block, joins, filters)


def _make_inner(spec: Steps, block: Block, joins: list[Join], filters: list[SqlFilter]) -> None:
    """`LEFT JOIN` is an inner join where WHERE, or a later inner join, drops the rows without a partner.

    Of a table that is joined with itself, names do not say which of its rows a condition needs.
    """
    needed = {table for each in filters for table in _needed(each) if block.tables.count(str(table)) == 1}
    counted = len(joins) == 1 and any(map(_counts_several, filters))
    for join in reversed(joins):
        rejected = join.kind == "left" and any((counted, join.table in needed))
        if rejected:
            spec.joins[spec.joins.index(join)] = replace(join, kind="inner")
        if rejected or join.kind == "inner":
            needed.update(_other_tables(join))


def _other_tables(join: Join) -> list[str | None]:
    return [each.table for pair in join.pairs for each in pair if each.table != join.table]


def _needed(each: SqlFilter) -> list[str | None]:
    """The table whose rows a plain condition of WHERE cannot do without."""
    if each.clause is not Clause.WHERE or each.alternative is not None or each.op in _KEEPS_NULLS or each.lhs is None:
        return []
    columns = each.lhs.columns
    return [columns[0].table] if len(columns) == 1 and each.lhs.name == columns[0].name else []


def _counts_several(each: SqlFilter) -> bool:
    """`HAVING COUNT(…) > 1` and more: a row without a partner is alone in its group."""
    if (each.clause, each.alternative) != (Clause.HAVING, None) or each.lhs is None or each.lhs.func != "COUNT":
        return False
    least = _LEAST.get(each.op)
    return least is not None and isinstance(each.rhs, Number) and each.rhs.value >= least


_LEAST = MappingProxyType({Op.GT: 1, Op.GE: 2, Op.EQ: 2})
"""The least number with which a comparison needs two rows."""


def _make_exclusions(spec: Steps, block: Block, joins: list[Join], filters: list[SqlFilter]) -> None:
    """`LEFT JOIN t ON t.key = x WHERE t.key IS NULL` is `x NOT IN (SELECT key FROM t)`."""
    for join in joins:
        absent = [each for each in filters if each.op is Op.IS_NULL and _of(each, join.table)]
        if join.kind != "left" or (len(join.pairs), len(absent), block.tables.count(join.table)) != (1, 1, 1):
            continue
        own, outer = join.pairs[0] if join.pairs[0][0].table == join.table else join.pairs[0][::-1]
        plain = (absent[0].clause, absent[0].alternative, own.table) == (Clause.WHERE, None, join.table)
        if plain and outer.table != join.table and not _is_read(spec, join, absent[0]):
            _exclude(spec, join, absent[0], (own, outer))


def _of(each: SqlFilter, table: str) -> bool:
    return each.lhs is not None and any(column.table == table for column in each.lhs.columns)


def _is_read(spec: Steps, join: Join, absent: SqlFilter) -> bool:
    """Whether anything but its own ON reads a joined table."""
    if any(each.star and each.block == join.block for each in spec.projections):
        return True
    conditions = [each for each in spec.filters.values() if each.block == join.block and each is not absent]
    if any(each.clause is not Clause.ON and _of(each, join.table) for each in conditions):
        return True
    return any(column.table in (join.table, None) for column in _read_beside(spec, join))


def _read_beside(spec: Steps, join: Join) -> Iterator[Column]:
    """The columns that the block of a join reads in outputs, keys, totals and other joins."""
    path = join.block
    parts: list[Projection | SortKey | GroupKey] = [*spec.projections, *spec.order_by, *spec.group_by]
    yield from chain.from_iterable([each.operand.columns for each in parts if each.block == path])
    yield from chain.from_iterable([each.columns for each in spec.aggregations.values() if each.block == path])
    for each in spec.subqueries:
        if each.parent == path and each.key is not None:
            yield from each.key.columns
    for each in spec.joins:
        if each.block == path and each != join:
            yield from chain.from_iterable(each.pairs)


def _exclude(spec: Steps, join: Join, absent: SqlFilter, pair: tuple[Column, Column]) -> None:
    own, outer = pair
    number = sum(each.parent == join.block for each in spec.subqueries) + 1
    path = f"{join.block}/absent:{number}"
    place = spec.joins.index(join)
    del spec.joins[place]
    _move_filters(spec, join, absent, path)
    blocks = {each.path: each for each in spec.blocks}
    around = blocks[join.block]
    left = replace(around, tables=tuple(table for table in around.tables if table != join.table))
    spec.blocks[spec.blocks.index(around)] = left
    spec.blocks.append(Block(path=path, tables=(join.table,)))
    spec.projections.append(Projection(operand=Operand(name=own.name, columns=(own,)), block=path))
    key = Operand(name=outer.name, columns=(outer,))
    spec.subqueries.append(Subquery(role=SubqueryRole.NOT_IN, block=path, parent=join.block, key=key))
    spec.sources[:] = [
        replace(each, block=path) if each.block == join.block and each.name == join.table else each
        for each in spec.sources
    ]


def _move_filters(spec: Steps, join: Join, absent: SqlFilter, path: str) -> None:
    """The conditions of ON are those of the rows that are excluded."""
    moved: Mapping[tuple[object, ...], SqlFilter] = {
        key: replace(each, block=path, clause=Clause.WHERE)
        if each.block == join.block and each.clause is Clause.ON and _of(each, join.table)
        else each
        for key, each in spec.filters.items()
        if each is not absent
    }
    spec.filters.clear()
    spec.filters.update(moved)
