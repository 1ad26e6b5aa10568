"""Asks the processes of an installation for their metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from service.commands.top.exposed_metrics import ExposedMetrics

SECONDS = 5.0
"""Longest time, in seconds, that one look takes."""
_REFUSED = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLook:
    """What one process said, or why it said nothing."""

    url: str
    at: float
    """Seconds of a clock that only rises."""
    exposed: ExposedMetrics | None = None
    fault: str | None = None

    @property
    def started(self) -> float | None:
        """When the process started, in seconds since 1970."""
        return self.exposed.total("start_time_seconds") if self.exposed else None


async def look_at_processes(session: aiohttp.ClientSession, urls: Sequence[str]) -> list[ProcessLook]:
    """Asks all at the same time. One that does not answer has a `fault`."""
    return list(await asyncio.gather(*(_look(session, url) for url in urls)))


async def _look(session: aiohttp.ClientSession, url: str) -> ProcessLook:
    try:
        async with (
            asyncio.timeout(SECONDS),
            session.get(f"{url.rstrip('/')}/metrics", allow_redirects=False) as response,
        ):
            text = await response.text("utf-8", "replace")
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        return _failed(url, f"{url} does not answer ({type(error).__name__}): start it, or correct --service")
    if response.status in _REFUSED:
        return _failed(url, f"{url} refuses /metrics ({response.status}): name a token for all tenants by --token-file")
    if response.status != 200:
        return _failed(url, f"{url} answers /metrics with status {response.status}: is it a process of SQLAssay?")
    at = time.monotonic()
    try:
        found = ExposedMetrics.parse(text)
    except ValueError:
        found = ExposedMetrics({})
    if not found.values:
        return _failed(url, f"{url} has no metrics of SQLAssay: correct --service")
    return ProcessLook(url=url, at=at, exposed=found)


def _failed(url: str, fault: str) -> ProcessLook:
    return ProcessLook(url=url, at=time.monotonic(), fault=fault)
