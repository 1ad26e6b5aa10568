"""Tenants' learned rules in PostgreSQL: every promoted set, and which one was in force when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import TENANT_LEARNED_RULES, TENANT_RULES

_SETS = TENANT_LEARNED_RULES.c


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPromotion:
    """What promoting a set was decided by."""

    labels: int
    """Held-out labels on which both were measured; 0 where it was not measured."""
    accuracy_before: float | None
    """With the rules in force until then."""
    accuracy_after: float | None
    forced: bool
    """Whether it was put in force though it was worse or not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLearnedRules:
    """A stored set of learned rules."""

    version: int
    document: Mapping[str, Any]
    promotion: MeasuredPromotion
    author: str | None
    promoted_at: datetime
    in_force: bool


async def add_learned(
    engine: AsyncEngine, tenant: str, document: Mapping[str, Any], promotion: MeasuredPromotion, author: str | None
) -> int:
    """Stores a set and returns its version; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            lock = func.pg_advisory_xact_lock(func.hashtextextended("learned rules " + tenant, 0))
            await connection.execute(select(lock))
            newest = await connection.scalar(select(func.max(_SETS.version)).where(_SETS.tenant == tenant))
            version = (newest or 0) + 1
            row = {"tenant": tenant, "version": version, "document": document, "author": author}
            figures = {name: getattr(promotion, name) for name in _FIGURES}
            await connection.execute(insert(TENANT_LEARNED_RULES).values(row | figures))
    return version


_FIGURES = ("labels", "accuracy_before", "accuracy_after", "forced")


async def learned_sets(engine: AsyncEngine, tenant: str) -> list[StoredLearnedRules]:
    """The tenant's sets, newest first; raises `StoreUnavailable`."""
    in_force = next(iter(await learned_in_force(engine, tenant)), None)
    query = select(TENANT_LEARNED_RULES).where(_SETS.tenant == tenant).order_by(_SETS.version.desc())
    return [
        StoredLearnedRules(
            version=row["version"],
            document=row["document"],
            promotion=MeasuredPromotion(**{name: row[name] for name in _FIGURES}),
            author=row["author"],
            promoted_at=row["promoted_at"],
            in_force=row["version"] == in_force,
        )
        for row in await fetch_rows(engine, query)
    ]


async def learned_in_force(engine: AsyncEngine, tenant: str) -> list[int | None]:
    """The learned rules of each version of the tenant's rules, newest first; `None` is none."""
    table = TENANT_RULES.c
    query = select(table.learned_version).where(table.tenant == tenant).order_by(table.version.desc())
    return [row["learned_version"] for row in await fetch_rows(engine, query)]
