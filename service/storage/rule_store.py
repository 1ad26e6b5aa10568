"""The tenants' rules in PostgreSQL. Rows never change, and the newest version is in force."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast

import orjson
from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RulesUnavailable, StoreUnavailable
from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from scoring.rules import Rules
from service.logs import log
from service.storage.database import translate_errors
from service.storage.tables import TENANT_RULES


class RulesConflict(Exception):  # noqa: N818 it names what happened
    """Another version was stored since the caller read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRules:
    """One stored version of a tenant's rules."""

    tenant: str
    version: int
    """0 is the built-in default, which has no row."""
    document: Mapping[str, Any]
    author: str | None = None
    created_at: datetime | None = None


class RulesReading(Protocol):
    """Parses rules documents, which hold SQL of a tenant. Every function raises `InvalidRules`."""

    async def decode(self, raw: bytes) -> RulesDocument:
        """The document in a request's body."""
        ...

    async def rules(self, document: Mapping[str, object], version: int) -> Rules:
        """The rules of a stored document, ready to apply."""
        ...


class ThreadReading:
    """A `RulesReading` in a thread, for documents that are trusted: nothing can end the work on a costly one."""

    async def decode(self, raw: bytes) -> RulesDocument:
        """The document in a request's body."""
        return await asyncio.to_thread(decode_rules, raw)

    async def rules(self, document: Mapping[str, object], version: int) -> Rules:
        """The rules of a stored document, ready to apply."""
        return await asyncio.to_thread(lambda: RulesDocument.model_validate(document).rules(version))


@dataclass(slots=True)
class PostgresRules:
    """A `RuleSource` in PostgreSQL, and the store behind the rules API.

    Each batch asks for the newest versions in one query, so a change takes effect on the next event in every process.
    Memory keeps only the parsed form of each version, which never changes.
    """

    engine: AsyncEngine
    reading: RulesReading = field(default_factory=ThreadReading)
    _parsed: dict[tuple[str, int], Rules | None] = field(default_factory=dict[tuple[str, int], Rules | None])
    _highest: dict[str, int] = field(default_factory=dict[str, int])
    """The latest parsed version of each tenant."""

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """Each tenant's newest rules, without tenants whose stored version is unreadable."""
        return await self.parsed(await self.newest(tenants))

    async def newest(self, tenants: Collection[str]) -> dict[str, int]:
        """Each tenant's version in force, 0 for the default; raises `RulesUnavailable`."""
        try:
            with translate_errors(self.engine.url):
                async with self.engine.connect() as connection:
                    found = dict.fromkeys(tenants, 0) | await _newest(connection, tenants)
        except StoreUnavailable as error:
            raise RulesUnavailable(str(error)) from error
        for tenant, version in found.items():
            self.forget(tenant, version + 1)
        return found

    def forget(self, tenant: str, version: int) -> None:
        """Drops parsed versions from this one on: a restored database may hold other rules under their numbers."""
        highest = self._highest.get(tenant, 0)
        if highest >= version:
            for each in range(version, highest + 1):
                self._parsed.pop((tenant, each), None)
            self._highest[tenant] = version - 1

    async def parsed(self, versions: Mapping[str, int]) -> dict[str, Rules]:
        """These versions, parsed, without unreadable ones; raises `RulesUnavailable`."""
        new = [each for each in versions.items() if each[1] and each not in self._parsed]
        if new:
            try:
                with translate_errors(self.engine.url):
                    async with self.engine.connect() as connection:
                        await self._parse(connection, new)
            except StoreUnavailable as error:
                raise RulesUnavailable(str(error)) from error
        known = {tenant: self._parsed.get((tenant, version)) for tenant, version in versions.items() if version}
        default = {tenant: Rules() for tenant, version in versions.items() if not version}
        return {tenant: rules for tenant, rules in known.items() if rules is not None} | default

    async def _parse(self, connection: AsyncConnection, new: list[tuple[str, int]]) -> None:
        if len(self._parsed) > 10_000:
            self._parsed.clear()
            self._highest.clear()
        table = TENANT_RULES.c
        found = await connection.execute(
            select(table.tenant, table.version, table.document).where(tuple_(table.tenant, table.version).in_(new))
        )
        for row in found:
            self._parsed[row.tenant, row.version] = await self._read(row.tenant, row.version, row.document)
            self._highest[row.tenant] = max(self._highest.get(row.tenant, 0), row.version)

    async def _read(self, tenant: str, version: int, document: Mapping[str, object]) -> Rules | None:
        try:
            return await self.reading.rules(document, version)
        except (InvalidRules, ValueError) as error:
            log.error("rules_unreadable", tenant=tenant, version=version, error=str(error))
            return None

    async def decode(self, raw: bytes) -> RulesDocument:
        """The rules document in a request's body; raises `InvalidRules`."""
        return await self.reading.decode(raw)

    async def current(self, tenant: str) -> StoredRules:
        """The tenant's newest rules, or version 0 with the defaults."""
        stored = await self._select(tenant, limit=1)
        return stored[0] if stored else _default(tenant)

    async def version(self, tenant: str, version: int) -> StoredRules | None:
        """One version, or `None` if it does not exist."""
        if version == 0:
            return _default(tenant)
        found = await self._select(tenant, limit=1, version=version)
        return found[0] if found else None

    async def versions(self, tenant: str, limit: int = 100) -> list[StoredRules]:
        """The tenant's versions, newest first."""
        return await self._select(tenant, limit=limit)

    async def put(
        self, tenant: str, document: RulesDocument, *, author: str | None = None, expected: int | None = None
    ) -> StoredRules:
        """Stores a new version and returns it.

        Raises `InvalidRules`, `StoreUnavailable`, and `RulesConflict` when `expected` is not the newest version.
        """
        plain = orjson.loads(document.model_dump_json())
        await self.reading.rules(plain, 0)
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(tenant, 0))))
                newest = (await _newest(connection, [tenant])).get(tenant, 0)
                if expected is not None and expected != newest:
                    raise RulesConflict(
                        f"version {newest} is in force, not {expected}: read it, then send your change again"
                    )
                values = {"tenant": tenant, "version": newest + 1, "document": plain, "author": author}
                await connection.execute(insert(TENANT_RULES), values)
        self.forget(tenant, newest + 1)
        return await self.current(tenant)

    async def _select(self, tenant: str, *, limit: int, version: int | None = None) -> list[StoredRules]:
        table = TENANT_RULES.c
        query = select(TENANT_RULES).where(table.tenant == tenant).order_by(table.version.desc()).limit(limit)
        if version is not None:
            query = query.where(table.version == version)
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                found = (await connection.execute(query)).mappings()
                return [StoredRules(**cast("dict[str, Any]", dict(row))) for row in found]


async def _newest(connection: AsyncConnection, tenants: Collection[str]) -> dict[str, int]:
    table = TENANT_RULES.c
    newest = select(table.tenant, func.max(table.version)).where(table.tenant.in_(list(tenants))).group_by(table.tenant)
    return {row[0]: row[1] for row in await connection.execute(newest)}


def _default(tenant: str) -> StoredRules:
    return StoredRules(tenant=tenant, version=0, document=RulesDocument().model_dump(mode="json"))
