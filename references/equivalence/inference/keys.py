"""Keys and references, guessed from the names of columns and from joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from references.equivalence.facts.gathering import gathered
from references.equivalence.inference.naming import names_table, plain_name, stems
from references.equivalence.reading.origins import Cell
from references.equivalence.reading.side import Side
from references.schema import DeclaredTable, Key, Reference, Schema

Keys = dict[str, tuple[str, str]]
"""By table: the column of its key, and why it is taken for one."""


def with_keys(schema: Schema, sides: Sequence[Side]) -> Schema:
    """Adds guessed keys and references to a schema."""
    meets = sorted(gathered(schema, sides).meets)
    joins = [pair for pair in meets if pair[0][0] != pair[1][0]]
    keys = _keys(schema, joins)
    references: dict[Cell, Reference] = {}
    for one, other in joins:
        for reference in _references(one, other, keys):
            references.setdefault((reference.table, reference.column), reference)
    tables = {folded: _with_key(table, keys.get(folded)) for folded, table in schema.tables.items()}
    return replace(schema, tables=tables, references=tuple(references.values()))


def _keys(schema: Schema, joins: Sequence[tuple[Cell, Cell]]) -> Keys:
    """Guesses keys: first from a table's own names, then from the names of the columns it is joined to."""
    keys = {folded: found for folded, table in schema.tables.items() if (found := _own_key(table, schema)) is not None}
    both_ways = [way for one, other in joins for way in ((one, other), (other, one))]
    for parent, child in both_ways:
        if parent[0] not in keys and _names_key(parent, child):
            keys[parent[0]] = (parent[1], f"{child[0]}.{child[1]} is named after it")
    for child, parent in both_ways:
        if child[0] not in keys and _is_key(parent, keys) and _own_name(child, parent):
            keys[child[0]] = (child[1], f"joined to the key of {parent[0]} and not named after it")
    return keys


def _is_key(cell: Cell, keys: Keys) -> bool:
    return cell[0] in keys and keys[cell[0]][0] == cell[1]


def _with_key(table: DeclaredTable, key: tuple[str, str] | None) -> DeclaredTable:
    if key is None:
        return table
    return replace(table, keys=(Key(columns=(key[0],), reason=key[1], guessed=True),))


def _own_key(table: DeclaredTable, schema: Schema) -> tuple[str, str] | None:
    """Returns a column that is named `id`, or after its table and no other."""
    names = [column.name.lower() for column in table.columns]
    for name in names:
        if name in {"id", "uuid", "uid", "rowid", "pk"}:
            return name, f"named {name}"
    named = [(strength, name) for name in names if (strength := names_table(name, table.name))]
    for strength, name in sorted(named, key=lambda each: -each[0]):
        others = (each.name for folded, each in schema.tables.items() if folded != table.name.lower())
        if all(names_table(name, other) < max(strength, 3) for other in others):
            return name, f"named after {table.name}"
    return None


def _names_key(parent: Cell, child: Cell) -> bool:
    """Whether a join names a key: `child.country_code` = `country.code`, or `child.model` = `models.model`."""
    own, name = plain_name(parent[1]), plain_name(child[1])
    return any(name == stem + own or own == stem == name for stem in stems(parent[0]))


def _own_name(child: Cell, parent: Cell) -> bool:
    """Whether an id is not named after the table it is joined to: then each row joins one row at most."""
    plain = plain_name(child[1])
    return plain.endswith("id") and plain != plain_name(parent[1]) and not names_table(child[1], parent[0])


def _references(one: Cell, other: Cell, keys: Keys) -> Iterator[Reference]:
    """Yields which of two joined columns refers to the other: nothing without a key, both when each may."""
    is_key = [_is_key(cell, keys) for cell in (one, other)]
    if not any(is_key):
        return
    parent, child = (one, other) if is_key[0] else (other, one)
    if all(is_key) and _parenthood(other, one) > _parenthood(one, other):
        parent, child = other, one
    yield _refers(child, parent)
    if all(is_key) and _own_name(child, parent):
        yield _refers(parent, child)


def _refers(child: Cell, parent: Cell) -> Reference:
    return Reference(
        table=child[0],
        column=child[1],
        parent=parent[0],
        parent_column=parent[1],
        reason="joined to a key",
        guessed=True,
    )


def _parenthood(parent: Cell, child: Cell) -> int:
    """How likely `child` refers to `parent`: its name repeats the table's, or the parent's column is just `id`."""
    return 2 * names_table(child[1], parent[0]) + (parent[1] == "id")
