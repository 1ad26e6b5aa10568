"""What PostgreSQL knows of the work: what arrived, what waits, what it costs, who fell silent, which alarms are on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from service.storage.alarms.agent_alarms import AgentAlarmState, agent_alarms
from service.storage.scores.evaluation_pages import SearchTooSlow
from service.storage.status.intake_status import (
    ArrivedAnswers,
    JudgeCost,
    LastAnswer,
    arrived_answers,
    deferred_events,
    judge_costs,
    last_answers,
)
from service.storage.tables import REFERENCE_VERDICTS
from service.storage.unsent_scores import unsent_by_sink
from service.storage.waiting_verdicts import count_waiting

Found = TypeVar("Found")
_HOUR = timedelta(hours=1)
_SECONDS = 8.0
"""Longest time, in seconds, that one look takes."""
_KEPT_SECONDS = 60.0
"""How long sums over many answers are shown before they are read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalSums:
    """Sums over many answers. `None` where they were not read in time."""

    hour: Sequence[ArrivedAnswers] | None
    """Of the last hour."""
    today: Sequence[JudgeCost] | None
    """Of answers that arrived since midnight (UTC)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWork:
    """One look at the tables."""

    sums: ArrivalSums
    last: Sequence[LastAnswer]
    """Longest silent first."""
    deferred: Mapping[str, int]
    """Events that wait to be scored, by the reason."""
    references: int
    """Answers that wait for their reference verdict."""
    unsent: Mapping[str, int]
    """Evaluations that wait for a sink, by its name."""
    alarms: Sequence[AgentAlarmState]
    """Those that are on."""


@dataclass(slots=True, kw_only=True, eq=False)
class WorkReader:
    """Looks when told to; reads sums over many answers once a minute."""

    engine: AsyncEngine
    _sums: ArrivalSums | None = field(init=False, default=None)
    _summed: float = field(init=False, default=0.0)

    async def look(self, now: datetime) -> StoredWork | str:
        """What the tables hold now, or why they cannot be read."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._read(now)
        except Unavailable as failure:
            return str(failure)
        except TimeoutError:
            return f"the database took longer than {_SECONDS:g} s"

    async def _read(self, now: datetime) -> StoredWork:
        engine = self.engine
        # one after the other: an operator's tool takes one connection
        return StoredWork(
            last=await last_answers(engine, None, now),
            deferred=await deferred_events(engine, None),
            references=await count_waiting(engine, REFERENCE_VERDICTS),
            unsent=await unsent_by_sink(engine),
            alarms=[each for each in await agent_alarms(engine) if each.on or each.wrong],
            sums=await self._arrived(now),
        )

    async def _arrived(self, now: datetime) -> ArrivalSums:
        if self._sums is None or time.monotonic() - self._summed > _KEPT_SECONDS:
            midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            self._sums = ArrivalSums(
                hour=await _in_time(arrived_answers(self.engine, None, now - _HOUR, seconds=2.0)),
                today=await _in_time(judge_costs(self.engine, midnight, seconds=2.0)),
            )
            self._summed = time.monotonic()
        return self._sums


async def _in_time(reading: Awaitable[Found]) -> Found | None:
    try:
        return await reading
    except SearchTooSlow:
        return None
