"""Consumes topics with FastStream: commits for the drivers and tells them of rebalances."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiokafka import TopicPartition
from aiokafka.abc import ConsumerRebalanceListener
from aiokafka.errors import (
    CommitFailedError,
    IllegalGenerationError,
    IllegalStateError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from faststream.kafka import KafkaBroker

from consumers.stream.driver import Driver
from consumers.stream.ports import NotAssigned, Partition, UnreadableBatch
from consumers.stream.routers import Subscriber, Subscription, query_router
from consumers.wire.texts import shorten
from service.kafka.client import CLIENT_ID, KafkaUnavailable, topics, unavailable
from service.kafka.library.adapter import adapt_library
from service.kafka.login import security, token_provider
from service.logs import log
from service.settings.stream_settings import KafkaSettings

_NO_LONGER_ASSIGNED = (
    CommitFailedError,
    IllegalGenerationError,
    IllegalStateError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
"""Errors of a commit after the partitions moved to another member of the group."""


@dataclass(slots=True, eq=False)
class KafkaTopicConsumer(ConsumerRebalanceListener):
    """A `TopicConsumer` over a FastStream subscriber, which also tells its driver of rebalances."""

    driver: Driver
    timeout: float
    subscriber: Subscriber | None = None
    _is_paused: bool = False
    _held: set[TopicPartition] = field(default_factory=set[TopicPartition])
    """Assigned partitions that are paused whatever the others are."""
    _logged: set[tuple[TopicPartition, int]] = field(default_factory=set[tuple[TopicPartition, int]])
    """Where batches that cannot be read have been logged."""

    @property
    def _consumer(self) -> Any:
        """The subscriber's `AIOKafkaConsumer`, whose methods are untyped; `None` until the broker runs."""
        return self.subscriber.consumer if self.subscriber is not None else None

    def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Starts each partition afresh. It must not await, because records may be fetched meanwhile."""
        # a consumer fetches from all that is newly assigned, whatever was paused before
        self._is_paused = False
        self._held.clear()
        self.driver.assigned([Partition(each.topic, each.partition) for each in assigned])

    async def on_partitions_revoked(  # pyright: ignore[reportIncompatibleMethodOverride] its documentation allows a coroutine
        self, revoked: Collection[TopicPartition]
    ) -> None:
        """Lets records in flight end for a bounded time, then commits them."""
        await self.driver.revoked([Partition(each.topic, each.partition) for each in revoked])

    def pause(self) -> None:
        """Pauses all assigned partitions."""
        self._is_paused = True
        if self._consumer is not None:
            self._consumer.pause(*self._consumer.assignment())

    def resume(self) -> None:
        """Resumes all assigned partitions but those that are held."""
        self._is_paused = False
        if self._consumer is not None:
            self._consumer.resume(*(self._consumer.assignment() - self._held))

    def hold(self, batch: UnreadableBatch) -> None:
        """Pauses the partition of this batch, and logs the batch where it has not been logged."""
        place = TopicPartition(batch.topic, batch.partition)
        if self._is_assigned(place):
            self._held.add(place)
            self._consumer.pause(place)
        if (place, batch.offset) not in self._logged:
            self._logged.add((place, batch.offset))
            log_stuck(batch)

    def release(self, partition: Partition) -> None:
        """Resumes a partition that was held, unless all are paused."""
        place = TopicPartition(*partition)
        self._held.discard(place)
        if not self._is_paused and self._is_assigned(place):
            self._consumer.resume(place)

    def _is_assigned(self, place: TopicPartition) -> bool:
        return self._consumer is not None and place in self._consumer.assignment()

    async def commit(self, points: Mapping[Partition, int]) -> None:
        """Commits these offsets."""
        consumer = self._consumer
        if consumer is None:
            raise NotAssigned("the consumer is closed")
        try:
            # aiokafka looks for its coordinator without a limit, and a rebalance would wait for it
            async with asyncio.timeout(self.timeout):
                await consumer.commit({TopicPartition(*each): offset for each, offset in points.items()})
        except _NO_LONGER_ASSIGNED as error:
            raise NotAssigned(str(error)) from error
        except (KafkaError, TimeoutError, OSError) as error:
            raise unavailable(error) from error

    async def lag(self) -> Mapping[Partition, int]:
        """End − position of each partition. It asks the broker, because a paused consumer learns of no new end."""
        consumer = self._consumer
        if consumer is None or not consumer.assignment():
            return {}
        parts: frozenset[TopicPartition] = consumer.assignment()
        try:
            async with asyncio.timeout(self.timeout):
                ends = await consumer.end_offsets(parts)
                at = {each: await consumer.position(each) for each in parts}
        except (KafkaError, TimeoutError, OSError) as error:
            raise unavailable(error) from error
        return {Partition(each.topic, each.partition): max(0, ends[each] - at[each]) for each in parts}


def log_stuck(batch: UnreadableBatch) -> None:
    """Logs a batch that cannot be read, with the command that passes it."""
    place = f"--topic {batch.topic} --partition {batch.partition}"
    log.error(
        "partition_stuck",
        topic=batch.topic,
        partition=batch.partition,
        offset=batch.offset,
        last_offset=batch.last,
        error=batch.detail,
        effect="no later record of this partition is read; other partitions go on",
        fix="restore the partition from a replica, or give up the batch: stop the workers, then"
        f" sqlassay skip {place} --offsets {batch.offset}-{'LAST' if batch.last is None else batch.last} --yes",
    )


@asynccontextmanager
async def consuming(settings: KafkaSettings, drivers: Sequence[tuple[Driver, str]]) -> AsyncGenerator[None]:
    """Each driver reads its topic as a member of its consumer group. On leaving, each drains, commits and leaves it.

    Raises `KafkaUnavailable` if no broker answers.
    """
    adapt_library()
    broker = _broker(settings)
    for driver, group in drivers:
        _subscribe(broker, settings, driver, group)
    running = [asyncio.create_task(driver.run(), name=f"drive-{driver.topic}") for driver, _ in drivers]
    try:
        try:
            await broker.start()
        except (KafkaError, OSError) as error:
            raise unavailable(
                error, await _missing_topics(settings, [driver.topic for driver, _ in drivers])
            ) from error
        yield
        await asyncio.gather(*(driver.drain(settings.drain) for driver, _ in drivers))
    finally:
        await _stop(broker, settings.timeout)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _broker(settings: KafkaSettings) -> KafkaBroker:
    return KafkaBroker(
        settings.bootstrap_servers or "",
        client_id=CLIENT_ID,
        apply_types=False,
        consumer_only=True,
        logger=None,
        graceful_timeout=settings.timeout,
        request_timeout_ms=int(settings.timeout * 1000),
        metadata_max_age_ms=30_000,
        security=security(settings),
        sasl_oauth_token_provider=token_provider(settings),
    )


def _subscribe(broker: KafkaBroker, settings: KafkaSettings, driver: Driver, group: str) -> None:
    source = KafkaTopicConsumer(driver, settings.timeout)
    subscription = Subscription(
        topic=driver.topic,
        group=group,
        max_records=settings.max_records,
        session_timeout_ms=int(settings.session_timeout * 1000),
    )
    subscribed = query_router(driver.receive, subscription, source)
    source.subscriber = subscribed.subscriber
    driver.attach(source)
    broker.include_router(subscribed.router)


async def _stop(broker: KafkaBroker, timeout_seconds: float) -> None:
    try:
        async with asyncio.timeout(timeout_seconds):
            await broker.stop()
    except (KafkaError, OSError, TimeoutError) as error:
        log.warning("kafka_shutdown_timeout", error=shorten(str(error)))


async def _missing_topics(settings: KafkaSettings, wanted: Collection[str]) -> Collection[str]:
    """Topics that the brokers do not have; empty if they do not answer."""
    try:
        return set(wanted) - (await topics(settings)).keys()
    except KafkaUnavailable:
        return ()
