"""Texts from outside: what makes one unfit to store, and how much of one a person is shown."""

from __future__ import annotations


def shorten(text: str, length: int = 80) -> str:
    """At most `length` characters on one line, with the bad ones escaped.

    >>> shorten("a" * 100, 5), shorten("two\\nlines")
    ('aaaa…', 'two lines')
    """
    line = " ".join(text[: length + 200].split()).encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    return line if len(line) <= length else line[: length - 1] + "…"


def bad_character(text: str) -> int | None:
    """Where a NUL character or a lone surrogate stands, which no database text holds.

    >>> bad_character("fine"), bad_character("a" + chr(0)), bad_character("ab" + chr(0xD800))
    (None, 1, 2)
    """
    nul = text.find("\0")
    if text.isascii():
        return nul if nul >= 0 else None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start if nul < 0 else min(error.start, nul)
    return nul if nul >= 0 else None
