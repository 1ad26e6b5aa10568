"""aiokafka's fetcher, except that each partition of a response is taken by itself.

aiokafka raises where it cannot decode a batch: records of other partitions that it took from the same response are then
lost, and the log names no partition. Here such a batch takes its place among the records as an `UnreadableBatch`. The
consumer stays in front of it, and every other partition goes on. See `docs/adr/0064-what-should-be-aiokafkas.md`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

from aiokafka import TopicPartition
from aiokafka.consumer.fetcher import Fetcher, FetchResult, PartitionRecords
from aiokafka.errors import (
    KafkaError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    for_code,
)

from consumers.stream.ports import UnreadableBatch
from consumers.wire.texts import shorten
from service.kafka.library.record_batches import FetchedBatches
from service.logs import log

_LIBRARY = logging.getLogger("aiokafka.consumer.fetcher")
"""Its lines are limited in number: a fetch that fails is repeated ten times a second."""
_REFUSED = {-1: "UNKNOWN_SERVER_ERROR", 2: "CORRUPT_MESSAGE", 87: "INVALID_RECORD"}
"""Error codes of a broker that cannot read its own log at an offset. After all others a later fetch may succeed."""
_ABORTED_AT = {11: -3}
"""Where a response's version lists a partition's aborted transactions; others: second to last."""


class FetchedRecords(PartitionRecords):
    """The records of one partition in one response. What cannot be read ends them, as an `UnreadableBatch`."""

    def __init__(
        self, place: TopicPartition, batches: FetchedBatches, offset: int, aborted: Any, isolation: int
    ) -> None:
        super().__init__(place, batches, aborted, offset, None, None, True, isolation)
        self._place, self._batches, self._is_over = place, batches, False

    next_fetch_offset: int

    def __next__(self) -> Any:
        if self._is_over:
            raise StopIteration
        try:
            return cast("Any", super().__next__())
        except StopIteration:
            raise
        except Exception as error:
            self._is_over = True
            return unreadable(self._place, self.next_fetch_offset, error, self._batches.last)


class RefusedRecords:
    """A partition that the broker cannot read, as records."""

    def __init__(self, place: TopicPartition, offset: int, code: int) -> None:
        self.next_fetch_offset = offset
        said = KafkaError(f"the broker answers {_REFUSED[code]} (error code {code})")
        self._records = iter([unreadable(place, offset, said)])

    def __iter__(self) -> RefusedRecords:
        return self

    def __next__(self) -> UnreadableBatch:
        return next(self._records)


def unreadable(place: TopicPartition, offset: int, error: Exception, last: int | None = None) -> UnreadableBatch:
    """What stands for records of this partition that cannot be read."""
    # aiokafka's errors begin with their name and may end with the partition
    said = str(error.args[0] if error.args else error).partition(" - TopicPartition")[0]
    detail = shorten(f"{type(error).__name__}: {said}", 300)
    return UnreadableBatch(topic=place.topic, partition=place.partition, offset=offset, last=last, detail=detail)


class PartitionFetcher(Fetcher):
    """A fetcher of which one partition cannot keep the others' records back."""

    _client: Any
    _records: Any
    _set_error: Any

    async def _proc_fetch_request(self, assignment: Any, node_id: int, request: Any) -> bool:
        """Takes what one broker has for some partitions; whether there is something to hand on."""
        try:
            response = await self._client.send(node_id, request)
        except KafkaError as error:
            _LIBRARY.error("Failed fetch messages from %s: %s", node_id, error)
            await asyncio.sleep(self._retry_backoff)
            return False
        except asyncio.CancelledError:
            # the partitions were revoked, or the consumer closes
            return False
        if not assignment.active:
            return False
        asked = _asked(request.topics)
        taken = [
            self._take(assignment, TopicPartition(topic, part[0]), asked, part, response.API_VERSION)
            for topic, parts in response.topics
            for part in parts
        ]
        if not any(taken) and any(part[1] for _, parts in response.topics for part in parts):
            await asyncio.sleep(self._retry_backoff)
        return any(taken)

    def _take(
        self,
        assignment: Any,
        place: TopicPartition,
        asked: Mapping[TopicPartition, int],
        part: Sequence[Any],
        version: int,
    ) -> bool:
        """Takes one partition's part of a response: number, error code, high watermark, …, records."""
        state, offset, code = assignment.state_value(place), asked[place], part[1]
        if not state.has_valid_position or state.position != offset:
            # the consumer was told to read elsewhere meanwhile
            return False
        if code != 0:
            return self._take_error(assignment, place, offset, code)
        state.highwater, state.lso = part[2], part[3]
        data = part[-1] or b""
        if not data:
            return False
        batches = FetchedBatches(data, offset=offset, end=part[2])
        aborted = part[_ABORTED_AT.get(version, -2)]
        self._hand_on(assignment, place, FetchedRecords(place, batches, offset, aborted, self._isolation_level))
        return True

    def _take_error(self, assignment: Any, place: TopicPartition, offset: int, code: int) -> bool:
        error = for_code(code)
        if code in _REFUSED:
            self._hand_on(assignment, place, RefusedRecords(place, offset, code))
            return True
        if error is OffsetOutOfRangeError:
            _log_unread(place, offset)
            assignment.state_value(place).await_reset(self._default_reset_strategy)
            return False
        if error is TopicAuthorizationFailedError:
            self._set_error(place, error(place.topic))
            return True
        if not error.retriable:
            _LIBRARY.warning("The broker does not serve partition %s: %s (%s)", _name(place), error.__name__, code)
        self._client.force_metadata_update()
        return False

    def _hand_on(self, assignment: Any, place: TopicPartition, records: Any) -> None:
        self._records[place] = FetchResult(
            place, assignment=assignment, partition_records=records, backoff=self._prefetch_backoff
        )


def _asked(topics: Sequence[Any]) -> dict[TopicPartition, int]:
    """The offset that a request asks for, by partition."""
    return {TopicPartition(topic, number): offset for topic, parts in topics for number, offset, _ in parts}


def _log_unread(place: TopicPartition, offset: int) -> None:
    log.warning(
        "records_never_read",
        partition=_name(place),
        offset=offset,
        effect="Kafka has deleted records from this offset on, or made the topic anew; reading goes on at the first"
        " record that is left",
        fix="keep records for longer than workers may be behind (retention.ms of the topic)",
    )


def _name(place: TopicPartition) -> str:
    return f"{place.topic}/{place.partition}"
