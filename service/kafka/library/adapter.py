"""Fits aiokafka to this service, after checking that it is a version whose inner names have been read."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import aiokafka
from aiokafka import AIOKafkaConsumer
from aiokafka.consumer import consumer
from aiokafka.consumer.fetcher import Fetcher, FetchResult, PartitionRecords
from aiokafka.consumer.subscription_state import Assignment, TopicPartitionState

from service.kafka.library.closed_connections import CONNECTION, LIBRARY_SEND, send_or_close
from service.kafka.library.partition_fetcher import PartitionFetcher
from service.settings.loading import SettingsError

READ_VERSION, NEXT_VERSION = "0.14", "0.15"
"""The version of aiokafka whose source was compared with this room, and the next, which nobody has compared yet."""


class UnsupportedLibrary(SettingsError):  # noqa: N818 it names what happened
    """The installed aiokafka is not one that this room was written for; the message says what to install."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerPart:
    """A function of aiokafka that this room replaces, overrides or calls, and what it relies on there."""

    owner: type
    name: str
    parameters: str
    """Names of its parameters in order, separated by spaces."""
    uses: str = ""
    """Names that the function must use, because this room relies on its calling or setting them."""

    def faults(self) -> Iterator[str]:
        """What has changed, in words; nothing where all is as it was."""
        place = f"{self.owner.__name__}.{self.name}"
        function = LIBRARY_SEND if (self.owner, self.name) == (CONNECTION, "send") else vars(self.owner).get(self.name)
        if function is None:
            yield f"{place} is gone"
            return
        found = " ".join(inspect.signature(function).parameters)
        if found != self.parameters:
            yield f"{place} takes ({found}), not ({self.parameters})"
        gone = sorted(set(self.uses.split()) - _names(function.__code__))
        if gone:
            yield f"{place} no longer uses {', '.join(gone)}"


INNER_PARTS: Sequence[InnerPart] = (
    InnerPart(owner=AIOKafkaConsumer, name="start", parameters="self", uses="Fetcher"),
    InnerPart(owner=Fetcher, name="_fetch_requests_routine", parameters="self", uses="_proc_fetch_request"),
    InnerPart(
        owner=Fetcher, name="_proc_fetch_request", parameters="self assignment node_id request", uses="PartitionRecords"
    ),
    InnerPart(owner=Fetcher, name="_set_error", parameters="self tp error"),
    InnerPart(owner=Fetcher, name="fetched_records", parameters="self partitions timeout max_records", uses="getall"),
    InnerPart(
        owner=Fetcher,
        name="__init__",
        parameters="self client subscriptions key_deserializer value_deserializer fetch_min_bytes fetch_max_bytes"
        " fetch_max_wait_ms max_partition_fetch_bytes check_crcs fetcher_timeout prefetch_backoff retry_backoff_ms"
        " auto_offset_reset isolation_level client_rack",
        uses="_client _records _retry_backoff _isolation_level _default_reset_strategy _prefetch_backoff",
    ),
    InnerPart(owner=FetchResult, name="__init__", parameters="self tp assignment partition_records backoff"),
    InnerPart(owner=FetchResult, name="getall", parameters="self max_records", uses="_partition_records"),
    InnerPart(
        owner=PartitionRecords,
        name="__init__",
        parameters="self tp records aborted_transactions fetch_offset key_deserializer value_deserializer check_crcs"
        " isolation_level",
        uses="next_fetch_offset",
    ),
    InnerPart(owner=PartitionRecords, name="__next__", parameters="self"),
    InnerPart(
        owner=PartitionRecords, name="_unpack_records", parameters="self", uses="has_next next_batch validate_crc"
    ),
    InnerPart(owner=Assignment, name="state_value", parameters="self tp"),
    InnerPart(owner=TopicPartitionState, name="__init__", parameters="self assignment", uses="highwater lso"),
    InnerPart(owner=TopicPartitionState, name="await_reset", parameters="self strategy"),
    InnerPart(owner=CONNECTION, name="send", parameters="self request expect_response", uses="_writer write"),
    InnerPart(owner=CONNECTION, name="close", parameters="self reason exc"),
)


@cache
def adapt_library() -> None:
    """Makes all Kafka clients of this process fetch by partition, and reconnect after a reset.

    Raises `UnsupportedLibrary` and changes nothing where aiokafka is not as it was read.
    """
    check_library(aiokafka.__version__, INNER_PARTS)
    inner: Any = consumer
    inner.Fetcher = PartitionFetcher
    CONNECTION.send = send_or_close


def check_library(version: str, parts: Sequence[InnerPart]) -> None:
    """Raises `UnsupportedLibrary` for another version than was read, or for a part that is not as it was read."""
    if not f"{version}.".startswith(f"{READ_VERSION}."):
        raise _unsupported(version, f"its inner names were read in {READ_VERSION} only")
    faults = [fault for part in parts for fault in part.faults()]
    if faults:
        raise _unsupported(version, "; ".join(faults))


def _unsupported(version: str, fault: str) -> UnsupportedLibrary:
    install = f'pip install "aiokafka>={READ_VERSION},<{NEXT_VERSION}"'
    return UnsupportedLibrary(f"aiokafka {version} does not fit this version of SQLAssay ({fault}): {install}")


def _names(code: CodeType) -> set[str]:
    """Names of attributes and globals that a function uses, those of its inner functions included."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))
