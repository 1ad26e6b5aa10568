"""The tenants' rules in PostgreSQL. Rows never change, and the newest version is in force."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol, cast

import orjson
from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RulesUnavailable, StoreUnavailable
from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from consumers.wire.schema_document import InvalidSchema, SchemaDocument, decode_schema
from scoring.rules import Rules
from service.logs import log
from service.storage.audit import note_change
from service.storage.database import translate_errors
from service.storage.rule_changes import rules_change
from service.storage.rule_rows import stored_rules, versions_with_parts, with_learned_parts
from service.storage.tables import TENANT_RULES, TENANT_SCHEMAS


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
    schema_version: int | None = None
    """The schema in force with it, if the tenant has one."""
    calibration_version: int | None = None
    """The calibration in force with it, if any."""
    learned_version: int | None = None
    """The learned rules in force with it, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSchema:
    """The schema of a tenant's database."""

    tenant: str
    version: int
    """The version of the rules with which it came into force; 0 where there is none."""
    document: Mapping[str, Any] | None = None


class RulesReading(Protocol):
    """Parses rules and schemas, which hold SQL of a tenant; raises `InvalidRules` and `InvalidSchema`."""

    async def decode(self, raw: bytes) -> RulesDocument:
        """The document in a request's body."""
        ...

    async def rules(
        self, document: Mapping[str, object], version: int, schema: Mapping[str, object] | None = None
    ) -> Rules:
        """The rules of a stored document with the schema of a stored one, ready to apply."""
        ...

    async def decode_schema(self, raw: bytes, *, as_json: bool) -> SchemaDocument:
        """The schema in a request's body: JSON, or DDL."""
        ...


class ThreadReading:
    """A `RulesReading` in a thread, for documents that are trusted: nothing can end the work on a costly one."""

    async def decode(self, raw: bytes) -> RulesDocument:
        """The document in a request's body."""
        return await asyncio.to_thread(decode_rules, raw)

    async def rules(
        self, document: Mapping[str, object], version: int, schema: Mapping[str, object] | None = None
    ) -> Rules:
        """The rules of a stored document with the schema of a stored one, ready to apply."""
        return await asyncio.to_thread(lambda: stored_rules(document, version, schema))

    async def decode_schema(self, raw: bytes, *, as_json: bool) -> SchemaDocument:
        """The schema in a request's body: JSON, or DDL."""
        return await asyncio.to_thread(lambda: decode_schema(raw, as_json=as_json))


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
        for row in await connection.execute(versions_with_parts(new)):
            rules = await self._read(row.tenant, row.version, row.document, row.schema)
            self._parsed[row.tenant, row.version] = None if rules is None else with_learned_parts(rules, row)
            self._highest[row.tenant] = max(self._highest.get(row.tenant, 0), row.version)

    async def _read(
        self, tenant: str, version: int, document: Mapping[str, object], schema: Mapping[str, object] | None
    ) -> Rules | None:
        try:
            return await self.reading.rules(document, version, schema)
        except (InvalidRules, InvalidSchema, ValueError) as error:
            log.error("rules_unreadable", tenant=tenant, version=version, error=str(error))
            return None

    async def decode(self, raw: bytes) -> RulesDocument:
        """The rules document in a request's body; raises `InvalidRules`."""
        return await self.reading.decode(raw)

    async def parse(self, document: RulesDocument) -> Rules:
        """The rules of a document that is not stored, without schema and calibration; raises `InvalidRules`."""
        return await self.reading.rules(orjson.loads(document.model_dump_json()), 0)

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
        self,
        tenant: str,
        document: RulesDocument,
        *,
        author: str | None = None,
        expected: int | None = None,
        keep_schema: bool = True,
    ) -> StoredRules:
        """Stores a new version and returns it; with the schema and the learned rules in force if `keep_schema` is set.

        Raises `InvalidRules`, `StoreUnavailable`, and `RulesConflict` when `expected` is not the newest version.
        """
        plain = orjson.loads(document.model_dump_json())
        await self.reading.rules(plain, 0)
        return await self._add(
            tenant, author, lambda newest: _next_rules(newest, plain, expected, keep_schema=keep_schema)
        )

    async def put_schema(
        self, tenant: str, schema: SchemaDocument | None, *, author: str | None = None, expected: int | None = None
    ) -> StoredRules:
        """Stores a schema, or takes it away, as a new version of the rules, which stay as they are.

        Raises `StoreUnavailable`, and `RulesConflict` when `expected` is not the version of the schema in force.
        """
        plain = orjson.loads(schema.model_dump_json()) if schema is not None else None
        return await self._add(tenant, author, lambda newest: _next_schema(newest, plain, expected))

    async def put_calibration(self, tenant: str, version: int | None, *, author: str | None = None) -> StoredRules:
        """Puts a stored calibration in force, or none, as a new version of the rules, which stay as they are.

        Raises `StoreUnavailable`.
        """
        return await self._add(tenant, author, lambda newest: _next_part(newest, calibration_version=version))

    async def put_learned(self, tenant: str, version: int | None, *, author: str | None = None) -> StoredRules:
        """Puts a stored set of learned rules in force, or none, as a new version of the rules, which stay as they are.

        Raises `StoreUnavailable`.
        """
        return await self._add(tenant, author, lambda newest: _next_part(newest, learned_version=version))

    async def schema(self, tenant: str, version: int | None = None) -> StoredSchema | None:
        """The schema in force, version 0 without one; or one version, `None` if it does not exist."""
        if version is None:
            version = (await self.current(tenant)).schema_version or 0
        if version == 0:
            return StoredSchema(tenant=tenant, version=0)
        schemas = TENANT_SCHEMAS.c
        query = select(schemas.document).where(schemas.tenant == tenant, schemas.version == version)
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                document = await connection.scalar(query)
        return StoredSchema(tenant=tenant, version=version, document=document) if document is not None else None

    async def decode_schema(self, raw: bytes, *, as_json: bool) -> SchemaDocument:
        """The schema in a request's body; raises `InvalidSchema`."""
        return await self.reading.decode_schema(raw, as_json=as_json)

    async def _add(self, tenant: str, author: str | None, change: Callable[[StoredRules], NextVersion]) -> StoredRules:
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(tenant, 0))))
                rows = (await connection.execute(_latest(tenant, 1))).mappings()
                newest = next((StoredRules(**cast("dict[str, Any]", dict(row))) for row in rows), _default(tenant))
                version, added = newest.version + 1, change(newest)
                if added.schema is not None:
                    schema = {"tenant": tenant, "version": version, "document": added.schema}
                    await connection.execute(insert(TENANT_SCHEMAS), schema)
                of_schema = version if added.schema is not None else added.schema_version
                values = {"tenant": tenant, "version": version, "document": added.document, "author": author}
                values |= {"schema_version": of_schema, "calibration_version": added.calibration_version}
                values["learned_version"] = added.learned_version
                await connection.execute(insert(TENANT_RULES), values)
                await note_change(connection, rules_change(asdict(newest), values))
        self.forget(tenant, version)
        return await self.current(tenant)

    async def _select(self, tenant: str, *, limit: int, version: int | None = None) -> list[StoredRules]:
        query = _latest(tenant, limit)
        if version is not None:
            query = query.where(TENANT_RULES.c.version == version)
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                found = (await connection.execute(query)).mappings()
                return [StoredRules(**cast("dict[str, Any]", dict(row))) for row in found]


class NextVersion(NamedTuple):
    """What the next version of a tenant's rules holds."""

    document: Mapping[str, Any]
    schema_version: int | None
    calibration_version: int | None
    learned_version: int | None
    schema: Mapping[str, Any] | None = None
    """A new schema, in place of `schema_version`."""


def _next_rules(
    newest: StoredRules, document: Mapping[str, Any], expected: int | None, *, keep_schema: bool
) -> NextVersion:
    _expect(newest.version, expected)
    of_schema, learned = (newest.schema_version, newest.learned_version) if keep_schema else (None, None)
    return NextVersion(document, of_schema, newest.calibration_version, learned)


def _next_schema(newest: StoredRules, schema: Mapping[str, Any] | None, expected: int | None) -> NextVersion:
    _expect(newest.schema_version or 0, expected)
    return NextVersion(newest.document, None, newest.calibration_version, newest.learned_version, schema)


def _next_part(newest: StoredRules, **changed: int | None) -> NextVersion:
    same = NextVersion(newest.document, newest.schema_version, newest.calibration_version, newest.learned_version)
    return same._replace(**changed)


def _expect(version: int, expected: int | None) -> None:
    if expected is not None and expected != version:
        raise RulesConflict(f"version {version} is in force, not {expected}: read it, then send your change again")


def _latest(tenant: str, limit: int) -> Select[Any]:
    table = TENANT_RULES.c
    return select(TENANT_RULES).where(table.tenant == tenant).order_by(table.version.desc()).limit(limit)


async def _newest(connection: AsyncConnection, tenants: Collection[str]) -> dict[str, int]:
    table = TENANT_RULES.c
    newest = select(table.tenant, func.max(table.version)).where(table.tenant.in_(list(tenants))).group_by(table.tenant)
    return {row[0]: row[1] for row in await connection.execute(newest)}


def _default(tenant: str) -> StoredRules:
    return StoredRules(tenant=tenant, version=0, document=RulesDocument().model_dump(mode="json"))
