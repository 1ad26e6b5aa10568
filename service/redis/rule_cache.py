"""Rules through Redis: which version of a tenant's rules is in force is known without asking PostgreSQL each time.

Redis and this process hold version numbers only; what a version says never changes, and comes from PostgreSQL once. A
change is told to all processes by a message, and known without it when what they hold is older than `ttl`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import orjson
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import CacheUnavailable, RulesUnavailable
from consumers.wire.events import RulesDocument
from scoring.rules import Rules
from service.redis.link import RedisLink
from service.storage.rule_store import PostgresRules, StoredRules

TTL = 30.0
"""Seconds after which a change is known to all without a message: half in Redis, half in a process."""
_USE = "rules"
_MOST = 100_000
"""Tenants remembered."""
# while a version is remembered it only grows, so a reader that was slow cannot put an old one back
_RAISE = """
local known = redis.call('GET', KEYS[1])
if not known or tonumber(known) <= tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
"""


@dataclass(slots=True)
class KnownVersions:
    """The versions that a process has heard of, and until when it believes each.

    >>> known = KnownVersions(30.0)
    >>> known.learn({"bakers": 2}, now=0.0); known.learn({"bakers": 1}, now=5.0)
    >>> known.fresh(["bakers", "millers"], now=29.0), known.fresh(["bakers"], now=36.0)
    ({'bakers': 2}, {})
    >>> known.learn({"bakers": 1}, now=36.0); known.fresh(["bakers"], now=37.0)
    {'bakers': 1}
    """

    ttl: float
    _heard: dict[str, tuple[int, float]] = field(default_factory=dict[str, tuple[int, float]])

    def learn(self, versions: Mapping[str, int], now: float) -> None:
        """These were in force then, unless a later one was believed; once that is over a database may be restored."""
        if len(self._heard) > _MOST:
            self._heard.clear()
        for tenant, version in versions.items():
            before, until = self._heard.get(tenant, (0, now))
            self._heard[tenant] = (max(version, before if now < until else 0), max(now + self.ttl, until))

    def fresh(self, tenants: Collection[str], now: float) -> dict[str, int]:
        """Those still believed."""
        heard = {tenant: self._heard[tenant] for tenant in tenants if tenant in self._heard}
        return {tenant: version for tenant, (version, until) in heard.items() if now < until}

    def forget(self, now: float) -> None:
        """Messages may have been missed: believe nothing."""
        self._heard = {tenant: (version, min(until, now)) for tenant, (version, until) in self._heard.items()}

    def raised(self, versions: Mapping[str, int]) -> dict[str, int]:
        """The versions, or later ones already heard of."""
        return {tenant: max(version, self._heard.get(tenant, (0, 0.0))[0]) for tenant, version in versions.items()}


@dataclass(slots=True, kw_only=True)
class RedisRules:
    """A `RuleSource` and rule book over PostgreSQL, spared by Redis; with Redis down it asks PostgreSQL."""

    link: RedisLink
    truth: PostgresRules
    aged: Callable[[float], None] = lambda _: None
    """Told with each answer how many seconds ago newer rules could last be read: 0 unless the last known stand in."""
    timer: Callable[[], float] = time.monotonic
    known: KnownVersions = field(default_factory=lambda: KnownVersions(TTL / 2))
    _listening: bool = False
    _last: dict[str, Rules] = field(default_factory=dict[str, Rules])
    _read_at: float = 0.0

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """Each tenant's rules in force; with both stores down, the last known ones."""
        try:
            rules = await self.truth.parsed(await self._versions(tenants))
        except RulesUnavailable:
            rules = {tenant: self._last[tenant] for tenant in tenants if tenant in self._last}
            if not rules:
                raise
            self.aged(self.timer() - self._read_at)
            return rules
        self._read_at = self.timer()
        self.aged(0.0)
        if len(self._last) > _MOST:
            self._last.clear()
        self._last.update(rules)
        return rules

    async def _versions(self, tenants: Collection[str]) -> dict[str, int]:
        # what was heard counts only while changes are heard of
        known = self.known.fresh(tenants, self.timer()) if self._listening else {}
        unheard = [tenant for tenant in tenants if tenant not in known]
        if not unheard:
            return known
        started = self.timer()
        found = await self._cached(unheard)
        missing = [tenant for tenant in unheard if tenant not in found]
        if missing:
            newest = await self.truth.newest(missing)
            await self._share(newest)
            found |= newest
        self.known.learn(found, started)
        return self.known.raised(known | found)

    async def _cached(self, tenants: list[str]) -> dict[str, int]:
        try:
            with self.link.use(_USE) as client:
                values = await client.mget([self._key(tenant) for tenant in tenants])
        except CacheUnavailable:
            return {}
        return {
            tenant: int(value)
            for tenant, value in zip(tenants, values, strict=True)
            if value is not None and value.isdigit()
        }

    async def _share(self, versions: Mapping[str, int]) -> None:
        with suppress(CacheUnavailable), self.link.use(_USE) as client:
            async with client.pipeline(transaction=False) as pipe:
                for tenant, version in versions.items():
                    pipe.eval(_RAISE, 1, self._key(tenant), str(version), str(int(TTL / 2)))
                await pipe.execute()

    def _key(self, tenant: str) -> str:
        return self.link.key("rules", tenant)

    @property
    def _channel(self) -> str:
        return self.link.key("rules-changed")

    async def put(
        self, tenant: str, document: RulesDocument, *, author: str | None = None, expected: int | None = None
    ) -> StoredRules:
        """Stores a new version and tells every process; raises what `PostgresRules.put` does."""
        stored = await self.truth.put(tenant, document, author=author, expected=expected)
        self.known.learn({tenant: stored.version}, self.timer())
        await self._share({tenant: stored.version})
        with suppress(CacheUnavailable), self.link.use(_USE) as client:
            message = orjson.dumps([tenant, stored.version])
            await client.publish(self._channel, message)  # pyright: ignore[reportUnknownMemberType] untyped options
        return stored

    async def current(self, tenant: str) -> StoredRules:
        """The tenant's newest rules; version 0 with the defaults where it has none."""
        return await self.truth.current(tenant)

    async def version(self, tenant: str, version: int) -> StoredRules | None:
        """One version, if there is such."""
        return await self.truth.version(tenant, version)

    async def versions(self, tenant: str, limit: int = 100) -> list[StoredRules]:
        """The tenant's versions, newest first."""
        return await self.truth.versions(tenant, limit)

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """While the context is open, changes made elsewhere are heard of as they happen."""
        task = asyncio.create_task(self._listen(), name="rules-changed")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _listen(self) -> None:
        while True:
            try:
                with self.link.use(_USE) as client:
                    async with client.pubsub() as subscription:  # pyright: ignore[reportUnknownMemberType] untyped options
                        await subscription.subscribe(self._channel)
                        await self._hear(subscription)
            except CacheUnavailable:
                self._listening = False
                await asyncio.sleep(1)

    async def _hear(self, subscription: Any) -> None:
        while True:
            # the timeout makes a connection that died without a word be noticed: health checks go out between waits
            message = await subscription.get_message(timeout=5)
            if message is None:
                continue
            if message["type"] == "subscribe":
                self.known.forget(self.timer())
                self._listening = True
            else:
                self._note(message["data"])

    def _note(self, data: bytes) -> None:
        try:
            tenant, version = cast("tuple[str, int]", orjson.loads(data))
            self.truth.forget(str(tenant), int(version))
            self.known.learn({str(tenant): int(version)}, self.timer())
        except (ValueError, TypeError):
            self.known.forget(self.timer())


RuleBook: TypeAlias = PostgresRules | RedisRules
"""What reads and changes rules: with Redis where it is set."""


@asynccontextmanager
async def open_rules(engine: AsyncEngine, link: RedisLink | None) -> AsyncGenerator[RuleBook]:
    """The rules of a database, and of the Redis before it, if any."""
    truth = PostgresRules(engine)
    if link is None:
        yield truth
        return
    rules = RedisRules(link=link, truth=truth)
    async with rules.listening():
        yield rules
