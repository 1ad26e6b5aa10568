"""Asks brokers what a login may do with topics: a request that aiokafka does not have (KIP-430)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import Array, Boolean, Int16, Int32, Schema, String

WRITE = 4
"""The operation's number in Kafka's protocol."""
_NOT_SAID = -(2**31)
"""What a broker answers that does not know."""


class RightsResponse(Response):
    """Version 8 of Metadata."""

    API_KEY = 3  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride] a property there, a number in all its classes
    API_VERSION = 8  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride] the same
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            Array(("node_id", Int32), ("host", String("utf-8")), ("port", Int32), ("rack", String("utf-8"))),
        ),
        ("cluster_id", String("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            Array(
                ("error_code", Int16),
                ("topic", String("utf-8")),
                ("is_internal", Boolean),
                (
                    "partitions",
                    Array(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", Array(Int32)),
                        ("isr", Array(Int32)),
                        ("offline_replicas", Array(Int32)),
                    ),
                ),
                ("operations", Int32),
            ),
        ),
        ("cluster_operations", Int32),
    )


class _RightsRequest(RequestStruct):
    API_KEY: ClassVar[int] = 3
    API_VERSION: ClassVar[int] = 8
    RESPONSE_TYPE: ClassVar[type[Response]] = RightsResponse
    SCHEMA: ClassVar[Schema] = Schema(
        ("topics", Array(String("utf-8"))),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_operations", Boolean),
        ("include_topic_operations", Boolean),
    )


class RightsRequest(Request[_RightsRequest]):
    """What this login may do with topics; a broker before 2.3 does not have it. It creates no topic."""

    API_KEY: ClassVar[int] = 3

    def __init__(self, topics: Iterable[str]) -> None:
        self._topics = sorted(topics)

    def build(self, request_struct_class: type[_RightsRequest]) -> _RightsRequest:
        """The request as it is sent."""
        return request_struct_class(self._topics, False, False, True)


def allowed(reply: Any, operation: int) -> dict[str, bool]:
    """Whether this login may do this with each topic; one of which the broker says nothing is left out."""
    said = {topic: operations for code, topic, _, _, operations in reply.topics if not code}
    return {topic: bool(bits & (1 << operation)) for topic, bits in said.items() if bits != _NOT_SAID}
