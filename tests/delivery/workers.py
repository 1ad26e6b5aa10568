"""Workers as operators run them: processes of `sqlassay serve --role worker`, told everything by their environment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.servers.processes import children

ROOT = Path(__file__).parents[2]
BUILD = (sys.executable, "-m", "service")
"""What is tested."""
_TELLING = (
    "consumed outcomes stalls faults queue redis_failures model_breaker model_calls"
    " kafka_commits kafka_lag kafka_paused kafka_partitions kafka_rebalances"
)
"""What is told of a worker that a test waits for in vain."""
LEAVES_WITHIN = int(os.environ.get("SQLASSAY_TEST_PATIENCE", "240")) / 4
"""Seconds until a worker that was told to end must have done so: a minute, unless the machine does other work."""
EARLY = (sys.executable, str(ROOT / "tests" / "delivery" / "early_commit.py"))
"""The same with a bug: offsets are committed before rows are."""


WRONG_CLOCK = (sys.executable, str(ROOT / "tests" / "delivery" / "wrong_clock.py"))
"""The same with a clock that a file sets."""


@dataclass(slots=True)
class Worker:
    """One process, its log, and what it says of itself."""

    settings: Mapping[str, str]
    log: Path
    build: tuple[str, ...] = BUILD
    checkout: Path = ROOT
    """Whose code it runs."""
    killed: bool = False
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*self.build, "serve", "--role", "worker"],
                env=self.variables(self.settings, self.checkout),
                cwd=self.checkout,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @staticmethod
    def variables(settings: Mapping[str, str], checkout: Path) -> dict[str, str]:
        """The environment of a process of that code, which refuses settings that it does not know."""
        others = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
        known = (checkout / "docs" / "settings.md").read_text(encoding="utf-8")
        own = {name: value for name, value in settings.items() if "__" not in name or name in known}
        path = os.pathsep.join(map(str, (checkout, Worker.packages(checkout))))
        return {**others, "SQLASSAY_HTTP__PORT": "0", "PYTHONPATH": path, **own}

    @staticmethod
    def packages(checkout: Path) -> Path:
        """Where packages are that only this checkout needs; none for the code that is tested."""
        return checkout / "own_packages"

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    @property
    def said(self) -> str:
        """Its log."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def address(self) -> str | None:
        """Its URL, once it listens."""
        found = re.search(r'"?url"?[=:] ?"?(http://[\d.]+:\d+)', self.said)
        return found[1] if found else None

    async def ready(self) -> bool:
        """Whether it takes records."""
        assert self.runs, f"the worker ended by itself: {self.said[-3000:]}"
        return await self._status("/readyz") == 200

    async def healthy(self) -> bool:
        """Whether its watchdog is content."""
        return await self._status("/healthz") == 200

    async def _status(self, path: str) -> int | None:
        if self.address is None:
            return None
        try:
            async with httpx.AsyncClient(base_url=self.address, timeout=10) as client:
                return (await client.get(path)).status_code
        except httpx.TransportError:
            return None

    async def metrics(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        """Every sample by name and labels."""
        assert self.address
        async with httpx.AsyncClient(base_url=self.address, timeout=30) as client:
            told = (await client.get("/metrics")).raise_for_status().text
        families = text_string_to_metric_families(told)
        return {(each.name, frozenset(each.labels.items())): each.value for one in families for each in one.samples}

    async def total(self, metric: str, **labels: str) -> float:
        """The sum of a metric's samples that bear these labels."""
        wanted = set(labels.items())
        samples = await self.metrics()
        return sum(value for (name, borne), value in samples.items() if name == metric and wanted <= borne)

    async def portrait(self) -> str:
        """What it counts of the stream, and the end of its log."""
        names = tuple(f"sqlassay_{each}" for each in _TELLING.split())
        counted = [
            f"{name} {' '.join(sorted(value for _, value in borne))} {count:g}"
            for (name, borne), count in (await self.metrics()).items()
            if count and name.startswith(names) and not name.endswith("_created")
        ]
        return "\n".join([*sorted(counted), self.said[-1500:]])

    def freeze(self) -> None:
        """SIGSTOP, of its scoring processes too."""
        for pid in (self.process.pid, *children(self.process.pid)):
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on where it was frozen."""
        for pid in (self.process.pid, *children(self.process.pid)):
            os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """`kill -9`."""
        self.killed = True
        self.process.kill()
        self.process.wait()

    def leave(self, seconds: float = LEAVES_WITHIN) -> int:
        """SIGTERM; the exit code once it has drained."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"SIGTERM did not end it within {seconds:g} s: {self.said[-4000:]}") from None
