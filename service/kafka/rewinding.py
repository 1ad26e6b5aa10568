"""Sets a consumer group back in time, so that its members read records again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from service.kafka.client import topics, unavailable
from service.kafka.group_members import IN_USE, GroupInUse, connection_of, refuse_members
from service.settings.stream_settings import KafkaSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RewoundPartition:
    """Where a group stands in a partition, and where it would begin to read again."""

    topic: str
    partition: int
    group: str
    committed: int
    """The next offset that the group reads."""
    offset: int
    """The first record at or after the time, and never after `committed`."""
    oldest: bool
    """Whether Kafka has deleted all before it: what was deleted may have been published since the time, too."""

    @property
    def again(self) -> int:
        """Offsets that are read again."""
        return self.committed - self.offset


async def plan_rewind(settings: KafkaSettings, topic: str, moment: datetime) -> list[RewoundPartition] | None:
    """Each partition of which the group has read something; `None` for a missing topic. Raises `KafkaUnavailable`."""
    group = settings.groups[topic]
    places = [TopicPartition(topic, number) for number in sorted((await topics(settings)).get(topic, []))]
    if not places:
        return None
    async with _consumer(settings, group, places) as consumer:
        found = await consumer.offsets_for_times(dict.fromkeys(places, int(moment.timestamp() * 1000)))
        begins = await consumer.beginning_offsets(places)
        committed = {each: await consumer.committed(each) for each in places}
    planned: list[RewoundPartition] = []
    for place, next_offset in committed.items():
        # without a committed offset the group reads all anyway
        if next_offset is None:
            continue
        offset = min(next_offset, found[place].offset) if found[place] is not None else next_offset
        planned.append(
            RewoundPartition(
                topic=topic,
                partition=place.partition,
                group=group,
                committed=next_offset,
                offset=offset,
                oldest=0 < begins[place] == offset,
            )
        )
    return planned


async def rewind_group(settings: KafkaSettings, group: str, planned: Sequence[RewoundPartition]) -> None:
    """Commits the planned offsets. Raises `GroupInUse` while the group has members, and `KafkaUnavailable`."""
    await refuse_members(settings, group)
    offsets = {TopicPartition(each.topic, each.partition): each.offset for each in planned if each.again}
    if not offsets:
        return
    async with _consumer(settings, group, list(offsets)) as consumer:
        try:
            await consumer.commit(offsets)
        except IN_USE as error:
            raise GroupInUse(group) from error


@asynccontextmanager
async def _consumer(settings: KafkaSettings, group: str, places: list[TopicPartition]) -> AsyncGenerator[Any]:
    """Reads and writes the group's offsets without joining it."""
    consumer: Any = AIOKafkaConsumer(group_id=group, enable_auto_commit=False, **connection_of(settings))
    try:
        await consumer.start()
        consumer.assign(places)
        yield consumer
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        await consumer.stop()
