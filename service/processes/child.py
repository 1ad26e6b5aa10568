"""What runs inside an `EndableProcess`: it serves calls, one after another, and ends with its parent.

The kernel ends it when a call takes more CPU than it may: compiled code, such as the SQL parser's, runs no handler of
Python's, so nothing inside the process could.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import socket
import struct
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from service.processes.interpreter import tune_interpreter

LENGTH = struct.Struct("!Q")
"""Precedes each message."""
_FRAMES = 8
"""How many innermost frames of a traceback go to the parent."""
_MEGABYTES = 512
"""Memory that a call may take beyond what the process has at its start."""
_STEPS: list[Connection] = []
"""The pipe that gets a byte for each step of a call."""
Setup: TypeAlias = Callable[[], object]


def _read_only(mapping: dict[str, str]) -> MappingProxyType[str, str]:
    return MappingProxyType(mapping)


# rules hold such mappings, and pickle cannot send them
ForkingPickler.register(MappingProxyType, lambda each: (_read_only, (dict(each),)))


def packed(value: object) -> bytes:
    """The value as a message. Raises what pickling raises."""
    content = bytes(ForkingPickler.dumps(value))
    return LENGTH.pack(len(content)) + content


def note_step() -> None:
    """Tells the parent that the next step of the present call begins."""
    os.write(_STEPS[0].fileno(), b".")


def limit_cpu(seconds: float) -> None:
    """Lets the kernel end this process once it has taken that much more CPU; 0 ends the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def serve_calls(calls: socket.socket, steps: Connection, setup: Setup, niceness: int) -> None:
    """Serves calls until the parent ends or closes the connection."""
    # Ctrl-C in a terminal reaches all processes: the parent drains first and then ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    threading.Thread(target=end_with_parent, daemon=True).start()
    _STEPS.append(steps)
    os.nice(niceness)
    setup()
    tune_interpreter()
    _limit_memory()
    # a parent that ends a call closes the connection first
    with suppress(BrokenPipeError, ConnectionResetError), calls, calls.makefile("rb") as requests:
        while header := requests.read(LENGTH.size):
            function, arguments = pickle.loads(requests.read(LENGTH.unpack(header)[0]))  # noqa: S301 the parent wrote it
            calls.sendall(_reply(function, arguments))


def _reply(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    try:
        result = function(*arguments)
        limit_cpu(0)
        return packed((True, result))
    except Exception as error:
        limit_cpu(0)
        return packed((False, _described(error)))


def _described(error: Exception) -> tuple[str, str]:
    """Its name and where it was raised; its message may quote a text."""
    return type(error).__name__, "".join(traceback.format_tb(error.__traceback__, limit=-_FRAMES))


def end_with_parent() -> None:
    """Ends this process at once when its parent ends. Runs in a thread of its own."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


def _limit_memory() -> None:
    sizes = Path("/proc/self/statm")
    if not sizes.exists():
        return
    data = int(sizes.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    limit = data + (_MEGABYTES << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
