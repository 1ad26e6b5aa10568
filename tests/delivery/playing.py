"""Plays one cell: load, fault, recovery, audit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.delivery.auditing import Findings
from tests.delivery.matrix import Cell
from tests.delivery.scenes import Scene
from tests.delivery.seen import Watch
from tests.delivery.sites import Servers, Site, by_proxy, opened_stage
from tests.delivery.stage import Stage, count
from tests.delivery.workers import Worker

READY_SECONDS = 15
"""Longest time, in seconds, from when all is drained until `/readyz` says so."""
SECONDS = count("FAULT_SECONDS", 5)
SEED = count("SEED", 20261121)
FIRST = count("FAULT_EVENTS", 500)
"""Events before the fault."""
EACH = FIRST // 5
"""Events after each pause."""
ROWS = frozenset({"scored", "unscored"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A row of the printed table."""

    name: str
    done: str
    published: int
    lost: int
    doubled: int
    """Rows, claims, counted rows and results of different rows."""
    invented: int
    """Numbers that the events do not give."""
    recovered: float
    """Seconds from the end of the fault until every event had its row and result and every offset was committed."""
    seen: str

    def row(self) -> dict[str, object]:
        return asdict(self)


async def play(cell: Cell, servers: Servers, folder: Path) -> tuple[Played, list[str]]:
    """The row of a cell, and what is wrong beside it."""
    async with opened_stage(servers, folder) as stage:
        stage.settings |= cell.settings
        if cell.by_proxy:
            stage.settings |= by_proxy(servers, str(stage.database.database))
        site, scene = Site(servers=servers, stage=stage, seconds=max(SECONDS, cell.least_seconds)), cell.scene()
        async with scene.prepared(site):
            return await _play(cell, site, scene)


async def _play(cell: Cell, site: Site, scene: Scene) -> tuple[Played, list[str]]:
    stage = site.stage
    for _ in range(cell.workers):
        await site.worker()
    watch = Watch(stage.workers)
    done, recovered = await _survive(cell, scene, site, watch)
    findings = await stage.audit()
    counted, wrong = await _checked(stage.workers, len(stage.published), findings.lost, bool(stage.may_be_gone))
    played = Played(
        name=cell.name,
        done=done,
        published=len(stage.published),
        lost=findings.lost,
        doubled=findings.twice + max(0, counted),
        invented=findings.numbers,
        recovered=round(recovered, 1),
        seen=str(watch),
    )
    return played, [*_named(findings), *wrong, *_unseen(cell, watch), *_alarms(watch), *await scene.wrong(site)]


async def _survive(cell: Cell, scene: Scene, site: Site, watch: Watch) -> tuple[str, float]:
    """Goes through the fault under load; returns what was done, and the seconds until all was well again."""
    enough, started = asyncio.Event(), asyncio.Event()
    sending = asyncio.create_task(load(site.stage, scene, cell.pause, enough, started))
    await started.wait()
    await watch.begin()
    watching = asyncio.create_task(watch.run())
    try:
        done = await scene.happen(site)
        over = time.monotonic()
        enough.set()
        await sending
        await site.stage.drained()
        recovered = time.monotonic() - over
    finally:
        watching.cancel()
        sending.cancel()
        await asyncio.to_thread(site.servers.mend)
    return done, recovered


async def load(stage: Stage, scene: Scene, pause: float, enough: asyncio.Event, started: asyncio.Event) -> None:
    """Events for as long as the fault lasts; those that a broker does not take are sent when it does."""
    number = 0
    async with stage.producer() as producer:
        # the worker has only these when the broker stops
        await stage.publish_by(producer, scene.events(SEED - 1, FIRST))
        while not enough.is_set() or number < 3:
            await stage.publish_by(producer, scene.events(SEED + number, EACH), pace=pause)
            started.set()
            number += 1


async def _checked(workers: Sequence[Worker], rows: int, lost: int, may_be_gone: bool) -> tuple[int, list[str]]:
    """How many more rows the workers count than there are, and what else is wrong with them."""
    wrong: list[str] = []
    counted = 0.0
    everyone = all(each.runs for each in workers)
    for number, each in enumerate(workers):
        if not each.runs:
            continue
        wrong += [f"worker {number}: {what}" for what in await _unwell(each)]
        counted += sum([await each.total("sqlassay_outcomes_total", outcome=outcome) for outcome in ROWS])
        code = await asyncio.to_thread(each.leave)
        if code != 0:
            wrong.append(f"worker {number}: exit {code} after SIGTERM")
    wrong += [f"worker {number}: a traceback in its log" for number, each in enumerate(workers) if _has_traceback(each)]
    if everyone and not may_be_gone and counted != rows - lost:
        wrong.append(f"the workers count {counted:g} rows for {rows - lost} events")
    return int(counted) - rows, wrong


async def _unwell(worker: Worker) -> list[str]:
    wrong: list[str] = []
    if not await _is_ready_soon(worker):
        wrong.append("/readyz is not 200")
    if not await worker.healthy():
        wrong.append("/healthz is not 200")
    consumed, ended = await worker.total("sqlassay_consumed_total"), await worker.total("sqlassay_outcomes_total")
    if consumed != ended:
        wrong.append(f"consumed {consumed:g}, outcomes {ended:g}")
    if await worker.total("sqlassay_faults_total"):
        wrong.append("unexpected exceptions are counted")
    return wrong


async def _is_ready_soon(worker: Worker) -> bool:
    """The worker looks at what it needs every few seconds, so it may not know yet that all is well."""
    for _ in range(READY_SECONDS * 10):
        if await worker.ready():
            return True
        await asyncio.sleep(0.1)
    return False


def _has_traceback(worker: Worker) -> bool:
    # processes that score for a worker may say that it is gone
    return not worker.killed and "Traceback" in worker.said


def _named(findings: Findings) -> list[str]:
    return [] if findings.clean else [str(findings)]


def _alarms(watch: Watch) -> list[str]:
    """A fault outside the process must not have it restarted."""
    return ["the watchdog asked for a restart during the fault"] if watch.probes["healthz 503"] else []


def _unseen(cell: Cell, watch: Watch) -> list[str]:
    if not cell.signs or cell.signs & watch.signs():
        return []
    return [f"on-call could not see it: {watch} has none of {', '.join(sorted(cell.signs))}"]
