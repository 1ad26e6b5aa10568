"""The dead-letter topic, read from its beginning and sent back from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from faststream.kafka.security import parse_security

from consumers.stream.dead_letters import DeadLetter, is_mark, mark_of, read_dead_letter, replay_mark, replayed
from consumers.stream.ports import Partition, Publisher
from service.kafka.client import open_publisher, security, topics, unavailable
from service.kafka.lenient_records import read_leniently
from service.settings.stream_settings import KafkaSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Buried:
    """A dead letter and where it lies."""

    partition: int
    offset: int
    timestamp: int
    letter: DeadLetter
    key: bytes | None
    """By which it can be removed."""
    again: bool
    """It was sent back already."""


async def records(settings: KafkaSettings, topic: str) -> AsyncGenerator[Any]:
    """Every record that stands on a topic now, oldest first in each partition; raises `KafkaUnavailable`."""
    consumer: Any = AIOKafkaConsumer(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id="sqlassay",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        request_timeout_ms=int(settings.timeout * 1000),
        **parse_security(security(settings)),
    )
    read_leniently()
    try:
        await consumer.start()
        parts = [TopicPartition(topic, each) for each in (await topics(settings)).get(topic, ())]
        consumer.assign(parts)
        ends: dict[TopicPartition, int] = await consumer.end_offsets(parts) if parts else {}
        for each in parts:
            await consumer.seek_to_beginning(each)
        while any([await consumer.position(each) < end for each, end in ends.items()]):
            for batch in (await consumer.getmany(timeout_ms=500)).values():
                for record in batch:
                    yield record
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        with suppress(KafkaError, OSError, TimeoutError):
            async with asyncio.timeout(settings.timeout):
                await consumer.stop()


async def buried(settings: KafkaSettings, reason: str | None = None) -> AsyncGenerator[Buried]:
    """The dead letters there are, all or those of one reason; raises `KafkaUnavailable`."""
    topic = settings.topic_dead
    marks, forgotten = set[tuple[int, int]](), dict[tuple[int, bytes], int]()
    async for record in records(settings, topic):
        if record.value is None:
            forgotten[record.partition, record.key] = record.offset
        elif is_mark(record):
            marks.add(mark_of(record))
    async for record in records(settings, topic):
        removed = forgotten.get((record.partition, record.key), -1) > record.offset
        if record.value is None or is_mark(record) or removed:
            continue
        letter = read_dead_letter(record)
        if reason is None or letter.reason == reason:
            place = Partition(topic, record.partition)
            yield Buried(
                partition=record.partition,
                offset=record.offset,
                timestamp=record.timestamp,
                letter=letter,
                key=record.key,
                again=(place.number, record.offset) in marks,
            )


async def replay(
    settings: KafkaSettings, *, reason: str | None, most: int | None, told: Callable[[Buried, str | None], None]
) -> None:
    """Sends dead letters back to the topic they came from, each once; `told` hears of each, and why it was not sent.

    Raises `KafkaUnavailable`; those told of as sent are sent.
    """
    async with open_publisher(settings) as publisher:
        sent = 0
        async for each in buried(settings, reason):
            if most is not None and sent >= most:
                return
            fault = "it was sent back already" if each.again else each.letter.fault
            if fault is None:
                fault = await _send_back(settings, publisher, each)
                sent += fault is None
            told(each, fault)


async def _send_back(settings: KafkaSettings, publisher: Publisher, each: Buried) -> str | None:
    back = each.letter.topic or settings.topic_events
    if await publisher.publish([replayed(each.letter, back)]):
        return "the broker refuses records of this size"
    await publisher.publish([replay_mark(settings.topic_dead, each.partition, each.offset)])
    return None
