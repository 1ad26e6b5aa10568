"""Merges query blocks that only pass rows on: a query reads the same in steps and at once.

`SELECT name FROM (SELECT * FROM hives WHERE frames > 8)` and the same with a CTE have the specification of
`SELECT name FROM hives WHERE frames > 8`. What computes or cuts rows that another block computes on stays apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scoring.specification import Block, Clause, Projection, SqlFilter
from scoring.sql.layers.layer import Layer, Steps, layers_of

_NAMED = ("group_by", "limits", "joins", "windows", "divisions", "sources", "voids", "order_by")
"""The lists of parts that go with their block."""


class Merge:
    """A block that is read as one with the block around it."""

    __slots__ = ("clauses", "keeps_outputs", "outer")

    def __init__(self, outer: str) -> None:
        self.outer = outer
        self.clauses: Mapping[Clause, Clause] = {}
        """Where its conditions stand afterwards, if elsewhere."""
        self.keeps_outputs = False
        """Its outputs are those of `SELECT *` around it."""


def merge_layers(spec: Steps) -> None:
    """Merges all blocks that can be, from the innermost out."""
    layers = layers_of(spec)
    merges: dict[str, Merge] = {}
    having: set[str] = set()
    for outer in layers.values():
        for path in tuple(outer.reads):
            inner = layers[path]
            merge = _merge(outer, inner)
            if merge is None:
                continue
            merges[path] = merge
            if (inner.grouped or inner.totals) and outer.filters:
                having.add(outer.path)
            _absorb(outer, inner)
    if merges:
        _apply(spec, merges, having)


def _merge(outer: Layer, inner: Layer) -> Merge | None:
    merge = Merge(outer.path)
    merge.keeps_outputs = outer.starred and outer.items == 1
    if outer.may_hold(inner):
        if outer.kinds.get(inner.path) == "left":
            merge.clauses = {Clause.WHERE: Clause.ON}
        return merge
    return merge if outer.only_passes_on(inner) else None


def _absorb(outer: Layer, inner: Layer) -> None:
    """Gives a block what one merged into it has."""
    for name in ("filters", "grouped", "totals", "windows", "limited", "ordered"):
        setattr(outer, name, getattr(outer, name) + getattr(inner, name))
    outer.items += inner.items - 1
    outer.distinct = outer.distinct or inner.distinct
    outer.scalars = outer.scalars or inner.scalars
    if outer.starred and outer.items == inner.items:
        outer.outputs, outer.starred = inner.outputs, inner.starred


def _apply(spec: Steps, merges: Mapping[str, Merge], having: set[str]) -> None:
    place = _places(merges)
    _merge_outputs(spec, merges, place)
    for name in _NAMED:
        parts: list[Any] = getattr(spec, name)
        parts[:] = [_moved(each, place(each.block)) for each in parts]
    tables = _first_tables(spec, merges)
    spec.joins[:] = [replace(each, table=tables[each.table]) if each.table in tables else each for each in spec.joins]
    totals = [_moved(each, place(each.block)) for each in spec.aggregations.values()]
    spec.aggregations.clear()
    spec.aggregations.update({(place,): each for place, each in enumerate(dict.fromkeys(totals))})
    _merge_filters(spec, merges, place, having)
    kept = [each for each in spec.subqueries if each.block not in merges]
    spec.subqueries[:] = [
        each if place(each.parent) == each.parent else replace(each, parent=place(each.parent)) for each in kept
    ]
    _merge_blocks(spec, merges, place)


def _places(merges: Mapping[str, Merge]) -> Callable[[str], str]:
    """The path of the block that each block ends in."""
    known: dict[str, str] = {}

    def place(path: str) -> str:
        way: list[str] = []
        while path in merges and path not in known:
            way.append(path)
            path = merges[path].outer
        end = known.get(path, path)
        known.update(dict.fromkeys(way, end))
        return end

    return place


def _moved(part: Any, path: str) -> Any:
    return part if part.block == path else replace(part, block=path)


def _first_tables(spec: Steps, merges: Mapping[str, Merge]) -> dict[str, str]:
    """The first base table that each merged block reads, itself or through one merged into it."""
    found: dict[str, str] = {}
    inner: dict[str, str] = {}
    for each in spec.blocks:
        table = each.tables[0] if each.tables else inner.get(each.path)
        if table is not None and each.path in merges:
            found[each.path] = table
            inner.setdefault(merges[each.path].outer, table)
    return found


def _merge_filters(spec: Steps, merges: Mapping[str, Merge], place: Callable[[str], str], having: set[str]) -> None:
    """Moves the conditions, and numbers the groups of ORed ones anew."""
    found: dict[SqlFilter, None] = {}
    groups: dict[str, dict[tuple[str, int], int]] = {}
    for each in spec.filters.values():
        path, clause, group = place(each.block), _clause(each, merges, having), each.alternative
        if group is not None:
            numbers = groups.setdefault(path, {})
            group = numbers.setdefault((each.block, group), len(numbers) + 1)
        same = (path, clause, group) == (each.block, each.clause, each.alternative)
        found[each if same else replace(each, block=path, clause=clause, alternative=group)] = None
    spec.filters.clear()
    spec.filters.update({(number,): each for number, each in enumerate(found)})


def _clause(each: SqlFilter, merges: Mapping[str, Merge], having: set[str]) -> Clause:
    """Where a condition stands once its block is merged: one on a total stands in HAVING."""
    merge = merges.get(each.block)
    clause = merge.clauses.get(each.clause, each.clause) if merge is not None else each.clause
    on_total = each.block in having and each.lhs is not None and each.lhs.func is not None
    return Clause.HAVING if on_total and clause is Clause.WHERE else clause


def _merge_outputs(spec: Steps, merges: Mapping[str, Merge], place: Callable[[str], str]) -> None:
    """Leaves out the outputs of merged blocks; those that `SELECT *` passes on take its place."""
    inner: dict[str, list[Projection]] = {path: [] for path in merges}
    for each in spec.projections:
        if each.block in inner:
            inner[each.block].append(each)
    starred = {merge.outer: path for path, merge in merges.items() if merge.keeps_outputs}
    found: list[Projection] = []
    for each in spec.projections:
        if each.block not in inner:
            shown = _passed_on(each, inner, starred) if each.star else [each]
            found += [_moved(one, place(each.block)) for one in shown]
    spec.projections[:] = found


def _passed_on(star: Projection, inner: Mapping[str, list[Projection]], starred: Mapping[str, str]) -> list[Projection]:
    """The outputs that a `*` stands for, through each `SELECT *` of a merged block."""
    path, shown = star.block, [star]
    while path in starred and all(one.star for one in shown):
        path = starred[path]
        shown = inner[path]
    return shown


def _merge_blocks(spec: Steps, merges: Mapping[str, Merge], place: Callable[[str], str]) -> None:
    """Gives each block the tables of those merged into it, the joined ones last."""
    tables: dict[str, list[str]] = {}
    distinct: set[str] = set()
    for each in spec.blocks:
        path = place(each.path)
        tables.setdefault(path, []).extend(each.tables)
        if each.distinct:
            distinct.add(path)
    touched = {place(path) for path in merges}
    joined: dict[str, dict[str, int]] = {path: {} for path in touched}
    for number, each in enumerate(spec.joins):
        if each.block in joined:
            joined[each.block].setdefault(each.table, number)
    spec.blocks[:] = [_block(each, tables, distinct, joined) for each in spec.blocks if each.path not in merges]


def _block(
    block: Block, tables: Mapping[str, list[str]], distinct: set[str], joined: Mapping[str, Mapping[str, int]]
) -> Block:
    order = joined.get(block.path)
    if order is None:
        return block
    ordered = sorted(tables[block.path], key=lambda table: order.get(table, -1))
    return replace(block, tables=tuple(ordered), distinct=block.path in distinct)
