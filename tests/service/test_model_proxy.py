"""A model behind an HTTP proxy: calls go by it and nowhere else, and what it refuses is not billed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from pydantic import ValidationError

from consumers.judging.memory_counts import MemoryModelCounts
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Reply
from service.judges.configured_panel import open_panel
from service.judges.transport import NotConnectedError, PlainClient
from service.judges.weights import local_judge
from service.settings.judge_settings import JudgeSettings, PriceSettings
from tests.examples import example_case
from tests.servers.model_server import ModelServer, model_process_server, model_server

__all__ = ["model_process_server", "model_server"]

REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def http_proxy(*, refuses: bool = False) -> AsyncIterator[tuple[str, list[str]]]:
    """A forward proxy: its address, and the first line of each request that it got."""
    seen: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(head.decode().splitlines()[0])
        target = urlsplit(seen[-1].split()[1])
        if refuses or target.hostname is None:
            writer.write(REFUSED)
            writer.close()
            return
        inward, outward = await asyncio.open_connection(target.hostname, target.port)
        outward.write(head.replace(f"{target.scheme}://{target.netloc}".encode(), b"", 1))
        await asyncio.gather(_pipe(reader, outward), _pipe(inward, writer))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", seen


async def test_a_model_is_called_by_the_proxy(model_server: ModelServer) -> None:
    model_server.script()
    case = example_case("How many kites fly in Tarifa?", "SELECT COUNT(*) FROM kites WHERE beach = 'Tarifa'")
    asked = Rules(judge=JudgeRules(policy=JudgePolicy.LLM))
    async with http_proxy() as (proxy, seen):
        settings = JudgeSettings(
            base_url=model_server.url,
            model="stand-in",
            prices={"stand-in": PriceSettings(sent=0, received=0)},
            proxy=proxy,
        )
        async with open_panel(settings, local_judge(), MemoryModelCounts()) as panel:
            reply = await panel.ask(replace(case, rules=asked), tenant="beach")
    assert isinstance(reply, Reply)
    assert seen == [f"POST {model_server.url}/chat/completions HTTP/1.1"]
    assert len(model_server.seen()) == 1


@pytest.mark.parametrize("base_url", ["https://models.invalid/v1"])
async def test_a_tunnel_that_the_proxy_refuses_was_never_connected(base_url: str) -> None:
    async with http_proxy(refuses=True) as (proxy, seen), PlainClient(base_url, "key", 1, proxy=proxy) as client:
        with pytest.raises(NotConnectedError):
            await client.post_json(f"{base_url}/chat/completions", {})
    assert seen == ["CONNECT models.invalid:443 HTTP/1.1"]


async def test_without_its_proxy_a_model_cannot_be_reached() -> None:
    async with PlainClient("http://127.0.0.1:9/v1", None, 1, proxy="http://127.0.0.1:9") as client:
        with pytest.raises(NotConnectedError):
            await client.post_json("http://127.0.0.1:9/v1/chat/completions", {})


async def test_no_host_but_the_configured_one_is_contacted(model_server: ModelServer) -> None:
    async with PlainClient("http://models.invalid/v1", "key", 1) as client:
        for url in (f"{model_server.url}/chat/completions", "https://models.invalid/v1/chat/completions"):
            with pytest.raises(NotConnectedError, match="is not the configured server"):
                await client.post_json(url, {})
    assert model_server.seen() == []


@pytest.mark.parametrize(
    "proxy", ["proxy:3128", "http://me:quartz@proxy:3128", "http://proxy:3128/path", "socks5://p:1"]
)
def test_a_proxy_with_more_than_a_host_and_a_port_is_refused(proxy: str) -> None:
    with pytest.raises(ValidationError):
        JudgeSettings(proxy=proxy)
