"""A forked process that works through items for a command: a costly one ends the process, and not the command."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from mmap import mmap
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from struct import Struct
from time import process_time
from typing import Generic, TypeVar, cast

from service.processes.child import limit_cpu
from service.processes.forked_call import CallEnded
from service.processes.interpreter import tune_interpreter

Item = TypeVar("Item")
Result = TypeVar("Result")
_END_SECONDS = 5.0
_PLACE = Struct("Q")
_WAITING = 8
_SEND_SECONDS = 0.01
"""CPU for which a result waits for others: a message for each would cost the parent more than its other work."""


class BudgetedProcess(Generic[Item, Result]):
    """Runs a function on one item after another in a process of its own; each may take so many seconds of CPU.

    Start it before the first thread, because the process is forked. A process that an item ends is replaced, and the
    item's result is `CallEnded`; the items before it whose results went with the process run again.
    """

    def __init__(self, function: Callable[[Item], Result], cpu_seconds: float) -> None:
        self._function, self._cpu_seconds = function, cpu_seconds
        self._place = mmap(-1, _PLACE.size)
        self._parts: deque[Sequence[Item] | CallEnded] = deque()
        self._received = 0
        self._results: list[Result | CallEnded] = []
        self._process, self.pipe = self._started()

    def _started(self) -> tuple[ForkProcess, Connection]:
        context = get_context("fork")
        here, there = cast("tuple[Connection, Connection]", context.Pipe())
        serving = _Serving(here, there, self._place, self._function, self._cpu_seconds)
        process = context.Process(target=serving, daemon=True)
        process.start()
        there.close()
        return process, here

    def run(self, items: Sequence[Item]) -> list[Result | CallEnded]:
        """Returns the result of each item, in order."""
        if not items:
            return []
        self.start(items)
        while (results := self.collect()) is None:
            pass
        return results

    def start(self, items: Sequence[Item]) -> None:
        """Starts on the items, of which there is at least one. `collect` all results before the next start."""
        self._parts.append(items)
        self._send(items)

    def _send(self, items: Sequence[Item]) -> None:
        self._received = 0
        _PLACE.pack_into(self._place, 0, 0)
        # a process that has ended is replaced once its results are asked for
        with suppress(OSError):
            self.pipe.send(items)

    def collect(self) -> list[Result | CallEnded] | None:
        """Waits until `pipe` is readable. Returns all results, or None where some are still to come."""
        part = cast("Sequence[Item]", self._parts[0])
        try:
            results = cast("list[Result]", self.pipe.recv())
        except (EOFError, OSError):
            self._parts.popleft()
            place = min(max(_PLACE.unpack_from(self._place)[0], self._received), len(part) - 1)
            self._parts.extendleft((part[place + 1 :], self._replaced(), part[self._received : place]))
            return self._advanced()
        self._results += results
        self._received += len(results)
        if self._received < len(part):
            return None
        self._parts.popleft()
        return self._advanced()

    def _advanced(self) -> list[Result | CallEnded] | None:
        """Sends the next items that have no result; returns all results if there are none."""
        while self._parts:
            part = self._parts[0]
            if isinstance(part, CallEnded):
                self._results.append(part)
            elif part:
                self._send(part)
                return None
            self._parts.popleft()
        results, self._results = self._results, []
        return results

    def _replaced(self) -> CallEnded:
        self._process.join(_END_SECONDS)
        ended = CallEnded(self._process.exitcode)
        self._end()
        self._process, self.pipe = self._started()
        return ended

    def _end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join(_END_SECONDS)

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._end()
        self._place.close()


@dataclass(frozen=True, slots=True)
class BudgetedProcesses(Generic[Item, Result]):
    """Several such processes, which share the items."""

    processes: Sequence[BudgetedProcess[Item, Result]]

    def run(self, items: Iterator[Item], at_once: int) -> Iterator[tuple[Item, Result | CallEnded]]:
        """Yields each item with its result, in order. Each process works through `at_once` items at a time.

        A process that is ready goes on with the next items at once, whatever the others do, until the results that
        wait for an earlier one are `_WAITING` times as many as all processes work on.
        """
        chunks = enumerate(iter(lambda: list(islice(items, at_once)), []))
        idle, running = list(self.processes), dict[Connection, _Running[Item, Result]]()
        finished = dict[int, Iterator[tuple[Item, Result | CallEnded]]]()
        turn = 0
        while True:
            while idle and len(finished) <= _WAITING * len(self.processes) and (chunk := next(chunks, None)):
                process = idle.pop()
                process.start(chunk[1])
                running[process.pipe] = _Running(process, *chunk)
            while turn in finished:
                yield from finished.pop(turn)
                turn += 1
            if not running:
                return
            for pipe in cast("list[Connection]", wait(running)):
                each = running.pop(pipe)
                results = each.process.collect()
                if results is None:
                    running[each.process.pipe] = each
                else:
                    idle.append(each.process)
                    finished[each.number] = zip(each.items, results, strict=True)


@dataclass(frozen=True, slots=True)
class _Running(Generic[Item, Result]):
    process: BudgetedProcess[Item, Result]
    number: int
    """The place of its items among all that are given to processes together."""
    items: Sequence[Item]


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


@dataclass(frozen=True, slots=True)
class _Serving(Generic[Item, Result]):
    """What the process does."""

    parents: Connection
    pipe: Connection
    place: mmap
    """Holds the number of the item that is being worked on, which the parent reads once the process has ended."""
    function: Callable[[Item], Result]
    cpu_seconds: float

    def __call__(self) -> None:
        # without this end of its own, the process would not learn that its parent has gone
        self.parents.close()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        # Ctrl-C ends the command at once, also while compiled code runs
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        tune_interpreter(forked=True)
        # the parent may go at any time
        with suppress(EOFError, BrokenPipeError):
            while True:
                self._work(cast("Sequence[Item]", self.pipe.recv()))

    def _work(self, items: Sequence[Item]) -> None:
        results: list[Result] = []
        sent = process_time()
        for number, item in enumerate(items):
            _PLACE.pack_into(self.place, 0, number)
            limit_cpu(self.cpu_seconds)
            results.append(self.function(item))
            limit_cpu(0)
            if process_time() - sent > _SEND_SECONDS or number == len(items) - 1:
                self.pipe.send(results)
                results, sent = [], process_time()
