"""Calls repeated until a dependency answers, and work repeated for as long as the process runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from consumers.errors import Unavailable

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait before a dependency that is down is called again."""

    first: float = 0.1
    """Seconds after the first failure."""
    factor: float = 2.0
    most: float = 5.0
    """Longest wait in seconds."""

    def wait(self, failures: int) -> float:
        """Seconds to wait after this many failures in a row.

        >>> [Backoff().wait(failures) for failures in (1, 2, 3, 99)]
        [0.1, 0.2, 0.4, 5.0]
        """
        return min(self.first * self.factor ** min(failures - 1, 32), self.most)


def _ignore(error: Unavailable) -> None:
    del error


async def retry_while_unavailable(
    call: Callable[[], Awaitable[Result]],
    backoff: Backoff,
    *,
    on_failure: Callable[[Unavailable], None] = _ignore,
    patience: float | None = None,
) -> Result:
    """Returns what `call` returns, and calls it again while it raises `Unavailable`.

    Raises the last `Unavailable` after `patience` seconds; `None` waits for ever.
    """
    now = asyncio.get_running_loop().time
    started, failures = now(), 0
    while True:
        try:
            return await call()
        except Unavailable as error:
            failures += 1
            on_failure(error)
            if patience is not None and now() - started >= patience:
                raise
        await asyncio.sleep(backoff.wait(failures))


async def repeat(step: Callable[[], Awaitable[None]]) -> NoReturn:
    """Calls `step` until cancelled."""
    while True:
        await step()


async def work_for_ever(
    work: Callable[[], Awaitable[bool]],
    *,
    pause: float,
    on_unavailable: Callable[[Unavailable], None],
    on_bug: Callable[[Exception], None],
) -> NoReturn:
    """Calls `work` until cancelled; pauses where it returns that no more is waiting, and where it fails."""
    while True:
        more = False
        try:
            more = await work()
        except Unavailable as error:
            on_unavailable(error)
        except Exception as error:
            on_bug(error)
        if not more:
            await asyncio.sleep(pause)
