"""Keeps runs of `sqlassay eval run`, to compare two of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.storage.audit import AuditAction, Change, note_change
from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import EVAL_RUNS

MOST_KEPT = 100
"""Newest runs of a tenant that are kept."""
_RUNS = EVAL_RUNS.c
_FIGURES = ("cases", "passed")
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
    same = select(*(_RUNS[each] for each in _FIGURES)).where(_RUNS.tenant == tenant, _RUNS.name == name)
    older = select(_RUNS.id).where(_RUNS.tenant == tenant).order_by(*_NEWEST).offset(MOST_KEPT)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            replaced = (await connection.execute(same)).mappings().first()
            kept = (await connection.execute(upsert)).scalar_one()
            stored = Change(
                action=AuditAction.RUN_STORED,
                tenant=tenant,
                subject=name,
                before=None if replaced is None else dict(replaced),
                after={each: values[each] for each in _FIGURES},
            )
            await note_change(connection, stored)
            await _delete(connection, _RUNS.id.in_(older))
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
            return await _delete(connection, _RUNS.id == id_, _of(tenant)) > 0


async def _delete(connection: AsyncConnection, *which: ColumnElement[bool]) -> int:
    """Deletes runs, and returns how many."""
    query = delete(EVAL_RUNS).where(*which).returning(_RUNS.tenant, _RUNS.name, *(_RUNS[each] for each in _FIGURES))
    gone = (await connection.execute(query)).mappings().all()
    changes = [
        Change(
            action=AuditAction.RUN_DELETED,
            tenant=each["tenant"],
            subject=each["name"],
            before={name: each[name] for name in _FIGURES},
        )
        for each in gone
    ]
    await note_change(connection, *changes)
    return len(gone)


def _of(tenant: str | None) -> ColumnElement[bool]:
    return true() if tenant is None else _RUNS.tenant == tenant
