"""The audit: what the topics hold against what the tables hold, read from outside and without the product's code."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import asyncpg
import orjson
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    NotCoordinatorForGroupError,
)
from aiokafka.structs import ConsumerRecord

from tests.delivery.invented_numbers import is_invented
from tests.delivery.traffic import TENANTS, Key
from tests.servers.fixtures import Kafka

Place = tuple[int, int]
"""Partition and offset of a record in the topic of events."""
NOT_YET = (GroupCoordinatorNotAvailableError, GroupLoadInProgressError, NotCoordinatorForGroupError)
"""A broker that has just come up does not keep groups yet."""
_ROWS = """
SELECT tenant, source, event_id, id::text, current, question, sql, score, verdict, confidence, tier, judge,
    fallback, unscored, evaluator_version,
    coalesce((to_jsonb(evaluations) ->> 'p_alone')::double precision, p_correct) AS p_correct
FROM evaluations
"""
"""Rows of tables before memory have no column `p_alone`."""
_KEYS = "SELECT tenant, source, event_id FROM event_keys"
_WAITING = "SELECT count(*) FROM deferred_events"


class Result(NamedTuple):
    """A published result."""

    key: Key
    row: str
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the store holds."""

    current: Counter[Key]
    ids: Mapping[Key, str]
    """The current row of each event."""
    keys: Counter[Key]
    waiting: int
    """Deferred events."""
    scores: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])
    """The score of each current row, by its id."""
    invented: Sequence[Key] = ()
    """Events with a row that says a number which their text does not give."""


async def held(database: asyncpg.Connection) -> Held:
    """What the tables say now."""
    async with database.transaction(isolation="repeatable_read", readonly=True):
        rows = await database.fetch(_ROWS)
        keys = await database.fetch(_KEYS)
        waiting = await database.fetchval(_WAITING)
    current = [row for row in rows if row["current"]]
    return Held(
        current=Counter(Key(*row[:3]) for row in current),
        ids={Key(*row[:3]): row["id"] for row in current},
        keys=Counter(Key(*row[:3]) for row in keys),
        waiting=int(waiting or 0),
        scores={row["id"]: row["score"] for row in current},
        invented=[Key(*row[:3]) for row in rows if row["tenant"] in TENANTS and is_invented(row)],
    )


@dataclass(slots=True, kw_only=True)
class Findings:
    """What an audit found wrong; empty is what every suite wants."""

    missing: list[Key] = field(default_factory=list)
    """Published, and no current row."""
    doubled: list[Key] = field(default_factory=list)
    """More than one current row, or claimed twice."""
    unknown: list[Key] = field(default_factory=list)
    """A row of an event that nobody published."""
    untold: list[Key] = field(default_factory=list)
    """No result names the current row."""
    torn: list[Key] = field(default_factory=list)
    """Results that name different rows for one event."""
    invented: list[Key] = field(default_factory=list)
    """A row says a number that the event's text does not give."""
    differing: list[str] = field(default_factory=list)
    """Rows about which a result says another number."""
    remembered: list[str] = field(default_factory=list)
    """What the tenants' memory holds that rows do not say, or lacks."""
    summed: list[str] = field(default_factory=list)
    """Sums of reports that rows do not say, or lack."""
    waiting: int = 0
    """Deferred events that were not taken up."""

    @property
    def lost(self) -> int:
        """Events without a row, without a result that names it, or never taken up again."""
        return len(self.missing) + len(self.untold) + self.waiting

    @property
    def twice(self) -> int:
        """Events with two rows, two claims, or results of different rows; and rows of no event."""
        return len(self.doubled) + len(self.torn) + len(self.unknown)

    @property
    def numbers(self) -> int:
        """Numbers that nothing stands for."""
        return len(self.invented) + len(self.differing) + len(self.remembered) + len(self.summed)

    @property
    def clean(self) -> bool:
        """Nothing was found."""
        return not self.lost + self.twice + self.numbers

    def __str__(self) -> str:
        lists = ("missing", "doubled", "unknown", "untold", "torn", "invented", "differing", "remembered", "summed")
        told = [f"{name} {len(getattr(self, name))} {getattr(self, name)[:3]}" for name in lists if getattr(self, name)]
        return "; ".join([*told, *([f"waiting {self.waiting}"] if self.waiting else [])]) or "clean"


def compare(
    published: Sequence[Key], store: Held, results: Sequence[Result], may_be_gone: Collection[Key] = ()
) -> Findings:
    """Every event has exactly one current row of its own numbers, and at least one result that names it."""
    wanted, kept = set(published), set(published).difference(may_be_gone)
    told: dict[Key, set[str]] = {}
    for key, row, _ in results:
        told.setdefault(key, set()).add(row)
    return Findings(
        missing=[key for key in kept if store.current[key] == 0 or store.keys[key] == 0],
        doubled=[key for key in wanted if store.current[key] > 1 or store.keys[key] > 1],
        unknown=[key for key in store.keys | store.current if key not in wanted],
        untold=[key for key in kept if key in store.ids and store.ids[key] not in told.get(key, set())],
        torn=[key for key, rows in told.items() if len(rows) > 1],
        invented=list(store.invented),
        # an event that was stored without a score may get one, and then has a result of each
        differing=sorted({row for _, row, score in results if score not in (None, store.scores.get(row, score))}),
        waiting=store.waiting,
    )


async def results(kafka: Kafka) -> list[Result]:
    """What each published result names and says."""
    told = [orjson.loads(record.value or b"") for record in await records(kafka, kafka.scores)]
    return [
        Result(Key(each["tenant"], each["source"], each["event_id"]), each["evaluation_id"], each["score"])
        for each in told
    ]


async def records(kafka: Kafka, topic: str) -> list[ConsumerRecord]:
    """Everything a topic holds now."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest", max_partition_fetch_bytes=32 * 1024 * 1024
    )
    async with consumer:
        places = await partitions(consumer, topic)
        consumer.assign(places)
        ends = await consumer.end_offsets(places)
        found: list[ConsumerRecord] = []
        while any([await consumer.position(each) < end for each, end in ends.items()]):
            for batch in (await consumer.getmany(timeout_ms=500)).values():
                found.extend(batch)
    return found


async def committed(kafka: Kafka) -> dict[int, int]:
    """The group's next offset in each partition of the topic of events; 0 where it has committed none."""
    async with administrator(kafka) as admin:
        return await offsets(kafka, admin)


async def offsets(kafka: Kafka, admin: AIOKafkaAdminClient) -> dict[int, int]:
    """The same by a client that is open already."""
    try:
        found = await admin.list_consumer_group_offsets(kafka.group)
    except NOT_YET:
        return {}
    return {place.partition: max(each.offset, 0) for place, each in found.items() if place.topic == kafka.events}


@asynccontextmanager
async def administrator(kafka: Kafka) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        yield admin
    finally:
        await admin.close()


async def lag(kafka: Kafka) -> int:
    """Records of the topic of events that the group has not committed."""
    async with AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap) as consumer:
        ends = await consumer.end_offsets(await partitions(consumer, kafka.events))
    done = await committed(kafka)
    return sum(end - done.get(place.partition, 0) for place, end in ends.items())


async def partitions(consumer: AIOKafkaConsumer, topic: str) -> list[TopicPartition]:
    """Those that the topic has now."""
    # a consumer without a subscription learns of a topic only when it is asked for it
    await consumer._client.force_metadata_update()
    found = consumer.partitions_for_topic(topic) or set()
    return [TopicPartition(topic, each) for each in sorted(found)]
