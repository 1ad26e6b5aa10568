"""Sends canaries to the service, and asks it when each was asked last."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import aiohttp
import orjson

from consumers.errors import Unavailable
from consumers.wire.texts import shorten

MOST_CANARIES = 1000
"""Canaries of one agent: as many as the service lists at once."""
_SECONDS = 30.0
_LATER = frozenset({408, 429, 500, 502, 503, 504})


class RefusedByServiceError(ValueError):
    """The service does not accept what it is sent, and never will."""


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """A running service."""

    url: str
    session: aiohttp.ClientSession

    async def last_asked(self, tenant: str, agent: str) -> dict[str, float]:
        """When each canary's latest answer arrived, in seconds since 1970."""
        query = {"tenant": tenant, "agent": agent, "limit": str(MOST_CANARIES)}
        reply = await self._call("GET", "/v1/canaries", params=query)
        return {
            each["case_id"]: datetime.fromisoformat(each["last_received_at"]).timestamp() for each in reply["items"]
        }

    async def send(self, event: Mapping[str, object]) -> None:
        """Sends one event; once this returns, the service or its stream has it."""
        await self._call("POST", "/v1/events", json=event)

    async def _call(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """The reply's JSON. Raises `Unavailable` where a later try may succeed, else `RefusedByServiceError`."""
        try:
            async with self.session.request(method, self.url + path, allow_redirects=False, **content) as response:
                body, status = await response.read(), response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"the service cannot be reached at {self.url} ({type(error).__name__})") from error
        said = shorten(body.decode("utf-8", "replace"), 200)
        if status in _LATER:
            raise Unavailable(f"the service at {self.url} answers with status {status}: {said}")
        if status not in {200, 202}:
            raise RefusedByServiceError(f"the service refuses {method} {path} with status {status}: {said}")
        try:
            found: Any = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise RefusedByServiceError(f"{self.url} is no SQLAssay: its reply is not JSON: {said}") from None
        return found


@asynccontextmanager
async def open_service(url: str, token: str | None) -> AsyncGenerator[ServiceClient]:
    """A client of the service at this address."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield ServiceClient(url.rstrip("/"), session)
