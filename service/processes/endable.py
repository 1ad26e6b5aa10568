"""A process whose work can be ended: it is called one function at a time, and replaced when it ended."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TypeVar, cast

from service.processes.child import LENGTH, Setup, packed, serve_calls
from service.processes.forking import forking_context

Result = TypeVar("Result")
_CLOCK_SECONDS = 60.0
"""A call that takes this long by the clock is ended: its process is frozen, or the machine is far too busy."""
_END_SECONDS = 5.0
"""How long a killed process has to be gone."""


class EndReason(StrEnum):
    """Why a process ended during a call."""

    CPU = "cpu"
    """The call took more CPU than it may."""
    CLOCK = "clock"
    """The call gave no answer in time, so we killed the process."""
    KILLED = "killed"
    """SIGKILL from outside: the kernel sends it when memory runs out."""
    CRASHED = "crashed"
    """Any other exit, such as a fault of compiled code."""

    @classmethod
    def of(cls, exit_code: int | None, *, timed_out: bool) -> EndReason:
        """The reason that an exit code names; a process that we killed has none.

        >>> EndReason.of(-signal.SIGKILL, timed_out=False).value, EndReason.of(-signal.SIGSEGV, timed_out=False).value
        ('killed', 'crashed')
        """
        if timed_out:
            return cls.CLOCK
        return {-signal.SIGPROF: cls.CPU, -signal.SIGKILL: cls.KILLED}.get(exit_code or 0, cls.CRASHED)


class ProcessEnded(Exception):  # noqa: N818 it names what happened
    """The process ended during a call."""

    def __init__(self, *, steps: int, reason: EndReason, why: str) -> None:
        super().__init__(f"the process ended during step {steps} of a call: {why}")
        self.steps = steps
        """Steps of the call that had begun, the one that was running included."""
        self.reason = reason

    @property
    def over_limit(self) -> bool:
        """Whether that step took more CPU than it may."""
        return self.reason is EndReason.CPU


class CallFailed(Exception):  # noqa: N818 it names what happened
    """The function raised; the process goes on."""

    def __init__(self, kind: str, where: str) -> None:
        super().__init__(f"{kind}\n{where}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class _Running:
    process: BaseProcess
    calls: socket.socket
    steps: Connection


class EndableProcess:
    """Runs one call at a time. Starts its process with the first call, and again after it ended."""

    def __init__(self, setup: Setup, *, niceness: int = 0, clock_seconds: float = _CLOCK_SECONDS) -> None:
        self._setup, self._niceness, self._clock_seconds = setup, niceness, clock_seconds
        self._running: _Running | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Returns what the function returns. Raises `ProcessEnded` and `CallFailed`."""
        async with self._turn:
            request = _request(function, arguments)
            try:
                if self._running is None:
                    await self._start()
                content = await self._exchange(request)
            except (OSError, EOFError) as error:
                raise await self._ended(error) from error
            except asyncio.CancelledError:
                self.kill()
                raise
        succeeded, result = pickle.loads(content)  # noqa: S301 our own process wrote it
        if not succeeded:
            raise CallFailed(*result)
        return cast("Result", result)

    async def _exchange(self, request: bytes) -> bytes:
        assert self._streams is not None  # noqa: S101 it was started
        reader, writer = self._streams
        async with asyncio.timeout(self._clock_seconds):
            writer.write(request)
            await writer.drain()
            size = LENGTH.unpack(await reader.readexactly(LENGTH.size))[0]
            content = await reader.readexactly(size)
        self._steps_begun()
        return content

    async def _start(self) -> None:
        # in a thread: the first start waits until the server that forks has loaded its modules
        running = await asyncio.to_thread(_start, self._setup, self._niceness)
        self._running = running
        self._streams = await asyncio.open_connection(sock=running.calls, limit=1 << 20)

    def _steps_begun(self) -> int:
        begun = 0
        if self._running is not None:
            with suppress(BlockingIOError):
                while marks := os.read(self._running.steps.fileno(), 1 << 16):
                    begun += len(marks)
        return begun

    async def _ended(self, error: Exception) -> ProcessEnded:
        """Forgets the process, and returns why it ended."""
        begun, running = self._steps_begun(), self._running
        if running is None:
            return ProcessEnded(steps=0, reason=EndReason.CRASHED, why=str(error))
        timed_out = isinstance(error, TimeoutError)
        if not timed_out:
            await asyncio.to_thread(running.process.join, _END_SECONDS)
        code = running.process.exitcode
        self.kill()
        why = f"no answer in {self._clock_seconds:g} s" if timed_out else f"exit code {code}"
        return ProcessEnded(steps=begun, reason=EndReason.of(code, timed_out=timed_out), why=why)

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        running, streams, self._running, self._streams = self._running, self._streams, None, None
        if streams is not None:
            streams[1].close()
        if running is not None:
            running.process.kill()
            running.process.join(_END_SECONDS)
            running.steps.close()


def _request(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    try:
        return packed((function, arguments))
    except Exception as error:
        raise CallFailed(type(error).__name__, "the arguments cannot be sent") from error


def _start(setup: Setup, niceness: int) -> _Running:
    context = forking_context()
    here, there = socket.socketpair()
    steps, begun = cast("tuple[Connection, Connection]", context.Pipe(duplex=False))
    with there, begun:
        process = context.Process(target=serve_calls, args=(there, begun, setup, niceness), daemon=True)
        process.start()
    here.setblocking(False)
    os.set_blocking(steps.fileno(), False)
    return _Running(process, here, steps)
