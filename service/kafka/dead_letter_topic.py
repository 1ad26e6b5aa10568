"""Reads the dead-letter topic from its beginning, and replays dead letters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from consumers.stream.dead_letters import DeadLetter, is_mark, mark_of, read_dead_letter, replay_mark, replay_message
from consumers.stream.oversized import publish_each
from consumers.stream.ports import Publisher, UnreadableBatch
from service.kafka.client import open_publisher, topics, unavailable
from service.kafka.library.adapter import adapt_library
from service.kafka.login import login
from service.logs import log
from service.settings.stream_settings import KafkaSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDeadLetter:
    """A dead letter and its place on the topic."""

    partition: int
    offset: int
    timestamp: int
    letter: DeadLetter
    key: bytes | None
    """Key of the tombstone that deletes it."""
    replayed: bool
    """Whether a replay mark on the topic names it."""


async def records(settings: KafkaSettings, topic: str) -> AsyncGenerator[Any]:
    """Every record that is on a topic now, oldest first in each partition; raises `KafkaUnavailable`.

    A batch that cannot be read is logged and left out.
    """
    adapt_library()
    consumer: Any = AIOKafkaConsumer(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id="sqlassay",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        request_timeout_ms=int(settings.timeout * 1000),
        **login(settings),
    )
    try:
        await consumer.start()
        parts = [TopicPartition(topic, each) for each in (await topics(settings)).get(topic, ())]
        consumer.assign(parts)
        ends: dict[TopicPartition, int] = await consumer.end_offsets(parts) if parts else {}
        for each in parts:
            await consumer.seek_to_beginning(each)
        while any([await consumer.position(each) < end for each, end in ends.items()]):
            for place, batch in (await consumer.getmany(timeout_ms=500)).items():
                for record in batch:
                    if isinstance(record, UnreadableBatch):
                        log.warning("dead_letters_unreadable", batch=str(record))
                        consumer.seek(place, (record.offset if record.last is None else record.last) + 1)
                    else:
                        yield record
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        with suppress(KafkaError, OSError, TimeoutError):
            async with asyncio.timeout(settings.timeout):
                await consumer.stop()


async def dead_letters(settings: KafkaSettings, reason: str | None = None) -> AsyncGenerator[StoredDeadLetter]:
    """All dead letters, or those of one reason; raises `KafkaUnavailable`."""
    topic = settings.topic_dead
    marks, tombstones = set[tuple[int, int]](), dict[tuple[int, bytes], int]()
    async for record in records(settings, topic):
        if record.value is None:
            tombstones[record.partition, record.key] = record.offset
        elif is_mark(record):
            marks.add(mark_of(record))
    async for record in records(settings, topic):
        removed = tombstones.get((record.partition, record.key), -1) > record.offset
        if record.value is None or is_mark(record) or removed:
            continue
        letter = read_dead_letter(record)
        if reason is None or letter.reason == reason:
            yield StoredDeadLetter(
                partition=record.partition,
                offset=record.offset,
                timestamp=record.timestamp,
                letter=letter,
                key=record.key,
                replayed=(record.partition, record.offset) in marks,
            )


async def replay(
    settings: KafkaSettings,
    *,
    reason: str | None,
    most: int | None,
    report: Callable[[StoredDeadLetter, str | None], None],
) -> None:
    """Sends dead letters back to their topics, each once; reports each with the reason why it was not sent.

    Raises `Unavailable`; dead letters reported before that stay sent.
    """
    async with open_publisher(settings) as publisher:
        sent = 0
        async for each in dead_letters(settings, reason):
            if most is not None and sent >= most:
                return
            fault = "it was sent back already" if each.replayed else each.letter.cannot_be_replayed
            if fault is None:
                fault = await _send_back(settings, publisher, each)
                sent += fault is None
            report(each, fault)


async def _send_back(settings: KafkaSettings, publisher: Publisher, each: StoredDeadLetter) -> str | None:
    back = each.letter.topic or settings.topic_events
    if await publisher.publish([replay_message(each.letter, back)]):
        return "the broker refuses records of this size"
    await publish_each(publisher, [replay_mark(settings.topic_dead, each.partition, each.offset)])
    return None
