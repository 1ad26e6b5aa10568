"""A scripted server that stands for every tool that scores are sent to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from aiohttp import web

LATE_SECONDS = 0.6
"""How long a late reply takes."""


@dataclass
class Peer:
    """Every backend at once, as far as a writer sees them."""

    held: dict[str, Any] = field(default_factory=dict)
    """What is kept, by the key by which the backend tells a second one."""
    requests: list[tuple[str, web.Request, Any]] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)
    """Status codes of the next replies to what is sent; 0 keeps it and answers too late."""
    refused: Callable[[Any], int] = lambda _: 0
    """The status for an item, or 0."""
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        if request.method == "GET":
            trace = request.path.rsplit("/", 1)[1]
            found = [each for key, each in self.held.items() if trace in key]
            return web.json_response({"trace": {"trace_info": {"assessments": found}}})
        body = orjson.loads(await request.read())
        self.requests.append((request.path, request, body))
        status = self.replies.pop(0) if self.replies else 200
        if status not in {0, 200}:
            return web.Response(status=status, headers={"retry-after": "0"})
        items = dict(self.items(request.path, body))
        for item in items.values():
            if self.refused(item):
                return web.Response(status=self.refused(item), text="not this one")
        for key, item in items.items():
            # MLflow gives every assessment a new id
            self.held[f"{key}#{len(self.held)}" if key.startswith("tr-") else key] = item
        if status == 0:
            await asyncio.sleep(LATE_SECONDS)
        return web.json_response({})

    @staticmethod
    def items(path: str, body: Any) -> Iterator[tuple[str, Any]]:
        match path:
            case "/hook":
                yield from ((each["id"], each) for each in body["data"])
            case "/v1/span_annotations":
                yield from ((each["identifier"], each) for each in body["data"])
            case "/v1/private/spans/feedback-scores":
                yield from ((each["id"], each) for each in body["scores"])
            case "/api/intake/llm-obs/v2/eval-metric":
                for each in body["data"]["attributes"]["metrics"]:
                    yield orjson.dumps(each).decode(), each
            case "/api/public/scores" | "/feedback":
                yield body["id"], body
            case _:
                assert path.endswith("/assessments")
                yield body["assessment"]["trace_id"], body["assessment"]


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    found = Peer()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", found.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    await runner.cleanup()
