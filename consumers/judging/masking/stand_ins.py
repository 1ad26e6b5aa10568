"""The stand-ins of one prompt: which word replaces which name, literal or number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from consumers.judging.masking.pieces import KEPT_NUMBERS, fold, is_year

_STAND_IN = re.compile(
    r"\(YEAR_(?P<before>\d+)\)(?=\d)|\b(?:TEXT_\d+|(?:NUM|VALUE)_\d+|YEAR_(?P<year>\d+))(?=(?:st|nd|rd|th)?\b)(?P<real>(?<!TEXT_)\.0\b)?"
)
_JOINTS = re.compile(r"(?<=\w)[\s_-]+(?=\w)|\s+")
"""What may join the words of one value: all its spellings have one stand-in."""
_FIRST_YEAR = 10
"""The number in the earliest year's stand-in, so that the years shortly before it have stand-ins too."""


def is_stand_in(text: str) -> bool:
    """Whether the whole text has the form of a stand-in."""
    return _STAND_IN.fullmatch(text) is not None


@dataclass(slots=True)
class StandIns:
    """Gives each value its stand-in, and finds the value of a stand-in.

    >>> stand_ins = StandIns()
    >>> stand_ins.name_numbers(["2019", "45", "10"])
    >>> [stand_ins.number(value) for value in ("10", "45", "2021", "8")], stand_ins.text("Ottilie Varga")
    (['NUM_1', 'NUM_2', 'YEAR_12', 'VALUE_3'], 'TEXT_1')
    >>> stand_ins.read_back("TEXT_1 since YEAR_9")
    'Ottilie Varga since 2018'
    """

    _texts: dict[str, str] = field(default_factory=dict[str, str])
    """The stand-in of each folded text."""
    _numbers: dict[str, str] = field(default_factory=dict[str, str])
    _originals: dict[str, str] = field(default_factory=dict[str, str])
    """The value of each stand-in."""
    _written: dict[str, str] = field(default_factory=dict[str, str])
    """How a text wrote the value of a stand-in, where that differs from the value."""
    open_numbers: frozenset[str] = KEPT_NUMBERS
    """Numbers without a stand-in."""
    _base_year: int = 2000
    """The year of the stand-in `YEAR_10`."""

    def name_numbers(self, numbers: Iterable[str]) -> None:
        """Names numbers in rising order, and years by their distance from the earliest. Called once, first."""
        rising = sorted(numbers, key=lambda each: (float(each), each))
        self._base_year = min((int(each) for each in rising if is_year(each)), default=self._base_year)
        for each in rising:
            if not is_year(each):
                self._numbers[each] = self._add(f"NUM_{len(self._numbers) + 1}", each)

    def number(self, value: str, *, written: str | None = None) -> str:
        """The stand-in of a number, read back as it was first `written`. Those of `open_numbers` stay as written."""
        if value in self.open_numbers:
            return written or value
        if is_year(value):
            stand_in = self.year(value)
        else:
            if value not in self._numbers:
                self._numbers[value] = self._add(f"VALUE_{len(self._numbers) + 1}", value)
            stand_in = self._numbers[value]
        if written is not None:
            self._written.setdefault(stand_in, written)
        return stand_in

    def year(self, digits: str) -> str:
        """The stand-in of a year."""
        place = int(digits) - self._base_year + _FIRST_YEAR
        return self._add(f"YEAR_{place}", digits) if place > 0 else self.text(digits)

    def text(self, value: str) -> str:
        """The stand-in of a text, the same for all its spellings."""
        folded = _JOINTS.sub(" ", fold(value)).strip()
        if folded not in self._texts:
            self._texts[folded] = self._add(f"TEXT_{len(self._texts) + 1}", value)
        return self._texts[folded]

    def _add(self, stand_in: str, original: str) -> str:
        self._originals.setdefault(stand_in, original)
        return stand_in

    def holds(self, word: str) -> bool:
        """Whether the word is a stand-in of this prompt."""
        return word in self._originals

    def names_number(self, value: str) -> bool:
        """Whether the number has a stand-in, years aside."""
        return value in self._numbers

    def names_text(self, folded: str) -> bool:
        """Whether the folded text has a stand-in."""
        return folded in self._texts

    def read_back(self, text: str) -> str:
        """The text with each stand-in replaced by its value, as that was first written."""
        return _STAND_IN.sub(self._original, text)

    def _original(self, match: re.Match[str]) -> str:
        real = match["real"] or ""
        named = match[0].removesuffix(real) if real else match[0]
        if named in self._written:
            value = self._written[named]
        elif (year := match["before"] or match["year"]) is not None:
            value = str(self._base_year + int(year[:6]) - _FIRST_YEAR)
        else:
            value = self._originals.get(named, named)
        return value if "." in value else value + real
