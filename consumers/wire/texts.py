"""Texts from outside: finds characters that cannot be stored, and shortens texts for messages."""

from __future__ import annotations


def shorten(text: str, length: int = 80) -> str:
    """At most `length` characters on one line, with NUL and lone surrogates escaped.

    >>> shorten("a" * 100, 5), shorten("two\\nlines")
    ('aaaa…', 'two lines')
    """
    line = " ".join(text[: length + 200].split()).encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    return line if len(line) <= length else line[: length - 1] + "…"


def json_type(value: object) -> str:
    """The JSON type of a parsed value, in words.

    >>> json_type(None), json_type([1]), json_type(True), json_type(7), json_type("x")
    ('null', 'an array', 'true or false', 'a number', 'a string')
    """
    if value is None:
        return "null"
    return next((name for kind, name in _JSON_TYPES if isinstance(value, kind)), type(value).__name__)


def shown(value: object) -> str:
    """A parsed value for a message; only its type if it nests too deep to be written.

    >>> shown([1, "a"])
    "[1, 'a']"
    """
    try:
        return shorten(repr(value))
    except RecursionError:
        return json_type(value)


_PRIVATE = frozenset("question enriched_question sql parameters result history reference_sql attributes".split())
"""Fields of an event that may hold words of people or values of rows."""


def field_shown(path: str, value: object) -> str:
    """A field's value for a message; of a field that may hold words of people or values of rows, only its type.

    >>> field_shown("agent", ["a"]), field_shown("result.rows", ["Ann Lee"])
    ("['a']", 'an array')
    """
    private = path.partition(".")[0] in _PRIVATE and not isinstance(value, bool | int | float | None)
    return json_type(value) if private else shown(value)


_JSON_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (str, "a string"),
    (list, "an array"),
    (dict, "an object"),
)


def bad_character(text: str) -> int | None:
    """The place of the first NUL character or lone surrogate, which no database text can hold.

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
