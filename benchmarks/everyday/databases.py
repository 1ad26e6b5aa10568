"""Builds an invented company's database in DuckDB and runs queries of the company's own dialect on it."""

# duckdb's types say nothing of the values of rows
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import csv
import importlib.util
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

Row = tuple[Any, ...]
_NOW_CALLS = frozenset(
    "now getdate sysdate sysdatetime getutcdate sysutcdatetime localtimestamp systimestamp current_timestamp".split()
)
_TODAY_CALLS = frozenset("curdate today current_date".split())
_NOW_NODES = frozenset({"CurrentTimestamp", "CurrentDatetime", "Localtimestamp", "CurrentTimestampLTZ", "UtcTimestamp"})
_TRUNCATED = {
    "MM": "month",
    "MON": "month",
    "YYYY": "year",
    "YY": "year",
    "Y": "year",
    "IW": "week",
    "DD": "day",
    "Q": "quarter",
}


class Company:
    """One company of the benchmark, in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        about: Mapping[str, str] = json.loads((folder / "company.json").read_text())
        self.dialect = about["dialect"]
        self.today = about["today"].replace("T", " ").replace("Z", "")
        """The moment at which all questions are asked."""

    def database(self) -> duckdb.DuckDBPyConnection:
        """The database in memory, with the rows of `data.py`. Names and types are kept; keys are not declared."""
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        for statement in sqlglot.parse((self.folder / "schema.sql").read_text(), read=self.dialect):
            if isinstance(statement, exp.Create) and isinstance(statement.this, exp.Schema):
                _create(connection, statement)
        for statement in (Path(__file__).parent / "functions.sql").read_text().split(";"):
            connection.execute(statement)
        tables = connection.execute("SELECT table_schema, table_name FROM information_schema.tables").fetchall()
        names = {table.lower(): f'"{schema}"."{table}"' for schema, table in tables}
        for table, rows in self.rows().items():
            _load(connection, names[table.rsplit(".", 1)[-1].lower()], rows)
        return connection

    def rows(self) -> Mapping[str, Sequence[Row]]:
        """The rows of each table, drawn anew from the seed in `data.py`."""
        spec = importlib.util.spec_from_file_location(f"data_of_{self.folder.name}", self.folder / "data.py")
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{self.folder / 'data.py'}: no rows for this company")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.rows()

    def in_duckdb(self, sql: str) -> str:
        """The query in DuckDB's dialect, with the company's moment in place of now; raises what sqlglot raises."""
        tree = sqlglot.parse_one(sql, read=self.dialect)
        text = tree.transform(self._frozen).sql(dialect="duckdb")
        return re.sub(
            r"DATE_TRUNC\('(\w+)'", lambda unit: f"DATE_TRUNC('{_TRUNCATED.get(unit[1].upper(), unit[1])}'", text
        )

    def _frozen(self, node: exp.Expr) -> exp.Expr:
        name = node.name.lower() if isinstance(node, exp.Anonymous | exp.Column) else ""
        bare = isinstance(node, exp.Anonymous) or (isinstance(node, exp.Column) and not node.table)
        if type(node).__name__ in _NOW_NODES or (bare and name in _NOW_CALLS):
            return exp.cast(exp.Literal.string(self.today), "timestamp")
        if isinstance(node, exp.CurrentDate) or (isinstance(node, exp.Anonymous) and name in _TODAY_CALLS):
            return exp.cast(exp.Literal.string(self.today[:10]), "date")
        if isinstance(node, exp.Table) and node.args.get("catalog"):
            node.set("catalog", None)
        return node


def _create(connection: duckdb.DuckDBPyConnection, statement: exp.Create) -> None:
    table = statement.this.this
    table.set("catalog", None)
    if table.db:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {table.args['db'].sql(dialect='duckdb')}")
    columns = [each for each in statement.this.expressions if isinstance(each, exp.ColumnDef)]
    for column in columns:
        column.set("constraints", [])
    statement.this.set("expressions", columns)
    statement.set("properties", None)
    statement.set("indexes", None)
    text = statement.sql(dialect="duckdb")
    connection.execute(re.sub(r"TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE", "TIMESTAMP", text))


def _load(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        writer = csv.writer(file)  # noqa: TID251 DuckDB alone reads it
        writer.writerows([["\\N" if value is None else value for value in row] for row in rows])
        file.flush()
        connection.execute(f"COPY {table} FROM '{file.name}' (FORMAT csv, HEADER false, NULLSTR '\\N')")
