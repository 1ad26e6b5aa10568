"""Examines PostgreSQL: version, writes, migrations, permissions and clock."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, translate_errors
from service.storage.database_sight import DatabaseSight, look_at_database
from service.storage.libpq_url import read_url
from service.storage.pooler import FIX, is_pooled
from service.storage.tables import METADATA

OLDEST = 15
"""The oldest release of PostgreSQL that is tested."""
SKEW_SECONDS = 30.0
"""Seconds between the clocks at which `SQLAssayClockSkew` fires."""
_SAID = text(
    "SELECT current_setting('server_version_num')::int / 10000 AS version, current_user AS role,"
    " has_schema_privilege(current_schema(), 'CREATE') AS creates"
)
_REFUSED = text(
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
    " AND relname = ANY(:tables) AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) ORDER BY relname"
)


async def examine_database(settings: DatabaseSettings) -> Sequence[CheckResult]:
    """What is wrong with the configured database; raises `SettingsError` for an invalid URL."""
    if settings.url is None:
        return [ok("database.reachable", "the embedded PostgreSQL is used, which starts with the service")]
    engine = create_engine(read_url(settings.url.get_secret_value()), settings)
    try:
        sight = await look_at_database(engine, settings.timeout, time.time)
        return [
            ok("database.reachable", "PostgreSQL answers"),
            *_seen(sight),
            *await _allowed(engine),
            await _pooler(engine, settings),
        ]
    except Unavailable as failure:
        return [error("database.reachable", str(failure), "start PostgreSQL, or correct SQLASSAY_DATABASE__URL")]
    finally:
        await engine.dispose()


def _seen(sight: DatabaseSight) -> Iterator[CheckResult]:
    yield (
        ok("database.writable", "it takes writes")
        if sight.writable
        else error("database.writable", "it is read-only or a standby", "name the primary in SQLASSAY_DATABASE__URL")
    )
    yield (
        ok("database.migrations", "none is pending")
        if sight.schema_current
        else error("database.migrations", "the tables are missing or older than this version", "run sqlassay migrate")
    )
    said = f"it is {abs(sight.skew):.1f} s {'ahead of' if sight.skew > 0 else 'behind'} this machine"
    yield (
        ok("database.clock", said)
        if abs(sight.skew) <= SKEW_SECONDS
        else error("database.clock", said, "correct the time service (NTP) of the machine that is wrong")
    )


async def _pooler(engine: AsyncEngine, settings: DatabaseSettings) -> CheckResult:
    with translate_errors(engine.url):
        found = await is_pooled(engine)
    if found and settings.pooler is None:
        return error("database.pooler", "the URL leads to a pooler such as PgBouncer, which no setting names", FIX)
    return ok("database.pooler", f"a pooler lends connections by {settings.pooler}" if found else "there is none")


async def _allowed(engine: AsyncEngine) -> list[CheckResult]:
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            said = (await connection.execute(_SAID)).one()
            refused = list(await connection.scalars(_REFUSED, {"tables": sorted(METADATA.tables)}))
    role, tables = said.role, ", ".join(refused)
    return [
        ok("database.version", f"PostgreSQL {said.version}")
        if said.version >= OLDEST
        else error("database.version", f"PostgreSQL {said.version}", f"upgrade it to {OLDEST} or later"),
        ok("database.permissions", f"role {role} may read and write every table")
        if not refused
        else error(
            "database.permissions",
            f"role {role} may not read and write {tables}",
            f"run as their owner: GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {role}",
        ),
        ok("database.partitions", f"role {role} may create partitions")
        if said.creates
        else warning(
            "database.partitions",
            f"role {role} may not create tables, so new days get no partition",
            f"run as the owner of the schema: GRANT CREATE ON SCHEMA public TO {role}",
        ),
    ]
