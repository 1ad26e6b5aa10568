"""Passes batches that cannot be read: looks at them from outside, writes a dead letter for each offset, and commits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from consumers.stream.dead_letters import PlainRecord, UnpublishedDeadLetter, publish_cut
from consumers.stream.ports import UnreadableBatch
from consumers.wire.events import InvalidReason
from service.kafka.client import KafkaUnavailable, open_publisher, topics, unavailable
from service.kafka.group_members import IN_USE, GroupInUse, connection_of, refuse_members
from service.kafka.library.adapter import adapt_library
from service.kafka.library.partition_fetcher import unreadable
from service.settings.stream_settings import KafkaSettings

_AT_ONCE = 500
"""Dead letters of one publication."""
MOST_OFFSETS = 100_000
"""OffsetRange of one range."""


class SkipRefused(Exception):  # noqa: N818 it names what happened
    """A range is not skipped; the message says why and what to do."""


class NotStuck(SkipRefused):
    """The next record of the partition can be read, or there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetRange:
    """OffsetRange of one partition, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


@dataclass(slots=True, kw_only=True)
class StuckPartition:
    """One partition as its consumer group stands before it."""

    settings: KafkaSettings
    place: TopicPartition
    group: str
    _consumer: Any
    """An `AIOKafkaConsumer` with this partition alone, whose methods are untyped."""

    async def batches(self, last: int | None = None) -> list[UnreadableBatch]:
        """What cannot be read from the next offset of the group on, up to `last` where it is given.

        Raises `NotStuck` if the next record can be read, and `KafkaUnavailable`.
        """
        try:
            return await self._batches(last)
        except (KafkaError, OSError, TimeoutError) as error:
            raise unavailable(error) from error

    async def skip(self, skipped: OffsetRange) -> int:
        """Writes a dead letter for each of these offsets and commits the next one; returns their number.

        Raises `SkipRefused` if anything in the range can be read or if the range ends amid a batch, and `GroupInUse`
        while the group has members.
        """
        batches = await self.batches(skipped.last)
        _check(skipped, batches)
        await refuse_members(self.settings, self.group)
        count = await self._publish(skipped, batches)
        try:
            async with asyncio.timeout(self.settings.timeout):
                await self._consumer.commit({self.place: skipped.last + 1})
        except IN_USE as error:
            raise GroupInUse(self.group) from error
        except (KafkaError, OSError, TimeoutError) as error:
            raise unavailable(error) from error
        return count

    async def _batches(self, last: int | None) -> list[UnreadableBatch]:
        offset, end = await self._bounds()
        found: list[UnreadableBatch] = []
        most = end - 1 if last is None else min(last, end - 1)
        while offset <= most and len(found) < MOST_OFFSETS:
            batch = await self._look(offset)
            if batch is None:
                break
            found.append(batch)
            offset = last_offset(batch) + 1
        if not found:
            raise NotStuck(
                f"partition {self.place.partition} of {self.place.topic} is not stuck: group {self.group} reads on at"
                f" offset {offset} of {end}"
            )
        return found

    async def _bounds(self) -> tuple[int, int]:
        """The next offset of the group, and the end; raises `TimeoutError`, as a broker that is away never answers."""
        async with asyncio.timeout(self.settings.timeout):
            end = (await self._consumer.end_offsets([self.place]))[self.place]
            offset = await self._consumer.committed(self.place)
            if offset is None:
                offset = (await self._consumer.beginning_offsets([self.place]))[self.place]
        return offset, end

    async def _look(self, offset: int) -> UnreadableBatch | None:
        """What keeps the record at this offset from being read; `None` where nothing does."""
        self._consumer.seek(self.place, offset)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.settings.timeout):
                while await self._consumer.position(self.place) == offset:
                    records = await self._consumer.getmany(self.place, timeout_ms=200, max_records=1)
                    for record in records.get(self.place, ()):
                        return record if isinstance(record, UnreadableBatch) else None
                return None
        waited = TimeoutError(f"the broker returned nothing within {self.settings.timeout:g} s")
        return unreadable(self.place, offset, waited)

    async def _publish(self, skipped: OffsetRange, batches: list[UnreadableBatch]) -> int:
        drafts = [
            UnpublishedDeadLetter(
                PlainRecord(
                    topic=self.place.topic, partition=self.place.partition, offset=offset, key=None, value=None
                ),
                self.settings.topic_dead,
                InvalidReason.UNREADABLE_BATCH,
                batch.detail,
            )
            for batch in batches
            for offset in range(batch.offset, last_offset(batch) + 1)
            if offset <= skipped.last
        ]
        async with open_publisher(self.settings) as publisher:
            for start in range(0, len(drafts), _AT_ONCE):
                if await publish_cut(publisher.publish, drafts[start : start + _AT_ONCE]):
                    raise KafkaUnavailable(f"the broker refuses every record on {self.settings.topic_dead}")
        return len(drafts)


@asynccontextmanager
async def stuck_partition(settings: KafkaSettings, topic: str, partition: int) -> AsyncGenerator[StuckPartition]:
    """Opens a partition without joining its group; raises `SkipRefused` for one that is missing, `KafkaUnavailable`."""
    group = settings.groups.get(topic)
    if group is None:
        raise SkipRefused(f"workers do not read a topic {topic}: name one of {', '.join(settings.groups)}")
    adapt_library()
    consumer: Any = AIOKafkaConsumer(
        group_id=group,
        enable_auto_commit=False,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
        **connection_of(settings),
    )
    place = TopicPartition(topic, partition)
    try:
        await consumer.start()
        known = (await topics(settings)).get(topic, [])
        if partition not in known:
            raise SkipRefused(f"topic {topic} has no partition {partition}: it has {sorted(known) or 'none'}")
        consumer.assign([place])
        yield StuckPartition(settings=settings, place=place, group=group, _consumer=consumer)
    except (KafkaError, OSError) as error:
        raise unavailable(error) from error
    finally:
        with suppress(KafkaError, OSError, TimeoutError):
            async with asyncio.timeout(settings.timeout):
                await consumer.stop()


def last_offset(batch: UnreadableBatch) -> int:
    """The last offset that this batch is known to have."""
    return batch.offset if batch.last is None else batch.last


def _check(skipped: OffsetRange, batches: list[UnreadableBatch]) -> None:
    """Raises `SkipRefused` unless the range begins where the partition is stuck and ends with one of these batches."""
    first, ends = batches[0].offset, [last_offset(batch) for batch in batches]
    if skipped.first != first:
        raise SkipRefused(f"the partition is stuck at offset {first}, not at {skipped.first}: begin the range there")
    if skipped.last not in ends:
        raise SkipRefused(
            f"offsets {first}-{ends[-1]} cannot be read, which is not {skipped}: end the range with {ends[-1]}"
        )
