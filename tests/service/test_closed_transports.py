"""A connection that the other side has just reset counts as an outage, as every other broken connection does."""

from __future__ import annotations

import asyncio

import pytest
import uvloop
from redis.asyncio import Redis
from sqlalchemy import make_url

from consumers.errors import CacheUnavailable, StoreUnavailable
from service.redis.link import RedisLink
from service.storage.database import translate_errors


def written_to_a_closed_connection() -> None:
    """What uvloop does when its transport is written to after a reset."""

    async def write() -> None:
        server = await asyncio.start_server(lambda _, writer: writer.transport.abort(), "127.0.0.1", 0)
        async with server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.transport.abort()
            await asyncio.sleep(0)
            writer.writelines([b"PING"])

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(write())


def test_uvloop_says_it_by_a_runtime_error():
    with pytest.raises(RuntimeError, match="the handler is closed"):
        written_to_a_closed_connection()


def test_redis_counts_as_down():
    with pytest.raises(CacheUnavailable), RedisLink(client=Redis(), prefix="test").use("rules"):
        written_to_a_closed_connection()


def test_the_database_counts_as_down():
    with pytest.raises(StoreUnavailable), translate_errors(make_url("postgresql://me@one/db")):
        written_to_a_closed_connection()


def test_another_runtime_error_is_a_bug():
    with pytest.raises(RuntimeError, match="a bug"), translate_errors(make_url("postgresql://me@one/db")):
        raise RuntimeError("a bug")
