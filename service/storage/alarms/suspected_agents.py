"""Which agents may have become worse, and which versions are new: verdicts on their answers are worth more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.events import QueryEvent
from service.storage.alarms.agent_alarms import AgentAlarmState, agent_alarms
from service.storage.sums.reading import AnswerScope, read_sums

SUSPECTED = 0.5
"""Share of the evidence that turns an alarm on, from which its agent is under suspicion."""
NEW_VERSION = 200
"""Answers of the last `WINDOW` below which a version is new: fewer tell little of its share of right ones."""
WINDOW = timedelta(days=28)
EVERY = timedelta(minutes=5)
"""Time between two counts of the versions' answers."""
Agent = tuple[str, str]
"""Tenant and agent."""


@dataclass(slots=True)
class SuspectedAgents:
    """What is known of agents and versions as of the last look; nobody is watched before the first."""

    _agents: Collection[Agent] = ()
    _versions: Mapping[tuple[str, str, str | None], int] = field(default_factory=Counter[tuple[str, str, str | None]])
    _counted: datetime | None = None

    def __call__(self, event: QueryEvent) -> bool:
        """Whether the event's agent is under suspicion, or its version is new."""
        if (event.tenant, event.agent) in self._agents:
            return True
        if event.agent_version is None or self._counted is None:
            return False
        return self._versions[event.tenant, event.agent, event.agent_version] < NEW_VERSION

    async def look(self, engine: AsyncEngine, now: datetime) -> None:
        """Reads the alarms, and every few minutes the versions; raises `StoreUnavailable`."""
        self._agents = {(each.tenant, each.agent) for each in await agent_alarms(engine) if is_suspected(each)}
        if self._counted is not None and now - self._counted < EVERY:
            return
        scope = AnswerScope(since=now - WINDOW)
        found = Counter[tuple[str, str, str | None]]()
        for each in await read_sums(engine, scope, by_version=True, histogram=False):
            found[each.tenant, each.agent, each.agent_version] += each.scored
        self._versions, self._counted = found, now


def is_suspected(alarm: AgentAlarmState) -> bool:
    """Whether the agent has become worse, or half the evidence says so."""
    return alarm.on or max(alarm.fall_evidence, alarm.below_evidence, alarm.wrong_evidence) >= SUSPECTED
