"""The part of a schema that a pair of queries needs."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from sqlglot import exp

from references.equivalence.reading.side import Side
from references.schema import DeclaredTable, Schema


def relevant(schema: Schema, sides: Sequence[Side]) -> list[DeclaredTable]:
    """Returns the tables that the queries name, with the columns that they may read or that must be filled."""
    nodes = [node for side in sides for node in side.tree.walk()]
    named = {node.name.lower() for node in nodes if isinstance(node, exp.Table)}
    words = {node.name.lower() for node in nodes if isinstance(node, exp.Identifier)}
    whole = any(_takes_all(node) for node in nodes)
    return [
        table if whole else _with_columns(table, _checked(table, words | _constrained_columns(table, schema, named)))
        for name, table in schema.tables.items()
        if name in named
    ]


def _with_columns(table: DeclaredTable, names: Set[str]) -> DeclaredTable:
    """The table with these columns and those that must not be NULL; with its first column when there are none."""
    columns = [each for each in table.columns if not each.nullable or each.name.lower() in names]
    return replace(table, columns=tuple(columns or table.columns[:1]))


def _checked(table: DeclaredTable, names: set[str]) -> set[str]:
    """The columns with those that conditions on them read too, and so on."""
    found = set(names)
    for _ in table.checks:
        for check in table.checks:
            columns = check.columns | ({check.computes} if check.computes else set[str]())
            found |= columns if columns & found else set()
    return found


def _constrained_columns(table: DeclaredTable, schema: Schema, named: Set[str]) -> set[str]:
    """The columns of keys, and of references between tables that the queries name."""
    folded = table.name.lower()
    references = [each for each in schema.references if each.table in named and each.parent in named]
    columns = {name for key in table.keys for name in key.columns}
    columns |= {each.column for each in references if each.table == folded}
    return columns | {each.parent_column for each in references if each.parent == folded}


def _takes_all(node: exp.Expr) -> bool:
    """`*` or a natural join: columns that no query names count too."""
    if isinstance(node, exp.Star):
        return not isinstance(node.parent, exp.Count)
    return isinstance(node, exp.Join) and node.method == "NATURAL"
