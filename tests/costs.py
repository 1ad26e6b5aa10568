"""What a call costs on the processor, so that tests compare costs and never assert a time."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def cpu_seconds(call: Callable[[], object], tries: int = 2) -> float:
    """The least processor time of this thread that a call took, without garbage collection."""
    costs: list[float] = []
    gc.disable()
    for _ in range(tries):
        began = time.thread_time()
        call()
        costs.append(time.thread_time() - began)
    gc.enable()
    return min(costs)
