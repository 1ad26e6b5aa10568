"""The FastStream subscribers. They hand over raw batches: FastStream neither parses nor acknowledges a record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from faststream import AckPolicy
from faststream.kafka import KafkaRouter
from faststream.kafka.message import FAKE_CONSUMER, KafkaMessage

from consumers.stream.ports import StreamRecord
from consumers.wire.events import QueryEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """What one subscriber reads."""

    topic: str
    group: str
    max_records: int = 500
    """Most records of one fetch."""
    session_timeout_ms: int = 30_000
    max_poll_interval_ms: int = 300_000


class Subscriber(Protocol):
    """A subscriber of a router; its `consumer` is set once the broker runs."""

    consumer: Any


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A router with its one subscriber."""

    router: KafkaRouter
    subscriber: Subscriber


async def _unread(batch: "tuple[Any, ...]") -> KafkaMessage:
    # FastStream's parser decodes headers as UTF-8 and would lose a batch with a header that is not
    return KafkaMessage(body=b"", raw_message=batch, headers={}, consumer=FAKE_CONSUMER)


async def _raw(message: KafkaMessage) -> Any:
    return message.raw_message


def query_router(receive: Callable[[Sequence[StreamRecord]], None], reading: Subscription, listener: Any) -> Subscribed:
    """A router that hands every fetched batch to `receive` untouched and commits nothing.

    The broker must be made with `apply_types=False`: the annotation below is for AsyncAPI only.
    """
    router = KafkaRouter()
    subscriber = router.subscriber(
        reading.topic,
        group_id=reading.group,
        batch=True,
        max_records=reading.max_records,
        batch_timeout_ms=100,
        ack_policy=AckPolicy.MANUAL,
        parser=_unread,
        decoder=_raw,
        listener=listener,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        session_timeout_ms=reading.session_timeout_ms,
        max_poll_interval_ms=reading.max_poll_interval_ms,
        title=reading.topic,
        description="Answers to score: CloudEvents 1.0, binary or structured, or plain JSON.",
    )

    @subscriber
    async def on_records(batch: list[QueryEvent]) -> None:
        receive(cast("Sequence[StreamRecord]", batch))

    return Subscribed(router, cast("Subscriber", subscriber))
