"""The exit codes of the commands. Scripts rely on the numbers."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import NoReturn


class Exit(IntEnum):
    DONE = 0
    NO = 1
    """The command ran and its answer is no."""
    BAD_INPUT = 2
    """Bad usage or input. It is safe to correct it and run the command again."""
    UNAVAILABLE = 3
    """A dependency (the database, a port) is down."""


def answer_no(message: str) -> NoReturn:
    """Ends the command with `NO` and prints why."""
    _end(message, Exit.NO)


def refuse(message: str) -> NoReturn:
    """Ends the command with `BAD_INPUT` and prints what is wrong and how to fix it."""
    _end(message, Exit.BAD_INPUT)


def give_up(message: str) -> NoReturn:
    """Ends the command with `UNAVAILABLE` and prints what could not be reached."""
    _end(message, Exit.UNAVAILABLE)


def _end(message: str, code: Exit) -> NoReturn:
    printable = message.encode("utf-8", "backslashreplace").decode("utf-8")
    print(f"sqlassay: {printable}", file=sys.stderr)
    raise SystemExit(int(code))
