"""Runs the inputs of one target, one by one, each within its limit of CPU."""

from __future__ import annotations

import faulthandler
import json
import math
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from tests.fuzz.draws import Draws

Input: TypeAlias = dict[str, Any]
_SEED_BYTES = 400
_SETTLED = 500
"""Executions after which caches are full and memory must be flat."""
_MEGABYTES = 1024
_BUSY = 3.0
"""How much longer an input may take on a busy machine; one that hangs takes for ever."""
_GUIDED = ["scoring", "consumers", "references", "service.otlp"]
"""Packages whose lines guide atheris."""


class Length(NamedTuple):
    """How long a campaign is: it ends with the first of both."""

    seconds: float = math.inf
    executions: float = math.inf

    def after(self, seconds: float, executions: int) -> Length | None:
        """What is left of it, if anything."""
        left = Length(self.seconds - seconds, self.executions - executions)
        return left if min(left) > 0 else None

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s" if self.executions == math.inf else f"{self.executions} inputs"


class Fuzzed(Protocol):
    """A target of `targets.py`, which atheris must see imported."""

    @property
    def cpu_seconds(self) -> float: ...

    @property
    def draw(self) -> Callable[[Draws], Input]: ...

    @property
    def run(self) -> Callable[[Input], None]: ...


class Runner:
    """Runs inputs one by one, each within its limit of CPU, and tells the parent what it finds."""

    def __init__(self, target: Fuzzed, current: str, sender: Connection, *, slower: float) -> None:
        self._target, self._sender, self._slower = target, sender, slower
        self._current = os.open(current, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self._seen, self._worst, self._settled = set[str](), 0.0, 0.0
        self.executions = self._told = 0

    def run(self, raw: bytes) -> None:
        """Draws an input from bytes and runs it."""
        text = json.dumps(self._target.draw(Draws(raw)))
        os.ftruncate(self._current, 0)
        os.pwrite(self._current, text.encode(), 0)
        given, began = json.loads(text), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self._target.cpu_seconds * self._slower)
        try:
            self._target.run(given)
        except Exception as error:
            self._report(given, error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._worst = max(self._worst, time.process_time() - began)
        self.executions += 1
        if self.executions == _SETTLED:
            self._settled = _resident()
        if self.executions % _SETTLED == 0:
            self.tell()

    def tell(self) -> None:
        """Tells the parent the figures since the last time."""
        grown = _resident() - self._settled if self._settled else 0.0
        self._sender.send(("figures", (self.executions - self._told, self._worst, grown)))
        self._told = self.executions

    def _report(self, given: Input, error: Exception) -> None:
        where = traceback.extract_tb(error.__traceback__)[-1]
        key = f"{type(error).__name__} at {where.filename.rsplit('site-packages')[-1]}:{where.lineno}"
        if key not in self._seen:
            self._seen.add(key)
            self._sender.send(("finding", (given, key)))


def run_target(name: str, length: Length, seed: int, guided: bool, current: str, sender: Connection) -> None:
    """Fuzzes a target for that long."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.enable()
    limit = _MEGABYTES << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    if guided:
        # after the imports, which are slow when they are instrumented
        _run_guided(name, length, seed, current, sender)
        return
    runner = Runner(_target(name), current, sender, slower=_BUSY)
    source, began = random.Random(seed), time.monotonic()
    while length.after(time.monotonic() - began, runner.executions) is not None:
        runner.run(source.randbytes(source.choice((_SEED_BYTES // 8, _SEED_BYTES))))
    runner.tell()


def _target(name: str) -> Fuzzed:
    return cast("Fuzzed", import_module("tests.fuzz.targets").TARGETS[name])


def _run_guided(name: str, length: Length, seed: int, current: str, sender: Connection) -> None:
    """Lets atheris choose the bytes by the lines that they reach."""
    atheris = cast("Any", import_module("atheris"))
    with atheris.instrument_imports(include=_GUIDED):
        runner = Runner(_target(name), current, sender, slower=2 * _BUSY)
    began = time.monotonic()

    def run_one(raw: bytes) -> None:
        runner.run(raw)
        if length.after(time.monotonic() - began, runner.executions) is None:
            runner.tell()
            sender.close()
            os._exit(0)  # atheris ends with its process

    quiet = ["-verbosity=0", "-report_slow_units=1000", f"-artifact_prefix={current}-"]
    atheris.Setup([sys.argv[0], f"-seed={seed}", f"-max_len={_SEED_BYTES}", *quiet], run_one)
    atheris.Fuzz()


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / (1 << 20)
