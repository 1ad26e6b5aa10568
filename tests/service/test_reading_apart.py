"""Where bodies are read: what a flood of large ones may hold up in the process that serves everybody."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from consumers.spans import SpanTable
from consumers.wire.events import InvalidEvent, InvalidReason
from service.otlp.prepared_spans import ExportReader, preparing_for_join, preparing_for_kafka
from service.processes.apart import SMALL, ReadingApart, reading_apart

LARGE = b"x" * (SMALL + 1)


def process_of(body: bytes) -> tuple[int, int]:
    return os.getpid(), len(body)


def refuse(body: bytes) -> int:
    raise InvalidEvent(InvalidReason.NOT_OTLP, f"{len(body)} bytes")


def read_for_ever(body: bytes) -> int:
    while body:
        pass
    return 0


async def test_a_large_body_is_read_in_another_process_and_a_small_one_here():
    async with reading_apart() as reading:
        large, size = await reading.read("a", LARGE, process_of)
        again, _ = await reading.read("b", LARGE, process_of)
        small, _ = await reading.read("a", b"x" * SMALL, process_of)
    assert large == again != os.getpid()
    assert size == len(LARGE)
    assert small == os.getpid()


async def test_senders_of_large_bodies_are_served_in_turn_and_no_thread_reads_them():
    order = list[str]()

    async def read(sender: str) -> None:
        await reading.read(sender, LARGE, process_of)
        order.append(sender)

    async with reading_apart() as reading:
        await read("warm")
        threads = threading.active_count()
        async with asyncio.TaskGroup() as group:
            for sender in ["flood"] * 8 + ["quiet"]:
                group.create_task(read(sender))
        assert threading.active_count() == threads
    assert order.index("quiet") <= 3, "after one that was being read and one more"


async def test_other_tasks_run_between_any_two_small_bodies_however_many_come_at_once():
    read, most_between = list[bytes](), 0
    reading = ReadingApart()
    flood = [asyncio.create_task(reading.read("flood", b"x", read.append)) for _ in range(50)]
    seen = 0
    while not all(each.done() for each in flood):
        await asyncio.sleep(0)
        most_between, seen = max(most_between, len(read) - seen), len(read)
    assert (len(read), most_between) == (50, 1)


@pytest.mark.parametrize("body", [b"x", LARGE], ids=["small", "large"])
async def test_why_a_body_is_refused_is_the_same_wherever_it_is_read(body):
    async with reading_apart() as reading:
        with pytest.raises(InvalidEvent) as refused:
            await reading.read("a", body, refuse)
    assert (refused.value.reason, refused.value.detail) == (InvalidReason.NOT_OTLP, f"{len(body)} bytes")


async def test_a_body_that_takes_too_much_cpu_is_refused_and_the_next_one_read():
    reading = ReadingApart(cpu_seconds=0.2)
    try:
        with pytest.raises(InvalidEvent) as refused:
            await reading.read("a", LARGE, read_for_ever)
        assert refused.value.reason is InvalidReason.EVENT_TOO_LARGE
        assert (await reading.read("a", LARGE, process_of))[1] == len(LARGE)
    finally:
        reading.close()


@pytest.mark.parametrize("then", [preparing_for_join(SpanTable()), preparing_for_kafka(1000)])
async def test_an_export_is_prepared_for_its_intake_where_it_is_read(then):
    spans = ",".join(
        f'{{"traceId":"{number:032x}","spanId":"{1:016x}","attributes":[{{"key":"db.query.text",'
        f'"value":{{"stringValue":"SELECT {number}"}}}}]}}'
        for number in range(1, 401)
    )
    body = f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}'.encode()
    reader = ExportReader(table=SpanTable(), then=then, tenant="kites", as_json=True, most_values=1_000_000)
    assert len(body) > SMALL
    async with reading_apart() as reading:
        prepared = await reading.read("kites", body, reader)
        assert prepared == reader(body)
        crowded = ExportReader(table=SpanTable(), then=then, as_json=True, most_values=100)
        with pytest.raises(InvalidEvent) as refused:
            await reading.read("kites", body, crowded)
    assert prepared.count == 400
    assert sum(len(each.unpack()) for each in prepared.parts) + sum(each.spans for each in prepared.records) == 400
    assert refused.value.reason is InvalidReason.EVENT_TOO_LARGE
