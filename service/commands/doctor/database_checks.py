"""Examines PostgreSQL: version, writes, migrations, permissions and clock."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.commands.doctor.index_checks import examine_indexes
from service.commands.doctor.read_only import explain_read_only
from service.commands.doctor.role_checks import LoginRole, look_at_role
from service.failures import failure_text
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, translate_errors
from service.storage.database_sight import DatabaseSight, look_at_database
from service.storage.libpq_url import read_url
from service.storage.pooled_sessions import driver_error
from service.storage.pooler import FIX, is_pooled
from service.storage.refusals import ENDED, TOO_MANY, fix_of
from service.storage.tables import METADATA

OLDEST = 15
"""The oldest release of PostgreSQL that is tested."""
SKEW_SECONDS = 30.0
"""Seconds between the clocks at which `SQLAssayClockSkew` fires."""
_SAID = text(
    "SELECT current_setting('server_version_num')::int / 10000 AS version, current_user AS role,"
    " current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS creates,"
    " (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class WHERE relkind = 'p'"
    " AND relnamespace = current_schema()::regnamespace AND NOT pg_has_role(relowner, 'USAGE')) AS strange"
)
_REFUSED = text(
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
    " AND relname = ANY(:tables) AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) ORDER BY relname"
)


LOCK_SECONDS = 5
"""Seconds after which a session that keeps others waiting is named."""
_BLOCKING = text(
    """
    SELECT blocker.pid, blocker.application_name AS name, coalesce(blocker.state, 'state hidden') AS state,
      extract(epoch FROM now() - coalesce(blocker.xact_start, blocker.backend_start))::int AS seconds,
      count(DISTINCT waiting.pid) AS waiting
    FROM pg_stat_activity AS waiting CROSS JOIN unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid)
    JOIN pg_stat_activity AS blocker ON blocker.pid = blocking.pid
    WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock'
      AND cardinality(pg_blocking_pids(blocker.pid)) = 0
      AND now() - coalesce(blocker.xact_start, blocker.backend_start) > make_interval(secs => :seconds)
    GROUP BY 1, 2, 3, 4 ORDER BY seconds DESC LIMIT 5
    """
)
_WRITE = text(
    "CREATE TEMPORARY TABLE doctor_room ON COMMIT DROP AS SELECT number FROM generate_series(1, 50000) number"
)
"""Two megabytes that are gone with the transaction."""
_DISK_FULL = "53100"
"""SQLSTATE."""


async def examine_database(settings: DatabaseSettings) -> Sequence[CheckResult]:
    """What is wrong with the configured database; raises `SettingsError` for an invalid URL."""
    if settings.url is None:
        return [ok("database.reachable", "the embedded PostgreSQL is used, which starts with the service")]
    engine = create_engine(read_url(settings.url.get_secret_value()), settings)
    try:
        return [ok("database.reachable", "PostgreSQL answers"), *await _examined(engine, settings)]
    except Unavailable as failure:
        return [_refused(failure, engine)]
    finally:
        await engine.dispose()


async def _examined(engine: AsyncEngine, settings: DatabaseSettings) -> list[CheckResult]:
    sight = await look_at_database(engine, settings.timeout, time.time)
    role = await look_at_role(engine)
    return [
        ok("database.writable", "it takes writes") if sight.writable else await explain_read_only(engine),
        _clock(sight),
        *role.examine(settings),
        *await _locks(engine),
        await _space(engine) if sight.writable else ok("database.space", "not checked: the database takes no writes"),
        *(await _tables(engine, settings, sight, role) if role.schema_found else ()),
        await _pooler(engine, settings),
    ]


def _refused(failure: Unavailable, engine: AsyncEngine) -> CheckResult:
    """Why PostgreSQL does not let us in, which is not always that it is down."""
    cause = driver_error(failure.__context__ or failure)
    fix = fix_of(cause, engine.url)
    check = {TOO_MANY: "database.connections", ENDED: "database.statement_timeout"}.get(getattr(cause, "sqlstate", ""))
    if fix is None or check is None:
        return error("database.reachable", str(failure), fix or "start PostgreSQL, or correct SQLASSAY_DATABASE__URL")
    return error(check, f"PostgreSQL answers and refuses: {failure_text(cause)}", fix)


async def _tables(
    engine: AsyncEngine, settings: DatabaseSettings, sight: DatabaseSight, role: LoginRole
) -> list[CheckResult]:
    return [
        role.examine_home() or _migrations(sight),
        *await _allowed(engine),
        *(await examine_indexes(engine, settings) if sight.schema_current else ()),
    ]


def _migrations(sight: DatabaseSight) -> CheckResult:
    return (
        ok("database.migrations", "none is pending")
        if sight.schema_current
        else error("database.migrations", "the tables are missing or older than this version", "run sqlassay migrate")
    )


def _clock(sight: DatabaseSight) -> CheckResult:
    said = f"it is {abs(sight.skew):.1f} s {'ahead of' if sight.skew > 0 else 'behind'} this machine"
    return (
        ok("database.clock", said)
        if abs(sight.skew) <= SKEW_SECONDS
        else error("database.clock", said, "correct the time service (NTP) of the machine that is wrong")
    )


async def _locks(engine: AsyncEngine) -> list[CheckResult]:
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(_BLOCKING, {"seconds": LOCK_SECONDS})).all()
    return [
        error(
            f"database.locks {row.pid}",
            f"session {row.pid} ({row.name or 'without a name'}, {row.state}, {row.seconds} s) holds locks for which"
            f" {row.waiting} others wait",
            f"let it end, or end it: SELECT pg_terminate_backend({row.pid})",
        )
        for row in rows
    ] or [ok("database.locks", "no session keeps others waiting")]


async def _space(engine: AsyncEngine) -> CheckResult:
    """Whether new pages can be written: a full disk lets reads and small updates through."""
    check = "database.space"
    try:
        async with engine.begin() as connection:
            await connection.execute(_WRITE)
    except DBAPIError as failure:
        cause = driver_error(failure)
        if getattr(cause, "sqlstate", None) != _DISK_FULL:
            return ok(check, f"not tried: {failure_text(cause)}")
        said = f"the disk is full ({failure_text(cause)})"
        return error(check, said, "free or add space on the database's disk, or keep rows for fewer days")
    return ok(check, "new pages can be written")


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
        _partitions(role, said.schema, creates=said.creates, strange=said.strange),
    ]


def _partitions(role: str, schema: str, *, creates: bool, strange: str | None) -> CheckResult:
    """Whether the role may create and drop partitions. Only the owner of a table may, whatever else is granted."""
    check = "database.partitions"
    if not creates:
        said = f"role {role} may not create tables, so new days get no partition"
        return warning(check, said, f"run as the owner of the schema: GRANT CREATE ON SCHEMA {schema} TO {role}")
    if strange is not None:
        return warning(
            check,
            f"role {role} does not own {strange}, so new days get no partition, and expired ones stay",
            f"run in psql as a superuser: SELECT format('ALTER TABLE %I.%I OWNER TO %I', '{schema}', relname, '{role}')"  # noqa: S608 names of the catalogue, printed for a person
            f" FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind IN ('r', 'p') \\gexec",
        )
    return ok(check, f"role {role} may create and drop partitions")
