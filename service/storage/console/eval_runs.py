"""Keeps runs of `sqlassay eval run`, to compare two of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import EVAL_RUNS

MOST_KEPT = 100
"""Newest runs of a tenant that are kept."""
_RUNS = EVAL_RUNS.c
_NEWEST = (_RUNS.sent_at.desc(), _RUNS.id.desc())


async def keep_run(
    engine: AsyncEngine,
    *,
    tenant: str,
    name: str,
    answers: Sequence[dict[str, Any]],
    sent_by: str | None,
    now: datetime,
) -> UUID:
    """Keeps a run in place of the one with its name, whose id stays. Raises `StoreUnavailable`."""
    passed = sum(each["pass"] for each in answers)
    values = {"answers": list(answers), "cases": len(answers), "passed": passed, "sent_by": sent_by, "sent_at": now}
    new = insert(EVAL_RUNS).values(id=uuid4(), tenant=tenant, name=name, **values)
    upsert = new.on_conflict_do_update(index_elements=["tenant", "name"], set_=values).returning(_RUNS.id)
    older = select(_RUNS.id).where(_RUNS.tenant == tenant).order_by(*_NEWEST).offset(MOST_KEPT)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            kept = (await connection.execute(upsert)).scalar_one()
            await connection.execute(delete(EVAL_RUNS).where(_RUNS.id.in_(older)))
            return kept


async def list_runs(engine: AsyncEngine, tenant: str | None) -> list[dict[str, Any]]:
    """The runs without their answers, newest first. Raises `StoreUnavailable`."""
    columns = [each for each in _RUNS if each.name != "answers"]
    return await fetch_rows(engine, select(*columns).where(_of(tenant)).order_by(*_NEWEST).limit(MOST_KEPT))


async def find_run(engine: AsyncEngine, id_: UUID, tenant: str | None) -> dict[str, Any] | None:
    """A run with its answers. Raises `StoreUnavailable`."""
    rows = await fetch_rows(engine, select(EVAL_RUNS).where(_RUNS.id == id_, _of(tenant)))
    return rows[0] if rows else None


async def delete_run(engine: AsyncEngine, id_: UUID, tenant: str | None) -> bool:
    """Returns whether there was one. Raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            gone = await connection.execute(delete(EVAL_RUNS).where(_RUNS.id == id_, _of(tenant)))
            return gone.rowcount > 0


def _of(tenant: str | None) -> ColumnElement[bool]:
    return true() if tenant is None else _RUNS.tenant == tenant
