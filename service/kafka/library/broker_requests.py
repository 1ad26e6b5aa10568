"""Asks brokers about topics and consumer groups in Kafka's own requests, without a consumer and without a group."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aiokafka.client import AIOKafkaClient
from aiokafka.errors import (
    BrokerNotAvailableError,
    IncompatibleBrokerVersion,
    KafkaError,
    NoError,
    UnknownTopicOrPartitionError,
    for_code,
)
from aiokafka.protocol.commit import OffsetFetchRequest
from aiokafka.protocol.coordination import FindCoordinatorRequest
from aiokafka.protocol.metadata import MetadataRequest
from aiokafka.protocol.offset import OffsetRequest

from consumers.stream.ports import Partition
from service.kafka.library.topic_rights import WRITE, RightsRequest, allowed
from service.kafka.login import login
from service.settings.stream_settings import KafkaSettings

LATEST, EARLIEST = -1, -2
"""What a request for offsets asks for in place of a time."""
_DESCRIBED = frozenset({NoError, UnknownTopicOrPartitionError})
"""What brokers say of a topic that is there, or is not; others, such as a missing permission, say neither."""


class PartitionSight(NamedTuple):
    """A partition as the brokers describe it."""

    leader: int
    """The broker that leads it; below 0 for none."""
    replicas: int
    in_sync: int
    """Replicas that hold all records."""


@dataclass(slots=True, kw_only=True, eq=False)
class BrokerRequests:
    """Requests to the configured brokers, over connections that are kept. Each raises `KafkaError` or `OSError`."""

    settings: KafkaSettings
    _client: Any = field(init=False, default=None)
    """An `AIOKafkaClient`, whose methods are untyped."""

    async def partitions(self, topics: Collection[str]) -> dict[str, dict[int, PartitionSight]]:
        """For each topic its partitions by number; a topic that does not exist has none.

        Topics that may not be described are left out. It creates no topic.
        """
        client = await self._connected()
        request = MetadataRequest(sorted(topics), allow_auto_topic_creation=False)
        metadata = await self._ask_any(request)
        described = {topic: parts for code, topic, _, parts in metadata.topics if for_code(code) in _DESCRIBED}
        # the client needs the brokers only, and would log an error for each missing topic
        metadata.topics = []
        client.cluster.update_metadata(metadata)
        return {
            topic: {
                number: PartitionSight(leader, len(replicas), len(in_sync))
                for _, number, leader, replicas, in_sync, *_ in parts
            }
            for topic, parts in described.items()
        }

    async def writable(self, topics: Collection[str]) -> dict[str, bool]:
        """Whether this login may write each topic; brokers that do not say what it may do name none."""
        await self._connected()
        try:
            return allowed(await self._ask_any(RightsRequest(topics)), WRITE)
        except (NotImplementedError, IncompatibleBrokerVersion):
            return {}

    async def offsets(self, leader: int, topics: Mapping[str, Iterable[int]], when: int) -> dict[Partition, int]:
        """The first or next offset of partitions that this broker leads, as `when` is `EARLIEST` or `LATEST`."""
        wanted = [(topic, [(number, when) for number in numbers]) for topic, numbers in topics.items()]
        reply = await self._client.send(leader, OffsetRequest(-1, 0, wanted))
        return {Partition(topic, part[0]): part[3] for topic, parts in reply.topics for part in parts if part[1] == 0}

    async def committed(self, group: str, topic: str, numbers: Collection[int]) -> dict[Partition, int]:
        """The offset that a group committed for each of these partitions of a topic, below 0 for none."""
        coordinator = await self._ask_any(FindCoordinatorRequest(group, 0))
        if coordinator.error_code:
            raise for_code(coordinator.error_code)(group)
        request = OffsetFetchRequest(group, [(topic, list(numbers))])
        reply = await self._client.send(coordinator.coordinator_id, request)
        return {
            Partition(name, number): offset
            for name, parts in reply.topics
            for number, offset, _, code, *_ in parts
            if code == 0
        }

    async def close(self) -> None:
        """Closes the connections. The next request opens others, to the addresses that the names have by then."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                await client.close()

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
