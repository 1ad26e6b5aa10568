"""Updates the agents' alarms with the answers that were stored since the last time.

An alarm's state is what the same answers in the order of their event times give. Answers of the last minutes are not
yet part of the stored state, since an earlier one may still come: they are put in order each time, and what the alarm
says is the stored state after them. So kills, rebalances and redelivery leave no trace in it, as long as every answer
is stored within `settle` seconds of those after it. One that comes later counts when it comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from evals.alarms.agent_alarm import JUDGED_WRONG, AgentAlarm, WatchedAnswer
from evals.alarms.alarm_json import from_json, to_json
from evals.alarms.detector import LIMIT
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.tables import AGENT_ALARMS, WATCHED_ANSWERS

_MOST_WAITING = 500
"""Answers of an alarm that wait for earlier ones. At more traffic they wait a shorter time."""
_MANY_WAITING = 100
"""With more answers in the queue, an alarm is looked at no more often than they wait: each look costs all of them."""
_MOST_TAKEN = 20_000
"""Answers of an alarm that are read at once."""
_QUEUE, _ALARMS = WATCHED_ANSWERS.c, AGENT_ALARMS.c
_READ = (_QUEUE.id, _QUEUE.event, _QUEUE.moment, _QUEUE.p_alone, _QUEUE.score, _QUEUE.question, _QUEUE.received_at)


class _Waiting(NamedTuple):
    """The answers of one alarm in the queue."""

    alarm: UUID
    tenant: str
    answers: int
    last: int
    earliest: datetime


class _Look(NamedTuple):
    """What the last look at an alarm left in the queue."""

    answers: int
    last: int
    settled_until: datetime


@dataclass(slots=True)
class UpdateAlarms:
    """Counts new answers for their alarms, and remembers which alarms have none."""

    engine: AsyncEngine
    bounds: Callable[[Collection[str]], Awaitable[Mapping[str, float]]]
    """The lowest score of the watched tier of each tenant; a tenant whose rules cannot be read is absent."""
    settle: float
    """Seconds that answers wait for earlier ones."""
    judged_wrong: float = JUDGED_WRONG
    """The highest share of answers judged wrong."""
    _known: dict[UUID, _Look] = field(default_factory=dict[UUID, _Look])

    async def __call__(self, now: datetime) -> int:
        """Counts what was stored, unless another process does so; returns for how many alarms.

        Raises `StoreUnavailable` and `RulesUnavailable`, after which alarms that were updated stay so.
        """
        with translate_errors(self.engine.url):
            async with try_alone(self.engine, AdvisoryLock.ALARMS) as alone:
                if alone:
                    return await self._update(now - timedelta(seconds=self.settle))
                self._known.clear()
                return 0

    async def _update(self, settled_until: datetime) -> int:
        waiting = await self._waiting(settled_until)
        if not waiting:
            return 0
        bounds = await self.bounds({each.tenant for each in waiting})
        for each in waiting:
            while each.tenant in bounds and await self._update_one(each.alarm, bounds[each.tenant], settled_until):
                pass
        return len(waiting)

    async def _waiting(self, settled_until: datetime) -> list[_Waiting]:
        """The alarms with new answers, or with some that need wait no longer."""
        found = select(
            _QUEUE.alarm, _QUEUE.tenant, func.count(), func.max(_QUEUE.id), func.min(_QUEUE.received_at)
        ).group_by(_QUEUE.alarm, _QUEUE.tenant)
        async with self.engine.connect() as connection:
            queued = [_Waiting(*row) for row in await connection.execute(found)]
        self._known = {each.alarm: self._known[each.alarm] for each in queued if each.alarm in self._known}
        return [each for each in queued if self._is_due(each, settled_until)]

    def _is_due(self, each: _Waiting, settled_until: datetime) -> bool:
        known = self._known.get(each.alarm)
        if known is None:
            return True
        looked = settled_until - known.settled_until
        if _MANY_WAITING < each.answers <= 2 * _MOST_WAITING and looked < timedelta(seconds=self.settle):
            return False
        return (known.answers, known.last) != (each.answers, each.last) or each.earliest <= settled_until

    async def _update_one(self, alarm: UUID, bound: float, settled_until: datetime) -> bool:
        """Counts answers for one alarm; returns whether there are more."""
        names = select(_QUEUE.alarm, _QUEUE.tenant, _QUEUE.agent, _QUEUE.judge, _QUEUE.evaluator_version, _QUEUE.moment)
        waiting = select(*_READ).where(_QUEUE.alarm == alarm).order_by(_QUEUE.moment, _QUEUE.event)
        async with self.engine.begin() as connection:
            first = (await connection.execute(names.where(_QUEUE.alarm == alarm).limit(1))).first()
            if first is None:
                return False
            # locked before the answers are read, so that no other process counts the same ones
            state = await _locked_state(connection, first)
            rows = (await connection.execute(waiting.limit(_MOST_TAKEN))).all()
            due = [place for place, row in enumerate(rows, 1) if row.received_at <= settled_until]
            # with an answer that need not wait go all before it, though some came later
            settled = max([len(rows) - _MOST_WAITING, 0, *due[-1:]])
            # the arithmetic of thousands of answers must not hold up the event loop
            taken, shown = await asyncio.to_thread(_folded, state, rows, settled, bound, self.judged_wrong)
            await connection.execute(update(AGENT_ALARMS).where(_ALARMS.id == alarm).values(**_summary(taken, shown)))
            await connection.execute(delete(WATCHED_ANSWERS).where(_QUEUE.id.in_([row.id for row in rows[:settled]])))
        left = rows[settled:]
        self._known[alarm] = _Look(len(left), max((row.id for row in left), default=0), settled_until)
        return len(rows) == _MOST_TAKEN


async def _locked_state(connection: AsyncConnection, first: Any) -> Mapping[str, Any]:
    """The stored state, which is made where it is missing."""
    names = {name: getattr(first, name) for name in ("tenant", "agent", "judge", "evaluator_version")}
    new = insert(AGENT_ALARMS).values(id=first.alarm, **names, **_summary({}, AgentAlarm(moment=first.moment)))
    await connection.execute(new.on_conflict_do_nothing())
    stored = select(_ALARMS.state).where(_ALARMS.id == first.alarm).with_for_update()
    return (await connection.execute(stored)).scalar_one()


def _folded(
    state: Mapping[str, Any], rows: Sequence[Any], settled: int, bound: float, judged_wrong: float
) -> tuple[dict[str, object], AgentAlarm]:
    """The state after the settled answers, and the alarm after all."""
    alarm = from_json(state)
    answers = [_answer(row) for row in rows]
    alarm.add_all(answers[:settled], bound, judged_wrong)
    taken = to_json(alarm)
    alarm.add_all(answers[settled:], bound, judged_wrong)
    return taken, alarm


def _answer(row: Any) -> WatchedAnswer:
    return WatchedAnswer(
        moment=row.moment,
        p_alone=row.p_alone,
        score=row.score,
        question=row.question,
        draw=(row.event.int >> 75) / 2**53,
    )


def _summary(state: Mapping[str, object], shown: AgentAlarm) -> dict[str, object]:
    return {
        # what is shown of `wrong` has no columns of its own
        "state": {
            **state,
            "wrong_shown": {"on": shown.wrong.on, "evidence": shown.wrong.detector.total / LIMIT},
        },
        "fall": shown.fall.on,
        "below": shown.below.on,
        "fall_evidence": shown.fall.detector.total / LIMIT,
        "below_evidence": shown.below.detector.total / LIMIT,
        "answers": shown.answers,
        "answered_at": datetime.fromtimestamp(max(shown.moment or 0.0, 0.0), UTC),
    }
