"""An agent behind HTTP as a backend: the case goes out as JSON without its gold SQL, and SQL comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import aiohttp
import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from consumers.wire.texts import shorten
from evals.runner.cases import (
    MOST_METADATA,
    MOST_SQL,
    MOST_TRACE,
    BenchmarkCase,
    GenerationFailure,
    GenerationResult,
)
from service.commands.eval.runner.backends.recorded import TraceLine
from service.commands.eval.runner.generating import Generated

MOST_BODY = 4 * MOST_SQL + MOST_METADATA + MOST_TRACE
"""Bytes of a reply that are read."""
TRIES = 4
"""Calls for one answer where the server asks to wait."""
_BUSY = frozenset({429, 503})
_LONGEST_WAIT = 60.0


class EndpointReply(BaseModel):
    """What an endpoint replies. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sql: str
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    trace: list[TraceLine] = Field(default_factory=list[TraceLine])


@dataclass(frozen=True, slots=True)
class BusyFor:
    """The endpoint asks to be asked later."""

    seconds: float


@dataclass(slots=True)
class EndpointBackend:
    """Posts cases to one URL. Redirects are not followed."""

    url: str
    concurrency: int
    marks_canaries: bool = False
    """Whether each request tells the agent that the case is a canary, so that an event which the agent publishes for it
    can say so too."""
    sessions: list[aiohttp.ClientSession] = field(default_factory=list[aiohttp.ClientSession])

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Opens the connections."""
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self.concurrency),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Accept-Encoding": "identity"},
            auto_decompress=False,
        )
        async with session:
            self.sessions.append(session)
            yield
            self.sessions.clear()

    async def generate(self, case: BenchmarkCase, sample: int) -> Generated:
        """The endpoint's SQL; it is asked again after the time that it names while it is busy, and when it hangs up.

        A server may close a kept connection just as the next question is sent on it.
        """
        for _ in range(TRIES):
            found = await self._post(case, sample)
            if not isinstance(found, BusyFor):
                return found
            await asyncio.sleep(found.seconds)
        return GenerationFailure("unreachable", "the endpoint stays busy or hangs up")

    def _question(self, case: BenchmarkCase, sample: int) -> dict[str, object]:
        asked = _asked(case, sample)
        return asked | {"canary": {"case_id": case.case_id}} if self.marks_canaries else asked

    async def _post(self, case: BenchmarkCase, sample: int) -> Generated | BusyFor:
        """The reply, or how long the endpoint is busy."""
        try:
            sending = self.sessions[0].post(self.url, json=self._question(case, sample), allow_redirects=False)
            async with sending as response:
                if response.status in _BUSY:
                    return _busy(response.headers.get("Retry-After"))
                body = await _bounded(response)
                if isinstance(body, GenerationFailure):
                    return body
                if response.status != 200:
                    said = shorten(body.decode("utf-8", "replace"), 120)
                    return GenerationFailure("raised", f"the endpoint answers with status {response.status}: {said}")
                return _reply(body, response.content_type)
        except (aiohttp.ServerDisconnectedError, ConnectionResetError):
            return BusyFor(0.0)
        except (aiohttp.ClientError, OSError) as error:
            return GenerationFailure("unreachable", f"the endpoint cannot be reached ({type(error).__name__})")


def _asked(case: BenchmarkCase, sample: int) -> dict[str, object]:
    return {
        "case_id": case.case_id,
        "question": case.question,
        "schema": case.schema,
        "complexity": case.complexity,
        "category": case.category,
        "metadata": dict(case.metadata),
        "sample": sample,
    }


async def _bounded(response: aiohttp.ClientResponse) -> bytes | GenerationFailure:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        response.close()
        return GenerationFailure("invalid", "the reply is compressed: send it as it is")
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MOST_BODY:
            response.close()
            return GenerationFailure("too_large", f"the reply has more than {MOST_BODY} bytes")
    return bytes(body)


def _busy(named: str | None) -> BusyFor:
    try:
        return BusyFor(min(max(float(named or 1), 0.0), _LONGEST_WAIT))
    except ValueError:
        return BusyFor(1.0)


def _reply(body: bytes, content_type: str) -> Generated:
    """A JSON object with `sql`, a JSON string, or plain text."""
    if "json" not in content_type:
        return GenerationResult(body.decode("utf-8", "replace"))
    try:
        parsed: object = orjson.loads(body)
        if isinstance(parsed, str):
            return GenerationResult(parsed)
        reply = EndpointReply.model_validate(parsed)
    except orjson.JSONDecodeError as error:
        return GenerationFailure("invalid", f"the reply is not JSON ({shorten(str(error))})")
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in cast("tuple[object, ...]", fault["loc"])[:4]) or "reply"
        return GenerationFailure("invalid", f"the reply is no answer: {where}: {shorten(fault['msg'])}")
    return GenerationResult(reply.sql, reply.metadata, tuple(each.step() for each in reply.trace))
