"""A Kafka connection that was reset a moment ago is closed and named, under the event loop of the service."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvloop
from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.metadata import MetadataRequest

from service.kafka.library.adapter import adapt_library


async def _send_after_a_reset() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        connection: Any = AIOKafkaConnection(host, port, request_timeout_ms=1000)
        reader, writer = await asyncio.open_connection(host, port)
        connection._reader, connection._writer = reader, writer
        connection._versions = {MetadataRequest([]).API_KEY: (0, 0)}
        connection._read_task = asyncio.get_running_loop().create_future()
        writer.transport.abort()
        await asyncio.sleep(0)  # the loop closes the handle
        with pytest.raises(KafkaConnectionError, match=f"127.0.0.1:{port}"):
            connection.send(MetadataRequest([]))
        assert not connection.connected()


def test_a_write_to_a_reset_connection_closes_it() -> None:
    adapt_library()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_send_after_a_reset())
