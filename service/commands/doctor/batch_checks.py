"""Examines whether the next record of each partition of events can be read."""

from __future__ import annotations

import asyncio

from consumers.errors import Unavailable
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.kafka.skipping import NotStuck, SkipRefused, StuckPartition, stuck_partition
from service.settings.stream_settings import KafkaSettings

_AT_ONCE = 8


async def examine_batches(settings: KafkaSettings, topic: str, partitions: int) -> list[CheckResult]:
    """What cannot be read where the consumer group stands. Joins no group and commits nothing."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def examined(partition: int) -> CheckResult | None:
        async with slots:
            return await _examined(settings, topic, partition)

    stuck = [each for each in await asyncio.gather(*map(examined, range(partitions))) if each is not None]
    return stuck or [ok(f"kafka.batches {topic}", "the next record of each partition can be read")]


async def _examined(settings: KafkaSettings, topic: str, partition: int) -> CheckResult | None:
    try:
        async with stuck_partition(settings, topic, partition) as stuck:
            return await _named(stuck)
    except (NotStuck, SkipRefused):
        return None
    except Unavailable as failure:
        said = f"the next record could not be looked at: {failure}"
        return warning(f"kafka.batches {topic}-{partition}", said, "start the brokers that the other checks name")


async def _named(stuck: StuckPartition) -> CheckResult:
    batches = await stuck.batches()
    topic, partition, first = stuck.place.topic, stuck.place.partition, batches[0]
    said = f"the batch at offset {first.offset} cannot be read, so the partition stands still: {first.detail}"
    fix = (
        "let a replica with a good copy lead the partition; without one, stop the workers and give the batch up with"
        f" sqlassay skip --topic {topic} --partition {partition} (steps: docs/runbooks/SQLAssayBatchUnreadable.md)"
    )
    return error(f"kafka.batches {topic}-{partition}", said, fix)
