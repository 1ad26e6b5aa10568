"""How the interpreter is set for a process that scores for long."""

from __future__ import annotations

import gc
import sys


def settle_interpreter() -> None:
    """What is loaded by now is collected no more and what is new seldom; a thread keeps the lock for longer.

    Looking at all that is loaded with every collection costs a tenth of a score, and to hand over the lock costs both
    threads: a third more events a second than with the defaults, when measured.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    sys.setswitchinterval(0.02)
