"""What on-call sees of a fault: answers of the probes, metrics and log lines of the real processes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
import orjson

from tests.delivery.workers import Worker

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
LOOK_EVERY = 0.5
_COUNTERS = {
    "sqlassay_stalls_total": "dependency",
    "sqlassay_redis_failures_total": "use",
    "sqlassay_kafka_rebalances_total": None,
    "sqlassay_rules_unconfirmed_total": None,
    "sqlassay_fallback_total": None,
    "sqlassay_model_budget_spent_total": None,
    "sqlassay_faults_total": None,
}
"""Counters whose growth says that something is wrong, and the label that says what."""
_FAILED = {"sqlassay_model_calls_total": ("end", "failed"), "sqlassay_kafka_commits_total": ("result", "failed")}
_STATE = "sqlassay_dependency_up"
"""0 while a dependency is down."""
_LEVELS = frozenset({"warning", "error", "critical"})


@dataclass(slots=True)
class Watch:
    """Looks at workers all through a fault."""

    workers: list[Worker]
    """Those that are started later count too."""
    probes: Counter[str] = field(default_factory=Counter[str])
    """Failed probes by path and answer."""
    down: Counter[str] = field(default_factory=Counter[str])
    """Looks at which a dependency was shown as down."""
    grown: Counter[str] = field(default_factory=Counter[str])
    _before: dict[int, Samples] = field(default_factory=dict[int, Samples])
    _read: dict[int, int] = field(default_factory=dict[int, int])
    """Length of each log when the watch began."""

    async def begin(self) -> None:
        """Notes how things are."""
        self._read = {number: len(each.said) for number, each in enumerate(self.workers)}
        for number, each in enumerate(self.workers):
            self._before[number] = await _samples(each)

    async def run(self) -> None:
        """Looks until cancelled."""
        while True:
            await asyncio.gather(*(self._look(number, each) for number, each in enumerate(self.workers)))
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self, number: int, worker: Worker) -> None:
        if not worker.runs or worker.address is None:
            return
        for path in ("/readyz", "/healthz"):
            answer = await _probe(worker.address, path)
            if answer is not None:
                self.probes[f"{path[1:]} {answer}"] += 1
        samples = await _samples(worker)
        for (name, labels), value in samples.items():
            if name == _STATE and value == 0:
                self.down[dict(labels)["dependency"]] += 1
        for sign in _grown(self._before.get(number, {}), samples):
            self.grown[sign] += 1

    def lines(self) -> Counter[str]:
        """Warnings and errors since the watch began, by event."""
        found: Counter[str] = Counter()
        for number, worker in enumerate(self.workers):
            for line in worker.said[self._read.get(number, 0) :].splitlines():
                with suppress(orjson.JSONDecodeError):
                    said = orjson.loads(line)
                    if isinstance(said, dict) and said.get("level") in _LEVELS:
                        found[str(said.get("event"))[:60]] += 1
        return found

    def signs(self) -> set[str]:
        """What a cell may ask for: `down:kafka`, a failed probe's path, a counter."""
        grown = {*self.grown, *(each.partition("(")[0] for each in self.grown)}
        return {*(f"down:{each}" for each in self.down), *(each.split()[0] for each in self.probes), *grown}

    def __str__(self) -> str:
        parts = [
            *_listed("down:", self.down),
            *_listed("", self.probes),
            *_listed("", self.grown),
            *_listed("log:", [each for each, _ in self.lines().most_common(3)]),
        ]
        return "; ".join(parts) or "nothing"


def _listed(name: str, found: Iterable[str]) -> list[str]:
    names = ", ".join(found)
    return [f"{name} {names}".strip()] if names else []


def _grown(before: Samples, now: Samples) -> set[str]:
    signs: set[str] = set()
    for (name, borne), value in now.items():
        if value <= before.get((name, borne), 0.0):
            continue
        labels, short = dict(borne), name.removeprefix("sqlassay_").removesuffix("_total")
        if name in _COUNTERS:
            what = labels.get(_COUNTERS[name] or "")
            signs.add(f"{short}({what})" if what else short)
        elif name in _FAILED and labels.get(_FAILED[name][0]) == _FAILED[name][1]:
            signs.add(f"{short}(failed)")
    return signs


async def _probe(address: str, path: str) -> str | None:
    """How a probe failed; `None` where it did not."""
    try:
        async with httpx.AsyncClient(base_url=address, timeout=5) as client:
            answer = await client.get(path)
    except httpx.TimeoutException:
        return "no answer"
    except httpx.TransportError:
        return "refused"
    return None if answer.status_code == 200 else str(answer.status_code)


async def _samples(worker: Worker) -> Samples:
    with suppress(httpx.HTTPError, AssertionError):
        return await worker.metrics()
    return {}
