"""Looks at topics and consumer groups from outside: what exists, how far it is written, how far it is read.

A worker knows the lag of its own partitions only, and nobody does while it is gone. Any process may look, and joins no
group.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from aiokafka.errors import KafkaError

from consumers.stream.ports import Partition
from service.kafka.client import unreachable
from service.kafka.library.broker_requests import EARLIEST, LATEST, BrokerRequests, PartitionSight
from service.settings.stream_settings import KafkaSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSight:
    """A topic as the brokers describe it."""

    partitions: int
    """0 where the topic does not exist."""
    leaderless: int
    """Partitions that nothing can be written to or read from."""
    behind: int = 0
    """Partitions with a leader, of which a replica lacks records."""
    least_in_sync: int = 0
    """Replicas in sync of the partition with a leader that has fewest; 0 without any."""
    replicas: int = 0
    """Those of the partition that has most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSight:
    """What one look found. What could not be found out is absent, never 0."""

    topics: Mapping[str, TopicSight]
    ends: Mapping[Partition, int] = field(default_factory=dict[Partition, int])
    """Offset of the next record of each partition that has a leader."""
    committed: Mapping[Partition, int] = field(default_factory=dict[Partition, int])
    """Offset of the next record that the topic's group reads; the partition's first one where it committed none."""

    @property
    def lag(self) -> Mapping[Partition, int]:
        """Records that the topic's group has not committed.

        >>> part = Partition("query-events", 0)
        >>> KafkaSight(topics={}, ends={part: 12}, committed={part: 5}).lag[part]
        7
        """
        return {each: max(0, end - self.committed[each]) for each, end in self.ends.items() if each in self.committed}


@dataclass(slots=True, kw_only=True, eq=False)
class KafkaObserver:
    """Looks when told to. It creates no topic and joins no group."""

    settings: KafkaSettings
    groups: Mapping[str, str]
    """The consumer group that reads a topic."""
    _brokers: BrokerRequests = field(init=False)

    def __post_init__(self) -> None:
        """Connects with the first look only."""
        self._brokers = BrokerRequests(settings=self.settings)

    async def look(self, topics: Collection[str], seconds: float) -> KafkaSight:
        """Describes these topics within `seconds`; raises `KafkaUnavailable` if no broker describes them.

        Offsets that cannot be read, as without permission for the group, are left out.
        """
        try:
            async with asyncio.timeout(seconds):
                described = await self._brokers.partitions(topics)
        except (KafkaError, OSError) as error:
            await self.close()
            raise unreachable(error, self.settings.bootstrap_servers) from error
        ends = await _or_nothing(self._offsets(_by_leader(described), LATEST), seconds)
        committed = await _or_nothing(self._committed(described), seconds)
        seen = {topic: _topic_sight(parts) for topic, parts in described.items()}
        return KafkaSight(topics=seen, ends=ends, committed=committed)

    async def writable(self, topics: Collection[str], seconds: float) -> Mapping[str, bool]:
        """Whether this login may write each of these topics; one of which that cannot be found out is left out."""
        try:
            async with asyncio.timeout(seconds):
                return await self._brokers.writable(topics)
        except (KafkaError, OSError):
            return {}

    async def close(self) -> None:
        """Closes the connections. The next look opens others, to the addresses that the names have by then."""
        await self._brokers.close()

    async def _offsets(self, leaders: Mapping[int, Mapping[str, Iterable[int]]], when: int) -> dict[Partition, int]:
        found: dict[Partition, int] = {}
        for leader, topics in leaders.items():
            found |= await self._brokers.offsets(leader, topics, when)
        return found

    async def _committed(self, described: Mapping[str, Mapping[int, PartitionSight]]) -> dict[Partition, int]:
        committed: dict[Partition, int] = {}
        for topic in described.keys() & self.groups.keys():
            if described[topic]:
                committed |= await self._brokers.committed(self.groups[topic], topic, described[topic])
        fresh = {each for each, offset in committed.items() if offset < 0}
        if fresh:
            leaders = _by_leader(described, only=fresh)
            committed |= await self._offsets(leaders, EARLIEST)
        return {each: offset for each, offset in committed.items() if offset >= 0}


async def _or_nothing(offsets: Awaitable[dict[Partition, int]], seconds: float) -> dict[Partition, int]:
    """The offsets, or none of them if they cannot be read within `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await offsets
    except (KafkaError, OSError):
        return {}


def _topic_sight(parts: Mapping[int, PartitionSight]) -> TopicSight:
    led = [each for each in parts.values() if each.leader >= 0]
    return TopicSight(
        partitions=len(parts),
        leaderless=len(parts) - len(led),
        behind=sum(each.in_sync < each.replicas for each in led),
        least_in_sync=min((each.in_sync for each in led), default=0),
        replicas=max((each.replicas for each in parts.values()), default=0),
    )


def _by_leader(
    described: Mapping[str, Mapping[int, PartitionSight]], only: Collection[Partition] | None = None
) -> dict[int, dict[str, list[int]]]:
    """Numbers of the partitions that have a leader, by leader and topic."""
    led: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for topic, parts in described.items():
        for number, part in parts.items():
            if part.leader >= 0 and (only is None or Partition(topic, number) in only):
                led[part.leader][topic].append(number)
    return led
