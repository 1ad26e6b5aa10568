"""Reset connections to Kafka: aiokafka reconnects after an `OSError`, but uvloop raises a `RuntimeError`."""

from __future__ import annotations

from typing import Any

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError

CONNECTION: Any = AIOKafkaConnection
"""aiokafka's methods are untyped."""
LIBRARY_SEND: Any = CONNECTION.send
"""The method of aiokafka that `send_or_close` replaces."""


def send_or_close(connection: Any, request: Any, expect_response: bool = True) -> Any:
    """Sends a request; a connection that was reset a moment ago is closed, as aiokafka does for other failed writes.

    Raises `KafkaConnectionError`. Without it the consumer's coordination ends, and the worker reads nothing more.
    """
    if connection._writer is not None and connection._writer.is_closing():
        connection.close(reason=CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError(f"Connection at {connection.host}:{connection.port} broken: it was reset")
    return LIBRARY_SEND(connection, request, expect_response)
