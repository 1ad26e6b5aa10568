"""Caches which version of a tenant's rules is current, so that PostgreSQL is not queried for each event.

Redis and each process cache version numbers only. The content of a version never changes and is read from PostgreSQL
once. A message tells all processes of a change; without it they see the change after `TTL` at the latest.
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
from consumers.wire.rules_document import RulesDocument
from consumers.wire.schema_document import SchemaDocument
from scoring.rules import Rules
from service.redis.link import RedisLink
from service.storage.rule_store import PostgresRules, StoredRules, StoredSchema

TTL = 30.0
"""Seconds after which all processes see a change without a message: half in Redis, half in the process."""
_USE = "rules"
_MOST_TENANTS = 100_000
"""Most tenants that a process caches."""
# a cached version only grows, so a slow reader cannot put an old one back
_RAISE = """
local cached = redis.call('GET', KEYS[1])
if not cached or tonumber(cached) <= tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
"""


@dataclass(slots=True)
class KnownVersions:
    """The versions that a process knows, and until when it trusts each.

    >>> known = KnownVersions(30.0)
    >>> known.learn({"bakers": 2}, now=0.0); known.learn({"bakers": 1}, now=5.0)
    >>> known.fresh(["bakers", "millers"], now=29.0), known.fresh(["bakers"], now=36.0)
    ({'bakers': 2}, {})
    >>> known.learn({"bakers": 1}, now=36.0); known.fresh(["bakers"], now=37.0)
    {'bakers': 1}
    """

    ttl: float
    _trusted: dict[str, tuple[int, float]] = field(default_factory=dict[str, tuple[int, float]])

    def learn(self, versions: Mapping[str, int], now: float) -> None:
        """Adds versions that were current at `now`.

        A later version stays while it is trusted, since the reader may have been slow. Afterwards an older one replaces
        it, since the database may have been restored.
        """
        if len(self._trusted) > _MOST_TENANTS:
            self._trusted.clear()
        for tenant, version in versions.items():
            before, until = self._trusted.get(tenant, (0, now))
            self._trusted[tenant] = (max(version, before if now < until else 0), max(now + self.ttl, until))

    def fresh(self, tenants: Collection[str], now: float) -> dict[str, int]:
        """The versions that are still trusted."""
        known = {tenant: self._trusted[tenant] for tenant in tenants if tenant in self._trusted}
        return {tenant: version for tenant, (version, until) in known.items() if now < until}

    def forget(self, now: float) -> None:
        """Trusts no version any more, since messages may have been missed."""
        self._trusted = {tenant: (version, min(until, now)) for tenant, (version, until) in self._trusted.items()}

    def latest(self, versions: Mapping[str, int]) -> dict[str, int]:
        """For each tenant the later of this version and the known one."""
        return {tenant: max(version, self._trusted.get(tenant, (0, 0.0))[0]) for tenant, version in versions.items()}


@dataclass(slots=True, kw_only=True)
class RedisRules:
    """A `RuleSource` and rule book over PostgreSQL with a cache in Redis. While Redis is down it reads PostgreSQL."""

    link: RedisLink
    stored: PostgresRules
    aged: Callable[[float], None] = lambda _: None
    """Called with each reading: seconds since the rules were last read, 0 unless the last known rules stand in."""
    timer: Callable[[], float] = time.monotonic
    known: KnownVersions = field(default_factory=lambda: KnownVersions(TTL / 2))
    _listening: bool = False
    _last: dict[str, Rules] = field(default_factory=dict[str, Rules])
    _read_at: float = 0.0

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """Each tenant's current rules; the last known ones while both stores are down."""
        try:
            rules = await self.stored.parsed(await self._versions(tenants))
        except RulesUnavailable:
            rules = {tenant: self._last[tenant] for tenant in tenants if tenant in self._last}
            if not rules:
                raise
            self.aged(self.timer() - self._read_at)
            return rules
        self._read_at = self.timer()
        self.aged(0.0)
        if len(self._last) > _MOST_TENANTS:
            self._last.clear()
        self._last.update(rules)
        return rules

    async def _versions(self, tenants: Collection[str]) -> dict[str, int]:
        # known versions are used only while messages of changes arrive
        known = self.known.fresh(tenants, self.timer()) if self._listening else {}
        unknown = [tenant for tenant in tenants if tenant not in known]
        if not unknown:
            return known
        started = self.timer()
        found = await self._cached(unknown)
        missing = [tenant for tenant in unknown if tenant not in found]
        if missing:
            newest = await self.stored.newest(missing)
            await self._share(newest)
            found |= newest
        self.known.learn(found, started)
        return self.known.latest(known | found)

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
        self,
        tenant: str,
        document: RulesDocument,
        *,
        author: str | None = None,
        expected: int | None = None,
        keep_schema: bool = True,
    ) -> StoredRules:
        """Stores a new version and tells all processes; raises what `PostgresRules.put` raises."""
        return await self._tell(
            await self.stored.put(tenant, document, author=author, expected=expected, keep_schema=keep_schema)
        )

    async def put_schema(
        self, tenant: str, schema: SchemaDocument | None, *, author: str | None = None, expected: int | None = None
    ) -> StoredRules:
        """Stores or takes away a schema and tells all processes; raises what `PostgresRules.put_schema` raises."""
        return await self._tell(await self.stored.put_schema(tenant, schema, author=author, expected=expected))

    async def put_calibration(self, tenant: str, version: int | None, *, author: str | None = None) -> StoredRules:
        """Puts a calibration in force and tells all processes; raises what `PostgresRules.put_calibration` raises."""
        return await self._tell(await self.stored.put_calibration(tenant, version, author=author))

    async def put_learned(self, tenant: str, version: int | None, *, author: str | None = None) -> StoredRules:
        """Puts learned rules in force and tells all processes; raises what `PostgresRules.put_learned` raises."""
        return await self._tell(await self.stored.put_learned(tenant, version, author=author))

    async def _tell(self, rules: StoredRules) -> StoredRules:
        tenant = rules.tenant
        self.known.learn({tenant: rules.version}, self.timer())
        await self._share({tenant: rules.version})
        with suppress(CacheUnavailable), self.link.use(_USE) as client:
            message = orjson.dumps([tenant, rules.version])
            await client.publish(self._channel, message)  # pyright: ignore[reportUnknownMemberType] untyped options
        return rules

    async def decode(self, raw: bytes) -> RulesDocument:
        """The rules document in a request's body; raises `InvalidRules`."""
        return await self.stored.decode(raw)

    async def parse(self, document: RulesDocument) -> Rules:
        """The rules of a document that is not stored; raises `InvalidRules`."""
        return await self.stored.parse(document)

    async def decode_schema(self, raw: bytes, *, as_json: bool) -> SchemaDocument:
        """The schema in a request's body; raises `InvalidSchema`."""
        return await self.stored.decode_schema(raw, as_json=as_json)

    async def schema(self, tenant: str, version: int | None = None) -> StoredSchema | None:
        """The schema in force, version 0 without one; or one version, if it exists."""
        return await self.stored.schema(tenant, version)

    async def current(self, tenant: str) -> StoredRules:
        """The tenant's newest rules; version 0, the defaults, where it has none."""
        return await self.stored.current(tenant)

    async def version(self, tenant: str, version: int) -> StoredRules | None:
        """One version, if it exists."""
        return await self.stored.version(tenant, version)

    async def versions(self, tenant: str, limit: int = 100) -> list[StoredRules]:
        """The tenant's versions, newest first."""
        return await self.stored.versions(tenant, limit)

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """Receives messages of changes while open."""
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
                        await self._receive(subscription)
            except CacheUnavailable:
                self._listening = False
                await asyncio.sleep(1)

    async def _receive(self, subscription: Any) -> None:
        while True:
            # with a timeout: health checks run between waits and notice a dead connection
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
            self.stored.forget(str(tenant), int(version))
            self.known.learn({str(tenant): int(version)}, self.timer())
        except (ValueError, TypeError):
            self.known.forget(self.timer())


RuleBook: TypeAlias = PostgresRules | RedisRules
"""Reads and changes rules, with Redis if it is configured."""


@asynccontextmanager
async def open_rules(engine: AsyncEngine, link: RedisLink | None) -> AsyncGenerator[RuleBook]:
    """Opens the rules of a database, cached in Redis if there is a link."""
    stored = PostgresRules(engine)
    if link is None:
        yield stored
        return
    rules = RedisRules(link=link, stored=stored)
    async with rules.listening():
        yield rules
