"""Opens a database by the name that the user gave."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from references.databases.access import Allowance, Database, DatabaseLimits, UnknownDatabaseError
from references.databases.duckdb_file import duckdb_file
from references.databases.postgres_server import postgres_server
from references.databases.qualified import ResolvingDatabase
from references.databases.sqlite_file import sqlite_file

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,120}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+]{0,20}")
_NOTHING_MORE = Allowance()


@contextmanager
def open_database(
    databases: str, db_id: str, limits: DatabaseLimits, allowance: Allowance = _NOTHING_MORE
) -> Generator[Database]:
    """Opens the database `db_id` in a folder of `.sqlite` files, or at a PostgreSQL or DuckDB URL with `{db_id}`.

    Names with a schema that it does not have mean its own tables. Raises `UnknownDatabaseError`.
    """
    if not _NAME.fullmatch(db_id):
        raise UnknownDatabaseError(f"db_id {db_id[:80]!r} is not a database name: use letters, digits, _, - and . only")
    where = databases.replace("{db_id}", db_id) if "://" in databases else str(Path(databases) / f"{db_id}.sqlite")
    with open_one(where, limits, allowance) as opened:
        yield ResolvingDatabase(opened)


@contextmanager
def open_one(where: str, limits: DatabaseLimits, allowance: Allowance = _NOTHING_MORE) -> Generator[Database]:
    """Opens a SQLite file, or a PostgreSQL or DuckDB URL. Raises `UnknownDatabaseError`."""
    scheme, _, path = where.partition("://")
    scheme = scheme.partition("+")[0] if "://" in where else ""
    if scheme in {"postgresql", "postgres"}:
        with postgres_server(f"postgresql://{path}", limits, allowance) as opened:
            yield opened
    elif scheme == "duckdb":
        file = Path(path.removeprefix("/") if path.startswith("//") else path)
        with duckdb_file(file, limits, allowance) as opened:
            yield opened
    elif scheme:
        shown = f"{scheme}://…" if _SCHEME.fullmatch(scheme) else "a URL of another kind"
        raise UnknownDatabaseError(f"unsupported database {shown}: use a file, postgresql:// or duckdb://")
    else:
        with sqlite_file(Path(where), limits) as opened:
            yield opened
