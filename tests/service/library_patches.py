"""Tries what the patch named as argument promises, on the aiokafka that `PYTHONPATH` finds."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import uvloop
from aiokafka import TopicPartition
from aiokafka.conn import AIOKafkaConnection
from aiokafka.consumer.fetcher import Fetcher, FetchResult, PartitionRecords
from aiokafka.errors import KafkaConnectionError, KafkaError
from aiokafka.protocol.metadata import MetadataRequest
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

EACH = 2
"""Records of a batch."""


def built(first: int = 0, header: bytes = b"h") -> bytes:
    """A batch whose first record has this offset; its headers have a name of one byte."""
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=0,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=10**6,
    )
    for place in range(EACH):
        assert builder.append(place, 0, None, b"value", [("h", b"7")]) is not None
    return struct.pack(">q", first) + bytes(builder.build())[8:].replace(b"\x02h\x02", b"\x02" + header + b"\x02")


async def reset_connections() -> None:
    """A request over a connection that was reset a moment ago raises aiokafka's error, and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        connection: Any = AIOKafkaConnection(host, port, request_timeout_ms=1000)
        connection._reader, connection._writer = await asyncio.open_connection(host, port)
        connection._versions = {MetadataRequest([]).API_KEY: (0, 0)}
        connection._read_task = asyncio.get_running_loop().create_future()
        connection._writer.transport.abort()
        await asyncio.sleep(0)  # the loop closes the handle
        with pytest.raises(KafkaConnectionError):
            connection.send(MetadataRequest([]))
        assert not connection.connected()


async def unreadable_batches() -> None:
    """Records before a damaged batch and those of other partitions are returned, then its place is named."""
    damaged = bytearray(built(EACH))
    damaged[-3] ^= 1
    places = {TopicPartition("t", 0): built(), TopicPartition("t", 1): built() + bytes(damaged)}
    states = {each: SimpleNamespace(position=0, paused=False) for each in places}
    for state in states.values():
        state.consumed_to = lambda offset, state=state: setattr(state, "position", offset)
    assignment: Any = SimpleNamespace(active=True, state_value=states.__getitem__)
    fetcher: Any = Fetcher.__new__(Fetcher)
    fetcher._subscriptions = SimpleNamespace(reassignment_in_progress=False)
    fetcher._wait_consume_future = None

    async def fetched() -> dict[TopicPartition, list[int]]:
        fetcher._records = {
            place: FetchResult(
                place,
                assignment=assignment,
                partition_records=PartitionRecords(
                    place, MemoryRecords(raw), None, states[place].position, None, None, True, 1
                ),
                backoff=0,
            )
            for place, raw in places.items()
        }
        found = await fetcher.fetched_records([])
        return {place: [each.offset for each in records] for place, records in found.items()}

    assert await fetched() == {place: [0, 1] for place in places}
    first, second = places
    states[first].position = 0  # a partition that has records all the time
    places[second] = bytes(damaged)
    assert await fetched() == {first: [0, 1]}
    del places[first]
    with pytest.raises(KafkaError, match=rf"partition=1\) at offset {EACH}: "):
        await fetched()
    assert states[second].position == EACH


async def header_names() -> None:
    """A header name that is not UTF-8 can be read, and told from every other."""
    assert [each.headers for each in DefaultRecordBatch(built(header=b"\xe9"))] == [[("\udce9", b"7")]] * EACH


if __name__ == "__main__":
    TRIED = {"reset-connections": reset_connections, "unreadable-batches": unreadable_batches}
    TRIED["header-names"] = header_names
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(TRIED[sys.argv[1]]())
