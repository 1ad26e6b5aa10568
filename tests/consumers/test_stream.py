from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from consumers.memory import MemoryStream, StreamClosed
from consumers.outcomes import Outcome, OutcomeKind
from consumers.score_events import Record


class Consumer:
    """Takes batches when it is let."""

    def __init__(self) -> None:
        self.batches: list[Sequence[Record]] = []
        self.open = asyncio.Event()

    async def __call__(self, batch: Sequence[Record]) -> list[Outcome]:
        await self.open.wait()
        self.batches.append(batch)
        return [Outcome(kind=OutcomeKind.SCORED, event_id=str(record.payload)) for record in batch]


async def test_each_receipt_resolves_with_its_own_records_outcome():
    stream, consumer = MemoryStream(capacity=10, batch_size=4, linger=0), Consumer()
    consumer.open.set()
    receipts = [await stream.publish(Record(payload=number)) for number in range(6)]
    await stream.close()
    await stream.run(consumer)
    assert [receipt.result().event_id for receipt in receipts] == list("012345")
    assert [len(batch) for batch in consumer.batches] == [4, 2]


async def test_a_publisher_waits_while_the_stream_is_full():
    stream, consumer = MemoryStream(capacity=2, batch_size=1, linger=0), Consumer()
    for number in range(2):
        await stream.publish(Record(payload=number))
    late = asyncio.create_task(stream.publish(Record(payload=2)))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not late.done()
    consumer.open.set()
    worker = asyncio.create_task(stream.run(consumer))
    assert (await (await late)).event_id == "2"
    await stream.close()
    await worker


async def test_a_closed_stream_finishes_what_it_took_and_takes_no_more():
    stream, consumer = MemoryStream(capacity=5, batch_size=5, linger=0), Consumer()
    receipt = await stream.publish(Record(payload=1))
    await stream.close()
    with pytest.raises(StreamClosed):
        await stream.publish(Record(payload=2))
    consumer.open.set()
    await stream.run(consumer)
    assert receipt.result().kind is OutcomeKind.SCORED


async def test_a_worker_that_is_cancelled_tells_those_who_wait():
    stream = MemoryStream(capacity=5, batch_size=5, linger=0)
    receipt = await stream.publish(Record(payload=1))
    consumer = Consumer()
    worker = asyncio.create_task(stream.run(consumer))
    for _ in range(5):
        await asyncio.sleep(0)
    worker.cancel()
    with pytest.raises(StreamClosed):
        await receipt
    with pytest.raises(asyncio.CancelledError):
        await worker


async def test_a_sender_who_gave_up_does_not_disturb_the_others():
    stream, consumer = MemoryStream(capacity=5, batch_size=5, linger=0), Consumer()
    gone, waiting = await stream.publish(Record(payload=1)), await stream.publish(Record(payload=2))
    gone.cancel()
    consumer.open.set()
    await stream.close()
    await stream.run(consumer)
    assert waiting.result().event_id == "2"
