"""Tunes the interpreter of a long-running process that scores."""

from __future__ import annotations

import gc
import sys


def tune_interpreter(*, forked: bool = False) -> None:
    """Freezes loaded objects for the garbage collector, makes collections rare, and shortens thread switching.

    In a forked process the parent's garbage is frozen too: to look for it, the process would copy all of the parent's
    objects, which takes longer than most calls.

    Scanning all loaded objects in each collection costs a tenth of a score. Scores are made in other processes; the
    threads of the main one read large bodies, and each of the event loop's many steps may wait so long for one of them.
    """
    if not forked:
        gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    sys.setswitchinterval(0.001)
