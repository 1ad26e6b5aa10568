"""Examines indexes: each of ours that is missing, and each that PostgreSQL does not use because it is not valid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Index, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.schema import CreateIndex

from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock
from service.storage.scores.search_index import INDEX
from service.storage.tables import METADATA

_PRESENT = text(
    "SELECT indexes.relname FROM pg_index JOIN pg_class AS indexes ON indexes.oid = indexrelid"
    " WHERE indexes.relnamespace = current_schema()::regnamespace"
)
_INVALID = text(
    """
    SELECT quote_ident(indexes.relname) AS name, quote_ident(tables.relname) AS of_table, indisunique AS single,
      indexes.relkind = 'I' AS divided, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class AS indexes ON indexes.oid = indexrelid JOIN pg_class AS tables ON tables.oid = indrelid
    WHERE NOT indisvalid AND tables.relnamespace = current_schema()::regnamespace
      AND (tables.relname = ANY(:tables) OR EXISTS (
        SELECT FROM pg_inherits JOIN pg_class AS whole ON whole.oid = inhparent
        WHERE inhrelid = tables.oid AND whole.relname = ANY(:tables)))
      -- one that is being built, or may be: which one another role builds is hidden
      AND NOT EXISTS (
        SELECT FROM pg_stat_progress_create_index
        WHERE index_relid = indexrelid OR (relid IS NULL AND datname = current_database()))
      -- a part of one that is named itself
      AND NOT EXISTS (
        SELECT FROM pg_inherits JOIN pg_index AS whole ON whole.indexrelid = inhparent
        WHERE inhrelid = pg_index.indexrelid AND NOT whole.indisvalid)
    ORDER BY 1
    """
)
_SEARCH = text(
    """
    SELECT current_database() AS database, quote_ident(current_user) AS role, quote_ident(nspname) AS home,
      has_schema_privilege(pg_namespace.oid, 'USAGE') AS usable,
      EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS available,
      has_database_privilege(current_database(), 'CREATE') AS allowed,
      EXISTS (
        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND granted
          AND (classid, objid, objsubid) = (0, :lock, 1)
      ) AS building
    FROM (VALUES (1)) AS one LEFT JOIN pg_extension ON extname = 'pg_trgm'
      LEFT JOIN pg_namespace ON pg_namespace.oid = extnamespace
    """
)
_LEFT_OVER = re.compile(r"_cc(?:new|old)\d*\"?$")
"""The end of the name of an index that REINDEX CONCURRENTLY was building, or was to drop, when it was cut short."""
_DIALECT = postgresql.dialect(paramstyle="named")
"""One that does not double per cent signs."""


async def examine_indexes(engine: AsyncEngine, settings: DatabaseSettings) -> list[CheckResult]:
    """Indexes that are missing or not valid; raises `StoreUnavailable`. The tables must be of this version."""
    tables = sorted(METADATA.tables)
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            present = frozenset(await connection.scalars(_PRESENT))
            invalid = (await connection.execute(_INVALID, {"tables": tables})).all()
            search = (await connection.execute(_SEARCH, {"lock": int(AdvisoryLock.SEARCH_INDEX)})).one()
    found = [*_missing(present), *_invalid(_ended(invalid, search), settings)]
    if settings.search_index and (search.building or INDEX not in present):
        found.append(_search(search))
    return found or [ok("database.indexes", "all are there and valid")]


def _ended(invalid: Sequence[Any], search: Any) -> list[Any]:
    """Those that nobody is building: the index of searches is not valid until its last partition has it."""
    return [row for row in invalid if not (search.building and row.name.strip('"').endswith("_texts"))]


def _missing(present: frozenset[str]) -> Iterator[CheckResult]:
    for table in METADATA.sorted_tables:
        for index in sorted(table.indexes, key=lambda each: str(each.name)):
            if index.name not in present:
                what = f"the index {index.name} of {table.name} is missing"
                fix = f"run in psql as the owner of the table: {statement_of(index)}"
                yield _finding(str(index.name), what, fix, single=index.unique)


def _search(row: Any) -> CheckResult:
    """The index that `migrate` makes for searches, where the settings want it and it is not there."""
    check = f"database.indexes {INDEX}"
    if row.building:
        return ok(check, "it is being made; until then each search for text reads all rows of its time")
    what = f"the index {INDEX} of evaluations is missing: each search for text reads all rows of its time"
    if row.home is not None and not row.usable:
        what += f"; this role may not use the schema {row.home}, which has the extension pg_trgm"
        first = f"run as its owner: GRANT USAGE ON SCHEMA {row.home} TO {row.role}; then "
    elif row.home is not None or (row.available and row.allowed):
        first = ""
    elif row.available:
        what += f"; this role may not create the extension pg_trgm in {row.database}"
        first = f"run as a superuser in {row.database}: CREATE EXTENSION pg_trgm; then "
    else:
        what += "; the server does not have the extension pg_trgm"
        first = "install PostgreSQL's package contrib on the server, then "
    return warning(
        check, what, f"{first}run sqlassay migrate; or set SQLASSAY_DATABASE__SEARCH_INDEX=false if nobody searches"
    )


def statement_of(index: Index) -> str:
    """The statement that makes it, beside writers where PostgreSQL can: not of a table with partitions."""
    said = " ".join(str(CreateIndex(index).compile(dialect=_DIALECT)).split())
    divided = index.table is not None and index.table.dialect_options["postgresql"]["partition_by"]
    return said if divided else said.replace(" INDEX ", " INDEX CONCURRENTLY ", 1)


def _invalid(rows: Iterable[Any], settings: DatabaseSettings) -> Iterator[CheckResult]:
    for row in rows:
        single = row.single and not _LEFT_OVER.search(row.name)
        what = f"the index {row.name} of {row.of_table} is not valid: its building was cut short"
        yield _finding(row.name, what, _repair(row, settings), single=single)


def _repair(row: Any, settings: DatabaseSettings) -> str:
    if row.name.removesuffix("_texts") in {INDEX.removesuffix("_texts"), row.of_table} and settings.search_index:
        return "run sqlassay migrate"
    if _LEFT_OVER.search(row.name) or row.name.endswith("_texts"):
        statement = f"DROP INDEX {'' if row.divided else 'CONCURRENTLY '}{row.name}"
    elif row.divided:
        # REINDEX does not make it valid: a partition has no part of it
        statement = f"DROP INDEX {row.name}; {row.definition.replace(' ON ONLY ', ' ON ', 1)}"
    else:
        statement = f"REINDEX INDEX CONCURRENTLY {row.name}"
    return f"run in psql as the owner of the table: {statement}"


def _finding(name: str, what: str, fix: str, *, single: bool) -> CheckResult:
    """Without one that keeps rows single, rows cannot be stored; without another, lists are slow."""
    check = f"database.indexes {name}"
    if single:
        return error(check, f"{what}; rows cannot be stored without it", fix)
    return warning(check, f"{what}; what it makes quick is slow", fix)
