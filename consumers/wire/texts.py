"""Texts from outside: finds characters that cannot be stored, and shortens texts for messages."""

from __future__ import annotations

import re
import unicodedata

from scoring.normal_forms import normal_form

INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff9-\uffff"
)
"""Characters that cannot be seen or that turn the direction of writing, for a class of a pattern that has no tags."""
UNSEEN = INVISIBLE + (
    r"\u2800\ufff0-\ufff8\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""All of them, for Python's patterns: Default_Ignorable_Code_Point, and letters and signs that are blank."""
_TAG = re.compile("[\U000e0000-\U000e0fff]")
_UNSEEN = re.compile(f"[{UNSEEN}]")
_NO_LETTERS = {"Cc": "a control character", "Cf": "an invisible character", "Zl": "a line break", "Zp": "a line break"}
_UNKNOWN = {"Cn": "no character of Unicode", "Co": "a character of private use", "Cs": "half a character"}
_LONGEST = 1024
"""A longer text is too long for a name in every form."""
_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def one_form(name: object) -> object:
    """A name in Unicode's normal form C with plain spaces, so that names that look alike are equal.

    Raises `ValueError` for a tag character, which no release took.

    >>> one_form("Cafe" + chr(0x301)) == "Caf" + chr(0xE9), one_form("a" + chr(0xA0) + "b")
    (True, 'a b')
    """
    if not isinstance(name, str) or name.isascii():
        return name
    if (found := _TAG.search(name)) is not None:
        raise ValueError(_said(found.group(), found.start(), "an invisible character"))
    return _SPACES.sub(" ", normal_form("NFC", name))


def plain_name(name: object) -> object:
    """A name in one form; raises `ValueError` for one with a character or a space that readers cannot see.

    >>> plain_name("Cafe" + chr(0x301)) == "Caf" + chr(0xE9)
    True
    """
    if not isinstance(name, str) or len(name) > _LONGEST:
        return name
    formed = str(one_form(name))
    if not formed.isascii() and (said := _unseen(formed)) is not None:
        raise ValueError(said)
    if formed.strip(" ") != formed or "  " in formed:
        raise ValueError("a name must not begin or end in a space, or hold two in a row")
    return formed


def _unseen(name: str) -> str | None:
    for place, each in enumerate(name):
        kind = unicodedata.category(each)
        said = "an invisible character" if _UNSEEN.match(each) else _NO_LETTERS.get(kind) or _UNKNOWN.get(kind)
        if said is not None:
            return _said(each, place, said)
    return None


def _said(character: str, place: int, kind: str) -> str:
    known = unicodedata.name(character, "")
    number = f"U+{ord(character):04X}" + (f" ({known})" if known else "")
    return f"a name must not hold {kind}, and at character {place} there is {number}"


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
