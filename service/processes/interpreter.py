"""Tunes the interpreter of a long-running process that scores."""

from __future__ import annotations

import gc
import sys


def tune_interpreter() -> None:
    """Freezes loaded objects for the garbage collector, makes collections rare, and shortens thread switching.

    Scanning all loaded objects in each collection costs a tenth of a score. Scores are made in other processes; the
    threads of the main one read large bodies, and each of the event loop's many steps may wait so long for one of them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    sys.setswitchinterval(0.001)
