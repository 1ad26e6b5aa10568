"""Masks a prompt: the same value has the same stand-in everywhere, so that alignment can still be read.

Only what is known to be plain is sent: words of the language, names of the schema, a few numbers. Everything else is
replaced, whether or not it is a known literal, so an unforeseen text is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from consumers.judging.masking.dates import clock_numbers, compact_date, is_date_word, masked_date, masked_period
from consumers.judging.masking.known_values import KnownValues, folded_pieces
from consumers.judging.masking.masked_text import mask_text
from consumers.judging.masking.open_words import SMALL_WORDS, OpenWords, is_code, is_plain_literal
from consumers.judging.masking.pieces import KEPT_NUMBERS, PIECE, fold_piece, number_of, said_number
from consumers.judging.masking.stand_ins import StandIns

_FORMAT = re.compile(
    r"[\s!-/:-@\[-`{-~]*|(?:%-?[A-Za-z%][\s/:.,T-]*)+"
    r"|(?:(?:FM)?(?:YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|yyyy|yy|mm|dd|hh|mi|ss|Month|MONTH|Mon|MON|Day|DAY|Dy|AM|PM|IYYY|IW|WW"
    r"|Q)[/:. ,-]*)+"
)
_ADDRESS = re.compile(r"[\w.+-]@\w|://|\bwww\.")
"""An e-mail or web address; `@` beside a blank or a sign is an operator or a variable."""
UNITS = frozenset("second minute hour day week weekday month quarter year dow doy epoch isodow isoweek".split())
"""Parts of dates, which stay in SQL."""


def _is_format(literal: str) -> bool:
    """Whether a literal holds only marks, a date format or a unit of time."""
    return (len(literal) <= 40 and _FORMAT.fullmatch(literal) is not None) or (
        literal.isalpha() and literal.lower() in UNITS
    )


@dataclass(slots=True)
class Masker:
    """Masks the texts, literals and names of one prompt. It learns the numbers first, then the literals."""

    words: OpenWords = field(default_factory=OpenWords)
    stand_ins: StandIns = field(default_factory=StandIns)
    known: KnownValues = field(init=False)
    compact: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Year and rest of the dates of digits alone, which no question writes."""
    zones: frozenset[str] = frozenset()
    """The time zones that the house's rules name, in lower case."""

    def __post_init__(self) -> None:
        self.known = KnownValues(self.stand_ins)

    def learn_numbers(self, spoken: Iterable[str], written: Iterable[str]) -> None:
        """Names the numbers of the questions and of the SQL in rising order."""
        spoken = tuple(spoken)
        said = {said_number(piece) for text in spoken for piece in PIECE.findall(text)}
        kept = KEPT_NUMBERS.union(*map(clock_numbers, spoken))
        self.stand_ins.open_numbers = kept
        pieces = {piece for text in written for piece in PIECE.findall(text)}
        self.compact = {piece: date for piece in pieces - said if (date := compact_date(piece)) is not None}
        numbers = {said_number(piece) for piece in pieces - self.compact.keys()}
        years = {year for year, _ in self.compact.values()}
        self.stand_ins.name_numbers(each for each in (said | numbers | years) - kept if each is not None)

    def learn_literal(self, value: str) -> None:
        """Names a literal, which is then masked wherever its words stand together."""
        pieces = folded_pieces(value)
        inner = value.strip("%")
        if not pieces or self._stays(value) or (len(pieces) == 1 and pieces[0] in SMALL_WORDS | KEPT_NUMBERS):
            return
        if number_of(inner) or inner in self.compact or masked_date(inner, str) or masked_period(inner, str):
            return
        self.known.add(pieces, inner)

    def literal(self, value: str) -> str:
        """The stand-in of a literal. Wildcards at its ends stay, words of dates and English, and of a date the rest."""
        inner = value.strip("%")
        if self._stays(value) or number_of(inner) in KEPT_NUMBERS:
            return value
        head, tail = value[: len(value) - len(value.lstrip("%"))], value[len(value.rstrip("%")) :]
        return head + self._inner_literal(inner) + tail

    def _stays(self, literal: str) -> bool:
        inner = literal.strip("%")
        return _is_format(literal) or is_date_word(inner) or is_plain_literal(inner) or literal.lower() in self.zones

    def _inner_literal(self, inner: str) -> str:
        dated = masked_date(inner, self.stand_ins.year) or masked_period(inner, self.stand_ins.number)
        if dated is not None:
            return dated
        sign, digits = (inner[0], inner[1:]) if inner[:1] == "-" else ("", inner)
        is_number = number_of(digits) is not None or digits in self.compact
        return sign + self.number(digits) if is_number else self.stand_ins.text(inner)

    def number(self, written: str) -> str:
        """The stand-in of a number, with `.0` after it where it is written as a fraction.

        >>> masker = Masker()
        >>> masker.number("45"), masker.number("45.0"), masker.number("1.0"), masker.number("7.50")
        ('VALUE_1', 'VALUE_1.0', '1.0', 'VALUE_2.0')
        """
        if written in self.compact:
            year, rest = self.compact[written]
            return f"({self.stand_ins.year(year)}){rest}"
        value = number_of(f"0{written}" if written.startswith(".") else written) or written
        if value in self.stand_ins.open_numbers:
            return written
        return self.stand_ins.number(value) + (".0" if set(".eE") & set(written) else "")

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
        return not all(map(self._may_stay, pieces)) or _ADDRESS.search(text) is not None

    def _may_stay(self, piece: str) -> bool:
        named = self.words.stays(piece.lower()) or self.words.name_stays(piece)
        return named or is_code(piece) or number_of(piece) in self.stand_ins.open_numbers
