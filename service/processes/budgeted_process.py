"""A forked process that works through items for a command: a costly one ends the process, and not the command."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar, cast

from service.processes.child import limit_cpu
from service.processes.forked_call import CallEnded
from service.processes.interpreter import tune_interpreter

Item = TypeVar("Item")
Result = TypeVar("Result")
_END_SECONDS = 5.0


class BudgetedProcess(Generic[Item, Result]):
    """Runs a function on one item after another in a process of its own; each may take so many seconds of CPU.

    Start it before the first thread, because the process is forked.
    """

    def __init__(self, function: Callable[[Item], Result], cpu_seconds: float) -> None:
        self._function, self._cpu_seconds = function, cpu_seconds
        self._process, self._pipe = self._started()

    def _started(self) -> tuple[ForkProcess, Connection]:
        context = get_context("fork")
        here, there = cast("tuple[Connection, Connection]", context.Pipe())
        process = context.Process(target=_serve, args=(here, there, self._function, self._cpu_seconds), daemon=True)
        process.start()
        there.close()
        return process, here

    def run(self, items: Sequence[Item]) -> Iterator[Result | CallEnded]:
        """Yields the result of each item, in order; `CallEnded` for one that ended the process, which is replaced."""
        place = 0
        while place < len(items):
            try:
                self._pipe.send(items[place:])
                while place < len(items):
                    result = cast("Result", self._pipe.recv())
                    place += 1
                    yield result
            except (EOFError, OSError):
                yield self._replaced()
                place += 1

    def _replaced(self) -> CallEnded:
        self._process.join(_END_SECONDS)
        ended = CallEnded(self._process.exitcode)
        self.close()
        self._process, self._pipe = self._started()
        return ended

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._pipe.close()
        self._process.kill()
        self._process.join(_END_SECONDS)


@contextmanager
def budgeted_process(
    function: Callable[[Item], Result], cpu_seconds: float
) -> Generator[BudgetedProcess[Item, Result]]:
    """Opens a `BudgetedProcess`, and ends it on leaving."""
    process = BudgetedProcess(function, cpu_seconds)
    try:
        yield process
    finally:
        process.close()


def _serve(parents: Connection, pipe: Connection, function: Callable[[Item], Result], cpu_seconds: float) -> None:
    # without this end of its own, the process would not learn that its parent has gone
    parents.close()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # Ctrl-C ends the command at once, also while compiled code runs
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    tune_interpreter()
    while True:
        try:
            items = cast("Sequence[Item]", pipe.recv())
        except EOFError:
            return
        for item in items:
            limit_cpu(cpu_seconds)
            result = function(item)
            limit_cpu(0)
            try:
                pipe.send(result)
            except BrokenPipeError:  # the parent has gone
                return
