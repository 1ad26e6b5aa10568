"""Brings the words of questions and the names of columns into one form, so that they can be compared."""

from __future__ import annotations

from functools import lru_cache

from scoring.foreign_words import ENGLISH
from scoring.patterns import lazy

_HUMPS = lazy(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_IES = lazy(r"(?<=[a-z]{2})ies$")
_ES = lazy(r"(?<=[a-z])(?:(?<=ss)|(?<=sh)|(?<=ch)|(?<=x)|(?<=zz))es$")

_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "indices": "index",
    "matrices": "matrix",
    "analyses": "analysis",
    "diagnoses": "diagnosis",
    "criteria": "criterion",
    "countries": "country",
    "movies": "movie",
    "series": "series",
    "species": "species",
    "status": "status",
    "statuses": "status",
    "bus": "bus",
    "buses": "bus",
    "address": "address",
    "addresses": "address",
    "data": "data",
    "ids": "id",
}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The singular, lower-case form of a word. Only plural endings are removed, so that the meaning stays.

    >>> [stem(word) for word in ("Countries", "boxes", "classes", "houses", "status")]
    ['country', 'box', 'class', 'house', 'status']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return _IES.sub("y", word)
    shorter = _ES.sub("", word)
    return shorter if shorter != word else word[:-1]


@lru_cache(maxsize=65536)
def identifier_words(name: str) -> tuple[str, ...]:
    """The stemmed words of a column or table name.

    >>> identifier_words("buildUpPlaySpeed"), identifier_words("TOTAL_ORDERS")
    (('build', 'up', 'play', 'speed'), ('total', 'order'))
    >>> identifier_words("KUNDE_ID"), identifier_words("strCity")
    (('customer', 'id'), ('city',))
    """
    parts = _HUMPS.findall(name)
    if len(parts) > 1 and parts[0].lower() in _HUNGARIAN:
        parts = parts[1:]
    return tuple(ENGLISH.get(part.lower()) or stem(part) for part in parts)


_HUNGARIAN = frozenset("str int lng bln dtm dec dbl tbl flt sng txt".split())
"""What says of which type a column is, before its name: `strCity`."""


_HUMP = lazy(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD_OF_NAME = r"(?:[A-Z]{2,4}(?=[A-Z][a-z]|_|\Z)|[A-Z]?[a-z]+(?![a-z]))"
_IN_WORDS = lazy(rf"_?{_WORD_OF_NAME}(?:_?(?=[A-Z]|(?<=_)){_WORD_OF_NAME}){{1,9}}")
"""A name of words: one with digits, or in mixed case throughout, may be a key or a secret and is left as it is."""


def parted(name: str) -> str:
    """A name in lower case, with its humps told apart: SQL's readers forget upper case.

    >>> parted("OrderLineID"), parted("TOTAL_ORDERS")
    ('order_line_id', 'total_orders')
    """
    return (_HUMP.sub("_", name) if _IN_WORDS.fullmatch(name) is not None else name).lower()


_MARKS = {code: None for code in range(128) if not chr(code).isalnum()}


def squeezed(text: str) -> str:
    """The letters and digits of a text, so that spaces and marks make no difference.

    >>> squeezed("New-Haven 7")
    'NewHaven7'
    """
    return text.translate(_MARKS) if text.isascii() else "".join(filter(str.isalnum, text))


def in_order(some: str, text: str) -> bool:
    """Whether a text has these letters in this order.

    >>> in_order("ln", "lisbon"), in_order("nl", "lisbon")
    (True, False)
    """
    at = iter(text)
    return all(letter in at for letter in some)


@lru_cache(maxsize=65536)
def letters(name: str) -> str:
    """The letters and digits of a name in lower case, so that `eye_colour` and `EyeColour` are equal.

    >>> letters("Eye_Colour 2")
    'eyecolour2'
    """
    lowered = name.lower().replace("_", "")
    return lowered if lowered.isalnum() else squeezed(lowered)
