"""GROUP BY over unknown rows: every row may begin a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from references.equivalence.proof.clauses import bare_columns, group_key
from references.equivalence.proof.logic import (
    Bit,
    UnknownValue,
    Unprovable,
    either_term,
    every,
    no_value,
    none,
    same,
    same_rows,
    some,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.rows import Frame, Group, Heading, Relation, UnknownRow

Aliases = Mapping[str, exp.Expr]
"""The expressions of the select list, by lower-cased alias."""

_SETS = ("rollup", "cube", "grouping_sets", "all")
_AGREE = "columns that are not grouped agree within a group"


def with_aliases(machine: Machine, frame: Frame, aliases: Aliases, clause: exp.Expr) -> Frame:
    """Returns a frame in which the aliases that a clause names are known; columns of the same name win."""
    names = {each.name.lower() for each in clause.find_all(exp.Column) if not each.args.get("table")}
    wanted = [name for name in names if name in aliases and frame.find("", name) is None]
    return replace(frame, aliases={name: machine.term(aliases[name], frame) for name in wanted})


def groups(
    machine: Machine, tree: exp.Select, relation: Relation, outer: Frame, aliases: Aliases
) -> list[tuple[Bit, Frame]]:
    """Returns a frame for each possible group, and whether that group exists."""
    clause = tree.args.get("group")
    if clause is None:
        return [(True, _whole(machine, tree, relation, outer))]
    if any(clause.args.get(each) for each in _SETS):
        raise Unprovable("grouping sets")
    plain = [Frame(relation.headings, row.cells, outer) for row in relation.rows]
    keys = _keys(machine, tree, clause, [with_aliases(machine, frame, aliases, clause) for frame in plain])
    bare = _bare_places(tree, relation.headings)
    found: list[tuple[Bit, Frame]] = []
    for index, row in enumerate(relation.rows):
        begins, group = _group_of(index, relation.rows, keys)
        free = [spot for spot in bare if all(key is not row.cells[spot] for key in keys[index])]
        pairs = [(index, other) for other in range(len(relation.rows))]
        _assume_agreement(machine, group, free, pairs)
        found.append((begins, Frame(relation.headings, row.cells, outer, group=group)))
    return found


def _keys(machine: Machine, tree: exp.Select, clause: exp.Group, frames: Sequence[Frame]) -> list[list[UnknownValue]]:
    """The values of the GROUP BY keys for each row."""
    named = [group_key(each, tree) for each in clause.expressions]
    return [[machine.term(key, frame) for key in named] for frame in frames]


def _group_of(index: int, rows: Sequence[UnknownRow], keys: Sequence[Sequence[UnknownValue]]) -> tuple[Bit, Group]:
    """Returns whether a row is the first of its group, and the group."""
    alike = [same_rows(keys[index], other) for other in keys]
    first = every(none(every((rows[other].present, alike[other]))) for other in range(index))
    members = tuple(every((row.present, alike[other])) for other, row in enumerate(rows))
    return every((rows[index].present, first)), Group(rows=tuple(rows), members=members)


def _whole(machine: Machine, tree: exp.Select, relation: Relation, outer: Frame) -> Frame:
    """The one group of aggregates without GROUP BY."""
    rows = relation.rows
    group = Group(rows, tuple(row.present for row in rows))
    pairs = [(one, other) for one in range(len(rows)) for other in range(one)]
    _assume_agreement(machine, group, _bare_places(tree, relation.headings), pairs)
    return Frame(relation.headings, _first_cells(relation), outer, group=group)


def _first_cells(relation: Relation) -> tuple[UnknownValue, ...]:
    """The cells of the first row that is present, or NULLs when there is none."""
    cells = [no_value()] * len(relation.headings)
    for row in reversed(relation.rows):
        cells = [either_term(row.present, cell, rest) for cell, rest in zip(row.cells, cells, strict=True)]
    return tuple(cells)


def _bare_places(tree: exp.Select, headings: Sequence[Heading]) -> list[int]:
    """The places of the columns that stand outside aggregates."""
    bare = bare_columns(tree)
    return [
        place
        for place, heading in enumerate(headings)
        if any(heading.name == name and (not source or heading.source == source) for source, name in bare)
    ]


def _assume_agreement(machine: Machine, group: Group, places: Sequence[int], pairs: Sequence[tuple[int, int]]) -> None:
    """Assumes that the members of a group agree in these columns: SQLite takes the value of any of them."""
    rows, members = group.rows, group.members
    for place in places:
        for one, other in pairs:
            alike = same(rows[one].cells[place], rows[other].cells[place])
            machine.assume(_AGREE, some((none(members[one]), none(members[other]), alike)))
