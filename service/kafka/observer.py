"""Looks at topics and consumer groups from outside: what exists, how far it is written, how far it is read.

A worker knows the lag of its own partitions only, and nobody does while it is gone. Any process may look, and joins no
group.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiokafka.client import AIOKafkaClient
from aiokafka.errors import BrokerNotAvailableError, KafkaError, NoError, UnknownTopicOrPartitionError, for_code
from aiokafka.protocol.commit import OffsetFetchRequest
from aiokafka.protocol.coordination import FindCoordinatorRequest
from aiokafka.protocol.metadata import MetadataRequest
from aiokafka.protocol.offset import OffsetRequest

from consumers.stream.ports import Partition
from service.kafka.client import unreachable
from service.kafka.login import login
from service.settings.stream_settings import KafkaSettings

_DESCRIBED = frozenset({NoError, UnknownTopicOrPartitionError})
"""What brokers say of a topic that is there, or is not; others, such as a missing permission, say neither."""
_LATEST, _EARLIEST = -1, -2
"""What an offset request asks for in place of a time."""


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
    _client: Any = field(init=False, default=None)
    """An `AIOKafkaClient`, whose methods are untyped."""

    async def look(self, topics: Collection[str], seconds: float) -> KafkaSight:
        """Describes these topics within `seconds`; raises `KafkaUnavailable` if no broker describes them.

        Offsets that cannot be read, as without permission for the group, are left out.
        """
        try:
            async with asyncio.timeout(seconds):
                described = await self._describe(topics)
        except (KafkaError, OSError) as error:
            await self.close()
            raise unreachable(error, self.settings.bootstrap_servers) from error
        ends = await _or_nothing(self._offsets(_by_leader(described), _LATEST), seconds)
        committed = await _or_nothing(self._committed(described), seconds)
        seen = {topic: _topic_sight(parts) for topic, parts in described.items()}
        return KafkaSight(topics=seen, ends=ends, committed=committed)

    async def close(self) -> None:
        """Closes the connections. The next look opens others, to the addresses that the names have by then."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                await client.close()

    async def _describe(self, topics: Collection[str]) -> dict[str, list[Any]]:
        client = await self._connected()
        request = MetadataRequest(sorted(topics), allow_auto_topic_creation=False)
        metadata = await self._ask_any(request)
        described = {topic: list(parts) for code, topic, _, parts in metadata.topics if for_code(code) in _DESCRIBED}
        # the client needs the brokers only, and would log an error for each missing topic
        metadata.topics = []
        client.cluster.update_metadata(metadata)
        return described

    async def _connected(self) -> Any:
        if self._client is None:
            client: Any = AIOKafkaClient(
                bootstrap_servers=self.settings.bootstrap_servers or "",
                client_id="sqlassay-observer",
                request_timeout_ms=int(self.settings.timeout * 1000),
                **login(self.settings),
            )
            # kept first: a bootstrap that is cancelled must be closed too
            self._client = client
            await client.bootstrap()
        return self._client

    async def _ask_any(self, request: Any) -> Any:
        """The reply of the first broker that gives one, in random order: some of a cluster may be down."""
        nodes = [each.nodeId for each in self._client.cluster.brokers()]
        last: BaseException | None = None
        for node in random.sample(nodes, len(nodes)):
            try:
                return await self._client.send(node, request)
            except (KafkaError, OSError) as error:
                last = error
        # a broker that starts again knows of none for a moment
        raise last or BrokerNotAvailableError("no broker is registered")

    async def _offsets(self, leaders: Mapping[int, Mapping[str, Iterable[int]]], when: int) -> dict[Partition, int]:
        found: dict[Partition, int] = {}
        for leader, topics in leaders.items():
            wanted = [(topic, [(number, when) for number in numbers]) for topic, numbers in topics.items()]
            reply = await self._client.send(leader, OffsetRequest(-1, 0, wanted))
            for topic, parts in reply.topics:
                found |= {Partition(topic, part[0]): part[3] for part in parts if part[1] == 0}
        return found

    async def _committed(self, described: Mapping[str, list[Any]]) -> dict[Partition, int]:
        committed: dict[Partition, int] = {}
        for topic in described.keys() & self.groups.keys():
            numbers = [part[1] for part in described[topic]]
            if numbers:
                committed |= await self._committed_by(self.groups[topic], topic, numbers)
        fresh = {each for each, offset in committed.items() if offset < 0}
        if fresh:
            leaders = _by_leader(described, only=fresh)
            committed |= await self._offsets(leaders, _EARLIEST)
        return {each: offset for each, offset in committed.items() if offset >= 0}

    async def _committed_by(self, group: str, topic: str, numbers: list[int]) -> dict[Partition, int]:
        coordinator = await self._ask_any(FindCoordinatorRequest(group, 0))
        if coordinator.error_code:
            raise for_code(coordinator.error_code)(group)
        reply = await self._client.send(coordinator.coordinator_id, OffsetFetchRequest(group, [(topic, numbers)]))
        return {
            Partition(name, number): offset
            for name, parts in reply.topics
            for number, offset, _, code, *_ in parts
            if code == 0
        }


async def _or_nothing(offsets: Awaitable[dict[Partition, int]], seconds: float) -> dict[Partition, int]:
    """The offsets, or none of them if they cannot be read within `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await offsets
    except (KafkaError, OSError):
        return {}


def _topic_sight(parts: list[Any]) -> TopicSight:
    # a part: error code, number, leader, replicas, replicas in sync, …
    led = [(len(part[3]), len(part[4])) for part in parts if part[2] >= 0]
    return TopicSight(
        partitions=len(parts),
        leaderless=len(parts) - len(led),
        behind=sum(in_sync < replicas for replicas, in_sync in led),
        least_in_sync=min((in_sync for _, in_sync in led), default=0),
    )


def _by_leader(
    described: Mapping[str, list[Any]], only: Collection[Partition] | None = None
) -> dict[int, dict[str, list[int]]]:
    """Numbers of the partitions that have a leader, by leader and topic."""
    leaders: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for topic, parts in described.items():
        for _, number, leader, *_ in parts:
            if leader >= 0 and (only is None or Partition(topic, number) in only):
                leaders[leader][topic].append(number)
    return leaders
