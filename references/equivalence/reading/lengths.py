"""How long the texts of a column may be, where the queries may notice it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from references.equivalence.reading.side import Side
from references.schema import Check, DeclaredTable, Schema

_MEASURES = (exp.Length, exp.DPipe, exp.Concat)


def with_lengths(schema: Schema, sides: Sequence[Side]) -> Schema:
    """The schema with the lengths as conditions on its rows, where a query measures texts or names a longer one."""
    if not all(side.translated for side in sides):
        # SQLite reads VARCHAR(3) and stores any text
        return schema
    nodes = [node for side in sides for node in side.tree.walk()]
    if any(isinstance(each, _MEASURES) for each in nodes):
        shown = None
    else:
        shown = max((len(each.name) for each in nodes if isinstance(each, exp.Literal) and each.is_string), default=0)
    tables = {name: _limited(table, shown) for name, table in schema.tables.items()}
    return replace(schema, tables=tables)


def _limited(table: DeclaredTable, shown: int | None) -> DeclaredTable:
    for column in table.columns:
        if column.longest is not None and (shown is None or shown > column.longest):
            name = exp.to_identifier(column.name, quoted=True).sql(dialect="sqlite")
            check = Check(sql=f"LENGTH({name}) <= {column.longest}", dialect="sqlite", reason="LENGTH")
            table = table.with_check(check)
    return table
