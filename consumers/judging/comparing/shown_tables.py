"""The declared tables that queries read, as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from sqlglot import exp

from consumers.judging.comparing.gold_case import Shown
from consumers.wire.schema_document import SchemaDocument
from scoring.sql.parsing import Parsed, parse_query

_MOST_TABLES, _MOST_COLUMNS, _MOST_KEYS = 12, 60, 12


def shown_tables(document: SchemaDocument, queries: Iterable[str], dialect: str | None) -> tuple[Shown, ...]:
    """The declared tables that a query reads, in the order of their declaration; none where no query can be read."""
    read = set(chain.from_iterable(_tables(each, dialect) for each in queries))
    tables = [each for each in document.tables if each.name.lower().rpartition(".")[2] in read]
    return tuple(
        {
            "table": table.name,
            "columns": [{"name": each.name, "type": each.type} for each in (table.columns or ())[:_MOST_COLUMNS]],
            "foreign_keys": [
                {"columns": each.columns, "table": each.table, "references": each.references}
                for each in table.foreign_keys[:_MOST_KEYS]
            ],
        }
        for table in tables[:_MOST_TABLES]
    )


def _tables(sql: str, dialect: str | None) -> set[str]:
    parsed = parse_query(sql, dialect)
    return {each.name.lower() for each in parsed.tree.find_all(exp.Table)} if isinstance(parsed, Parsed) else set()
