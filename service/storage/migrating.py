"""Migrates the tables beside processes that read and write them.

Each revision has a transaction of its own, so it holds the locks of that revision only. It waits a short time for each
lock, because everybody who needs the table later waits behind it. Then it frees all its locks, pauses and tries again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

import migrations
from consumers.errors import StoreUnavailable
from service.background import background_task
from service.logs import log
from service.storage.locks import AdvisoryLock, wait_for_lock

TRIES = 20
"""Tries of one revision. With their pauses they take about two minutes."""
LOCK_SECONDS = 2.0
"""Longest wait for one lock; writers of the table wait as long."""
_PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds after the first tries, in which the others go on; the last one is that of all later tries."""
_GIVES_WAY = {"40P01": "deadlock_detected", "55P03": "lock_not_available"}
"""SQLSTATEs after which the same revision may succeed."""
_LOOK_SECONDS = 0.4
_BLOCKING = text(
    """
    SELECT pid, application_name, coalesce(state, 'state hidden') AS state,
      extract(epoch FROM now() - coalesce(xact_start, backend_start))::int AS seconds
    FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids(:pid)) ORDER BY pid
    """
)


async def migrate_tables(engine: AsyncEngine) -> str:
    """Brings the tables to the newest revision, one process at a time, and returns the revision.

    Tables of a later version stay as they are: migrations only add, so that a release can be rolled back. Raises
    `StoreUnavailable` if other sessions keep a revision from its locks.
    """
    async with engine.connect() as connection:
        present = await connection.run_sync(_present)
    while (following := _following(present)) is not None:
        present = await _Step(engine, present, following).run()
    return str(present)


async def is_migrated(engine: AsyncEngine) -> bool:
    """Whether no revision is pending."""
    async with engine.connect() as connection:
        return _following(await connection.run_sync(_present)) is None


@dataclass(slots=True)
class _Step:
    """The way from one revision to the next, or of a database without tables to the newest."""

    engine: AsyncEngine
    present: str | None
    following: str
    _blocked_by: str = field(default="", init=False)

    async def run(self) -> str | None:
        """The revision after it, which is another one where another process has migrated meanwhile."""
        cause = ""
        for tried in range(TRIES):
            try:
                return await self._try()
            except DBAPIError as error:
                cause = _GIVES_WAY.get(getattr(error.orig, "sqlstate", None) or "", "")
                if not cause:
                    raise
            log.warning(
                "migration_gave_way",
                revision=self.following,
                cause=cause,
                blocked_by=self._blocked_by or None,
                tries_left=TRIES - tried - 1,
            )
            if tried + 1 < TRIES:
                await asyncio.sleep(_PAUSES[min(tried, len(_PAUSES) - 1)])
        raise StoreUnavailable(self._given_up(cause))

    async def _try(self) -> str | None:
        async with self.engine.begin() as connection, self._watched(connection):
            await connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS:g}s'"))
            await wait_for_lock(connection, AdvisoryLock.MIGRATION)
            found = await connection.run_sync(_present)
            if found != self.present:
                return found
            # nobody creates or drops a partition meanwhile: those who do lock tables in orders of their own
            await wait_for_lock(connection, AdvisoryLock.PARTITIONS)
            await connection.run_sync(_upgrade, self.following)
            return self.following

    @asynccontextmanager
    async def _watched(self, connection: AsyncConnection) -> AsyncGenerator[None]:
        """Notes who keeps this connection waiting, while the context is open."""
        pid = await connection.scalar(text("SELECT pg_backend_pid()"))
        async with background_task(self._watch(int(pid or 0)), "migration watch"):
            yield

    async def _watch(self, pid: int) -> None:
        with suppress(SQLAlchemyError, OSError):
            while True:
                await asyncio.sleep(_LOOK_SECONDS)
                async with self.engine.connect() as connection:
                    rows = (await connection.execute(_BLOCKING, {"pid": pid})).all()
                if rows:
                    self._blocked_by = "; ".join(
                        f"pid {row.pid} ({row.application_name or 'no name'}, {row.state}, {row.seconds} s)"
                        for row in rows
                    )

    def _given_up(self, cause: str) -> str:
        who = self._blocked_by or "sessions that had ended when they were looked for"
        return (
            f"revision {self.following} of the tables was given up after {TRIES} tries ({cause}): its locks are held by"
            f" {who}. Run sqlassay migrate again once they have ended; end one that hangs by its pid with"
            " SELECT pg_terminate_backend(PID)"
        )


def _present(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _upgrade(connection: Connection, revision: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files(migrations)).replace("%", "%%"))
    return config


@cache
def revisions() -> tuple[str, ...]:
    """Every revision of this version, the newest first."""
    return tuple(each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions())


def _following(present: str | None) -> str | None:
    """The revision that comes after, or `None`. Nobody uses a database without tables: it gets all in one step."""
    known = revisions()
    if present is None:
        return known[0]
    if present not in known:
        log.warning("tables_of_a_later_version", revision=present, known=known[0])
        return None
    place = known.index(present)
    return known[place - 1] if place else None
