"""`sqlassay canary run`: asks the live agent each canary in turn, and sends its answers to the service."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn, TypeVar

from consumers.errors import Unavailable
from consumers.wire.canary import CanaryFailure
from consumers.wire.events import InvalidEvent, decode_event
from evals.runner.cases import BenchmarkCase, GenerationFailure
from scoring.sql.dialects import canonical_dialect
from service.commands.canary.canary_options import CanaryRunOptions
from service.commands.canary.schedule import CanarySchedule
from service.commands.canary.service_client import MOST_CANARIES, RefusedByServiceError, ServiceClient, open_service
from service.commands.eval.runner.backends.endpoint import EndpointBackend
from service.commands.eval.runner.benchmark_file import InvalidBenchmarkError, read_benchmark
from service.commands.eval.runner.generating import Asking, Generated, NamedBackend
from service.commands.exits import Exit, give_up, refuse

Found = TypeVar("Found")

_INTERVAL = re.compile(r"(\d{1,5})(m|h)")
_MINUTES = {"m": 1, "h": 60}
_MOST_MINUTES = 24 * 60
_LONGEST_SLEEP = 60.0
"""Seconds between two looks at the clock, which may be set."""
_LONGEST_PAUSE = 30.0
"""Seconds between two tries of a service that is down."""
_TRIES_ONCE = 3
"""Tries of a service that is down where the command asks once."""


def run_canaries(options: CanaryRunOptions) -> None:
    """Asks until stopped, or those that are due once. Exit code 1 if asked once and an answer failed."""
    every = _seconds(options.every)
    run = CanaryRun(options=options, every=every, cases=_cases(options), token=_token(options.token_file))
    try:
        asyncio.run(_until_stopped(run))
    except* (RefusedByServiceError, Unavailable) as group:
        _end(group)
    if options.once:
        print(f"sqlassay: {run.asked} canaries asked, {run.failed} failed", file=sys.stderr)
        if run.failed:
            raise SystemExit(int(Exit.NO))


def _end(group: ExceptionGroup[RefusedByServiceError | Unavailable]) -> NoReturn:
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    if isinstance(first, Unavailable):
        give_up(str(first))
    refuse(str(first))


def _seconds(text: str) -> float:
    """An interval in seconds. Ends the command when it is none."""
    found = _INTERVAL.fullmatch(text)
    minutes = int(found[1]) * _MINUTES[found[2]] if found else 0
    if not 1 <= minutes <= _MOST_MINUTES:
        refuse(f"--every {text!r}: name 1m to 24h, such as 15m or 6h")
    return minutes * 60.0


def _token(file: str | None) -> str | None:
    if file is None:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"--token-file: cannot read {file}: {error}")


def _cases(options: CanaryRunOptions) -> dict[str, BenchmarkCase]:
    """The canaries by name. Ends the command when one cannot be sent."""
    for name, url in (("--endpoint", options.endpoint), ("--service", options.service)):
        if not url.startswith(("http://", "https://")):
            refuse(f"{name} {url!r}: name a URL that begins with http:// or https://")
    if options.dialect is not None and canonical_dialect(options.dialect) is None:
        refuse(f"unknown dialect {options.dialect!r}: name one that `sqlassay score --dialect` accepts")
    try:
        cases = read_benchmark(options.benchmark, dialect=options.dialect).cases
    except InvalidBenchmarkError as error:
        refuse(str(error))
    if len(cases) > MOST_CANARIES:
        refuse(f"{options.benchmark} has {len(cases)} cases: at most {MOST_CANARIES} can be canaries of one agent")
    for each in cases:
        try:
            decode_event(canary_event(options, each, CanaryFailure.TIMEOUT), require_id=True)
        except InvalidEvent as error:
            refuse(f"case {each.case_id[:60]!r} cannot be sent as an event: {error.detail}")
    return {each.case_id: each for each in cases}


def canary_event(options: CanaryRunOptions, case: BenchmarkCase, answer: str | CanaryFailure) -> dict[str, object]:
    """The event that reports one answer, or why there is none."""
    failure = answer if isinstance(answer, CanaryFailure) else None
    return {
        "event_id": f"canary-{uuid.uuid4().hex}",
        "tenant": options.tenant,
        "agent": options.agent,
        "agent_version": options.agent_version,
        "occurred_at": datetime.now(UTC).isoformat(),
        "question": case.question,
        "sql": "" if failure is not None else answer,
        "reference_sql": case.gold_sql,
        "dialect": case.metadata.get("dialect") or options.dialect,
        "canary": {"case_id": case.case_id, "failure": failure},
    }


@dataclass(slots=True, kw_only=True)
class CanaryRun:
    """One running command."""

    options: CanaryRunOptions
    every: float
    cases: dict[str, BenchmarkCase]
    token: str | None
    asked: int = 0
    failed: int = 0
    chance: random.Random = field(default_factory=random.SystemRandom)

    async def __call__(self) -> None:
        """Asks until cancelled, or those that are due once."""
        options = self.options
        backend = EndpointBackend(options.endpoint, options.concurrency, marks_canaries=True)
        asking = Asking(NamedBackend("http", backend.generate, {}, opened=backend.opened), options.timeout)
        async with open_service(options.service, self.token) as service, backend.opened():
            asked = await self._patiently(lambda: service.last_asked(options.tenant, options.agent))
            schedule = CanarySchedule(self.cases, self.every, asked, time.time(), self.chance)
            async with asyncio.TaskGroup() as group:
                for _ in range(min(options.concurrency, len(self.cases))):
                    group.create_task(self._ask_due(schedule, asking, service))

    async def _ask_due(self, schedule: CanarySchedule, asking: Asking, service: ServiceClient) -> None:
        while True:
            due = schedule.take_due(time.time())
            if due is not None:
                await self._ask(self.cases[due], asking, service)
            elif self.options.once:
                return
            else:
                await asyncio.sleep(min(schedule.pause(time.time()), _LONGEST_SLEEP))

    async def _ask(self, case: BenchmarkCase, asking: Asking, service: ServiceClient) -> None:
        found = await asking(case, 1)
        event = _readable_event(self.options, case, _answer(found))
        await self._patiently(lambda: service.send(event))
        self.asked += 1
        if isinstance(found, GenerationFailure):
            self.failed += 1
            print(f"sqlassay: canary {case.case_id} failed: {found.kind}: {found.detail}", file=sys.stderr)

    async def _patiently(self, call: Callable[[], Awaitable[Found]]) -> Found:
        """Tries again while the service is down; asks nothing else meanwhile. Gives up soon where it asks once."""
        tries, pause = 0, 1.0
        while True:
            tries += 1
            try:
                return await call()
            except Unavailable as error:
                if self.options.once and tries >= _TRIES_ONCE:
                    raise
                print(f"sqlassay: {error}; trying again in {pause:g} s", file=sys.stderr)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _answer(found: Generated) -> str | CanaryFailure:
    if isinstance(found, GenerationFailure):
        return CanaryFailure(found.kind) if found.kind in set(CanaryFailure) else CanaryFailure.RAISED
    return found.sql if found.sql.strip() else CanaryFailure.NO_SQL


def _readable_event(options: CanaryRunOptions, case: BenchmarkCase, answer: str | CanaryFailure) -> dict[str, object]:
    """The event of an answer; of one that no event can hold, its failure."""
    event = canary_event(options, case, answer)
    try:
        decode_event(event, require_id=True)
    except InvalidEvent:
        return canary_event(options, case, CanaryFailure.INVALID)
    return event


async def _until_stopped(run: CanaryRun) -> None:
    """Runs, and returns at SIGTERM or SIGINT."""
    task = asyncio.ensure_future(run())
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, task.cancel)
    how = "those that are due" if run.options.once else f"each every {run.options.every}"
    print(f"sqlassay: {len(run.cases)} canaries for {run.options.agent}: asking {how}", file=sys.stderr)
    try:
        await task
    except asyncio.CancelledError:
        print("sqlassay: stopped", file=sys.stderr)
