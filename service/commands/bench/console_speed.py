"""`sqlassay bench console`: how long the pages of the console take, and the lists and reports of the API."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import httpx2
import numpy as np
import uvloop
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import StoreUnavailable
from service.commands.bench.console_addresses import WORST_OF_AN_AGENT, FoundAnswers, addresses
from service.commands.bench.cpu_seconds import CpuSeconds, cpu_seconds
from service.commands.bench.own_database import own_database
from service.commands.bench.slow_statements import SlowStatements
from service.commands.bench.stored_answers import StoredAnswers, fill
from service.commands.exits import give_up
from service.commands.progress import progress
from service.commands.rendering.terminal import print_to_terminal
from service.logs import configure_logs
from service.processes.interpreter import tune_interpreter
from service.samples import sample_events
from service.samples.fortnight import fortnight_events
from service.serving import create_app, running
from service.settings import Settings
from service.settings.loading import load_settings
from service.storage.scores.search_index import make_search_index

SLOW_SECONDS = 0.2
_LONGEST = 20.0
"""Seconds after which a page is not read again, unless it was read only once."""
_POSTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpeed:
    """The time from a request to the whole reply of one page, and the CPU time that it took."""

    page: str
    address: str
    first_ms: float
    """Of the first request, which is not in the other figures: it includes what the process loads."""
    p50_ms: float
    p95_ms: float
    service_cpu_ms: float
    """Mean of the service; on the server's machine also that of PostgreSQL."""
    server_cpu_ms: float | None
    statuses: list[int]
    """400 where a search was given up."""

    def __str__(self) -> str:
        fault = "" if self.statuses == [200] else f", status {self.statuses}"
        server = "" if self.server_cpu_ms is None else f" + {self.server_cpu_ms:6.1f}"
        cpu = f"CPU {self.service_cpu_ms:6.1f}{server} ms"
        times = f"p50 {self.p50_ms:8.1f} ms, p95 {self.p95_ms:8.1f} ms, first {self.first_ms:8.1f} ms"
        return f"{self.page:<38} {cpu}, {times}{fault}"


def bench_console(*, answers: int, plans: bool, reads: int, as_json: bool) -> None:
    """Prints the time of each page with so many stored answers, and the plans of slow statements."""
    try:
        pages, explained = uvloop.run(_measure(answers, reads, plans=plans))
    except StoreUnavailable as error:
        give_up(str(error))
    if as_json or not sys.stdout.isatty():
        print(json.dumps({"answers": answers, "pages": [asdict(page) for page in pages], "plans": explained}))
        return
    print_to_terminal("\n".join([*map(str, pages), *explained]))


async def _measure(answers: int, reads: int, *, plans: bool) -> tuple[list[PageSpeed], list[str]]:
    settings = load_settings()
    configure_logs(settings.log)
    patient = settings.model_copy(update={"database": settings.database.model_copy(update={"timeout": 600.0})})
    now = datetime.now(UTC)
    async with own_database(patient, f"sqlassay_bench_{uuid.uuid4().hex[:8]}") as engine:
        async with _client(settings, engine) as (client, _):
            await _post_samples(client, now)
        stored = await fill(engine, now, answers)
        if settings.database.search_index:
            await make_search_index(engine.url, settings.database)
        # opened anew: what a process remembers of the samples is gone
        async with _client(settings, engine) as (client, served):
            tune_interpreter()
            slow = SlowStatements(served, SLOW_SECONDS)
            with slow.noting():
                pages = await _read_pages(client, await cpu_seconds(engine), await _addresses(client, stored), reads)
            return pages, await slow.plans() if plans else []


@asynccontextmanager
async def _client(settings: Settings, engine: AsyncEngine) -> AsyncGenerator[tuple[httpx2.AsyncClient, AsyncEngine]]:
    """A client of the service on the measurement's own database, and the service's engine."""
    url = SecretStr(engine.url.render_as_string(hide_password=False))
    own = settings.database.model_copy(update={"url": url})
    alone = Settings.model_construct(database=own, log=settings.log)
    async with running(alone) as service:
        transport = httpx2.ASGITransport(create_app(alone, service))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client:
            yield client, service.engine


async def _post_samples(client: httpx2.AsyncClient, now: datetime) -> None:
    events = [*sample_events(), *fortnight_events(now)]
    with progress("scoring the samples", len(events)) as advance:
        for start in range(0, len(events), _POSTED):
            batch = events[start : start + _POSTED]
            (await client.post("/v1/events", json=batch)).raise_for_status()
            advance(len(batch))


async def _addresses(client: httpx2.AsyncClient, stored: StoredAnswers) -> Mapping[str, str]:
    """The addresses that are measured, by what they show."""
    worst = (await client.get(f"/v1/evaluations?{WORST_OF_AN_AGENT}&limit=500")).json()
    newest = (await client.get("/v1/evaluations?limit=1")).json()
    incidents = (await client.get("/v1/incidents")).json()
    found = FoundAnswers(
        newest=newest["items"][0]["id"],
        middle=worst["items"][len(worst["items"]) // 2]["id"],
        cursor=worst["next_cursor"] or "",
        incident=incidents["items"][0]["id"],
    )
    return addresses(stored, found)


async def _read_pages(
    client: httpx2.AsyncClient, cpu: CpuSeconds, addresses: Mapping[str, str], reads: int
) -> list[PageSpeed]:
    speeds: list[PageSpeed] = []
    with progress("reading pages", len(addresses)) as advance:
        for page, address in addresses.items():
            speeds.append(await _timed(client, cpu, page, address, reads))
            advance(1)
    return speeds


async def _timed(client: httpx2.AsyncClient, cpu: CpuSeconds, page: str, address: str, reads: int) -> PageSpeed:
    times: list[float] = []
    statuses = set[int]()
    before = cpu.read()
    while len(times) < 2 or (len(times) <= reads and sum(times) < _LONGEST):
        began = time.perf_counter()
        statuses.add((await client.get(address)).status_code)
        times.append(time.perf_counter() - began)
        if len(times) == 1:
            before = cpu.read()
    service, server = (_mean_ms(*each, len(times) - 1) for each in zip(before, cpu.read(), strict=True))
    p50, p95 = np.percentile(times[1:], (50, 95)) * 1e3
    return PageSpeed(
        page=page,
        address=address,
        first_ms=round(times[0] * 1e3, 1),
        p50_ms=round(float(p50), 1),
        p95_ms=round(float(p95), 1),
        service_cpu_ms=service or 0.0,
        server_cpu_ms=server,
        statuses=sorted(statuses),
    )


def _mean_ms(before: float | None, after: float | None, count: int) -> float | None:
    return None if before is None or after is None else round((after - before) / count * 1e3, 1)
