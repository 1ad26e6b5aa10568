"""One paragraph, list item, table cell or comment of a dictionary, and what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPEN, _CLOSE = "([", ")]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A piece of a dictionary."""

    text: str
    table: str | None = None
    """The table that it stands below or behind."""
    column: str | None = None
    """The column that it stands below or behind."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence starts and ends: at a full stop outside of brackets, quotes and names.

    >>> [text[a:b] for text in ["Paid (see x. y). Open."] for a, b in sentences(text)]
    ['Paid (see x. y).', ' Open.']
    """
    found: list[tuple[int, int]] = []
    start = depth = 0
    quoted = False
    for place, letter in enumerate(text):
        if letter == "`":
            quoted = not quoted
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth = max(0, depth - 1)
        elif letter == "." and not depth and not quoted and _ends_here(text, place + 1):
            found.append((start, place + 1))
            start = place + 1
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _ends_here(text: str, place: int) -> bool:
    return text[place : place + 1] in ("", " ", "\n", "*") and not _ABBREVIATED.search(text, 0, place)


_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|incl|excl|approx|etc|no|vs)\.\Z", re.IGNORECASE)


def outer_parts(text: str, marks: str) -> list[str]:
    """The text split at these marks outside of brackets and quotes.

    >>> outer_parts("A open (x, y), B shut; C gone", ",;")
    ['A open (x, y)', ' B shut', ' C gone']
    """
    parts: list[str] = []
    start = depth = 0
    quoted = False
    for place, letter in enumerate(text):
        if letter in '"“”':
            quoted = not quoted
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth = max(0, depth - 1)
        elif letter in marks and not depth and not quoted:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
