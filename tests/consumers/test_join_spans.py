from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from consumers.decoding import Record
from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.queueing.retrying import Backoff
from consumers.spans import JoinLimits, Span, SpanEvent, SpanJoin, SpanTable
from consumers.spans.join_spans import JoinSpans

ASKED = {"sqlassay.question": "How many kites flew?", "gen_ai.agent.name": "gust"}
ANSWERED = {"db.query.text": "SELECT COUNT(*) FROM flights"}


def span(number: int, parent: int = 0, attributes: Any = None, *, trace: int = 1) -> Span:
    parent_id = f"{parent:016x}" if parent else None
    return Span(trace_id=f"{trace:032x}", span_id=f"{number:016x}", parent_id=parent_id, attributes=attributes or {})


@dataclass(slots=True)
class Engine:
    """A pool whose receipts the test resolves."""

    records: list[Any] = field(default_factory=list[Record])
    receipts: list[asyncio.Future[Outcome]] = field(default_factory=list[asyncio.Future[Outcome]])

    async def submit(self, records: Sequence[Record]) -> list[asyncio.Future[Outcome]]:
        receipts = [asyncio.get_running_loop().create_future() for _ in records]
        self.records += records
        self.receipts += receipts
        return receipts

    def end(self, kind: OutcomeKind = OutcomeKind.SCORED, **more: Any) -> None:
        for receipt in self.receipts:
            if not receipt.done():
                receipt.set_result(Outcome(kind=kind, **more))


@asynccontextmanager
async def joining(engine: Engine, *, seconds: float = 60.0, most: int = 1000, **hooks: Any) -> AsyncIterator[JoinSpans]:
    join = SpanJoin(SpanTable(), JoinLimits(seconds=seconds))
    loop = asyncio.get_running_loop()
    backoff = Backoff(first=0.001, most=0.002)
    joined = JoinSpans(join, engine.submit, loop.time, backoff=backoff, most_storing=most, **hooks)
    running = asyncio.create_task(joined.run())
    yield joined
    running.cancel()
    joined.forget()


async def test_spans_are_done_when_their_trace_is_closed_and_its_events_are_durable(wait_until):
    engine = Engine()
    async with joining(engine, seconds=0.05) as joined:
        receipt = await joined.add([span(1, attributes=ASKED), span(2, 1, ANSWERED)], tenant="kites")
        await wait_until(lambda: is_true(lambda: engine.records))
        [record] = engine.records
        assert (record.payload["question"], record.tenant) == ("How many kites flew?", "kites")
        await wait_until(lambda: is_true(lambda: joined.spans == 0))
        assert not receipt.done.done()
        engine.end()
        assert [each.kind for each in await receipt.stored()] == [OutcomeKind.SCORED]
        await receipt.done


async def is_true(condition) -> bool:
    return bool(condition())


async def test_a_record_of_several_traces_is_done_with_the_last_of_them(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        receipt = await joined.add([span(1, attributes=ASKED), span(1, 9, ANSWERED, trace=2)])
        assert await receipt.stored() == []
        assert not receipt.done.done()
        closing = asyncio.create_task(joined.close())
        await wait_until(lambda: is_true(lambda: engine.receipts))
        assert not receipt.done.done()
        engine.end(OutcomeKind.UNSCORED)
        await closing
        await receipt.done


async def test_a_receipt_for_no_spans_is_done_at_once():
    async with joining(Engine()) as joined:
        receipt = await joined.add([])
        assert receipt.done.done()


async def test_an_event_that_could_not_be_stored_is_submitted_until_it_is(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        receipt = await joined.add([span(1, attributes=ASKED | ANSWERED)])
        for attempt in (1, 2, 3):
            await wait_until(lambda attempt=attempt: is_true(lambda: len(engine.receipts) == attempt))
            engine.end(OutcomeKind.DEFERRED, reason="STORE_UNAVAILABLE")
        await wait_until(lambda: is_true(lambda: len(engine.receipts) == 4))
        engine.end(OutcomeKind.DEFERRED, kept=True)
        assert [each.kept for each in await receipt.stored()] == [True]


async def test_an_event_that_cannot_be_stored_is_dead_lettered_before_its_spans_are_done(wait_until):
    engine, dead_lettered = Engine(), list[str]()
    tries = iter([False, True])

    async def on_dead_letter(event: SpanEvent, outcome: Outcome) -> None:
        if not next(tries):
            raise Unavailable("Kafka does not answer")
        dead_lettered.append(f"{event.trace.trace_id[-1]} {outcome.reason}")

    async with joining(engine, on_dead_letter=on_dead_letter) as joined:
        receipt = await joined.add([span(1, attributes=ASKED | ANSWERED)])
        for attempt in (1, 2):
            await wait_until(lambda attempt=attempt: is_true(lambda: len(engine.receipts) == attempt))
            engine.end(OutcomeKind.DEAD_LETTERED, reason="INVALID_TEXT")
        assert [each.reason for each in await receipt.stored()] == ["INVALID_TEXT"]
        assert dead_lettered == ["1 INVALID_TEXT"]


async def test_a_resend_waits_for_events_that_are_not_durable_yet_and_submits_nothing(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        spans = [span(1, attributes=ASKED | ANSWERED)]
        await joined.add(spans)
        again = await joined.add(spans)
        await wait_until(lambda: is_true(lambda: engine.records))
        engine.end()
        assert len(await again.stored()) == 1
        assert len(engine.records) == 1


async def test_a_sender_that_disconnects_while_waiting_loses_no_event(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        receipt = await joined.add([span(1, attributes=ASKED | ANSWERED)])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(receipt.stored(), 0.001)
        await wait_until(lambda: is_true(lambda: engine.records))
        engine.end()
        assert len(await receipt.stored()) == 1


async def test_spans_wait_while_too_many_events_are_not_durable(wait_until):
    engine = Engine()
    async with joining(engine, most=2) as joined:
        await joined.add([span(number, attributes=ASKED | ANSWERED, trace=number) for number in (1, 2)])
        waiting = asyncio.create_task(joined.add([span(3, attributes=ASKED | ANSWERED, trace=3)]))
        await wait_until(lambda: is_true(lambda: len(engine.records) == 2))
        assert not waiting.done()
        engine.end()
        await waiting


async def test_half_traces_of_one_sender_keep_no_other_waiting(wait_until):
    engine = Engine()
    async with joining(engine, seconds=0.05, most=10) as joined:
        halves = [span(2, 1, ANSWERED, trace=trace) for trace in range(1, 3001)]
        flooding = asyncio.create_task(joined.add(halves, tenant="strings"))
        await wait_until(lambda: is_true(lambda: len(engine.records) >= 10))
        receipt = await joined.add([span(1, attributes=ASKED | ANSWERED)], tenant="kites")
        await wait_until(lambda: is_true(lambda: any(each.tenant == "kites" for each in engine.records)))
        # one slice is in flight, and not all three thousand
        assert len(engine.records) <= 501
        engine.end()
        assert len(await receipt.stored()) == 1
        flooding.cancel()


async def test_receipts_of_forgotten_spans_are_cancelled():
    engine = Engine()
    async with joining(engine) as joined:
        open_still = await joined.add([span(1, 9, ANSWERED)])
        storing = await joined.add([span(1, attributes=ASKED | ANSWERED, trace=2)])
        joined.forget()
        assert open_still.done.cancelled()
        assert storing.done.cancelled()
        assert joined.spans == 0
        with pytest.raises(asyncio.CancelledError):
            await storing.stored()
        anew = await joined.add([span(1, 9, ANSWERED)])
        assert not anew.done.done()


async def test_a_large_export_is_joined_in_full_and_done_with_its_last_trace(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        asked = [span(1, attributes=ASKED, trace=trace) for trace in range(1, 901)]
        answered = [span(2, 1, ANSWERED, trace=trace) for trace in range(1, 901)]
        receipt = await joined.add([*answered, *asked])
        await wait_until(lambda: is_true(lambda: len(engine.records) == 900))
        engine.end()
        assert len(await receipt.stored()) == 900
        assert not receipt.done.done()
        await joined.close()
        await receipt.done


async def test_receipts_of_spans_forgotten_while_being_added_are_cancelled():
    engine = Engine()
    async with joining(engine) as joined:
        taking = asyncio.create_task(joined.add([span(number, 9_999, ANSWERED) for number in range(1, 1500)]))
        await asyncio.wait([taking], timeout=0)
        joined.forget()
        assert (await taking).done.cancelled()
        assert joined.spans == 0


async def test_receipts_are_cancelled_when_the_pool_stops(wait_until):
    engine = Engine()
    async with joining(engine) as joined:
        receipt = await joined.add([span(1, attributes=ASKED | ANSWERED)])
        await wait_until(lambda: is_true(lambda: engine.receipts))
        engine.receipts[0].set_exception(ConnectionError("stopped"))
        with pytest.raises(ConnectionError):
            await receipt.stored()
        assert receipt.done.cancelled()
