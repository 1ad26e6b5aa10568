"""Events that take long in a chunk are judged alone, and the others of the chunk go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from consumers.decoding import Known, Record
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.judging.panel import Panel
from consumers.pool.pool import Pool
from consumers.pool.scorers import ThreadScorer, Unfinished
from consumers.score_events import LookedUp, ScoreEvents
from scoring.verdict import Case
from service.judges.weights import local_judge
from tests.memory.pooling import PATIENT, record, until
from tests.memory.stores import MemoryDeferred, MemoryOutcomes, MemoryRules, MemoryScores

SLOW = "SELECT slow FROM ovens"


@dataclass
class Timed:
    """A scorer for which slow events take longer than a chunk allows, until `open` lets them end alone."""

    inner: ThreadScorer
    open: asyncio.Event = field(default_factory=asyncio.Event)
    chunks: int = 1
    alone: list[str] = field(default_factory=list[str])
    """Tenants of the events that were judged alone."""

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        return await self.inner.decode(records)

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case | Unfinished]:
        judged = list(await self.inner.judge(events, found))
        slow = Counter[str]()
        for place, each in enumerate(events):
            if slow[each.event.tenant]:
                judged[place] = Unfinished.NOT_REACHED
            elif each.event.sql == SLOW:
                slow[each.event.tenant] += 1
                judged[place] = Unfinished.SET_ASIDE
        return judged

    async def judge_alone(self, known: Known, found: LookedUp) -> Evaluation | Case:
        await self.open.wait()
        self.alone.append(known.event.tenant)
        return await self.inner.judge_alone(known, found)

    def close(self) -> None:
        self.inner.close()


@dataclass
class Room:
    """A pool with such a scorer."""

    deferred: MemoryDeferred = field(default_factory=MemoryDeferred)

    def __post_init__(self) -> None:
        loop = asyncio.get_running_loop()
        score = ScoreEvents(
            panel=Panel(local=local_judge().judge),
            rules=MemoryRules(),
            store=MemoryScores(),
            outcomes=MemoryOutcomes(),
            clock=lambda: datetime(2026, 11, 2, tzinfo=UTC),
            timer=loop.time,
        )
        self.scorer = Timed(ThreadScorer(score))
        limits = replace(PATIENT, alone=10)
        self.pool = Pool(score, limits=limits, deferred=self.deferred, scorer=self.scorer)
        self.task = loop.create_task(self.pool.run())

    async def close(self) -> None:
        self.scorer.open.set()
        self.pool.close()
        await self.task


async def test_neighbours_of_slow_events_end_while_these_wait_to_be_judged_alone() -> None:
    room = Room()
    slow = await room.pool.submit([record(number, SLOW, tenant="slow") for number in range(3)])
    receipts = await room.pool.submit([record(number, tenant="quiet") for number in range(100)])
    outcomes = await asyncio.gather(*receipts)
    assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}
    assert not any(each.done() for each in slow)
    room.scorer.open.set()
    assert {each.kind for each in await asyncio.gather(*slow)} == {OutcomeKind.SCORED}
    await room.close()


async def test_events_that_were_not_reached_are_scored_in_a_later_chunk() -> None:
    room = Room()
    sent = [record(0, SLOW, tenant="slow"), *(record(number, tenant="slow") for number in range(1, 9))]
    first, *others = await room.pool.submit(sent)
    assert {each.kind for each in await asyncio.gather(*others)} == {OutcomeKind.SCORED}
    assert not first.done()
    await room.close()
    assert first.result().kind is OutcomeKind.SCORED


async def test_more_slow_events_of_a_tenant_than_places_are_deferred() -> None:
    room = Room()
    slow = await room.pool.submit([record(number, SLOW, tenant="slow") for number in range(30)])
    (other,) = await room.pool.submit([record(0, SLOW, tenant="other")])
    await until(lambda: len(room.deferred.kept) == 20)
    room.scorer.open.set()
    assert (await other).kind is OutcomeKind.SCORED
    reasons = Counter(each.reason for each in await asyncio.gather(*slow))
    assert reasons == {"": 10, "TENANT_THROTTLED": 20}
    assert room.scorer.alone.index("other") <= 2, "tenants are served in turn"
    await room.close()


async def test_a_place_is_free_again_once_its_event_ended() -> None:
    room = Room()
    room.scorer.open.set()
    for round_ in range(3):
        sent = [record(f"{round_}-{number}", SLOW, tenant="slow") for number in range(10)]
        outcomes = await asyncio.gather(*await room.pool.submit(sent))
        assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}
    await room.close()
