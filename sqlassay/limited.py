"""A process that scores for a program, and that the kernel ends once an answer takes more CPU than it may.

The process is a new interpreter and no fork: the program may have threads, and need not protect its main module.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from types import MappingProxyType
from typing import IO, Any, cast

from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import unscored_record
from scoring.rules import Rules
from sqlassay.local import answer_record

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {module} import serve; serve()"
_END_SECONDS = 5.0
_FIRST = Query(
    question="Revenue per shop in 2025, without cancelled orders, highest first",
    sql="SELECT s.name, SUM(o.total) AS revenue FROM shops s JOIN orders o ON o.shop_id = s.id WHERE o.placed_on >= "
    "'2025-01-01' AND o.placed_on < '2026-01-01' AND o.status <> 'cancelled' GROUP BY s.name ORDER BY revenue DESC",
)
"""An answer that is scored before the others: what a process does only once is no part of what they cost."""


class LimitedProcess:
    """Scores one answer at a time. It starts with the first answer, and again after one that was too costly."""

    def __init__(self, rules: Rules, cpu_seconds: float) -> None:
        if not hasattr(signal, "setitimer"):
            raise NotImplementedError("cpu_seconds needs a system with setitimer, such as Linux or macOS: leave it out")
        if not 0 < cpu_seconds < float("inf"):
            raise ValueError(f"cpu_seconds is {cpu_seconds}: give more than 0 seconds")
        self._rules, self._cpu_seconds = rules, cpu_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def record(self, query: Query) -> Mapping[str, Any]:
        """The fields of the line out for an answer."""
        with self._lock:
            process = self._process or self._started()
            try:
                _send(_pipe(process.stdin), query)
                return cast("Mapping[str, Any]", pickle.load(_pipe(process.stdout)))  # noqa: S301 our own process
            except (EOFError, OSError):
                return self._ended(process)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-c", _START.format(module=__name__), json.dumps(sys.path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 ours
        _send(_pipe(self._process.stdin), (self._rules, self._cpu_seconds))
        return self._process

    def _ended(self, process: subprocess.Popen[bytes]) -> Mapping[str, Any]:
        code = process.wait(_END_SECONDS)
        self._close()
        if code == -signal.SIGPROF:
            limit = f"{self._cpu_seconds:g} s of CPU (cpu_seconds)"
            detail = f"scoring took more than {limit}: shorten the question or the SQL"
            return unscored_record(Unscored(UnscoredReason.TOO_COSTLY, detail), self._rules.version)
        detail = f"the scoring process ended with exit code {code}: please report it"
        return unscored_record(Unscored(UnscoredReason.SCORER_FAILED, detail), self._rules.version)

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 both are asked for
    return pipe


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: object, /) -> Any:
        # rules hold read-only mappings, which pickle refuses
        if isinstance(obj, MappingProxyType):
            return _read_only, (dict(cast("Mapping[object, object]", obj)),)
        return NotImplemented


def _read_only(mapping: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(mapping)


def _send(pipe: IO[bytes], value: object) -> None:
    _Pickler(pipe).dump(value)
    pipe.flush()


def serve() -> None:
    """Scores what comes on stdin until it is closed. Runs in the process."""
    # Ctrl-C in a terminal reaches all processes: the program ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    given, results = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, BrokenPipeError):
        rules, cpu_seconds = cast("tuple[Rules, float]", pickle.load(given))  # noqa: S301 the program's
        answer_record(_FIRST, rules)
        while True:
            query = cast("Query", pickle.load(given))  # noqa: S301 the program's
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            record = answer_record(query, rules)
            signal.setitimer(signal.ITIMER_PROF, 0)
            _send(results, record)
