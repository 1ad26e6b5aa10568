"""Stand-ins for whom and what a text names, the same for the same value everywhere, so that alignment still reads.

What leaves is what is known to be plain: words of the language, names of the schema, a few numbers. Everything else,
known as a literal or not, is replaced, so a text that was not foreseen is masked and not sent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from consumers.judging.plain_words import FUNCTION_WORDS, MONTHS, is_plain
from scoring.words import identifier_words, stem

_APART = r"\s\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f“”‘’‚„«»‹›–—…·•¡¿€£¥₹₽¢°±×÷≤≥≠≈→←、。，：；！？（）「」『』"
"""What stands between words. All else is part of one: marks that are written after a letter, and signs that are read
as letters."""
_PIECE = re.compile(rf"\d+(?:,\d{{3}})*(?:\.\d+)?(?![^{_APART}])|[^{_APART}]+(?:['’][^{_APART}]+)*")
_ADDRESS = re.compile(r"@|://|\bwww\.")
_CHUNK = re.compile(r"\S+")
_DATE = re.compile(r"((?:19|20)\d\d)(-\d\d?(?:-\d\d?)?(?:[T ](?:00:00|23:59)(?::(?:00|59)(?:\.[09]{1,9})?)?)?)?")
_DATE_SAID = r"(?<![\w-])(?P<year>(?:19|20)\d\d)(?P<rest>-\d\d?(?:-\d\d?)?(?:[T ]00:00(?::00)?)?)(?![\w-])"
_FORMAT = re.compile(
    r"[\s%_/:.,-]*|(?:%-?[A-Za-z%][\s/:.,T-]*)+|(?:(?:YY|MM|DD|HH24|HH|MI|SS|yy|mm|dd|hh|mi|ss)[/:. -]*)+"
)
_WHOLE = re.compile(
    r"(?<![\w'\"])(?:'([^'\n]{1,400})'|\"([^\"\n]{1,400})\"|[“‘]([^”’\n]{1,400})[”’])(?!\w)|" + _DATE_SAID
)
"""What is masked as a whole: a quoted text, or a date."""
_PERIOD = re.compile(r"[+-]?(\d{1,6})[ ]+([a-z]{3,8})")
_STAND_IN = re.compile(r"\b(?:TEXT|NUM|VALUE)_\d+\b|\bYEAR_(\d+)\b")
_SHORT_ALIAS = re.compile(r"[a-z]{1,2}\d{0,2}")
_KEPT_NUMBERS = frozenset({"0", "1", "2", "100"})
_FIRST_YEAR = 10
"""The number of the earliest year's stand-in, so that some years before it have one too."""
_SMALL_WORDS = frozenset("a an the of in on at to by or and is no as it be i".split())
MOST_ALIKE = 8
"""Most known values with the same first word that are told apart."""
MOST_PIECES = 24
"""Most words of a known value that must stand together; the rest of a longer one is masked word by word."""


@dataclass(slots=True, kw_only=True)
class Masker:
    """The stand-ins of one prompt. What is told to it first names its numbers in rising order."""

    schema: frozenset[str] = frozenset()
    """Lower-case names of the tables and columns that stay as they are."""
    _words: frozenset[str] = frozenset()
    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _numbers: dict[str, str] = field(default_factory=dict[str, str])
    _originals: dict[str, str] = field(default_factory=dict[str, str])
    _phrases: dict[str, list[tuple[tuple[str, ...], str]]] = field(
        default_factory=dict[str, list[tuple[tuple[str, ...], str]]]
    )
    _said: dict[str, str] = field(default_factory=dict[str, str])
    """How a text writes what a stand-in stands for."""
    _base: int = 2000

    def __post_init__(self) -> None:
        # of dialects without dollar quotes the reader takes a text in them for a column
        self.schema = frozenset(name for name in self.schema if "$" not in name.replace("$", "", 1) and name[:1] != "$")
        self._words = frozenset(word for name in self.schema for word in identifier_words(name))

    def learn_numbers(self, texts: Iterable[str]) -> None:
        """Names the numbers of these texts in rising order, and the years by their distance from the first."""
        found = {piece for text in texts for piece in _PIECE.findall(text)}
        found = {_number(piece) or _spelt(piece) for piece in found} - {None} - _KEPT_NUMBERS
        numbers = sorted((each for each in found if each is not None), key=lambda each: (float(each), each))
        self._base = min((int(each) for each in numbers if _is_year(each)), default=self._base)
        for each in numbers:
            if not _is_year(each):
                self._numbers[each] = self._mint(f"NUM_{len(self._numbers) + 1}", each)

    def learn_literal(self, value: str) -> None:
        """Names a literal: it is masked wherever its words stand together."""
        pieces = tuple(_folded(piece) for piece in _PIECE.findall(value)[:MOST_PIECES])
        inner = value.strip("%")
        if not pieces or _kept_literal(value) or (len(pieces) == 1 and pieces[0] in _SMALL_WORDS | _KEPT_NUMBERS):
            return
        if _DATE.fullmatch(inner) or _PERIOD.fullmatch(inner.lower()) or _number(inner):
            return
        alike = self._phrases.setdefault(pieces[0], [])
        if len(alike) < MOST_ALIKE and all(known != pieces for known, _ in alike):
            alike.append((pieces, self._text(inner)))
            alike.sort(key=lambda each: -len(each[0]))

    def knows_part(self, value: str) -> bool:
        """Whether a word of this text begins a known literal: it is then masked by its parts."""
        return any(_folded(piece) in self._phrases for piece in _PIECE.findall(value))

    def literal(self, value: str) -> str:
        """The stand-in of a whole literal; wildcards at its ends stay, and so do dates but for their year."""
        inner = value.strip("%")
        if _kept_literal(value) or inner in _KEPT_NUMBERS:
            return value
        head, tail = value[: len(value) - len(value.lstrip("%"))], value[len(value.rstrip("%")) :]
        return head + self._inner(inner) + tail

    def _inner(self, inner: str) -> str:
        if date := _DATE.fullmatch(inner):
            return self._year(date[1]) + (date[2] or "")
        if (period := _PERIOD.fullmatch(inner.lower())) and is_plain(period[2]):
            return f"{self.number(period[1])} {period[2]}"
        number = _number(inner)
        return self.number(number) if number is not None else self._text(inner)

    def number(self, value: str) -> str:
        """The stand-in of a number; 0, 1, 2 and 100 stay."""
        if value in _KEPT_NUMBERS:
            return value
        if _is_year(value):
            return self._year(value)
        if value not in self._numbers:
            self._numbers[value] = self._mint(f"VALUE_{len(self._numbers) + 1}", value)
        return self._numbers[value]

    def _year(self, digits: str) -> str:
        place = int(digits) - self._base + _FIRST_YEAR
        return self._mint(f"YEAR_{place}", digits) if place > 0 else self._text(digits)

    def _text(self, value: str) -> str:
        folded = " ".join(_alike(value).split())
        if folded not in self._texts:
            self._texts[folded] = self._mint(f"TEXT_{len(self._texts) + 1}", value)
        return self._texts[folded]

    def _mint(self, stand_in: str, original: str) -> str:
        self._originals.setdefault(stand_in, original)
        return stand_in

    def text(self, text: str) -> str:
        """A person's or an agent's words, masked piece by piece."""
        parts: list[str] = []
        at = 0
        for match in _WHOLE.finditer(text):
            parts += [self._unquoted(text[at : match.start()], at == 0), self._whole(match)]
            at = match.end()
        return "".join((*parts, self._unquoted(text[at:], at == 0)))

    def _whole(self, match: re.Match[str]) -> str:
        if match["year"] is not None:
            return self._year(match["year"]) + match["rest"]
        content = match[0][1:-1]
        kept = content.lower() in self.schema or _STAND_IN.fullmatch(content)
        return match[0][0] + (content if kept else self.literal(content)) + match[0][-1]

    def _unquoted(self, text: str, opening: bool) -> str:
        if _ADDRESS.search(text):
            text = _CHUNK.sub(lambda chunk: self._address(chunk[0]), text)
        pieces = list(_PIECE.finditer(text))
        shouted = _says_nothing_by_capitals([piece[0] for piece in pieces])
        parts: list[str] = []
        at = place = 0
        while place < len(pieces):
            end, stand_in = self._phrase(text, pieces, place)
            if stand_in is None:
                first = shouted or (opening and place == 0) or _follows_an_end(text, pieces[place].start())
                stand_in = self._piece(pieces, place, opens=first)
            parts += [text[at : pieces[place].start()], stand_in]
            at, place = pieces[end - 1].end(), end
        return "".join((*parts, text[at:]))

    def _address(self, chunk: str) -> str:
        if not _ADDRESS.search(chunk):
            return chunk
        inner = chunk.strip("()[]<>,.;:?!'\"")
        return chunk.replace(inner, self._text(inner), 1) if inner else chunk

    def _phrase(self, text: str, pieces: list[re.Match[str]], place: int) -> tuple[int, str | None]:
        """Where a known literal that begins at this piece ends, and its stand-in."""
        for words, stand_in in self._phrases.get(_folded(pieces[place][0]), ()):
            end = place + len(words)
            found = pieces[place:end]
            if len(found) == len(words) and all(
                _folded(piece[0]) == word for piece, word in zip(found, words, strict=True)
            ):
                return end, stand_in + _possessive(found[-1][0])
        return place + 1, None

    def _piece(self, pieces: list[re.Match[str]], place: int, *, opens: bool) -> str:
        word = pieces[place][0]
        if _STAND_IN.fullmatch(word) and word in self._originals:
            return word
        number = _number(word)
        if number is not None:
            return number if self._is_day(pieces, place, number) else self._as_said(self.number(number), word)
        if _is_spelt_out(pieces, place):
            return self._text(word)
        lower, spelt = word.lower(), _spelt(word.lower())
        if spelt is not None:
            return self._as_said(self.number(spelt), word) if spelt in self._numbers else word
        bare = lower.removesuffix("'s").removesuffix("’s")
        if self.stays(bare) and (opens or word[0] == lower[0] or bare in FUNCTION_WORDS or self._named(bare)):
            return word
        return self._text(word[: len(bare)]) + word[len(bare) :]

    def _as_said(self, stand_in: str, word: str) -> str:
        if stand_in in self._originals:
            self._said.setdefault(stand_in, word)
        return stand_in

    def _is_day(self, pieces: list[re.Match[str]], place: int, number: str) -> bool:
        beside = [piece[0].lower() for piece in _beside(pieces, place)]
        return len(number) <= 2 and int(number) <= 31 and any(word in MONTHS for word in beside)

    def _named(self, word: str) -> bool:
        return word in self.schema or stem(word) in self._words

    def stays(self, word: str) -> bool:
        """Whether a lower-case word or name may be read by the model."""
        if word in _SMALL_WORDS or self._named(word) or is_plain(word):
            return True
        parts = [part for part in re.split(r"[_'’-]", word) if part]
        return len(parts) > 1 and all(_is_code(part) or self._named(part) or is_plain(part) for part in parts)

    def name(self, name: str) -> str:
        """An identifier: names of the schema, short aliases and plain words stay."""
        return name if self._is_open(name) else self._text(name)

    def _is_open(self, name: str) -> bool:
        lower = name.lower()
        if lower in self.schema or _SHORT_ALIAS.fullmatch(lower):
            return True
        words = identifier_words(name)
        plain = all(_is_code(each) or self._named(each) or is_plain(each) for each in words)
        return bool(words) and name.isascii() and plain

    def unmask(self, text: str) -> str:
        """The words behind the stand-ins, as they were first written."""
        return _STAND_IN.sub(self._original, text)

    def _original(self, match: re.Match[str]) -> str:
        if match[0] in self._said:
            return self._said[match[0]]
        if match[1] is not None:
            return str(self._base + int(match[1][:6]) - _FIRST_YEAR)
        return self._originals.get(match[0], match[0])

    def leaks(self, text: str) -> bool:
        """Whether a word that has a stand-in of its own stands in `text` all the same."""
        pieces = [piece for piece in _PIECE.findall(text) if _folded(piece) in self._texts]
        open_ones = all(self.stays(piece.lower()) or self._is_open(piece) or _is_code(piece) for piece in pieces)
        return not open_ones or _ADDRESS.search(text) is not None


@lru_cache(maxsize=10_000)
def _folded(piece: str) -> str:
    number = _number(piece)
    return number if number is not None else _alike(piece).removesuffix("'s").removesuffix("’s")


def _alike(text: str) -> str:
    """The text as all its spellings have it: case, marks apart or in one, signs for letters."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _beside(pieces: list[re.Match[str]], place: int) -> list[re.Match[str]]:
    return [*pieces[max(0, place - 1) : place], *pieces[place + 1 : place + 2]]


def _is_spelt_out(pieces: list[re.Match[str]], place: int) -> bool:
    """Whether it is one letter of a name that is told letter by letter."""
    beside = [piece[0] for piece in _beside(pieces, place)]
    word = pieces[place][0]
    alone = len(word) == 1 and word.lower() not in _SMALL_WORDS
    return alone and any(len(each) == 1 and each.isalpha() for each in beside)


def _possessive(piece: str) -> str:
    return piece[-2:] if piece.casefold().endswith(("'s", "’s")) else ""


@lru_cache(maxsize=10_000)
def _number(piece: str) -> str | None:
    """The number a piece is, without separators; a code with a leading zero or too many digits is none.

    >>> _number("1,200.50"), _number("007"), _number("12a"), _number("5")
    ('1200.5', None, None, '5')
    """
    if not piece[:1].isdigit():
        return None
    plain = piece.replace(",", "")
    whole, _, part = plain.partition(".")
    if not whole.isascii() or not whole.isdigit() or len(plain) > 15 or (len(whole) > 1 and whole[0] == "0"):
        return None
    if part and not (part.isascii() and part.isdigit()):
        return None
    part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole


_SPELT = {
    word: str(number)
    for number, word in enumerate("three four five six seven eight nine ten eleven twelve".split(), start=3)
}


def _spelt(piece: str) -> str | None:
    return _SPELT.get(piece.lower())


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.isdecimal() and number[:2] in ("19", "20")


def _is_code(part: str) -> bool:
    return len(part) == 1 or (part.isdigit() and len(part) <= 2)


def _kept_literal(inner: str) -> bool:
    return (len(inner) <= 40 and _FORMAT.fullmatch(inner) is not None) or (inner.isalpha() and inner.lower() in _UNITS)


_UNITS = frozenset("second minute hour day week month quarter year dow doy epoch isodow".split())


def _says_nothing_by_capitals(words: list[str]) -> bool:
    """Most words begin with a capital: it marks no names there."""
    letters = [word for word in words if word[0].isalpha()]
    return len(letters) > 2 and sum(word[0].isupper() for word in letters) > 0.6 * len(letters)


def _follows_an_end(text: str, start: int) -> bool:
    """Whether a sentence begins there."""
    before = text[max(0, start - 3) : start].strip(" \t\n\"'“‘(")
    return bool(before) and before[-1] in ".?!:;-–"
