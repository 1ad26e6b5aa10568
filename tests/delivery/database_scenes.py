"""Faults of PostgreSQL alone: no room, deadlocks, a standby promoted, days dropped under writes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import asyncpg

from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from service.storage.retention import Housekeeping, do_housekeeping
from tests.conftest import administer
from tests.delivery import traffic
from tests.delivery.scenes import Scene
from tests.delivery.sites import Site, new_database
from tests.delivery.traffic import Message
from tests.servers.fixtures import async_url, available
from tests.servers.postgres_server import PostgresServer, debian_postgres
from tests.servers.room import SmallRoom, small_room
from tests.servers.sessions import own_server

_LOCKED = "BEGIN; SET LOCAL deadlock_timeout = '5s'; LOCK TABLE evaluations IN ACCESS EXCLUSIVE MODE"
_DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
DAYS = 30
"""Of retention."""


@dataclass(slots=True, eq=False)
class NoRoom(Scene):
    """The disk of the tables is full to the last byte."""

    _room: SmallRoom | None = None

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        server, name = site.servers.postgres, str(site.stage.database.database)
        url = async_url(server.url)
        with available(small_room(server.home / f"room-{name}", 160, server.account)) as self._room:
            await administer(url, f"CREATE TABLESPACE room_{name} LOCATION '{self._room.path}'")
            try:
                await administer(url, f"ALTER DATABASE {name} SET TABLESPACE room_{name}")
                yield
            finally:
                site.stage.end()
                await administer(url, f"DROP DATABASE {name} WITH (FORCE)")
                await administer(url, f"DROP TABLESPACE room_{name}")

    async def happen(self, site: Site) -> str:
        assert self._room is not None
        await asyncio.to_thread(self._room.fill)
        try:
            await site.hold()
        finally:
            self._room.clear()
        return f"no byte left for tables for {site.seconds:g} s"


async def deadlocks(site: Site) -> str:
    """Another session takes the workers' locks in the other order, again and again, then holds one."""
    ends, met = time.monotonic() + site.seconds, 0
    async with site.stage.connection() as rival:
        while time.monotonic() < ends or not met:
            await rival.execute(_LOCKED)
            await asyncio.sleep(0.4)
            with suppress(asyncpg.DeadlockDetectedError):
                await rival.execute("LOCK TABLE event_keys IN ACCESS EXCLUSIVE MODE")
            await rival.execute("ROLLBACK")
            await asyncio.sleep(0.3)
            met = int(await rival.fetchval(_DEADLOCKS) or 0)
        await rival.execute(_LOCKED)
        await site.hold()
        await rival.execute("ROLLBACK")
    return f"{met} deadlocks with another session, then evaluations locked for {site.seconds:g} s"


@dataclass(slots=True, eq=False)
class DaysDropped(Scene):
    """Retention drops days without a pause while late events of the same days arrive."""

    _rounds: list[Housekeeping] = field(default_factory=list[Housekeeping])
    _expired: int = 0

    def events(self, seed: int, count: int) -> Sequence[Message]:
        """Three in four of this week, one of a day that has expired."""
        today = datetime.now(UTC)
        kept = traffic.events(seed, count - count // 4, since=today - timedelta(days=6), days=6)
        expired = traffic.events(seed, count // 4, since=today - timedelta(days=DAYS + 15), days=12)
        self._expired += len(expired)
        return [*kept, *(replace(each, may_be_gone=True) for each in expired)]

    async def happen(self, site: Site) -> str:
        engine = create_engine(site.stage.database, DatabaseSettings())
        ends = time.monotonic() + site.seconds
        try:
            while time.monotonic() < ends or not self.dropped:
                done = await do_housekeeping(engine, DAYS, datetime.now(UTC))
                self._rounds += [done] if done is not None else []
        finally:
            await engine.dispose()
        return f"{len(self._rounds)} rounds of housekeeping dropped {self.dropped} days under writes to them"

    @property
    def dropped(self) -> int:
        return sum(each.dropped for each in self._rounds)


@dataclass(slots=True, eq=False)
class Failover(Scene):
    """The primary goes and its standby is promoted; workers know both hosts. Commits wait for the standby."""

    how: str = "kill"
    """`kill`; `freeze`, after which the primary's host takes connections and answers none; `demote`, to read-only."""
    _primary: PostgresServer | None = None
    _standby: PostgresServer | None = None

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        stage, name = site.stage, str(site.stage.database.database)
        with ExitStack() as stack:
            self._primary = stack.enter_context(available(own_server(debian_postgres)))
            self._standby = stack.enter_context(own_server(self._primary.standby))
            await self._configure("synchronous_standby_names = '*'")
            stage.database = await new_database(self._primary, name)
            await stage.rules()
            ports = self._primary.port, self._standby.port
            hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
            url = stage.database.set(drivername="postgresql").render_as_string(hide_password=False)
            stage.settings["SQLASSAY_DATABASE__URL"] = url.replace(f"127.0.0.1:{ports[0]}", hosts)
            stack.callback(stage.end)
            yield

    async def _configure(self, setting: str) -> None:
        assert self._primary is not None
        await administer(async_url(self._primary.url), f"ALTER SYSTEM SET {setting}")
        await administer(async_url(self._primary.url), "SELECT pg_reload_conf()")

    async def happen(self, site: Site) -> str:
        assert self._primary is not None
        assert self._standby is not None
        if self.how == "kill":
            self._primary.kill()
        elif self.how == "freeze":
            self._primary.freeze()
        else:
            await self._configure("default_transaction_read_only = on")
        await site.hold()
        await administer(async_url(self._standby.url), "SELECT pg_promote()")
        site.stage.database = site.stage.database.set(port=self._standby.port)
        done = {"kill": "killed", "freeze": "frozen", "demote": "made read-only"}[self.how]
        return f"the primary {done}; after {site.seconds:g} s its standby was promoted"
