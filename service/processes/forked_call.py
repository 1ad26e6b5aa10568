"""One call in a forked process, for commands: a text that is costly to parse ends the call and not the terminal."""

from __future__ import annotations

import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar, cast

from service.processes.child import limit_cpu

Result = TypeVar("Result")
_END_SECONDS = 5.0


class CallEnded(Exception):  # noqa: N818 it names what happened
    """The process ended before the function returned."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"the process ended with exit code {code}")
        self.over_limit = code == -signal.SIGPROF
        """Whether the call took more CPU than it may."""


def call_in_fork(function: Callable[..., Result], *arguments: object, cpu_seconds: float) -> Result:
    """Returns what the function returns, and raises what it raises. Call it before the first thread starts."""
    context = get_context("fork")
    reader, writer = cast("tuple[Connection, Connection]", context.Pipe(duplex=False))
    process = context.Process(target=_reply, args=(writer, function, arguments, cpu_seconds), daemon=True)
    process.start()
    writer.close()
    try:
        result, error = cast("tuple[Result, Exception | None]", reader.recv())
    except EOFError:
        process.join(_END_SECONDS)
        raise CallEnded(process.exitcode) from None
    finally:
        process.kill()
        process.join(_END_SECONDS)
        reader.close()
    if error is not None:
        raise error
    return result


def _reply(
    writer: Connection, function: Callable[..., object], arguments: tuple[object, ...], cpu_seconds: float
) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # Ctrl-C ends the command at once, also while compiled code runs
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    limit_cpu(cpu_seconds)
    try:
        reply = function(*arguments), None
    except Exception as error:
        reply = None, error
    limit_cpu(0)
    writer.send(reply)
