"""Shows for how long agents have been silent, by the rhythm of each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore, Unavailable
from evals.alarms.rhythm import Rhythm, learned_rhythm
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.storage.alarms.agent_rhythms import Agent, answers_by_hour, latest_answers

EVERY = 60.0
"""Seconds between two looks."""
LEARNED_EVERY = timedelta(hours=1)


@dataclass(slots=True)
class AgentSilences:
    """The rhythms of all agents, which are learned anew every hour."""

    engine: AsyncEngine
    _rhythms: dict[Agent, Rhythm] = field(default_factory=dict[Agent, Rhythm])
    _learned: datetime | None = None

    async def __call__(self, now: datetime) -> Mapping[Agent, float]:
        """The silence of each agent with a rhythm, as a share of the one at which it is silent.

        Raises `StoreUnavailable`.
        """
        if self._learned is None or now - self._learned >= LEARNED_EVERY:
            hours = await answers_by_hour(self.engine, now)
            # thousands of agents must not hold up the event loop
            self._rhythms = await asyncio.to_thread(_learned, hours)
            self._learned = now
        latest = await latest_answers(self.engine, self._rhythms.keys(), now)
        return {
            agent: self._rhythms[agent].silence(moment, max(now.timestamp(), moment))
            for agent, moment in latest.items()
        }


def _learned(answers: Mapping[Agent, Mapping[int, int]]) -> dict[Agent, Rhythm]:
    found = {agent: learned_rhythm(hours, max(hours)) for agent, hours in answers.items()}
    return {agent: rhythm for agent, rhythm in found.items() if rhythm is not None}


@asynccontextmanager
async def showing_silences(parts: ProcessParts) -> AsyncGenerator[None]:
    """Looks while the context is open, unless the settings say not to watch agents. Failures are logged."""
    if not parts.settings.alarms.enabled:
        yield
        return
    async with background_task(_show(parts), "agent-silences"):
        yield


async def _show(parts: ProcessParts) -> None:
    silences = AgentSilences(parts.engine)
    while True:
        try:
            parts.metrics.silences.show(await silences(utc_now()))
        except (Unavailable, RefusedByStore) as error:
            log.warning("agent_silences_failed", error=str(error))
        except Exception as error:
            parts.metrics.failed("agent-silences", error)
        await asyncio.sleep(EVERY)
