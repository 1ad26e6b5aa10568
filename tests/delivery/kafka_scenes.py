"""Faults of Kafka alone: records deleted before they are read, a topic made anew, partitions added."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, RecordsToDelete
from aiokafka.errors import TopicAlreadyExistsError

from tests.delivery import auditing, traffic
from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.delivery.stage import until
from tests.servers.fixtures import make_topics

MORE = 400
"""Events of a scene's own."""
PARTITIONS = 4
"""Of the topic of events."""
KEYS = 10
"""Keys of records, of 20 events each before partitions are added and after."""


@dataclass(slots=True, eq=False)
class RecordsDeleted(Scene):
    """Kafka's retention deletes records that no worker has read: the other records are scored, and the workers go on.

    The backlog is made while no worker runs, as over a long outage.
    """

    _gone: int = 0

    async def happen(self, site: Site) -> str:
        stage = site.stage

        async def begun() -> bool:
            await asyncio.sleep(0.2)
            return len([each for each in (await auditing.committed(stage.kafka)).values() if each]) == 4

        # a group without an offset begins at the first record that is left, and cannot know of those before it
        await until(begun, "a committed offset in every partition")
        for each in site.members:
            assert await asyncio.to_thread(each.leave) == 0
        await stage.publish(traffic.events(7, MORE))
        ends = await _ends(site)
        done = await auditing.committed(stage.kafka)
        stage.may_be_gone |= {
            key
            for key, (partition, offset) in stage.published.items()
            if done.get(partition, 0) <= offset < ends[partition]
        }
        self._gone = len(stage.may_be_gone)
        async with auditing.administrator(stage.kafka) as admin:
            await admin.delete_records(
                {TopicPartition(stage.kafka.events, each): RecordsToDelete(end) for each, end in ends.items()}
            )
        await stage.publish(traffic.events(8, MORE))
        await site.worker()
        return f"{self._gone} records deleted before a worker read them, {MORE} published after them"

    async def wrong(self, site: Site) -> list[str]:
        """Somebody must be told that records were never read."""
        said = "\n".join(each.said for each in site.stage.workers)
        return [] if "records_never_read" in said else ["no log line says that records were deleted unread"]


@dataclass(slots=True, eq=False)
class TopicMadeAnew(Scene):
    """The topic is deleted and made again, under workers that have read all of it: offsets begin at 0 again."""

    async def happen(self, site: Site) -> str:
        stage = site.stage
        async with stage.publishing, auditing.administrator(stage.kafka) as admin:
            await stage.drained()
            await admin.delete_topics([stage.kafka.events])
            stage.may_be_gone |= stage.published.keys()

            async def whole() -> bool:
                await asyncio.sleep(0.2)
                return await _made(site, admin)

            await until(whole, "a new topic of four partitions")
        await stage.publish(traffic.events(10, MORE))
        return "deleted and made anew after all was read"


async def _made(site: Site, admin: AIOKafkaAdminClient) -> bool:
    """Makes the topic, or takes a step there; whether it has all its partitions.

    The broker deletes later than it says, and then makes the topic with one partition if a client asks for it first.
    """
    name = site.stage.kafka.events
    (found,) = await admin.describe_topics([name])
    partitions = found["partitions"] if found["error_code"] == 0 else []
    if 0 < len(partitions) < PARTITIONS:
        await admin.create_partitions({name: NewPartitions(total_count=PARTITIONS)})
    elif not partitions:
        with suppress(TopicAlreadyExistsError):
            await make_topics(site.stage.kafka, only=[name])
    if len(partitions) != PARTITIONS or any(each["leader"] < 0 for each in partitions):
        return False
    # partitions with records are still those of the topic that is being deleted
    return not any((await _ends(site)).values())


async def add_partitions(site: Site) -> str:
    """The topic of events gets twice the partitions, and producers write to them before workers know.

    Half of the keys go to another partition from then on, while events of theirs may still wait in the former one.
    """
    stage = site.stage
    before = await _publish_keys(site, 12)
    async with auditing.administrator(stage.kafka) as admin:
        await admin.create_partitions({stage.kafka.events: NewPartitions(total_count=8)})

    async def known() -> bool:
        await asyncio.sleep(0.2)
        return len(await _ends(site)) == 8

    await until(known, "eight partitions")
    places = await stage.publish(traffic.events(9, MORE))
    new = sum(partition >= 4 for partition, _ in places)
    assert new, "no event went to a new partition"
    after = await _publish_keys(site, 13)
    moved = sum(before[key] != after[key] for key in before)
    assert moved, "no key went to another partition"
    return f"4 partitions became 8, {new} events in new ones before a worker knew of them, {moved} of {KEYS} keys moved"


async def _publish_keys(site: Site, seed: int) -> dict[bytes, int]:
    """Publishes some events of each key; returns the key's partition."""
    keys = [f"route-{number}".encode() for number in range(KEYS)]
    made = traffic.events(seed, 20 * KEYS)
    keyed = [replace(each, record_key=keys[place % KEYS]) for place, each in enumerate(made)]
    places = await site.stage.publish(keyed)
    found = [{partition for partition, _ in places[number::KEYS]} for number in range(KEYS)]
    assert all(len(each) == 1 for each in found), "a key is in two partitions"
    return {key: each.pop() for key, each in zip(keys, found, strict=True)}


async def _ends(site: Site) -> dict[int, int]:
    async with AIOKafkaConsumer(bootstrap_servers=site.stage.kafka.bootstrap) as consumer:
        ends = await consumer.end_offsets(await auditing.partitions(consumer, site.stage.kafka.events))
    return {place.partition: end for place, end in ends.items()}
