"""Reset connections to Kafka: aiokafka reconnects after an `OSError`, but uvloop raises a `RuntimeError`."""

from __future__ import annotations

from typing import Any

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError

from service.closed_transports import closed_as_reset

_CONNECTION: Any = AIOKafkaConnection
"""aiokafka's methods are untyped."""
_send: Any = _CONNECTION.send


def _send_or_close(connection: Any, request: Any, expect_response: bool = True) -> Any:
    """Sends a request; a connection that was reset a moment ago is closed, as aiokafka does for other failed writes.

    Raises `KafkaConnectionError`. Without it the consumer's coordination ends, and the worker reads nothing more.
    """
    try:
        with closed_as_reset():
            return _send(connection, request, expect_response)
    except ConnectionResetError as error:
        connection.close(reason=CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError(f"Connection at {connection.host}:{connection.port} broken: {error}") from error


def reconnect_after_resets() -> None:
    """Makes all Kafka connections of this process close and reconnect after a reset."""
    _CONNECTION.send = _send_or_close
