"""Queries over unknown rows: WHERE, SELECT, DISTINCT, set operations, ORDER BY with LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from references.equivalence.proof.calendar import Calendar
from references.equivalence.proof.clauses import (
    cutting,
    has_aggregates,
    place,
    titles,
    within_bounds,
    without_duplicates,
)
from references.equivalence.proof.conditions import read_truth
from references.equivalence.proof.expressions import read_term
from references.equivalence.proof.grouping import Aliases, groups, with_aliases
from references.equivalence.proof.logic import (
    Bit,
    UnknownValue,
    Unprovable,
    count,
    every,
    less_than,
    none,
    same_rows,
    some,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.ordering import SortKey, cut, direction, sort_keys
from references.equivalence.proof.rows import Frame, Relation, UnknownRow
from references.equivalence.proof.sources import read_from, read_values, with_tables
from references.equivalence.proof.texts import Functions, Texts

_NOT_COVERED = ("laterals", "pivots", "qualify", "windows", "distribute", "sort")


def machine_over(
    tables: Mapping[str, Relation], texts: Texts, tick: Callable[[], None], calendar: Calendar, *, dates: bool
) -> Machine:
    """Returns a machine for queries over these tables, by lower-cased name; `tick` raises when time is up."""
    return Machine(
        tables=tables,
        texts=texts,
        functions=Functions(texts),
        read_term=read_term,
        read_truth=read_truth,
        read_query=read_query,
        calendar=calendar,
        dates=dates,
        tick=tick,
    )


def result_of(machine: Machine, tree: exp.Query) -> Relation:
    """Evaluates a whole query."""
    return machine.query(tree, Frame((), (), None))


def read_query(machine: Machine, tree: exp.Expr, outer: Frame) -> Relation:
    """Evaluates a query that may stand inside another one."""
    if isinstance(tree, exp.Subquery):
        if tree.args.get("limit") is not None or tree.args.get("order") is not None:
            raise Unprovable("ORDER BY after a bracket")
        return machine.query(tree.this, with_tables(machine, tree, outer))
    if isinstance(tree, exp.SetOperation):
        return _set_operation(machine, tree, with_tables(machine, tree, outer))
    if isinstance(tree, exp.Select):
        return _select(machine, tree, with_tables(machine, tree, outer))
    if isinstance(tree, exp.Values):
        return read_values(machine, tree, outer)
    raise Unprovable(f"{tree.key.upper()} is not covered")


def _select(machine: Machine, tree: exp.Select, outer: Frame) -> Relation:
    if any(tree.args.get(each) for each in _NOT_COVERED):
        raise Unprovable("a clause that is not covered")
    relation = read_from(machine, tree, outer)
    aliases = {each.alias.lower(): each.this for each in tree.expressions if isinstance(each, exp.Alias)}
    relation = Relation(relation.headings, _where(machine, tree, relation, outer, aliases))
    if tree.args.get("group") is not None or tree.args.get("having") is not None or has_aggregates(tree):
        frames = groups(machine, tree, relation, outer, aliases)
    else:
        frames = [
            (row.present, Frame(relation.headings, row.cells, outer, window=(relation.rows, index)))
            for index, row in enumerate(relation.rows)
        ]
    return _output(machine, tree, frames, relation)


def _where(
    machine: Machine, tree: exp.Select, relation: Relation, outer: Frame, aliases: Aliases
) -> tuple[UnknownRow, ...]:
    condition, rows = tree.args.get("where"), relation.rows
    if condition is not None:
        plain = [Frame(relation.headings, row.cells, outer) for row in rows]
        frames = [with_aliases(machine, frame, aliases, condition) for frame in plain]
        rows = tuple(
            UnknownRow(every((row.present, machine.truth(condition.this, frame).true)), row.cells)
            for row, frame in zip(rows, frames, strict=True)
        )
    return tuple(row for row in rows if row.present is not False)


@dataclass(frozen=True, slots=True)
class _Cut:
    """ORDER BY with the rows that LIMIT and OFFSET keep."""

    order: exp.Order | None
    start: int
    size: int | None
    """`None` without LIMIT and OFFSET."""

    def cuts(self, rows: Sequence[UnknownRow]) -> bool:
        """Whether some of the rows may be left out."""
        return self.size is not None and bool(self.start or self.size < len(rows))

    def keys(
        self, machine: Machine, frame: Frame, cells: Sequence[UnknownValue], items: Sequence[exp.Expr]
    ) -> Sequence[SortKey]:
        """The sort keys of a row; none when nothing is cut off."""
        if self.size is None or self.order is None:
            return []
        keys: list[SortKey] = []
        for each in self.order.expressions:
            named = place(each.this, cells, items)
            keys.extend(sort_keys(machine, [each], frame) if named is None else [(named, *direction(each))])
        return keys

    def kept(
        self, machine: Machine, rows: Sequence[UnknownRow], keys: Sequence[Sequence[SortKey]]
    ) -> Sequence[UnknownRow]:
        """The rows that are kept. Without an order, the proof must show that all are."""
        if self.size is None or not self.cuts(rows):
            return rows
        if self.order is not None or not self.size:
            return cut(rows, keys, self.start, self.size, machine)
        if self.start:
            raise Unprovable("OFFSET without ORDER BY")
        machine.duties.append(less_than(count(row.present for row in rows).value, self.size + 1))
        return rows


def _output(machine: Machine, tree: exp.Select, frames: Sequence[tuple[Bit, Frame]], relation: Relation) -> Relation:
    items = tree.expressions
    headings = tuple(heading for item in items for heading in titles(item, relation))
    limits = _Cut(*cutting(tree))
    rows: list[UnknownRow] = []
    keys: list[Sequence[SortKey]] = []
    for present, frame in frames:
        cells = tuple(cell for item in items for cell in _cells(machine, item, frame))
        named = {heading.name: cell for heading, cell in zip(headings, cells, strict=True)}
        seen = replace(frame, aliases=named)
        there = _having(machine, tree, present, seen)
        if there is not False:
            rows.append(UnknownRow(there, cells))
            keys.append(limits.keys(machine, seen, cells, items))
    kept = limits.kept(machine, _distinct(tree, rows), keys)
    return Relation(headings, tuple(row for row in kept if row.present is not False))


def _having(machine: Machine, tree: exp.Select, present: Bit, frame: Frame) -> Bit:
    having = tree.args.get("having")
    return present if having is None else every((present, machine.truth(having.this, frame).true))


def _distinct(tree: exp.Select, rows: Sequence[UnknownRow]) -> Sequence[UnknownRow]:
    distinct = tree.args.get("distinct")
    if distinct is None:
        return rows
    if distinct.args.get("on") is not None:
        raise Unprovable("DISTINCT ON")
    return without_duplicates(rows)


def _cells(machine: Machine, item: exp.Expr, frame: Frame) -> list[UnknownValue]:
    """The cells of one item of the select list: several for a star."""
    if isinstance(item, exp.Star):
        return [cell for heading, cell in zip(frame.headings, frame.cells, strict=True) if not heading.hidden]
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        source = item.table.lower()
        return [cell for heading, cell in zip(frame.headings, frame.cells, strict=True) if heading.source == source]
    return [machine.term(item.unalias(), frame)]


def _set_operation(machine: Machine, tree: exp.SetOperation, outer: Frame) -> Relation:
    left, right = machine.query(tree.left, outer), machine.query(tree.right, outer)
    if len(left.headings) != len(right.headings):
        raise Unprovable("a set operation of different widths")
    rows = _combined(tree, left, right)
    limits = _Cut(*cutting(tree))
    if not limits.cuts(rows):
        return Relation(left.headings, tuple(rows))
    frames = [Frame(left.headings, row.cells, outer) for row in rows]
    keys = [limits.keys(machine, frame, row.cells, tree.selects) for frame, row in zip(frames, rows, strict=True)]
    return Relation(left.headings, tuple(limits.kept(machine, rows, keys)))


def _combined(tree: exp.SetOperation, left: Relation, right: Relation) -> Sequence[UnknownRow]:
    distinct = bool(tree.args.get("distinct"))
    if isinstance(tree, exp.Union):
        rows = [*left.rows, *right.rows]
        within_bounds(len(rows))
        return without_duplicates(rows) if distinct else rows
    if not distinct:
        raise Unprovable(f"{tree.key.upper()} ALL")
    kept: list[UnknownRow] = []
    for row in left.rows:
        there = some(every((other.present, same_rows(row.cells, other.cells))) for other in right.rows)
        there = none(there) if isinstance(tree, exp.Except) else there
        kept.append(UnknownRow(every((row.present, there)), row.cells))
    return without_duplicates(kept)
