"""A real server under hostile clients on real sockets: the others are served, and the log stays short."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import URL

from tests.served import served

HOG, OTHER = "hog-token-for-tests-only-1", "other-token-for-tests-only"
TOKENS = json.dumps({"hogs": HOG, "others": OTHER})
EVENT = {"event_id": "a", "question": "How many rafts are there?", "sql": "SELECT COUNT(*) FROM rafts"}
Upload = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def begin_upload(url: str, token: str, sent: int, *, length: int = 16_000_000) -> Upload:
    """Sends the head of a request and a part of its body."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(
        f"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode()
    )
    writer.write(b"[" + b" " * sent)
    await writer.drain()
    return reader, writer


def close_now(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


@pytest.mark.slow  # waits until uploads are too slow
async def test_fifty_stalled_uploads_of_one_tenant_leave_the_others_served(database: URL):
    small = json.dumps({"stall_seconds": 3, "max_pending_bytes": 8_000_000})
    async with (
        served(database, SQLASSAY_HTTP__TOKENS=TOKENS, SQLASSAY_LIMITS=small) as url,
        httpx.AsyncClient(base_url=url, timeout=30) as client,
        AsyncExitStack() as stack,
    ):
        uploads = [await begin_upload(url, HOG, 600_000) for _ in range(50)]
        for _, writer in uploads:
            stack.callback(close_now, writer)
        for number in range(20):
            event = EVENT | {"event_id": str(number)}
            reply = await client.post("/v1/events", json=event, headers={"Authorization": f"Bearer {OTHER}"})
            assert reply.status_code == 202, reply.text
        replies = await asyncio.gather(*(reader.read(200) for reader, _ in uploads))
        statuses = {reply.split(b" ")[1] for reply in replies if reply}
        assert statuses == {b"503", b"408"}, "some hold their share until they are too slow, and the rest is refused"
        reply = await client.post("/v1/events", json=EVENT, headers={"Authorization": f"Bearer {HOG}"})
        assert reply.status_code == 202, "the share is free again"


@pytest.mark.slow
async def test_dropped_uploads_write_one_short_line_a_second(database: URL):
    log: list[str] = []
    async with served(database, log=log) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        for _ in range(3):
            uploads = await asyncio.gather(*(begin_upload(url, "", 10_000) for _ in range(50)))
            for _, writer in uploads:
                close_now(writer)
        assert (await client.post("/v1/events", json=EVENT)).status_code == 202
    dropped = [json.loads(line) for line in log if "upload_dropped" in line]
    assert 1 <= len(dropped) < 60
    assert max(len(line) for line in log) < 400
    assert not [line for line in log if "Traceback" in line or "ERROR" in line]


@pytest.mark.slow
async def test_connections_whose_head_does_not_come_are_closed(database: URL):
    async with served(database, SQLASSAY_LIMITS__STALL_SECONDS="1") as url, httpx.AsyncClient(base_url=url) as client:
        place = urlsplit(url)
        sent = [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /"]
        opened: list[Upload] = []
        for head in sent * 30:
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(head)
            opened.append((reader, writer))
        assert (await client.post("/v1/events", json=EVENT, timeout=30)).status_code == 202
        for reader, writer in opened:
            # ends when the server closes the connection
            async with asyncio.timeout(60):
                await reader.read()
            close_now(writer)
