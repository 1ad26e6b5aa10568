"""PostgreSQL behind the ports: event keys and evaluations, and the tenants' rules as versioned rows."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import orjson
from sqlalchemy import ARRAY, Text, Uuid, bindparam, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation import Claim, Evaluation, EventKey
from consumers.events import InvalidRules, RulesDocument
from consumers.ports import RulesUnavailable, StoreUnavailable
from scoring.rules import Rules
from service.database import translated
from service.logs import log
from service.reports import Page, ReportRow, Wanted, evaluation, evaluations, report
from service.tables import EVALUATIONS, TENANT_RULES

__all__ = [
    "Page",
    "PostgresRules",
    "PostgresScores",
    "ReportRow",
    "RulesConflict",
    "StoredRules",
    "Wanted",
    "evaluation",
    "evaluations",
    "report",
]

_CLAIM = text(
    """
    INSERT INTO event_keys (tenant, source, event_id, payload_hash, evaluation_id)
    SELECT * FROM unnest(:tenants, :sources, :ids, :hashes, :evaluations)
    ON CONFLICT DO NOTHING
    RETURNING tenant, source, event_id
    """
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "sources", "ids", "hashes")),
    bindparam("evaluations", type_=ARRAY(Uuid)),
)
_CLAIMS = text(
    """
    SELECT event_keys.* FROM event_keys
    JOIN unnest(:tenants, :sources, :ids) AS wanted (tenant, source, event_id) USING (tenant, source, event_id)
    """
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "sources", "ids")))


@dataclass(frozen=True, slots=True)
class PostgresScores:
    """A `ScoreStore` whose rows outlive the process."""

    engine: AsyncEngine

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims that stand on these keys."""
        with translated(self.engine.url):
            async with self.engine.connect() as connection:
                return await _claims(connection, keys)

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Claims the keys and writes the rows whose key was free, in one transaction."""
        if not evaluations:
            return {}
        # in one order everywhere, so that two batches with the same events cannot wait for each other in a circle
        ordered = sorted(evaluations, key=lambda each: each.key)
        with translated(self.engine.url):
            async with self.engine.begin() as connection:
                won = await _claim(connection, ordered)
                rows = [evaluation_row(each) for each in ordered if each.key in won]
                if rows:
                    await connection.execute(insert(EVALUATIONS).on_conflict_do_nothing(), rows)
                lost = [each.key for each in ordered if each.key not in won]
                return await _claims(connection, lost) if lost else {}


async def _claim(connection: AsyncConnection, ordered: Sequence[Evaluation]) -> set[EventKey]:
    taken = await connection.execute(
        _CLAIM,
        {
            **_columns([each.key for each in ordered]),
            "hashes": [each.payload_hash for each in ordered],
            "evaluations": [each.id for each in ordered],
        },
    )
    return {EventKey(*row) for row in taken}


async def _claims(connection: AsyncConnection, keys: Collection[EventKey]) -> dict[EventKey, Claim]:
    found = await connection.execute(_CLAIMS, _columns(keys))
    return {EventKey(row.tenant, row.source, row.event_id): Claim(row.payload_hash, row.evaluation_id) for row in found}


def _columns(keys: Collection[EventKey]) -> dict[str, list[str]]:
    return {
        "tenants": [key.tenant for key in keys],
        "sources": [key.source for key in keys],
        "ids": [key.event_id for key in keys],
    }


def evaluation_row(each: Evaluation) -> dict[str, object]:
    """An evaluation as a row of `evaluations`."""
    record, event = each.record, each.event
    enrichment = cast("Mapping[str, object]", record.get("enrichment") or {})
    reasons = cast("Sequence[Mapping[str, object]]", record.get("reasons") or ())
    same = ("score", "tier", "filter_status", "verdict", "confidence", "p_correct", "judge", "unscored")
    return {
        "id": each.id,
        "occurred_at": each.occurred_at,
        "received_at": each.received_at,
        **event.model_dump(exclude={"occurred_at"}),
        **{name: record.get(name) for name in same},
        "enrichment_status": enrichment.get("status"),
        "enrichment_score": enrichment.get("score"),
        "reason_codes": [str(reason["code"]) for reason in reasons],
        "rules_version": each.rules_version,
        "evaluator_version": record["evaluator_version"],
        "record": record,
    }


class RulesConflict(Exception):  # noqa: N818 it names what happened
    """Another version was stored since the caller looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRules:
    """One version of a tenant's rules, as it is stored."""

    tenant: str
    version: int
    """0 is the built-in default, which no row holds."""
    document: Mapping[str, Any]
    author: str | None = None
    created_at: datetime | None = None


@dataclass(slots=True)
class PostgresRules:
    """A `RuleSource` and the API's rule book.

    Each batch asks for the newest versions (one query), so a change takes effect on the next event in every process;
    what is kept in memory is only the parsed form of a version, which never changes.
    """

    engine: AsyncEngine
    _parsed: dict[tuple[str, int], Rules | None] = field(default_factory=dict[tuple[str, int], Rules | None])

    async def rules(self, tenants: Collection[str]) -> Mapping[str, Rules]:
        """Each tenant's newest rules; absent where a stored version cannot be read any more."""
        try:
            with translated(self.engine.url):
                async with self.engine.connect() as connection:
                    versions = await _newest(connection, tenants)
                    await self._parse_new(connection, versions)
        except StoreUnavailable as error:
            raise RulesUnavailable(str(error)) from error
        known = {tenant: self._parsed.get((tenant, version)) for tenant, version in versions.items()}
        return {tenant: rules for tenant, rules in known.items() if rules is not None} | {
            tenant: Rules() for tenant in tenants if tenant not in versions
        }

    async def _parse_new(self, connection: AsyncConnection, versions: Mapping[str, int]) -> None:
        new = [(tenant, version) for tenant, version in versions.items() if (tenant, version) not in self._parsed]
        if not new:
            return
        if len(self._parsed) > 10_000:
            self._parsed.clear()
        table = TENANT_RULES.c
        found = await connection.execute(
            select(table.tenant, table.version, table.document).where(tuple_(table.tenant, table.version).in_(new))
        )
        for row in found:
            parsed = await asyncio.to_thread(_read, row.tenant, row.version, row.document)
            self._parsed[row.tenant, row.version] = parsed

    async def current(self, tenant: str) -> StoredRules:
        """The tenant's newest rules; version 0 with the defaults where it has none."""
        stored = await self._select(tenant, limit=1)
        return stored[0] if stored else _default(tenant)

    async def version(self, tenant: str, version: int) -> StoredRules | None:
        """One version, if there is such."""
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

        Raises `InvalidRules`, `StoreUnavailable`, and `RulesConflict` where `expected` is not the newest version.
        """
        await asyncio.to_thread(document.rules, 0)
        plain = orjson.loads(document.model_dump_json())
        with translated(self.engine.url):
            async with self.engine.begin() as connection:
                await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(tenant, 0))))
                newest = (await _newest(connection, [tenant])).get(tenant, 0)
                if expected is not None and expected != newest:
                    raise RulesConflict(
                        f"version {newest} is in force, not {expected}: read it, then send your change again"
                    )
                values = {"tenant": tenant, "version": newest + 1, "document": plain, "author": author}
                await connection.execute(insert(TENANT_RULES), values)
        return await self.current(tenant)

    async def _select(self, tenant: str, *, limit: int, version: int | None = None) -> list[StoredRules]:
        table = TENANT_RULES.c
        query = select(TENANT_RULES).where(table.tenant == tenant).order_by(table.version.desc()).limit(limit)
        if version is not None:
            query = query.where(table.version == version)
        with translated(self.engine.url):
            async with self.engine.connect() as connection:
                found = (await connection.execute(query)).mappings()
                return [StoredRules(**cast("dict[str, Any]", dict(row))) for row in found]


async def _newest(connection: AsyncConnection, tenants: Collection[str]) -> dict[str, int]:
    table = TENANT_RULES.c
    newest = select(table.tenant, func.max(table.version)).where(table.tenant.in_(list(tenants))).group_by(table.tenant)
    return {row[0]: row[1] for row in await connection.execute(newest)}


def _default(tenant: str) -> StoredRules:
    return StoredRules(tenant=tenant, version=0, document=RulesDocument().model_dump(mode="json"))


def _read(tenant: str, version: int, document: Mapping[str, object]) -> Rules | None:
    try:
        return RulesDocument.model_validate(document).rules(version)
    except (InvalidRules, ValueError) as error:
        log.error("rules_unreadable", tenant=tenant, version=version, error=str(error))
        return None
