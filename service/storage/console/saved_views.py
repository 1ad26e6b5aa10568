"""Keeps named filters of the console's lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, insert, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.audit import AuditAction, Change, note_change
from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import SAVED_VIEWS

MOST_LISTED = 200
"""Newest views that are listed."""
_VIEWS = SAVED_VIEWS.c


async def save_view(
    engine: AsyncEngine,
    *,
    tenant: str | None,
    name: str,
    shows: str,
    filters: Mapping[str, Any],
    saved_by: str | None,
    now: datetime,
) -> UUID:
    """Keeps a view of the list `shows`; without a tenant, one of all tenants. Raises `StoreUnavailable`."""
    id_ = uuid4()
    values = {"tenant": tenant, "name": name, "shows": shows, "filters": dict(filters), "saved_by": saved_by}
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(insert(SAVED_VIEWS).values(id=id_, saved_at=now, **values))
            after = _figures(shows, filters)
            await note_change(
                connection, Change(action=AuditAction.VIEW_SAVED, tenant=tenant, subject=name, after=after)
            )
    return id_


async def list_views(engine: AsyncEngine, tenant: str | None) -> Sequence[Mapping[str, Any]]:
    """The views of the tenant, or of all, newest first. Raises `StoreUnavailable`."""
    return await fetch_rows(
        engine, select(SAVED_VIEWS).where(_of(tenant)).order_by(_VIEWS.saved_at.desc(), _VIEWS.id).limit(MOST_LISTED)
    )


async def find_view(engine: AsyncEngine, id_: UUID, tenant: str | None) -> Mapping[str, Any] | None:
    """One view. Raises `StoreUnavailable`."""
    rows = await fetch_rows(engine, select(SAVED_VIEWS).where(_VIEWS.id == id_, _of(tenant)))
    return rows[0] if rows else None


async def delete_view(engine: AsyncEngine, id_: UUID, tenant: str | None) -> bool:
    """Returns whether there was one. Raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            query = delete(SAVED_VIEWS).where(_VIEWS.id == id_, _of(tenant)).returning(SAVED_VIEWS)
            gone = (await connection.execute(query)).first()
            if gone is not None:
                before = _figures(gone.shows, gone.filters)
                change = Change(action=AuditAction.VIEW_DELETED, tenant=gone.tenant, subject=gone.name, before=before)
                await note_change(connection, change)
            return gone is not None


def _figures(shows: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    """What the audit log says of a view: the names of its filters, for a search is a text."""
    return {"shows": shows, "filters": sorted(filters)}


def _of(tenant: str | None) -> ColumnElement[bool]:
    return true() if tenant is None else _VIEWS.tenant == tenant
