"""Reads the body of a request: in time, within its sender's share of memory, and off the event loop if it is large."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

from consumers.wire.envelopes import media_type
from consumers.wire.json_values import count_values
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.gzip_bodies import decompress
from service.logs import LimitedLine
from service.pipeline.body_budget import BodyHold
from service.pipeline.running import Service
from service.settings.intake_settings import LimitSettings

Result = TypeVar("Result")
BUSY = "BUSY"
"""The code of the refusal of a sender that holds its share of memory."""
_SMALL = 32 * 1024
"""Largest body in bytes that is read on the event loop: a thread would cost more."""
_SLICE = 16 * 1024
"""Bytes that must arrive within `limits.stall_seconds`."""
_VALUE_BYTES = 160
"""Memory of a parsed JSON value, beside its text."""
_dropped = LimitedLine("upload_dropped")


@dataclass(slots=True)
class Arrival:
    """Decides when the next part of a body is due, so that a slow sender cannot hold memory for long."""

    due: float
    ends: float
    stall: float
    fresh: int = 0

    @classmethod
    def begun(cls, limits: LimitSettings, now: float) -> Arrival:
        """The body of a request whose head has arrived."""
        return cls(due=now + limits.stall_seconds, ends=now + limits.body_seconds, stall=limits.stall_seconds)

    def received(self, size: int, now: float) -> None:
        """A part has arrived. Every 16 KiB buy the sender more time."""
        self.fresh += size
        if self.fresh >= _SLICE:
            self.fresh, self.due = 0, now + self.stall

    @property
    def deadline(self) -> float:
        """When the body is refused unless a part arrives before."""
        return min(self.due, self.ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a request, whose memory is reserved."""

    raw: bytes
    kind: str
    """Its media type."""
    hold: BodyHold

    async def run(self, work: Callable[[], Result]) -> Result:
        """Does work on the body, in a thread where it is large. Few large bodies are worked on at once."""
        if len(self.raw) <= _SMALL:
            return work()
        async with self.hold.budget.reading.turn(self.hold.sender):
            return await asyncio.to_thread(work)

    async def parse_json(self, parse: Callable[[], Result], most: int) -> Result:
        """Parses JSON after its values are counted and their memory is reserved. Raises a 413 for more than `most`."""
        self.reserve(await self.run(lambda: _json_memory(self.raw, most)))
        return await self.run(parse)

    def reserve(self, size: int) -> None:
        """Reserves memory for what was read from the body. Raises a 503 where the sender's share does not allow it."""
        if not self.hold.grow(size):
            raise busy()


@asynccontextmanager
async def read_body(
    request: Request, service: Service, caller: Caller, kinds: frozenset[str] | set[str]
) -> AsyncGenerator[Body]:
    """Reads the body, which must be of one of the media types `kinds`. Its memory is reserved until the context closes.

    Raises `ApiError` for another type, for a body that is too large or too slow, and where the sender holds too much.
    """
    kind, packed = _types(request, kinds)
    limits, hold = service.settings.limits, service.bodies.hold(sender_of(request, caller))
    try:
        raw = await _receive(request, limits, hold)
        body = Body(raw=raw, kind=kind, hold=hold)
        if packed:
            raw = await body.run(lambda: decompress(raw, limits.max_body_bytes))
            body = Body(raw=raw, kind=kind, hold=hold)
            body.reserve(len(raw))
        yield body
    finally:
        hold.release()


def sender_of(request: Request, caller: Caller) -> str:
    """Whose share of memory a request takes: its token's tenant, else its client's address."""
    return caller.name or (request.client.host if request.client else "")


def content_type(request: Request) -> str:
    """The media type that a request names."""
    return media_type(request.headers.get("content-type", ""))


def _types(request: Request, kinds: frozenset[str] | set[str]) -> tuple[str, bool]:
    kind, packed = content_type(request), request.headers.get("content-encoding", "").strip().lower()
    if kind not in kinds:
        # without this, any web page that a user opens could publish: browsers ask first only for these types
        what = f"unsupported content type {kind!r}" if kind else "the request has no content type"
        fix = f"Send the header Content-Type with {' or '.join(sorted(kinds))}."
        raise ApiError(415, "UNSUPPORTED_MEDIA_TYPE", f"{what}: {fix}", fix)
    if packed not in {"", "identity", "gzip"}:
        fix = "Send gzip, or no compression."
        raise ApiError(415, "UNSUPPORTED_ENCODING", f"unsupported content encoding {packed!r}: {fix}", fix)
    return kind, packed == "gzip"


async def _receive(request: Request, limits: LimitSettings, hold: BodyHold) -> bytes:
    parts: list[bytes] = []
    try:
        async for part in _parts(request, limits):
            if hold.size + len(part) > limits.max_body_bytes:
                message = f"the body is over {limits.max_body_bytes} bytes"
                raise ApiError(413, "BODY_TOO_LARGE", message, "Send less at once.")
            if not hold.grow(len(part)):
                raise busy()
            parts.append(part)
    except ClientDisconnect:
        _dropped.warning(bytes=hold.size, path=request.scope["path"][:80])
        raise ApiError(400, "UPLOAD_DROPPED", "the body ended too early", "Send the request again.") from None
    return b"".join(parts)


async def _parts(request: Request, limits: LimitSettings) -> AsyncIterator[bytes]:
    arrival = Arrival.begun(limits, time.monotonic())
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout(arrival.deadline - time.monotonic()):
                part = await anext(stream, None)
        except TimeoutError:
            message = f"the body came too slowly: {_SLICE} bytes are due every {limits.stall_seconds:g} seconds"
            message += f", and all of it within {limits.body_seconds:g}"
            raise ApiError(408, "BODY_TOO_SLOW", message, "Send it again, smaller or faster.") from None
        if part is None:
            return
        arrival.received(len(part), time.monotonic())
        yield part


def _json_memory(raw: bytes, most: int) -> int:
    values = count_values(raw, most)
    if values > most:
        message, fix = f"the body has more than {most} JSON values", "Send fewer events at once."
        raise ApiError(413, "TOO_MANY_VALUES", message, fix)
    # one character beyond ASCII makes Python hold a text in up to four bytes a character
    wide = not raw.isascii() or b"\\u" in raw
    return values * _VALUE_BYTES + len(raw) * (4 if wide else 1)


def busy() -> ApiError:
    """The refusal of a sender that holds its share of memory."""
    message = "the requests that you have open, or all together, hold too much memory"
    return ApiError(503, BUSY, message, "Send the request again in a second.", {"Retry-After": "1"})
