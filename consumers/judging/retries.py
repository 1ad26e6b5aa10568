"""Calls a model again after a failure. Failures are counted; a log line for each would hide all others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import stamina


def attempts(
    on: Callable[[Exception], bool | float], *, tries: int, first_wait: float, longest_wait: float
) -> AsyncIterator[stamina.Attempt]:
    """The attempts of one case, the first at once; `on` says whether another follows, or after how many seconds."""
    stamina.instrumentation.set_on_retry_hooks([])
    return stamina.retry_context(
        on=on,
        attempts=tries,
        timeout=None,
        wait_initial=first_wait,
        wait_max=longest_wait,
        wait_jitter=first_wait,
    )
