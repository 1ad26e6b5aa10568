"""Opens an incident when an agent's alarm goes on, counts it anew after each look, and closes it when it goes off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.alarms.fall_cause import JudgedAnswer, fall_cause
from service.storage.alarms.agent_alarms import AgentAlarmState, agent_alarms
from service.storage.database import fetch_rows, translate_errors
from service.storage.incidents.agent_incidents import AgentIncident, agent_incidents
from service.storage.incidents.incident_history import IncidentAction, history_entry, with_entry
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.sums.reading import AnswerScope, read_sums
from service.storage.tables import AGENT_INCIDENTS, EVALUATIONS

_BACK = timedelta(days=28)
"""How far back the answers go that a fall is measured against."""
_MOST_READ = 5_000
"""Newest answers of an agent among which the begin of a fall is looked for."""
_MOST_CURRENT = 10_000
_ROWS, _INCIDENTS = EVALUATIONS.c, AGENT_INCIDENTS.c
_READ: list[ColumnElement[Any]] = [_ROWS.occurred_at, _ROWS.agent_version, _ROWS.p_alone, _ROWS.p_correct]


@dataclass(frozen=True, slots=True)
class UpdateIncidents:
    """Keeps the incidents as the agents' alarms say. Every process may: one at a time does."""

    engine: AsyncEngine

    async def __call__(self, now: datetime) -> None:
        """Raises `StoreUnavailable`, after which incidents that were updated stay so."""
        with translate_errors(self.engine.url):
            # the lock of the alarms, for which whoever deletes both waits
            async with try_alone(self.engine, AdvisoryLock.ALARMS) as alone:
                if alone:
                    await self._update(now)

    async def _update(self, now: datetime) -> None:
        alarms = {(each.tenant, each.agent): each for each in await agent_alarms(self.engine) if each.on}
        current = await agent_incidents(self.engine, current=True, limit=_MOST_CURRENT)
        known = {(each.tenant, each.agent): each for each in current}
        for who, incident in known.items():
            alarm = alarms.get(who)
            if alarm is None:
                await self._end(incident, now)
            elif alarm.answered_at != incident.until or (alarm.fall, alarm.below) != (incident.fall, incident.below):
                await self._count(incident, alarm)
        for who, alarm in alarms.items():
            if who not in known:
                await self._open(alarm, now)

    async def _open(self, alarm: AgentAlarmState, now: datetime) -> None:
        cause = fall_cause(await self._answers(alarm), fell=alarm.fall)
        if cause is None:
            return
        incident = AgentIncident(
            id=uuid4(),
            tenant=alarm.tenant,
            agent=alarm.agent,
            judge=alarm.judge,
            evaluator_version=alarm.evaluator_version,
            fall=alarm.fall,
            below=alarm.below,
            agent_version=cause.version,
            version_before=cause.version_before,
            before_since=cause.since - _BACK,
            since=cause.since,
            until=alarm.answered_at,
            answers_before=0,
            wrong_before=0,
            answers_after=0,
            wrong_after=0,
            opened_at=now,
            over_at=None,
            closed_at=None,
            explanation=None,
            history=[history_entry(IncidentAction.OPENED, None, now)],
        )
        values = {name: getattr(incident, name) for name in AgentIncident.__dataclass_fields__}
        opened = insert(AGENT_INCIDENTS).values({**values, **await self._figures(incident)})
        async with self.engine.begin() as connection:
            await connection.execute(opened.on_conflict_do_nothing())

    async def _count(self, incident: AgentIncident, alarm: AgentAlarmState) -> None:
        """Counts the answers anew. Since when and which version stay as they were."""
        kinds = {"fall": incident.fall or alarm.fall, "below": incident.below or alarm.below}
        await self._set(incident, {**kinds, "until": alarm.answered_at, **await self._figures(incident)})

    async def _end(self, incident: AgentIncident, now: datetime) -> None:
        history = with_entry(history_entry(IncidentAction.OVER, None, now))
        await self._set(incident, {"over_at": now, "closed_at": incident.closed_at or now, "history": history})

    async def _set(self, incident: AgentIncident, values: Mapping[str, Any]) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(update(AGENT_INCIDENTS).where(_INCIDENTS.id == incident.id).values(**values))

    async def _figures(self, incident: AgentIncident) -> dict[str, int]:
        """How many answers before and since are judged wrong, as the report and the list of answers count them."""
        before = await self._counts(incident.scope_before, incident.judge)
        after = await self._counts(incident.scope_after, incident.judge)
        return {
            "answers_before": before[0],
            "wrong_before": before[1],
            "answers_after": after[0],
            "wrong_after": after[1],
        }

    async def _counts(self, scope: AnswerScope, judge: str) -> tuple[int, int]:
        sums = await read_sums(self.engine, scope, by_judge=True, histogram=False)
        own = [each for each in sums if each.judge == judge]
        return sum(each.scored for each in own), sum(each.judged_wrong for each in own)

    async def _answers(self, alarm: AgentAlarmState) -> Sequence[JudgedAnswer]:
        """The newest answers that the alarm counted, in the order of their times."""
        newest = (
            select(*_READ)
            .where(
                _ROWS.current,
                _ROWS.tenant == alarm.tenant,
                _ROWS.agent == alarm.agent,
                _ROWS.judge == alarm.judge,
                _ROWS.score.is_not(None),
                _ROWS.occurred_at > alarm.answered_at - _BACK,
                _ROWS.occurred_at <= alarm.answered_at,
            )
            .order_by(_ROWS.occurred_at.desc())
            .limit(_MOST_READ)
        )
        rows = await fetch_rows(self.engine, newest)
        return [
            JudgedAnswer(
                moment=row["occurred_at"],
                version=row["agent_version"],
                p_alone=row["p_correct"] if row["p_alone"] is None else row["p_alone"],
            )
            for row in reversed(rows)
        ]
