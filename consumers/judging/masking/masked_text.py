"""Writes a text of a person or an agent with stand-ins."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consumers.judging.masking.dates import CLOCK, DATE, full_year, is_padded, with_masked_year
from consumers.judging.masking.known_values import KnownValues
from consumers.judging.masking.open_words import SMALL_WORDS, OpenWords
from consumers.judging.masking.pieces import ADDRESS, ORDINAL, PIECE, UNIT_NUMBERS, number_of, spelt_number
from consumers.judging.masking.plain_words import FORMULA_WORDS, FUNCTION_WORDS, MONTHS, names_somebody
from consumers.judging.masking.stand_ins import StandIns, is_stand_in

_CHUNK = re.compile(r"\S+")
_QUOTED_OR_DATE = re.compile(
    r"(?<![\w'\"])(?:'([^'\n]{1,400})'|\"([^\"\n]{1,400})\"|[“‘]([^”’\n]{1,400})[”’])(?!\w)|"
    + DATE
    + f"|(?P<clock>{CLOCK})",
    re.IGNORECASE,
)
"""What is masked as a whole."""
_FISCAL_YEAR = re.compile(r"(FY|CY)(\d\d|(?:19|20)\d\d)", re.IGNORECASE)


def mask_text(
    text: str, words: OpenWords, stand_ins: StandIns, known: KnownValues, literal: Callable[[str], str]
) -> str:
    """The text with stand-ins; `literal` masks quoted parts."""
    return _TextMask(words=words, stand_ins=stand_ins, known=known, literal=literal).write(text)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A part of a text without quotes and dates, and its pieces."""

    text: str
    pieces: Sequence[re.Match[str]]
    opens: bool
    """Whether the text begins with it."""
    is_capitalised: bool
    """Whether most words begin with a capital, which then marks no names."""

    def word(self, place: int) -> str:
        """The piece at this place."""
        return self.pieces[place][0]

    def neighbours(self, place: int) -> list[str]:
        """The pieces before and after this place."""
        return [each[0] for each in (*self.pieces[max(0, place - 1) : place], *self.pieces[place + 1 : place + 2])]

    def needs_capital(self, place: int) -> bool:
        """Whether an ordinary word is capitalised here: it begins a sentence, or all words are capitalised."""
        before_all = self.opens and place == 0
        return self.is_capitalised or before_all or _begins_sentence(self.text, self.pieces[place].start())

    def is_day(self, place: int, number: str) -> bool:
        """Whether a number is a day of the month beside it, or behind an `of`."""
        after = [each[0].lower() for each in self.pieces[place + 1 : place + 3]]
        beside = [*after[after[:1] == ["of"] :], *(each.lower() for each in self.neighbours(place)[:1])]
        return len(number) <= 2 and int(number) <= 31 and any(word in MONTHS for word in beside)

    def stands_alone(self, place: int) -> bool:
        """Whether no piece beside this one begins with a digit."""
        return not any(each[0].isdigit() for each in self.neighbours(place))

    def is_spelt_out(self, place: int) -> bool:
        """Whether the piece is one letter of a name written letter by letter."""
        word = self.word(place)
        is_letter = len(word) == 1 and word.lower() not in SMALL_WORDS
        return is_letter and any(len(each) == 1 and each.isalpha() for each in self.neighbours(place))


def _passage(text: str, *, opens: bool) -> _Passage:
    pieces = list(PIECE.finditer(text))
    words = [piece[0] for piece in pieces if piece[0][0].isalpha()]
    capitals = sum(word[0].isupper() for word in words)
    return _Passage(text, pieces, opens, is_capitalised=len(words) > 2 and capitals > 0.6 * len(words))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start].strip(" \t\n\"'“‘(")
    return bool(before) and before[-1] in ".?!:;-–"


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextMask:
    """Writes texts with the stand-ins of one prompt."""

    words: OpenWords
    stand_ins: StandIns
    known: KnownValues
    literal: Callable[[str], str]

    def write(self, text: str) -> str:
        parts: list[str] = []
        at = 0
        for match in _QUOTED_OR_DATE.finditer(text):
            parts += [self._unquoted(text[at : match.start()], opens=at == 0), self._whole(match)]
            at = match.end()
        return "".join((*parts, self._unquoted(text[at:], opens=at == 0)))

    def _whole(self, match: re.Match[str]) -> str:
        if match["clock"]:
            return match[0]
        if match["first"] or match["last"] or match["short"]:
            return with_masked_year(match, self.stand_ins.year)
        content = match[0][1:-1]
        stays = content.lower() in self.words.schema or is_stand_in(content)
        return match[0][0] + (content if stays else self.literal(content)) + match[0][-1]

    def _unquoted(self, text: str, *, opens: bool) -> str:
        if ADDRESS.search(text):
            text = _CHUNK.sub(lambda chunk: self._address(chunk[0]), text)
        passage = _passage(text, opens=opens)
        parts: list[str] = []
        at = place = 0
        while place < len(passage.pieces):
            found = self.known.find(passage.pieces, place)
            end = place + 1 if found is None else found[0]
            masked = self._piece(passage, place) if found is None else found[1] + _possessive(passage.word(end - 1))
            parts += [text[at : passage.pieces[place].start()], masked]
            at, place = passage.pieces[end - 1].end(), end
        return "".join((*parts, text[at:]))

    def _address(self, chunk: str) -> str:
        if not ADDRESS.search(chunk):
            return chunk
        inner = chunk.strip("()[]<>,.;:?!'\"")
        return chunk.replace(inner, self.stand_ins.text(inner), 1) if inner else chunk

    def _piece(self, passage: _Passage, place: int) -> str:
        word = passage.word(place)
        if self.stand_ins.holds(word):
            return word
        number = number_of(word)
        if number is not None:
            if passage.is_day(place, number):
                return number
            is_open = number not in UNIT_NUMBERS or passage.stands_alone(place)
            return self.stand_ins.number(number, written=word) if is_open else self.stand_ins.text(word)
        lettered = self._with_letters(passage, place)
        if lettered is not None:
            return lettered
        if is_padded(word) and passage.stands_alone(place):
            return word
        if passage.is_spelt_out(place):
            return self.stand_ins.text(word)
        spelt = spelt_number(word)
        if spelt is not None:
            return self.stand_ins.number(spelt, written=word) if self.stand_ins.names_number(spelt) else word
        return self._word(word, needs_capital=passage.needs_capital(place))

    def _with_letters(self, passage: _Passage, place: int) -> str | None:
        """An ordinal or a fiscal year with its digits masked; `None` where the piece is neither."""
        word = passage.word(place)
        ordinal, fiscal = ORDINAL.fullmatch(word), _FISCAL_YEAR.fullmatch(word)
        if ordinal is not None:
            digits = str(int(ordinal[1]))
            day = passage.is_day(place, digits)
            return word if day else self.stand_ins.number(digits, written=ordinal[1]) + ordinal[2]
        return None if fiscal is None else f"{fiscal[1]}-{self.stand_ins.year(full_year(fiscal[2]))}"

    def _word(self, word: str, *, needs_capital: bool) -> str:
        lower = word.lower()
        bare = lower.removesuffix("'s").removesuffix("’s")
        is_ordinary = needs_capital or word[0] == lower[0] or word in FORMULA_WORDS or bare in FUNCTION_WORDS
        if self.words.stays(bare) and (is_ordinary or not names_somebody(bare)):
            return word
        return self.stand_ins.text(word[: len(bare)]) + word[len(bare) :]


def _possessive(piece: str) -> str:
    return piece[-2:] if piece.casefold().endswith(("'s", "’s")) else ""
