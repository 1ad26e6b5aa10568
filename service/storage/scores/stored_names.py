"""The names of stored answers, to suggest them and to find a name whose case was typed otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, union
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.tables import ANSWER_SUMS, EVALUATIONS

_MOST = 10_000
_NEWEST = 2_000
_SUMS = ANSWER_SUMS.c
_ROWS = EVALUATIONS.c
_NAMES = ("tenant", "agent", "agent_version", "judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerNames:
    """The names that some stored answers have in common."""

    tenant: str
    agent: str
    agent_version: str | None
    judge: str | None
    """`None` for answers without a score."""


async def stored_names(engine: AsyncEngine, tenant: str | None = None) -> list[AnswerNames]:
    """The names of the stored answers, of one tenant or of all, in order. Raises `StoreUnavailable`.

    A name whose first answer is of this hour is missing while 2000 newer answers follow it: sums know it after the
    hour.
    """
    days = select(*(_SUMS[name] for name in _NAMES)).where(_SUMS.span == "day").distinct()
    newest = select(*(_ROWS[name] for name in _NAMES)).where(_ROWS.current)
    if tenant is not None:
        days, newest = days.where(_SUMS.tenant == tenant), newest.where(_ROWS.tenant == tenant)
    rows = newest.order_by(_ROWS.occurred_at.desc(), _ROWS.id.desc()).limit(_NEWEST).subquery("newest")
    # without its own DISTINCT all newest rows would be sorted
    names = union(days, select(*(rows.c[name] for name in _NAMES)).distinct()).subquery("names")
    found = await fetch_rows(engine, select(names).order_by(*(names.c[name] for name in _NAMES)).limit(_MOST))
    return [AnswerNames(**row) for row in found]
