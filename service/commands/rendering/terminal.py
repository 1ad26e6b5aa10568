"""Prints texts of events safely: as plain text, never as markup, with control characters made visible.

The SQL comes from strangers and must not restyle or rewrite a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

MAX_LENGTH = 4_000
"""Characters shown of one text."""


def printable(text: str, max_length: int = MAX_LENGTH) -> str:
    """Replaces control characters with visible symbols and cuts the text to `max_length` characters.

    >>> printable("a\\x1b[31m\\nb")
    'a␛[31m\\nb'
    """
    cut = text if len(text) <= max_length else text[: max_length - 1] + "…"
    return "".join(_visible(char) for char in cut)


def _visible(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return char
    return chr(0x2400 + ord(char)) if ord(char) < 0x20 else "�"


def one_line(text: str, max_length: int = MAX_LENGTH) -> str:
    """Does the same as `printable`, and puts the text on one line."""
    return printable(" ".join(text.split()), max_length)


def section(title: str, body: Sequence[RenderableType]) -> RenderableType:
    """A part of the output, indented under its title."""
    if not body:
        return Group(Text(""), Text(title, style="bold"))
    indented = Table.grid(padding=(0, 0, 0, 2))
    for each in body:
        indented.add_row(each)
    return Group(Text(""), Text(title, style="bold"), indented)


def print_to_terminal(*parts: RenderableType) -> None:
    """Writes to stdout at the terminal's width."""
    Console().print(*parts, sep="\n")
