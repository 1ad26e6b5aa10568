"""A forked process that works through items for a command: a costly one ends the process, and not the command."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
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
        """Starts on the items, and returns the result of each, in order.

        A process that an item ends is replaced, and the item's result is `CallEnded`. Take all results before the next
        run.
        """
        self._send(items)
        return self._results(items)

    def _send(self, items: Sequence[Item]) -> None:
        # a process that has ended is replaced once its result is asked for
        with suppress(OSError):
            self._pipe.send(items)

    def _results(self, items: Sequence[Item]) -> Iterator[Result | CallEnded]:
        place = 0
        while place < len(items):
            try:
                result = cast("Result", self._pipe.recv())
            except (EOFError, OSError):
                yield self._replaced()
                self._send(items[place + 1 :])
            else:
                yield result
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


@dataclass(frozen=True, slots=True)
class BudgetedProcesses(Generic[Item, Result]):
    """Several such processes, which share the items."""

    processes: Sequence[BudgetedProcess[Item, Result]]

    def run(self, items: Iterator[Item], at_once: int) -> Iterator[tuple[Item, Result | CallEnded]]:
        """Yields each item with its result, in order. Each process works through `at_once` items at a time."""
        running = deque((process, *self._start(process, items, at_once)) for process in self.processes)
        while running:
            process, given, results = running.popleft()
            yield from zip(given, results, strict=True)
            if given:
                running.append((process, *self._start(process, items, at_once)))

    @staticmethod
    def _start(
        process: BudgetedProcess[Item, Result], items: Iterator[Item], at_once: int
    ) -> tuple[Sequence[Item], Iterator[Result | CallEnded]]:
        given = list(islice(items, at_once))
        return given, process.run(given)


@contextmanager
def budgeted_processes(
    function: Callable[[Item], Result], cpu_seconds: float, count: int = 1
) -> Generator[BudgetedProcesses[Item, Result]]:
    """Opens so many `BudgetedProcess`, and ends them on leaving."""
    with ExitStack() as stack:
        processes: list[BudgetedProcess[Item, Result]] = []
        for _ in range(count):
            processes.append(BudgetedProcess(function, cpu_seconds))
            stack.callback(processes[-1].close)
        yield BudgetedProcesses(processes)


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
