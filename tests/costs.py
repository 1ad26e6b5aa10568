"""What calls cost on the processor, so that tests compare costs and no busy or slow machine fails a test.

Another process on the same core slows a call down by half and more, even in processor time. So two calls are measured
in turns, moments apart, and again while they seem too far apart: noise passes in one round, a defect in none.
"""

from __future__ import annotations

import gc
import io
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType

Call = Callable[[], object]

ROUNDS = 8
"""How often a comparison is measured before it fails."""
NORMAL_SECONDS = 0.09
"""What `_reference_call` costs on a quiet core of the machine of docs/security.md."""


def cpu_seconds(call: Call, tries: int = 2) -> float:
    """The least processor time of this thread that a call took, without garbage collection."""
    costs: list[float] = []
    gc.disable()
    for _ in range(tries):
        began = time.thread_time()
        call()
        costs.append(time.thread_time() - began)
    gc.enable()
    return min(costs)


def times_as_costly(costly: Call, cheap: Call, most: float, *, fixed: float = 0.0, tries: int = 1) -> float:
    """How many times the cost of one call another costs, as soon as that is at most `most`; else the least of 8 rounds.

    `fixed` CPU seconds are added to both, so that a ratio of next to nothing does not count.
    """
    found: list[float] = []
    for _ in range(ROUNDS):
        before = cpu_seconds(cheap, tries)
        cost = cpu_seconds(costly, tries)
        least = min(before, cpu_seconds(cheap, tries))
        found.append((cost + fixed) / (least + fixed))
        if found[-1] <= most:
            break
    return min(found)


def normal_seconds(call: Call, most: float) -> float:
    """The CPU seconds of a call on a quiet machine: in this moment's measure of a call whose cost there is known."""
    return NORMAL_SECONDS * times_as_costly(call, _reference_call, most / NORMAL_SECONDS)


def calls_of(call: Call, module: str) -> Counter[str]:
    """How often each function of a module runs during a call: work that is counted, whatever the machine does."""
    counts: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__") == module:
            counts[frame.f_code] += 1

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Counter({code.co_name: number for code, number in counts.items()})


_REFERENCE_TEXT = "\n".join(
    f"x{n} = f({n}, 'text {n}', [a, b, c]) if y{n} > {n} else {{'k': {n}.5}}" for n in range(1000)
)


def _reference_call() -> object:
    """Work in pure Python that no change of this project makes cheaper."""
    return list(tokenize.generate_tokens(io.StringIO(_REFERENCE_TEXT).readline))
