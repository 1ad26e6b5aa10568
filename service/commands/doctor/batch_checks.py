"""Examines whether the next record of each partition of events can be read."""

from __future__ import annotations

import asyncio

from consumers.errors import Unavailable
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.kafka.observer import TopicSight
from service.kafka.skipping import NotStuck, SkipRefused, StuckPartition, last_offset, stuck_partition
from service.settings.stream_settings import KafkaSettings

_AT_ONCE = 8


async def examine_batches(settings: KafkaSettings, topic: str, sight: TopicSight) -> list[CheckResult]:
    """What cannot be read where the consumer group stands. Joins no group and commits nothing."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def examined(partition: int) -> CheckResult | None:
        async with slots:
            return await _examined(settings, topic, partition, sight.replicas)

    stuck = [each for each in await asyncio.gather(*map(examined, range(sight.partitions))) if each is not None]
    return stuck or [ok(f"kafka.batches {topic}", "the next record of each partition can be read")]


async def _examined(settings: KafkaSettings, topic: str, partition: int, replicas: int) -> CheckResult | None:
    try:
        async with stuck_partition(settings, topic, partition) as stuck:
            return await _named(stuck, replicas)
    except (NotStuck, SkipRefused):
        return None
    except Unavailable as failure:
        said = f"the next record could not be looked at: {failure}"
        return warning(f"kafka.batches {topic}-{partition}", said, "start the brokers that the other checks name")


async def _named(stuck: StuckPartition, replicas: int) -> CheckResult:
    batches = await stuck.batches()
    topic, partition, first = stuck.place.topic, stuck.place.partition, batches[0]
    said = f"the batch at offset {first.offset} cannot be read, so the partition stands still: {first.detail}"
    others = (
        "let a replica with a good copy lead the partition; without one"
        if replicas > 1
        else "no other replica has a copy:"
    )
    fix = (
        f"{others} save what can be saved (docs/runbooks/SQLAssayBatchUnreadable.md), stop the workers and give the"
        f" batch up with sqlassay skip --topic {topic} --partition {partition}"
        f" --offsets {first.offset}-{last_offset(batches[-1])} --yes"
    )
    return error(f"kafka.batches {topic}-{partition}", said, fix)
