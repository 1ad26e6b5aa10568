"""Kafka behind the ports: aiokafka's producer, FastStream's subscribers, and their faults in our words."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.abc import ConsumerRebalanceListener
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    BrokerResponseError,
    CommitFailedError,
    IllegalGenerationError,
    IllegalStateError,
    KafkaError,
    MessageSizeTooLargeError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from faststream.kafka import KafkaBroker
from faststream.kafka.security import parse_security
from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256, SASLScram512

from consumers.errors import Unavailable
from consumers.stream.driver import Driver
from consumers.stream.ports import Message, NotAssigned, Partition
from consumers.stream.routers import Subscriber, Subscription, query_router
from consumers.wire.texts import shorten
from service.kafka.lenient_records import read_leniently
from service.logs import log
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings

_MOVED = (
    CommitFailedError,
    IllegalGenerationError,
    IllegalStateError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
_SASL = {"PLAIN": SASLPlaintext, "SCRAM-SHA-256": SASLScram256, "SCRAM-SHA-512": SASLScram512}


class KafkaUnavailable(Unavailable):
    """Kafka does not answer."""


def security(settings: KafkaSettings) -> BaseSecurity:
    """How the connection is secured; raises `SettingsError` for a certificate that cannot be read."""
    context: ssl.SSLContext | None = None
    if settings.tls:
        try:
            context = ssl.create_default_context(cafile=settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise SettingsError(f"kafka.ca_file {settings.ca_file} cannot be read: {error}") from error
    if settings.sasl_mechanism is None:
        return BaseSecurity(ssl_context=context, use_ssl=settings.tls)
    password = settings.sasl_password.get_secret_value() if settings.sasl_password is not None else ""
    kind = _SASL[settings.sasl_mechanism]
    return kind(username=settings.sasl_username or "", password=password, ssl_context=context, use_ssl=settings.tls)


@dataclass(frozen=True, slots=True)
class KafkaPublisher:
    """A `Publisher` that counts a message as written when all replicas in sync have it."""

    producer: Any
    """An `AIOKafkaProducer`, whose methods have no types."""
    timeout: float

    async def publish(self, messages: Sequence[Message]) -> Collection[int]:
        """Sends them all, then waits for all; returns the positions of those the broker holds too large."""
        try:
            async with asyncio.timeout(self.timeout):
                sent = [await self._send(each) for each in messages]
                ended = await asyncio.gather(*sent, return_exceptions=True)
        except (KafkaError, TimeoutError, OSError) as error:
            raise unavailable(error, self._lacking(messages)) from error
        large = [place for place, each in enumerate(ended) if isinstance(each, MessageSizeTooLargeError)]
        failed = [each for each in ended if isinstance(each, BaseException)]
        other = next((each for each in failed if not isinstance(each, MessageSizeTooLargeError)), None)
        if isinstance(other, KafkaError | OSError | TimeoutError):
            raise unavailable(other) from other
        if other is not None:
            raise other
        return large

    def _lacking(self, messages: Sequence[Message]) -> set[str]:
        """Topics that the brokers, when last asked, did not know."""
        cluster = self.producer.client.cluster
        return {each.topic for each in messages if not cluster.partitions_for_topic(each.topic)}

    async def _send(self, each: Message) -> asyncio.Future[Any]:
        try:
            return await self.producer.send(each.topic, value=each.value, key=each.key, headers=list(each.headers))
        except MessageSizeTooLargeError as error:
            refused: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            refused.set_exception(error)
            return refused


def unavailable(error: BaseException, lacking: Iterable[str] = ()) -> KafkaUnavailable:
    """A fault of Kafka's in our words; `lacking` are topics that it does not know."""
    what, names = shorten(str(error) or type(error).__name__, 200), ", ".join(sorted(lacking))
    if names:
        return KafkaUnavailable(f"Kafka has no topic {names}: make it, or let the broker make topics")
    if isinstance(error, BrokerResponseError) and not error.retriable:
        return KafkaUnavailable(f"Kafka refuses ({what}): mend the topic, its rights or SQLASSAY_KAFKA__ settings")
    return KafkaUnavailable(f"Kafka does not answer ({what}): start it or mend SQLASSAY_KAFKA__BOOTSTRAP_SERVERS")


@asynccontextmanager
async def open_publisher(settings: KafkaSettings) -> AsyncGenerator[KafkaPublisher]:
    """A publisher on the brokers that are set; raises `KafkaUnavailable` where none answers."""
    producer = AIOKafkaProducer(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id="sqlassay",
        acks="all",
        linger_ms=5,
        # the broker's own bound is the one that counts
        max_request_size=32 * 1024 * 1024,
        request_timeout_ms=int(settings.timeout * 1000),
        metadata_max_age_ms=30_000,
        **parse_security(security(settings)),
    )
    try:
        await producer.start()
    except (KafkaError, OSError) as error:
        with suppress(Exception):
            await producer.stop()
        raise unavailable(error) from error
    try:
        yield KafkaPublisher(producer, settings.timeout)
    finally:
        with suppress(KafkaError, OSError, TimeoutError):
            async with asyncio.timeout(settings.timeout):
                await producer.stop()


@dataclass(slots=True, eq=False)
class KafkaSource(ConsumerRebalanceListener):
    """A `Source` over a FastStream subscriber, and the listener that tells its driver of rebalances."""

    driver: Driver
    timeout: float
    subscriber: Subscriber | None = None

    @property
    def _consumer(self) -> Any:
        """The subscriber's `AIOKafkaConsumer`, whose methods have no types; `None` until the broker runs."""
        return self.subscriber.consumer if self.subscriber is not None else None

    def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Begins anew with each of them. It must not wait: records may be fetched as soon as it does."""
        self.driver.assigned([Partition(each.topic, each.partition) for each in assigned])

    async def on_partitions_revoked(  # pyright: ignore[reportIncompatibleMethodOverride] it may be a coroutine, says its docs
        self, revoked: Collection[TopicPartition]
    ) -> None:
        """Lets what is under way end, for a bounded time, and commits it."""
        await self.driver.revoked([Partition(each.topic, each.partition) for each in revoked])

    def pause(self) -> None:
        """Pauses everything assigned."""
        if self._consumer is not None:
            self._consumer.pause(*self._consumer.assignment())

    def resume(self) -> None:
        """Resumes everything assigned."""
        if self._consumer is not None:
            self._consumer.resume(*self._consumer.assignment())

    async def commit(self, points: Mapping[Partition, int]) -> None:
        """Commits exactly these."""
        consumer = self._consumer
        if consumer is None:
            raise NotAssigned("the consumer is closed")
        try:
            # aiokafka asks for its coordinator for ever; a rebalance would wait with it
            async with asyncio.timeout(self.timeout):
                await consumer.commit({TopicPartition(*each): offset for each, offset in points.items()})
        except _MOVED as error:
            raise NotAssigned(str(error)) from error
        except (KafkaError, TimeoutError, OSError) as error:
            raise unavailable(error) from error

    async def lag(self) -> Mapping[Partition, int]:
        """End − position of each partition, asked of the broker: fetching that is paused hears of no new end."""
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


@asynccontextmanager
async def consuming(settings: KafkaSettings, drivers: Sequence[tuple[Driver, str]]) -> AsyncGenerator[None]:
    """Each driver reads its topic as a member of its group; on leaving, each drains, commits and leaves its group.

    Raises `KafkaUnavailable` where no broker answers.
    """
    read_leniently()
    broker = KafkaBroker(
        settings.bootstrap_servers or "",
        client_id="sqlassay",
        apply_types=False,
        consumer_only=True,
        logger=None,
        graceful_timeout=settings.timeout,
        request_timeout_ms=int(settings.timeout * 1000),
        metadata_max_age_ms=30_000,
        security=security(settings),
    )
    for driver, group in drivers:
        source = KafkaSource(driver, settings.timeout)
        reading = Subscription(
            topic=driver.topic,
            group=group,
            max_records=settings.max_records,
            session_timeout_ms=int(settings.session_timeout * 1000),
        )
        made = query_router(driver.receive, reading, source)
        source.subscriber = made.subscriber
        driver.attach(source)
        broker.include_router(made.router)
    running = [asyncio.create_task(driver.run(), name=f"drive-{driver.topic}") for driver, _ in drivers]
    try:
        try:
            await broker.start()
        except (KafkaError, OSError) as error:
            raise unavailable(error, await _lacking(settings, [driver.topic for driver, _ in drivers])) from error
        yield
        await asyncio.gather(*(driver.drain(settings.drain) for driver, _ in drivers))
    finally:
        try:
            async with asyncio.timeout(settings.timeout):
                await broker.stop()
        except (KafkaError, OSError, TimeoutError) as error:
            log.warning("kafka_left_in_a_hurry", error=shorten(str(error)))
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def topics(settings: KafkaSettings) -> dict[str, list[int]]:
    """The topics there are, each with its partitions; raises `KafkaUnavailable`."""
    admin: Any = AIOKafkaAdminClient(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id="sqlassay",
        request_timeout_ms=int(settings.timeout * 1000),
        **parse_security(security(settings)),
    )
    try:
        await admin.start()
        described: list[dict[str, Any]] = await admin.describe_topics()
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        await admin.close()
    return {each["topic"]: [part["partition"] for part in each["partitions"]] for each in described}


async def _lacking(settings: KafkaSettings, wanted: Collection[str]) -> Collection[str]:
    """Those that the brokers do not know, none where they do not say."""
    try:
        return set(wanted) - (await topics(settings)).keys()
    except KafkaUnavailable:
        return ()
