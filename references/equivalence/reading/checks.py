"""The conditions that a schema declares of its rows, as SQLite evaluates them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from references.equivalence.reading.side import Side, read_side
from references.equivalence.reading.typed import fitted
from references.sandbox import Layout, Result, Sandbox
from references.schema import Check, DeclaredTable, Schema


def with_checks(schema: Schema) -> Schema:
    """The schema with its conditions in SQLite's dialect. Those that SQLite cannot evaluate are named as ignored."""
    if not any(table.checks for table in schema.tables.values()):
        return schema
    ignored = list(schema.ignored)
    tables: dict[str, DeclaredTable] = {}
    for flat, table in schema.tables.items():
        kept: list[Check] = []
        for check in table.checks:
            read = _read(check, table, schema)
            if read is None:
                ignored.append(f"{check.reason} on {table.name}: {check.sql}"[:160])
            else:
                kept.append(read)
        tables[flat] = replace(table, checks=tuple(kept))
    return replace(schema, tables=tables, ignored=tuple(ignored))


def _read(check: Check, table: DeclaredTable, schema: Schema) -> Check | None:
    name = exp.to_identifier(table.name, quoted=True).sql(dialect=check.dialect)
    asked = f"{check.sql} AS computed FROM {name}" if check.computes else f"1 FROM {name} WHERE {check.sql}"
    side = read_side(f"SELECT {asked}", check.dialect)
    side = fitted(side, schema) if isinstance(side, Side) else side
    if not isinstance(side, Side) or not isinstance(side.tree, exp.Select):
        return None
    tree = side.tree.expressions[0].unalias() if check.computes else side.tree.args["where"].this
    if any(True for _ in tree.find_all(exp.Query, exp.AggFunc, exp.Window)):
        return None
    names = frozenset(_names(tree))
    if not names or any(table.find(each) is None for each in names) or not _runs(side, table):
        return None
    return replace(check, sql=tree.sql(dialect="sqlite"), dialect="sqlite", columns=names)


def _runs(side: Side, table: DeclaredTable) -> bool:
    sandbox = Sandbox([Layout(name=table.name, columns=tuple((each.name, each.declared) for each in table.columns))])
    try:
        return isinstance(sandbox.run(side.sql), Result)
    finally:
        sandbox.close()


def _names(tree: exp.Expr) -> Iterator[str]:
    for each in tree.find_all(exp.Column):
        yield each.name.lower()
