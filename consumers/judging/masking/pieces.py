"""The words and numbers of a text, and the form in which different spellings of one are equal."""

from __future__ import annotations

import re
from functools import lru_cache

from scoring.normal_forms import normal_form

_APART = r"\s\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f“”‘’‚„«»‹›–—…·•¡¿€£¥₹₽¢°±×÷≤≥≠≈→←、。，：；！？（）「」『』"
"""Characters between words. All others belong to words: combining marks, and symbols that are read as letters."""
PIECE = re.compile(rf"\d+(?:,\d{{3}})*(?:\.\d+)?(?![^{_APART}])|[^{_APART}]+(?:['’][^{_APART}]+)*")
"""A word or a number."""
ADDRESS = re.compile(r"@|://|\bwww\.")
"""A sign of an e-mail or web address."""
UNIT_NUMBERS = frozenset("7 12 24 60 365 1000 1024 3600 86400".split())
"""Numbers that convert units. In a text they stay where no other number is beside them."""
KEPT_NUMBERS = UNIT_NUMBERS | {"0", "1", "2", "100"}
"""Numbers that name nothing and stay as they are."""
ORDINAL = re.compile(r"(\d{1,6})(st|nd|rd|th)", re.IGNORECASE)
_SPELT_NUMBERS = {
    word: str(number)
    for number, word in enumerate("three four five six seven eight nine ten eleven twelve".split(), start=3)
}


def fold(text: str) -> str:
    """The text in lower case, its marks and symbols in one normal form."""
    return normal_form("NFKC", text).casefold()


@lru_cache(maxsize=10_000)
def fold_piece(piece: str) -> str:
    """The piece folded, a number without separators and a word without its possessive."""
    number = number_of(piece)
    return number if number is not None else fold(piece).removesuffix("'s").removesuffix("’s")


@lru_cache(maxsize=10_000)
def number_of(piece: str) -> str | None:
    """The number that a piece is, without separators. A code with a leading zero or too many digits is no number.

    >>> number_of("1,200.50"), number_of("007"), number_of("12a"), number_of("5")
    ('1200.5', None, None, '5')
    """
    if not piece[:1].isdigit():
        return None
    plain = piece.replace(",", "")
    whole, _, part = plain.partition(".")
    if not _is_plain_whole(whole) or len(plain) > 15:
        return None
    if part and not (part.isascii() and part.isdigit()):
        return None
    part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole


def _is_plain_whole(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and not (len(digits) > 1 and digits[0] == "0")


def spelt_number(piece: str) -> str | None:
    """The number that a word from "three" to "twelve" spells."""
    return _SPELT_NUMBERS.get(piece.lower())


def said_number(piece: str) -> str | None:
    """The number that a piece of a text says, in digits or letters, also as an ordinal.

    >>> said_number("1,200"), said_number("three"), said_number("21st"), said_number("st")
    ('1200', '3', '21', None)
    """
    ordinal = ORDINAL.fullmatch(piece)
    return number_of(piece if ordinal is None else ordinal[1]) or spelt_number(piece)


def is_year(number: str) -> bool:
    """Whether a number is read as a year, from 1900 to 2099."""
    return len(number) == 4 and number.isdecimal() and number[:2] in ("19", "20")
