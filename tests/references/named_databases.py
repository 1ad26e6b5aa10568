"""One small database as PostgreSQL, DuckDB and SQLite, with what a query must not reach beside it."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import duckdb
import yaml
from sqlalchemy import URL

from tests.deploy.charts import ROOT

CASES = ROOT / "tests" / "cases" / "databases"
MARKER = "kestrel-marker-71"
"""What the file, the hidden table, the password and the hidden functions hold."""
ROWS = """
CREATE TABLE looms (id INTEGER, cloth TEXT, price NUMERIC(8, 2), made DATE, sold BOOLEAN);
INSERT INTO looms VALUES (1, 'tweed', 7.5, '2024-01-31', TRUE), (2, 'serge', 3.25, '2024-02-29', FALSE),
    (3, 'tweed', NULL, '2023-12-01', NULL);
CREATE TABLE weavers (loom_id INTEGER, name TEXT);
INSERT INTO weavers VALUES (1, 'ann'), (1, 'bea'), (9, 'cy');
CREATE TABLE users (name TEXT, "user" TEXT);
INSERT INTO users VALUES ('Ann', 'ann');
"""
_ONLY_POSTGRES = f"""
CREATE TYPE mood AS ENUM ('calm', 'wild');
ALTER TABLE looms ADD COLUMN tags TEXT[] DEFAULT ARRAY['a', 'b'], ADD COLUMN mood mood DEFAULT 'calm',
    ADD COLUMN more JSONB DEFAULT '{{"colour": "red", "size": 3, "deep": {{"er": 1}}}}';
CREATE SEQUENCE turns;
CREATE SCHEMA hidden;
CREATE TABLE hidden.secrets (secret TEXT);
INSERT INTO hidden.secrets VALUES ('{MARKER}');
CREATE FUNCTION hidden.secret() RETURNS TEXT LANGUAGE sql AS $$ SELECT '{MARKER}' $$;
CREATE FUNCTION secret() RETURNS TEXT LANGUAGE sql AS $$ SELECT '{MARKER}' $$;
CREATE FUNCTION secret_of(looms) RETURNS TEXT LANGUAGE sql AS $$ SELECT '{MARKER}' $$;
CREATE FUNCTION margin(price NUMERIC) RETURNS NUMERIC LANGUAGE sql IMMUTABLE AS $$ SELECT price / 2 $$;
"""


@dataclass(frozen=True, slots=True)
class NamedServer:
    """A filled database of a PostgreSQL server."""

    url: str
    """Its URL with `{db_id}`, for a superuser."""
    name: str

    @property
    def whole(self) -> str:
        """Its URL."""
        return self.url.replace("{db_id}", self.name)

    def ask(self, *statements: str) -> list[tuple[object, ...]]:
        """Runs our own statements; returns the rows of the last."""
        return asyncio.run(_ask(self.whole, statements))


async def _ask(url: str, statements: tuple[str, ...]) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return [tuple(row) for row in await connection.fetch(statements[-1])]
    finally:
        await connection.close()


@contextmanager
def named_server(maintenance: URL, encoding: str = "UTF8") -> Iterator[NamedServer]:
    """Creates the database in an encoding, and drops it."""
    name = f"named_{uuid.uuid4().hex[:10]}"
    own = maintenance.set(drivername="postgresql").render_as_string(hide_password=False)
    server = NamedServer(own.replace(f"/{maintenance.database}", "/{db_id}"), name)
    asyncio.run(_ask(own, (f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'", "SELECT 1")))
    server.ask(ROWS, _ONLY_POSTGRES, "SELECT 1")
    try:
        yield server
    finally:
        asyncio.run(_ask(own, (f"DROP DATABASE {name} WITH (FORCE)", "SELECT 1")))


def sqlite_folder(folder: Path) -> str:
    """A folder with the database `mill`."""
    with sqlite3.connect(folder / "mill.sqlite") as connection:
        connection.executescript(ROWS)
    return str(folder)


def duckdb_url(folder: Path) -> str:
    """A URL of the database `mill`."""
    with duckdb.connect(str(folder / "mill.duckdb")) as connection:
        connection.execute(ROWS)
    return f"duckdb:///{folder}/{{db_id}}.duckdb"


def cases(name: str) -> dict[str, list[str]]:
    """The queries of a case file, by group."""
    return yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


def role_recipe() -> str:
    """The SQL that the documentation gives for making a role."""
    page = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```sql\n(.*?CREATE ROLE.*?)```", page, flags=re.DOTALL)
    return block
