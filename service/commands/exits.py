"""How a command ends. Scripts rely on the numbers."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import NoReturn


class Exit(IntEnum):
    DONE = 0
    NO = 1
    """The command ran and its answer is no."""
    BAD_INPUT = 2
    """Bad usage or input: nothing was done that a second, corrected run would repeat."""
    UNAVAILABLE = 3
    """Something it depends on (the database, a port) is down."""


def refuse(message: str) -> NoReturn:
    """Ends with `BAD_INPUT`, saying on stderr what is wrong and how to mend it."""
    _end(message, Exit.BAD_INPUT)


def give_up(message: str) -> NoReturn:
    """Ends with `UNAVAILABLE`, saying on stderr what could not be reached."""
    _end(message, Exit.UNAVAILABLE)


def _end(message: str, code: Exit) -> NoReturn:
    printable = message.encode("utf-8", "backslashreplace").decode("utf-8")
    print(f"sqlassay: {printable}", file=sys.stderr)
    raise SystemExit(int(code))
