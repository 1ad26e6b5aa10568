"""The answers that memory compared one answer with, as they are stored now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring.memory.context import MOST_VOICES
from service.storage.database import fetch_rows
from service.storage.tables import EVALUATIONS, EVENT_KEYS, REMEMBERED_ANSWERS

_ROWS, _KEYS, _MEMORY = EVALUATIONS.c, EVENT_KEYS.c, REMEMBERED_ANSWERS.c
_SHOWN: Sequence[ColumnElement[Any]] = (
    _ROWS.id,
    _ROWS.agent,
    _ROWS.event_id,
    _ROWS.occurred_at,
    _ROWS.question,
    _ROWS.sql,
    _ROWS.score,
    _ROWS.tier,
)


async def other_answers(engine: AsyncEngine, row: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The current row of each voice in the row's context, by agent and event id. Only of the row's own tenant.

    A voice does not say its source: answers to the same question are found by what memory keeps, and rewordings where
    the source is the usual one. Raises `StoreUnavailable`.
    """
    voices = _voices(row)
    if not voices:
        return {}
    tenant = row["tenant"]
    own = select(_MEMORY.question_key).where(_MEMORY.event == row["event"]).scalar_subquery()
    columns: list[ColumnElement[Any]] = [_MEMORY.source, _MEMORY.event_id]
    same = select(*columns).where(
        _MEMORY.tenant == tenant,
        _MEMORY.question_key == own,
        tuple_(_MEMORY.agent, _MEMORY.event_id).in_(voices),
    )
    known = await fetch_rows(engine, same.limit(4 * MOST_VOICES))
    keys = {(tenant, each["source"], each["event_id"]) for each in known}
    keys |= {(tenant, f"/{tenant}/{agent}", event_id) for agent, event_id in voices}
    stored = EVENT_KEYS.join(EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at))
    named = tuple_(_KEYS.tenant, _KEYS.source, _KEYS.event_id).in_(sorted(keys))
    columns = [*_SHOWN, _ROWS.record["sql_spec"].label("sql_spec")]
    query = select(*columns).select_from(stored).where(named)
    found = await fetch_rows(engine, query.where(_ROWS.tenant == tenant))
    wanted = set(voices)
    return {who: each for each in found if (who := (each["agent"], each["event_id"])) in wanted}


def _voices(row: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    context: Any = row["context"]
    if not isinstance(context, Mapping):
        return []
    listed = cast("list[Mapping[str, Any]]", cast("Mapping[str, Any]", context).get("voices") or [])
    return [(str(each.get("agent")), str(each.get("event_id"))) for each in listed[:MOST_VOICES]]
