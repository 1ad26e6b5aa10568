"""The versions of one agent side by side, each with the days of its first and its last answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.scores.estimated_reports import EstimatedRow, estimated_report
from service.storage.sums.reading import AnswerScope, Period, read_sums


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentVersion:
    """One version of an agent. Its days are within the time asked for."""

    row: EstimatedRow
    first: date | None
    last: date | None


async def agent_versions(engine: AsyncEngine, wanted: AnswerScope) -> list[AgentVersion]:
    """The versions of the agent in scope, the one that began last first. Raises `StoreUnavailable`."""
    rows, sums = await asyncio.gather(
        estimated_report(engine, wanted, by_version=True),
        read_sums(engine, wanted, by_version=True, period=Period.DAY, histogram=False),
    )
    days: dict[str | None, list[datetime]] = {}
    for each in sums:
        if each.period is not None and each.received:
            days.setdefault(each.agent_version, []).append(each.period)
    versions = [_version(row, days.get(row.agent_version, [])) for row in rows]
    return sorted(versions, key=lambda each: (each.first or date.min, each.last or date.min), reverse=True)


def _version(row: EstimatedRow, days: list[datetime]) -> AgentVersion:
    return AgentVersion(row=row, first=min(days).date() if days else None, last=max(days).date() if days else None)
