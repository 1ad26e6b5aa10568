"""Sends one request to a backend, and says what became of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto

import aiohttp
import orjson

from service.sinks.sink_request import SentBefore, SinkRequest

_REFUSED = frozenset({400, 405, 406, 413, 414, 415, 422})
"""The request itself is at fault: the same one would be refused again."""
_UNKNOWN = frozenset({404, 409, 410})
"""The backend does not know the trace, or not yet: spans often come after the score."""
_SHOWN = 200
_LONGEST_PAUSE = 3600.0


class DeliveryEnd(Enum):
    """What became of a request."""

    DELIVERED = auto()
    REFUSED = auto()
    UNKNOWN = auto()
    AWAY = auto()
    """The backend does not answer, lets nobody in, or wants fewer requests: try again later."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The end of a request."""

    end: DeliveryEnd
    detail: str = ""
    """The status and the start of the reply, for the log."""
    pause: float = 0.0
    """Seconds that the backend asks to wait."""


@dataclass(frozen=True, slots=True)
class SinkClient:
    """Sends requests over HTTP."""

    session: aiohttp.ClientSession

    async def send(self, request: SinkRequest, *, again: bool) -> Delivery:
        """Sends a request. With `again`, what arrived before is not sent twice."""
        try:
            if again and request.sent_before is not None and await self._arrived(request.sent_before, request.headers):
                return Delivery(DeliveryEnd.DELIVERED)
            headers = {"content-type": "application/json", **request.headers}
            sending = self.session.request(
                request.method, request.url, data=request.body, headers=headers, allow_redirects=False
            )
            async with sending as response:
                return _delivery(response, request.delivered, await response.content.read(_SHOWN))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            return Delivery(DeliveryEnd.AWAY, f"{type(error).__name__}: {error}"[:_SHOWN])

    async def _arrived(self, sent_before: SentBefore, headers: object) -> bool:
        async with self.session.get(sent_before.url, headers=headers, allow_redirects=False) as response:  # pyright: ignore[reportArgumentType] the headers are a mapping of texts
            if not response.ok:
                return False
            try:
                return sent_before.arrived(orjson.loads(await response.read()))
            except (ValueError, LookupError, TypeError, AttributeError):
                return False


def _delivery(response: aiohttp.ClientResponse, delivered: frozenset[int], body: bytes) -> Delivery:
    status = response.status
    if response.status < 300 or status in delivered:
        return Delivery(DeliveryEnd.DELIVERED)
    detail = f"{status} {body.decode('utf-8', 'replace')}".strip()
    if status in _REFUSED:
        return Delivery(DeliveryEnd.REFUSED, detail)
    if status in _UNKNOWN:
        return Delivery(DeliveryEnd.UNKNOWN, detail)
    return Delivery(DeliveryEnd.AWAY, detail, _seconds(response.headers.get("retry-after", "")))


def _seconds(retry_after: str) -> float:
    return min(float(retry_after), _LONGEST_PAUSE) if retry_after.isdigit() else 0.0


@asynccontextmanager
async def sink_client(seconds: float) -> AsyncGenerator[SinkClient]:
    """Opens a client; a request takes so many seconds at most."""
    limits = aiohttp.ClientTimeout(total=seconds)
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(timeout=limits, cookie_jar=jar, headers={"user-agent": "sqlassay"}) as session:
        yield SinkClient(session)
