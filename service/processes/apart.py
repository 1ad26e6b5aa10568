"""Reads large bodies in a process of its own.

One thread of a process runs at a time: a body that is read in a thread delays every step of the event loop, and a
request of another sender takes dozens of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import TypeVar

from consumers.errors import Unavailable
from consumers.queueing.work_turns import WorkTurns
from consumers.wire.events import InvalidEvent, InvalidReason
from service.processes.child import limit_cpu, note_step
from service.processes.endable import CallFailed, EndableProcess, ProcessEnded

Result = TypeVar("Result")
SMALL = 32 * 1024
"""Largest body in bytes that is read on the event loop: another process or a thread would cost more."""
_NICENESS = 5
"""Small events come first."""
_CPU_SECONDS = 20.0
"""More than the largest export takes."""
_HEAVY = 4 * 1024 * 1024
"""Bytes of a body after which the process is replaced, because it would keep the memory that reading took."""


class ReadingApart:
    """Reads one large body at a time, and one small one between two steps of the event loop, of each sender in turn."""

    def __init__(self, cpu_seconds: float = _CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._process = EndableProcess(_prepare, niceness=_NICENESS)
        self._large, self._small = WorkTurns(), WorkTurns()

    async def read(self, sender: Hashable, body: bytes, function: Callable[[bytes], Result]) -> Result:
        """Returns what the function makes of the body. Of a large one it is done in another process.

        Raises `InvalidEvent` as the function does, and for a body that is too costly to read; `Unavailable` where the
        process ends for another reason.
        """
        if len(body) > SMALL:
            async with self._large.turn(sender):
                return await self._read_apart(body, function)
        async with self._small.turn(sender):
            result = function(body)
            await asyncio.sleep(0)
        return result

    async def _read_apart(self, body: bytes, function: Callable[[bytes], Result]) -> Result:
        try:
            result = await self._process.call(_limited, self._cpu_seconds, function, body)
        except ProcessEnded as ended:
            if ended.over_limit:
                raise _too_costly(f"reading took more than {self._cpu_seconds:g} s of CPU") from ended
            raise Unavailable(f"the body could not be read ({ended}): send it again") from ended
        except CallFailed as error:
            if error.kind != MemoryError.__name__:
                raise
            raise _too_costly("reading took too much memory") from error
        finally:
            if len(body) > _HEAVY:
                self._process.kill()
        if isinstance(result, _Invalid):
            raise InvalidEvent(result.reason, result.detail)
        return result

    def close(self) -> None:
        """Ends the process, with its current work."""
        self._process.kill()


@asynccontextmanager
async def reading_apart() -> AsyncGenerator[ReadingApart]:
    """Opens it; the process starts with the first large body and ends on leaving."""
    reading = ReadingApart()
    try:
        yield reading
    finally:
        reading.close()


def _too_costly(why: str) -> InvalidEvent:
    return InvalidEvent(InvalidReason.EVENT_TOO_LARGE, f"{why}: send less at once")


class _Invalid:
    """An `InvalidEvent` on its way from the process."""

    def __init__(self, reason: InvalidReason, detail: str) -> None:
        self.reason, self.detail = reason, detail


def _prepare() -> None:
    """The modules are loaded with the first function."""


def _limited(cpu_seconds: float, function: Callable[[bytes], Result], body: bytes) -> Result | _Invalid:
    note_step()
    limit_cpu(cpu_seconds)
    try:
        return function(body)
    except InvalidEvent as error:
        return _Invalid(error.reason, error.detail)
    finally:
        limit_cpu(0)
