"""Connects to Kafka, publishes with aiokafka's producer and translates its errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    BrokerResponseError,
    KafkaConnectionError,
    KafkaError,
    MessageSizeTooLargeError,
)

from consumers.errors import Unavailable
from consumers.stream.ports import Message
from consumers.wire.texts import shorten
from service.kafka.login import login
from service.logs import log
from service.settings.stream_settings import KafkaSettings

CLIENT_ID = "sqlassay"
"""What workers and apis call themselves."""
_AGAIN_SECONDS = 1.0
"""How long a publisher waits between two tries to reach a broker for the first time."""
_SLICE = 100
"""Messages sent before other tasks run."""
_EXPLAIN_SECONDS = 2.0
"""How long a failed request may ask whether any broker answers."""


class KafkaUnavailable(Unavailable):
    """Kafka does not answer."""


@dataclass(slots=True)
class KafkaPublisher:
    """A `Publisher` that waits until all in-sync replicas have a message."""

    producer: Any
    """An `AIOKafkaProducer`, whose methods are untyped; `None` until a broker has answered."""
    timeout: float
    servers: str | None = None
    """The brokers' addresses as configured."""
    missing: set[str] = field(default_factory=set[str])
    """Topics that were found missing when something was published to them."""

    async def publish(self, messages: Sequence[Message]) -> Collection[int]:
        """Sends all messages and waits for all; returns the positions of those too large for the broker."""
        if self.producer is None:
            raise unreachable(KafkaConnectionError("no broker has answered since the start"), self.servers)
        try:
            async with asyncio.timeout(self.timeout):
                sent = await self._send_all(messages)
                ended = await asyncio.gather(*sent, return_exceptions=True)
        except (KafkaError, TimeoutError, OSError) as error:
            raise await self._explained(error, messages) from error
        large = _too_large(ended)
        if len(messages) > 1:
            # brokers measure a whole batch, so each message of a refused one is sent by itself
            large = [place for place in large if await self.publish([messages[place]])]
        return large

    async def _explained(self, error: BaseException, messages: Sequence[Message]) -> KafkaUnavailable:
        """The error to raise: a topic is only missing if a broker says so now."""
        client = self.producer.client
        answers = False
        with suppress(KafkaError, TimeoutError, OSError):
            async with asyncio.timeout(min(self.timeout, _EXPLAIN_SECONDS)):
                answers = await client.force_metadata_update()
        unknown = {each.topic for each in messages if not client.cluster.partitions_for_topic(each.topic)}
        unknown -= client.cluster.unauthorized_topics
        if not answers:
            return unreachable(error, self.servers)
        self.missing.update(unknown)
        return unavailable(error, unknown)

    async def _send_all(self, messages: Sequence[Message]) -> list[asyncio.Future[Any]]:
        sent: list[asyncio.Future[Any]] = []
        for each in messages:
            sent.append(await self._send(each))
            if len(sent) % _SLICE == 0:
                # the producer waits only while its buffer is full: one export may hold ten thousand traces
                await asyncio.sleep(0)
        return sent

    async def _send(self, each: Message) -> asyncio.Future[Any]:
        try:
            return await self.producer.send(each.topic, value=each.value, key=each.key, headers=list(each.headers))
        except MessageSizeTooLargeError as error:
            refused: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            refused.set_exception(error)
            return refused


def _too_large(ended: Sequence[object]) -> list[int]:
    """The positions of messages that were too large; raises another error of any of them."""
    failed = {place: each for place, each in enumerate(ended) if isinstance(each, BaseException)}
    large = [place for place, each in failed.items() if isinstance(each, MessageSizeTooLargeError)]
    other = next((each for place, each in failed.items() if place not in large), None)
    if isinstance(other, KafkaError | OSError | TimeoutError):
        raise unavailable(other) from other
    if other is not None:
        raise other
    return large


def unavailable(error: BaseException, missing_topics: Iterable[str] = ()) -> KafkaUnavailable:
    """The error to raise for one of Kafka's, with the fix."""
    what, names = shorten(str(error) or type(error).__name__, 200), ", ".join(sorted(missing_topics))
    if names:
        return KafkaUnavailable(f"Kafka has no topic {names}: create it, or let the broker create topics")
    if isinstance(error, BrokerResponseError) and not error.retriable:
        return KafkaUnavailable(
            f"Kafka refuses ({what}): correct the topic, its permissions or SQLASSAY_KAFKA__ settings"
        )
    return unreachable(error)


def unreachable(error: BaseException, servers: str | None = None) -> KafkaUnavailable:
    """The error to raise where no broker answers."""
    what = shorten(str(error) or type(error).__name__, 200)
    where = f" at {servers}" if servers else ""
    return KafkaUnavailable(
        f"Kafka cannot be reached{where} ({what}): start it, or correct SQLASSAY_KAFKA__BOOTSTRAP_SERVERS"
    )


@asynccontextmanager
async def open_publisher(settings: KafkaSettings, *, wait: bool = True) -> AsyncGenerator[KafkaPublisher]:
    """A publisher on the configured brokers; raises `KafkaUnavailable` if none answers.

    Without `wait` it is there at once, raises `KafkaUnavailable` for each message and asks again until one answers.
    """
    publisher = KafkaPublisher(None, settings.timeout, settings.bootstrap_servers)
    async with AsyncExitStack() as stack:
        try:
            publisher.producer = await _producer(settings)
        except KafkaUnavailable as error:
            if wait:
                raise
            log.warning(
                "kafka_away_at_start", error=str(error), effect="events by HTTP get status 503 until it answers"
            )
            starting = asyncio.create_task(_start_later(publisher, settings), name="start-publisher")
            stack.push_async_callback(_end, starting)
        try:
            yield publisher
        finally:
            await stack.aclose()
            if publisher.producer is not None:
                with suppress(KafkaError, OSError, TimeoutError):
                    async with asyncio.timeout(settings.timeout):
                        await publisher.producer.stop()


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _start_later(publisher: KafkaPublisher, settings: KafkaSettings) -> None:
    while publisher.producer is None:
        await asyncio.sleep(_AGAIN_SECONDS)
        with suppress(KafkaUnavailable):
            publisher.producer = await _producer(settings)
    log.info("kafka_answers")


async def _producer(settings: KafkaSettings) -> Any:
    producer: Any = AIOKafkaProducer(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id=CLIENT_ID,
        acks="all",
        linger_ms=5,
        # larger than any broker's limit, which is the one that counts
        max_request_size=32 * 1024 * 1024,
        request_timeout_ms=int(settings.timeout * 1000),
        metadata_max_age_ms=30_000,
        **login(settings),
    )
    try:
        await producer.start()
    except BaseException as error:
        with suppress(Exception):
            await producer.stop()
        if isinstance(error, KafkaError | OSError):
            raise unavailable(error) from error
        raise
    return producer


async def topics(settings: KafkaSettings) -> dict[str, list[int]]:
    """All topics and their partitions; raises `KafkaUnavailable`."""
    admin: Any = AIOKafkaAdminClient(
        bootstrap_servers=settings.bootstrap_servers or "",
        client_id=CLIENT_ID,
        request_timeout_ms=int(settings.timeout * 1000),
        **login(settings),
    )
    try:
        await admin.start()
        described: list[dict[str, Any]] = await admin.describe_topics()
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        await admin.close()
    return {each["topic"]: [part["partition"] for part in each["partitions"]] for each in described}
