from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from consumers.decoding import Record
from consumers.errors import RefusedByStore, StoreUnavailable, Unavailable
from consumers.evaluation.evaluation import Evaluation
from consumers.evaluation.outcomes import DeferredReason, OutcomeKind, Trigger
from consumers.evaluation.retries import Retries
from consumers.judging.breaker import BreakerState
from consumers.judging.panel import Panel
from consumers.pool.deferring import RetryDeferred
from consumers.pool.flight import PoolClosed
from consumers.pool.limits import PoolLimits
from consumers.wire.events import SPAN_SOURCE
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, JudgeRules, Rules
from service.judges.weights import local_judge
from tests.memory.stores import MemoryDeferred, MemoryScores

BY_MODEL = Rules(judge=JudgeRules(policy=JudgePolicy.LLM))
PATIENT = PoolLimits(linger=0, patience=None)
NOW = datetime(2026, 11, 2, tzinfo=UTC)


def record(id_: object = 1, sql: str = "SELECT COUNT(*) FROM ovens", **changes: object) -> Record:
    payload = {"event_id": str(id_), "question": "How many ovens are there?", "sql": sql, **changes}
    return Record(payload=payload, require_id=True, size=100)


@dataclass
class Gate(MemoryScores):
    """A store that records when it is let, and can be down."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    down: int = 0
    groups: list[int] = field(default_factory=list)

    async def record(self, evaluations):
        await self.open.wait()
        if self.down:
            self.down -= 1
            raise StoreUnavailable("no answer")
        self.groups.append(len(evaluations))
        return await super().record(evaluations)


class Model(Panel):
    """A model that answers when it is let, with the local verdict or with what it was given."""

    def __init__(self, reply=None) -> None:
        super().__init__(local=local_judge().judge)
        object.__setattr__(self, "reply", reply)
        object.__setattr__(self, "open", asyncio.Event())
        object.__setattr__(self, "asked", [])

    async def ask(self, case, *, tenant):
        self.asked.append(tenant)
        await self.open.wait()
        return self.reply or self.local(case)


async def settle() -> None:
    """Lets everything that can go on go on."""
    for _ in range(50):
        await asyncio.sleep(0.001)


async def test_each_receipt_resolves_with_its_own_records_outcome(world):
    async with world.running() as pool:
        receipts = await pool.submit([record(number) for number in range(6)])
        outcomes = await asyncio.gather(*receipts)
    assert [outcome.event_id for outcome in outcomes] == list("012345")


async def test_a_sender_waits_while_the_pool_is_full(world):
    gate = Gate()
    async with world.running(store=gate, limits=replace(PATIENT, records=2)) as pool:
        await pool.submit([record(1), record(2)])
        assert pool.full
        late = asyncio.create_task(pool.submit([record(3)]))
        await settle()
        assert not late.done()
        gate.open.set()
        [receipt] = await late
        assert (await receipt).event_id == "3"


async def test_bytes_bound_what_is_in_flight_but_one_large_record_passes_alone(world):
    gate = Gate()
    async with world.running(store=gate, limits=replace(PATIENT, size=50)) as pool:
        await pool.submit([record(1)])
        late = asyncio.create_task(pool.submit([record(2)]))
        await settle()
        assert not late.done()
        gate.open.set()
        await asyncio.gather(*await late)
    assert len(gate.rows) == 2


async def test_a_closed_pool_finishes_what_it_took_and_takes_no_more(world):
    async with world.running() as pool:
        [receipt] = await pool.submit([record()])
        pool.close()
        with pytest.raises(PoolClosed):
            await pool.submit([record(2)])
    assert receipt.result().kind is OutcomeKind.SCORED


async def test_a_pool_that_is_cancelled_tells_those_who_wait_and_the_count_still_adds_up(world):
    pool = world.pool(store=Gate())
    [receipt] = await pool.submit([record()])
    worker = asyncio.create_task(pool.run())
    await settle()
    worker.cancel()
    with pytest.raises(PoolClosed):
        await receipt
    with pytest.raises(asyncio.CancelledError):
        await worker
    assert [each.reason for each in world.outcomes.outcomes] == ["INTERRUPTED"]
    assert world.outcomes.tally.balanced


async def test_a_sender_who_gave_up_does_not_disturb_the_others(world):
    async with world.running() as pool:
        gone, waiting = await pool.submit([record(1), record(2)])
        gone.cancel()
        assert (await waiting).event_id == "2"


async def test_a_patient_pool_waits_for_a_store_that_is_down_and_loses_nothing(world):
    gate = Gate(down=5)
    gate.open.set()
    async with world.running(store=gate, limits=PATIENT) as pool:
        outcomes = await asyncio.gather(*await pool.submit([record(1), record(2)]))
    assert [each.kind for each in outcomes] == [OutcomeKind.SCORED] * 2
    assert world.outcomes.stalls == ["StoreUnavailable"] * 5


async def test_rows_of_several_batches_are_written_together(world):
    gate = Gate()
    async with world.running(store=gate, limits=PATIENT) as pool:
        receipts = await pool.submit([record(0)])
        await settle()
        for number in range(1, 6):
            receipts += await pool.submit([record(number)])
            await settle()
        gate.open.set()
        await asyncio.gather(*receipts)
    assert gate.groups == [1, 5]


async def test_an_event_that_comes_again_while_it_is_on_its_way_is_judged_once(world):
    model = Model()
    world.rules.known["default"] = BY_MODEL
    async with world.running(panel=model, limits=PATIENT) as pool:
        receipts = await pool.submit([record()])
        await settle()
        receipts += await pool.submit([record(), record(sql="SELECT 2")])
        await settle()
        model.open.set()
        outcomes = await asyncio.gather(*receipts)
    assert len(model.asked) == 1
    assert [each.kind.value for each in outcomes] == ["scored", "duplicate", "dead_lettered"]


async def test_an_unscored_row_is_filled_by_the_same_event_sent_again(world):
    model = Model(reply=Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "down"))
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [first] = await world.use_case(panel=model)([record()])
    [again] = await world.use_case(panel=Model())([record(sql="SELECT 2")])
    world.rules.known["default"] = Rules()
    [filled] = await world.use_case()([record()])
    assert [each.kind.value for each in (first, again, filled)] == ["unscored", "dead_lettered", "scored"]
    assert filled.evaluation_id == first.evaluation_id


async def test_a_question_that_is_found_late_completes_its_answer_whichever_comes_first(world):
    bare, whole = (record(source=SPAN_SOURCE, question=said) for said in ("", "How many ovens are there?"))
    other = record(source=SPAN_SOURCE, sql="SELECT 2")
    ends = [(await world.use_case()([each]))[0] for each in (bare, whole, bare, whole, other)]
    assert [each.kind.value for each in ends] == ["unscored", "scored", "duplicate", "duplicate", "dead_lettered"]
    assert len({each.evaluation_id for each in ends[:4]}) == 1
    together = [replace(each, payload={**each.payload, "event_id": "2"}) for each in (bare, whole, bare)]
    ends = await world.use_case()(together)
    assert [each.kind.value for each in ends] == ["unscored", "scored", "duplicate"]


async def test_what_the_panel_defers_is_kept_and_scored_when_it_is_due(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=model)([record(occurred_at="2026-11-01T10:00:00Z")])
    assert (outcome.kind, outcome.reason, outcome.kept) == (OutcomeKind.DEFERRED, "EVENT_DEADLINE", True)
    world.rules.known["default"] = Rules()
    async with world.running() as pool:
        retry = RetryDeferred(
            deferred=world.deferred,
            submit=pool.submit,
            outcomes=world.outcomes,
            clock=lambda: world.now,
            breaker=lambda: BreakerState.CLOSED,
        )
        assert await retry() == 0
        world.now += timedelta(hours=1)
        assert await retry() == 1
    assert world.deferred.kept == {}
    [row] = world.store.rows.values()
    assert (row.trigger, row.event.occurred_at.isoformat()) == (Trigger.DEFERRED, "2026-11-01T10:00:00+00:00")
    assert world.outcomes.outcomes[-1].trigger is Trigger.DEFERRED


async def test_an_event_tried_often_enough_is_stored_without_a_score(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=model, retries=Retries(attempts=0))([record()])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.UNSCORED, "JUDGE_UNAVAILABLE")
    assert world.deferred.kept == {}


async def test_a_model_that_answers_too_late_puts_the_event_off(world):
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=Model(), limits=replace(PATIENT, deadline=0.01))([record()])
    assert (outcome.reason, outcome.kept) == ("EVENT_DEADLINE", True)


async def test_calls_of_one_tenant_are_bounded_and_another_tenants_do_not_wait_for_them(world):
    model = Model()
    world.rules.known.update({"flood": BY_MODEL, "quiet": BY_MODEL})
    async with world.running(panel=model, limits=replace(PATIENT, tenant_asks=3)) as pool:
        receipts = await pool.submit([record(number, tenant="flood") for number in range(8)])
        receipts += await pool.submit([record(1, tenant="quiet")])
        await settle()
        assert (model.asked.count("flood"), model.asked.count("quiet")) == (3, 1)
        model.open.set()
        await asyncio.gather(*receipts)


async def test_a_flood_that_waits_for_its_model_is_put_off_so_that_others_pass(world):
    model = Model()
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=20, batch=5)) as pool:
        await asyncio.gather(*await pool.submit([record(0, tenant="quiet")]))
        flood = asyncio.create_task(pool.submit([record(number, tenant="flood") for number in range(60)]))
        await asyncio.gather(*await pool.submit([record(number, tenant="quiet") for number in range(1, 20)]))
        receipts = await flood
        model.open.set()
        outcomes = await asyncio.gather(*receipts)
    over = [each for each in outcomes if each.reason == "TENANT_THROTTLED"]
    assert len(over) == len(world.deferred.kept) >= 40
    assert all(each.kept for each in over)


async def test_a_tenant_alone_is_held_back_and_never_put_off(world):
    model = Model()
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=10, batch=5)) as pool:
        flood = asyncio.create_task(pool.submit([record(number, tenant="flood") for number in range(30)]))
        await settle()
        assert not flood.done()
        model.open.set()
        outcomes = await asyncio.gather(*await flood)
    assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}


class Counter(Model):
    """A model that answers as many calls as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "left", asyncio.Semaphore(0))

    async def ask(self, case, *, tenant):
        async with asyncio.timeout(20):
            await self.left.acquire()
        return self.local(case)


async def test_a_tenant_that_filled_the_pool_alone_makes_room_as_soon_as_another_comes(world):
    model, quiet = Counter(), "quiet"
    world.rules.known["flood"] = BY_MODEL
    async with world.running(panel=model, limits=replace(PATIENT, records=20, batch=1, tenant_asks=2)) as pool:
        receipts = await pool.submit([record(number, tenant="flood") for number in range(20)])
        first = asyncio.create_task(pool.submit([record("first", tenant=quiet)]))
        await settle()
        assert pool.full
        model.left.release()
        await asyncio.gather(*await first)
        model.left.release()
        await settle()
        assert pool.depth == 10
        ends = await asyncio.gather(*await pool.submit([record(number, tenant=quiet) for number in range(9)]))
        assert {each.kind for each in ends} == {OutcomeKind.SCORED}
        for _ in range(20):
            model.left.release()
        ends = await asyncio.gather(*receipts)
    assert [each.kind.value for each in ends].count("scored") == 12
    assert all(each.kept for each in ends if each.kind is OutcomeKind.DEFERRED)


@dataclass
class Board:
    """Results, which cannot be published at first."""

    failures: int = 0
    published: list = field(default_factory=list)

    async def publish(self, ends):
        if self.failures:
            self.failures -= 1
            raise Unavailable("no answer")
        self.published.extend(ends.items())


async def test_a_receipt_resolves_only_after_its_result_is_published_and_a_duplicate_publishes_it_again(world):
    board = Board(failures=3)
    async with world.running(results=board, limits=PATIENT) as pool:
        [first] = await asyncio.gather(*await pool.submit([record()]))
        [again] = await asyncio.gather(*await pool.submit([record()]))
        await asyncio.gather(*await pool.submit([record(sql="SELECT 2")]))
    assert (first.kind, again.kind) == (OutcomeKind.SCORED, OutcomeKind.DUPLICATE)
    assert [end.claim if hasattr(end, "claim") else end for _, end in board.published] == [
        world.store.rows[key].claim for key, _ in board.published
    ]
    assert len(board.published) == 2


@dataclass
class Deaf(MemoryScores):
    """A store whose answers are lost at first."""

    lost: int = 2

    async def record(self, evaluations):
        stood = await super().record(evaluations)
        if self.lost:
            self.lost -= 1
            raise StoreUnavailable("the connection was lost in COMMIT")
        return stood


async def test_rows_whose_commit_was_not_heard_of_count_once_and_as_what_they_are(world):
    board = Board()
    async with world.running(store=Deaf(), results=board, limits=PATIENT) as pool:
        ends = await asyncio.gather(*await pool.submit([record(1), record(1), record(2)]))
    assert [each.kind.value for each in ends] == ["scored", "duplicate", "scored"]
    assert [isinstance(end, Evaluation) for _, end in board.published].count(True) == 2
    assert len(world.outcomes.evaluations) == 2


class Buggy(MemoryScores):
    async def record(self, evaluations):
        if any(each.event.agent == "cursed" for each in evaluations):
            raise ZeroDivisionError
        return await super().record(evaluations)


async def test_a_bug_while_writing_puts_events_off_and_in_the_end_hands_them_back(world):
    [outcome] = await world.use_case(store=Buggy())([record(agent="cursed")])
    assert (outcome.reason, outcome.kept) == ("INTERNAL_ERROR", True)
    [last] = await world.use_case(store=Buggy(), retries=Retries(attempts=0))([record(agent="cursed")])
    assert (last.reason, last.kept) == ("INTERNAL_ERROR", False)
    assert world.outcomes.tally.balanced


class PickyDeferred(MemoryDeferred):
    async def defer(self, deferrals):
        if any(each.event_id == "unfit" for each in deferrals):
            raise RefusedByStore("a value does not fit")
        return await super().defer(deferrals)


async def test_a_deferral_the_store_refuses_costs_the_others_nothing(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    outcomes = await world.use_case(panel=model, deferred=PickyDeferred())([record(1), record("unfit"), record(3)])
    assert [each.reason for each in outcomes] == ["EVENT_DEADLINE", "REFUSED_BY_STORE", "EVENT_DEADLINE"]


async def test_an_event_sampled_upstream_is_not_sampled_again_and_its_rate_is_kept(world):
    world.rules.known["default"] = Rules(sample_rate=0.0)
    kept, dropped = record(1), record(2)
    outcomes = await world.use_case()([replace(kept, sampledrate=20), dropped])
    assert [each.kind.value for each in outcomes] == ["scored", "unscored"]
    assert [row.record.get("sampledrate") for row in world.store.rows.values()] == [20, None]


class Cursed(Board):
    """Results of which one cannot be told."""

    async def publish(self, ends):
        if any(key.event_id == "cursed" for key in ends):
            raise OverflowError("date value out of range")
        await super().publish(ends)


async def test_a_result_that_a_bug_keeps_back_holds_up_none_of_the_others(world):
    board = Cursed()
    async with world.running(results=board, limits=PATIENT) as pool:
        receipts = await pool.submit([record(1), record("cursed"), record(3), record(4)])
        outcomes = await asyncio.gather(*receipts)
    assert {each.kind for each in outcomes} == {OutcomeKind.SCORED}
    assert sorted(key.event_id for key, _ in board.published) == ["1", "3", "4"]
    assert "results" in {where for where, _ in world.outcomes.faults}


async def test_records_not_even_decoded_when_the_pool_is_cancelled_are_counted_on_both_sides(world):
    pool = world.pool(store=Gate(), limits=replace(PATIENT, batch=1))
    await pool.submit([record(number) for number in range(5)])
    worker = asyncio.create_task(pool.run())
    await asyncio.sleep(0)
    worker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await worker
    assert (world.outcomes.tally.consumed, world.outcomes.tally.balanced) == (5, True)
