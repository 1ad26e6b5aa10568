"""The driver's ports: records by partition and offset, and what it needs from a broker."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Partition(NamedTuple):
    """One ordered part of a topic."""

    topic: str
    number: int


class StreamRecord(Protocol):
    """One record as the broker holds it."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970; negative is unknown."""
        ...

    @property
    def key(self) -> bytes | None: ...
    @property
    def value(self) -> bytes | None: ...
    @property
    def headers(self) -> Sequence[tuple[str, bytes]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableBatch:
    """Stands in a fetch for a batch that cannot be read, such as one with a wrong checksum.

    The consumer stays in front of it: neither it nor what follows on its partition is read until it can be.
    """

    topic: str
    partition: int
    offset: int
    """Of the first record that cannot be read."""
    last: int | None
    """Of the batch's last record; `None` where the batch does not credibly say."""
    detail: str
    """Why it cannot be read."""

    def __str__(self) -> str:
        """Names its place and the cause."""
        to = "" if self.last is None else f" to {self.last}"
        return f"partition {self.partition} of {self.topic} cannot be read at offset {self.offset}{to}: {self.detail}"


def partition_of(record: StreamRecord | UnreadableBatch) -> Partition:
    """The partition of a record."""
    return Partition(record.topic, record.partition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A record to publish."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()


class Publisher(Protocol):
    """Writes to topics."""

    async def publish(self, messages: Sequence[Message]) -> Collection[int]:
        """Returns once every message is acknowledged by all in-sync replicas, except those too large for the broker.

        Returns the positions of messages that are too large. Raises `Unavailable`; some messages may then be written.
        """
        ...


class TopicConsumer(Protocol):
    """The consumer of one topic, as far as the driver needs it."""

    def pause(self) -> None:
        """Fetches no more from what is assigned, and stays in the group."""
        ...

    def resume(self) -> None:
        """Fetches again."""
        ...

    def hold(self, batch: UnreadableBatch) -> None:
        """Logs this batch, and fetches no more from its partition."""
        ...

    def release(self, partition: Partition) -> None:
        """Fetches again from a partition that was held."""
        ...

    async def commit(self, points: Mapping[Partition, int]) -> None:
        """Commits for each partition the offset of the next record to read.

        Raises `Unavailable`, or `NotAssigned` where another member now owns a partition.
        """
        ...

    async def lag(self) -> Mapping[Partition, int]:
        """The number of records of each assigned partition that are not fetched yet; raises `Unavailable`."""
        ...


class NotAssigned(Exception):  # noqa: N818 it names a state
    """The partition belongs to another member of the group."""


class Flow(Protocol):
    """Counts what the driver does."""

    def committed(self, topic: str, result: str) -> None:
        """Counts a commit by its result: `done`, `failed` or `not_assigned`."""
        ...

    def rebalanced(self, topic: str, partitions: int) -> None:
        """Sets how many partitions are assigned."""
        ...

    def lagged(self, partition: Partition, records: int | None) -> None:
        """Sets how many records of a partition have not ended; `None` is unknown, as while Kafka is down."""
        ...

    def stuck(self, partition: Partition, now: bool) -> None:
        """Sets whether a partition stands before a batch that cannot be read."""
        ...

    def aged(self, topic: str, seconds: float) -> None:
        """Observes how long after its publication a record ended."""
        ...

    def paused(self, topic: str, now: bool) -> None:
        """Sets whether fetching is paused."""
        ...

    def dead_lettered(self, topic: str, reason: str) -> None:
        """Counts a dead letter that was acknowledged."""
        ...

    def halted(self, topic: str, why: str) -> None:
        """Notes that reading has stopped for good at the dead-letter limit."""
        ...
