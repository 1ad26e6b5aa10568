"""`sqlassay bench judge`: how close the model judge comes to what a slow model server allows."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import uvloop
from rich.text import Text

from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.panel import Panel
from consumers.wire.events import QueryEvent, decode_event
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import examine
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case, Reply
from service.commands.bench import slow_model
from service.commands.exits import give_up
from service.commands.rendering.terminal import print_to_terminal
from service.judges.configured_panel import open_panel
from service.judges.weights import local_judge
from service.processes.interpreter import tune_interpreter
from service.samples import sample_events, sample_rules
from service.settings.judge_settings import JudgeSettings, PriceSettings

WARM_SECONDS = 3.0
"""Not measured: connections are opened and the first replies arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpeed:
    """One measurement."""

    in_flight: int
    model_seconds: float
    """Seconds the model takes for a reply."""
    seconds: float
    """Length of the measurement."""
    replies: int
    cpu_seconds: float
    """CPU time of this process during the measurement."""

    @property
    def ideal(self) -> float:
        """Replies per second if only the model took time."""
        return self.in_flight / self.model_seconds

    def __str__(self) -> str:
        figures = self.document()
        return (
            f"{figures['replies_per_second']} replies/s of {figures['ideal_per_second']} ideal"
            f" ({self.replies / self.seconds / self.ideal:.1%}; {self.in_flight} calls in flight on a model of"
            f" {self.model_seconds:g} s, {figures['cpu_ms_per_reply']} ms of CPU a reply)"
        )

    def document(self) -> dict[str, object]:
        rate = self.replies / self.seconds
        return {
            "in_flight": self.in_flight,
            "model_seconds": self.model_seconds,
            "seconds": round(self.seconds, 2),
            "replies_per_second": round(rate, 1),
            "ideal_per_second": round(self.ideal, 1),
            "share_of_ideal": round(rate / self.ideal, 4),
            "cpu_ms_per_reply": round(1000 * self.cpu_seconds / max(self.replies, 1), 3),
        }


def bench_judge(*, in_flight: int, model_seconds: float, seconds: float, as_json: bool) -> None:
    """Prints the figures: a table on a terminal, JSON elsewhere."""
    # the same event loop as the service
    with _slow_model(model_seconds) as url, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        bench = runner.run(_measure(url, in_flight, model_seconds, seconds))
    if as_json or not sys.stdout.isatty():
        print(json.dumps(bench.document()))
    else:
        print_to_terminal(Text(str(bench)))


@contextmanager
def _slow_model(seconds: float) -> Generator[str]:
    """Runs a slow model server in its own process and yields its base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", slow_model.__name__, str(port), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:  # noqa: S603 our own module
        try:
            if server.stdout is None or not server.stdout.readline():
                give_up("the slow model server did not start")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


async def _measure(url: str, in_flight: int, model_seconds: float, seconds: float) -> JudgeSpeed:
    prices = {"slow": PriceSettings(sent=1, received=1)}
    settings = JudgeSettings(
        base_url=url, model="slow", prices=prices, in_flight=in_flight, tenant_in_flight=in_flight, budget=1e6
    )
    counts = MemoryModelCounts()
    async with open_panel(settings, local_judge(), counts) as panel:
        # as in a running service
        tune_interpreter()
        callers = [asyncio.create_task(_ask_forever(panel, cases)) for cases in _case_streams(2 * in_flight)]
        try:
            await asyncio.sleep(WARM_SECONDS + model_seconds)
            began, cpu_before, before = time.monotonic(), time.process_time(), counts.cases.total()
            await asyncio.sleep(seconds)
            took, done = time.monotonic() - began, counts.cases.total() - before
            cpu_seconds = time.process_time() - cpu_before
        finally:
            for each in callers:
                each.cancel()
            await asyncio.gather(*callers, return_exceptions=True)
    return JudgeSpeed(
        in_flight=in_flight, model_seconds=model_seconds, seconds=took, replies=done, cpu_seconds=cpu_seconds
    )


async def _ask_forever(panel: Panel, cases: Iterator[Case]) -> None:
    for case in cases:
        reply = await panel.ask(case, tenant="bench")
        if not isinstance(reply, Reply) or reply.fallback:
            raise RuntimeError(f"the slow model server failed: {reply}")


def _case_streams(count: int) -> list[Iterator[Case]]:
    """For each caller the samples in an endless loop, starting at a different sample."""
    cases = list(_cases())
    return [itertools.cycle(_rotated(cases, start)) for start in range(count)]


def _rotated(cases: Sequence[Case], start: int) -> list[Case]:
    start %= len(cases)
    return [*cases[start:], *cases[:start]]


def _cases() -> Iterator[Case]:
    rules = {name: decode_rules(each).rules(version=1) for name, each in sample_rules().items()}
    for raw in sample_events():
        event = decode_event(raw, require_id=False)
        case = examine(event.query(), _model_rules(event, rules[event.tenant]))
        if isinstance(case, Case) and case.unparseable is None:
            yield case


def _model_rules(event: QueryEvent, rules: Rules) -> Rules:
    return replace(rules, dialect=event.dialect or rules.dialect, judge=JudgeRules(policy=JudgePolicy.LLM))
