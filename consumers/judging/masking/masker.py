"""Masks a prompt: the same value has the same stand-in everywhere, so that alignment can still be read.

Only what is known to be plain is sent: words of the language, names of the schema, a few numbers. Everything else is
replaced, whether or not it is a known literal, so an unforeseen text is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from consumers.judging.masking.known_values import KnownValues, folded_pieces
from consumers.judging.masking.masked_text import mask_text
from consumers.judging.masking.open_words import SMALL_WORDS, OpenWords, is_code
from consumers.judging.masking.pieces import ADDRESS, KEPT_NUMBERS, PIECE, fold_piece, number_of, spelt_number
from consumers.judging.masking.plain_words import is_plain
from consumers.judging.masking.stand_ins import StandIns

_DATE = re.compile(r"((?:19|20)\d\d)(-\d\d?(?:-\d\d?)?(?:[T ](?:00:00|23:59)(?::(?:00|59)(?:\.[09]{1,9})?)?)?)?")
_PERIOD = re.compile(r"[+-]?(\d{1,6})[ ]+([a-z]{3,8})")
_FORMAT = re.compile(
    r"[\s%_/:.,-]*|(?:%-?[A-Za-z%][\s/:.,T-]*)+|(?:(?:YY|MM|DD|HH24|HH|MI|SS|yy|mm|dd|hh|mi|ss)[/:. -]*)+"
)
_UNITS = frozenset("second minute hour day week month quarter year dow doy epoch isodow".split())


def _is_format(literal: str) -> bool:
    """Whether a literal holds only wildcards, a date format or a unit of time."""
    return (len(literal) <= 40 and _FORMAT.fullmatch(literal) is not None) or (
        literal.isalpha() and literal.lower() in _UNITS
    )


@dataclass(slots=True)
class Masker:
    """Masks the texts, literals and names of one prompt. It learns the numbers first, then the literals."""

    words: OpenWords = field(default_factory=OpenWords)
    stand_ins: StandIns = field(default_factory=StandIns)
    known: KnownValues = field(init=False)

    def __post_init__(self) -> None:
        self.known = KnownValues(self.stand_ins)

    def learn_numbers(self, texts: Iterable[str]) -> None:
        """Names the numbers of these texts in rising order."""
        pieces = {piece for text in texts for piece in PIECE.findall(text)}
        numbers = {number_of(piece) or spelt_number(piece) for piece in pieces} - KEPT_NUMBERS
        self.stand_ins.name_numbers(each for each in numbers if each is not None)

    def learn_literal(self, value: str) -> None:
        """Names a literal, which is then masked wherever its words stand together."""
        pieces = folded_pieces(value)
        inner = value.strip("%")
        if not pieces or _is_format(value) or (len(pieces) == 1 and pieces[0] in SMALL_WORDS | KEPT_NUMBERS):
            return
        if _DATE.fullmatch(inner) or _PERIOD.fullmatch(inner.lower()) or number_of(inner):
            return
        self.known.add(pieces, inner)

    def literal(self, value: str) -> str:
        """The stand-in of a literal. Wildcards at its ends stay, and of a date all but the year."""
        inner = value.strip("%")
        if _is_format(value) or inner in KEPT_NUMBERS:
            return value
        head, tail = value[: len(value) - len(value.lstrip("%"))], value[len(value.rstrip("%")) :]
        return head + self._inner_literal(inner) + tail

    def _inner_literal(self, inner: str) -> str:
        if date := _DATE.fullmatch(inner):
            return self.stand_ins.year(date[1]) + (date[2] or "")
        if (period := _PERIOD.fullmatch(inner.lower())) and is_plain(period[2]):
            return f"{self.stand_ins.number(period[1])} {period[2]}"
        number = number_of(inner)
        return self.stand_ins.number(number) if number is not None else self.stand_ins.text(inner)

    def number(self, value: str) -> str:
        """The stand-in of a number; 0, 1, 2 and 100 stay."""
        return self.stand_ins.number(value)

    def name(self, name: str) -> str:
        """An identifier, or its stand-in."""
        return name if self.words.name_stays(name) else self.stand_ins.text(name)

    def text(self, text: str) -> str:
        """The words of a person or an agent, masked piece by piece."""
        return mask_text(text, self.words, self.stand_ins, self.known, self.literal)

    def unmask(self, text: str) -> str:
        """The text with the values behind its stand-ins."""
        return self.stand_ins.read_back(text)

    def leaks(self, text: str) -> bool:
        """Whether the text holds an address, or a word that has a stand-in and may not stay."""
        pieces = [piece for piece in PIECE.findall(text) if self.stand_ins.names_text(fold_piece(piece))]
        all_stay = all(
            self.words.stays(piece.lower()) or self.words.name_stays(piece) or is_code(piece) for piece in pieces
        )
        return not all_stay or ADDRESS.search(text) is not None
