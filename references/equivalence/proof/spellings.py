"""Texts of dates as numbers that sort like the texts: each field of the text is a digit of its own base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise

_BASES = {"Y": 10_000, "m": 12, "d": 31, "H": 24, "M": 60, "S": 60, "w": 7, "W": 54, "j": 366, "t": 86_401, "f": 10_000}
"""How many values a field has. `t` is a time of day that may be missing: 0, or 1 and the seconds; `f` a fraction."""
_FIRST = {"m": 1, "d": 1, "j": 1}
"""Fields that count from 1."""
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "w": 1, "W": 2, "j": 3}
_OPEN = frozenset({"%t", "%f"})
"""Pieces of no fixed width."""
_LONGEST = 1_000
"""More characters than any date has."""
_MOST_PLACES = 200
"""Ways in which the `%` of one LIKE pattern are tried."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The form of a text: fields as `%Y`, and what stands between them.

    >>> month = Spelling.of("%Y-%m")
    >>> month.text(month.code({"Y": 1996, "m": 7})), month.least("1996-07")
    ('1996-07', 23958)
    """

    pieces: tuple[str, ...]
    """Fields as `%` and a letter, and texts."""

    @classmethod
    def of(cls, format_: str) -> Spelling | None:
        """The spelling of a date format; `None` when it has other codes than fields of fixed width."""
        format_ = format_.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S")
        pieces = tuple(each for each in re.split(r"(%.)", format_) if each)
        fields = [each[1] for each in pieces if each.startswith("%")]
        known = all(each in _WIDTHS for each in fields) and len(set(fields)) == len(fields)
        return cls(pieces) if fields and known else None

    @property
    def fields(self) -> tuple[str, ...]:
        """The letters of the fields, in the order of the text."""
        return tuple(each[1] for each in self.pieces if each.startswith("%"))

    @property
    def size(self) -> int:
        """How many texts it has, those of days that do not exist among them."""
        found = 1
        for each in self.fields:
            found *= _BASES[each]
        return found

    def place(self, field: str) -> tuple[int, int, int]:
        """The weight of a field in the number, its base, and its least value."""
        weight = 1
        for each in reversed(self.fields):
            if each == field:
                return weight, _BASES[each], _FIRST.get(each, 0)
            weight *= _BASES[each]
        raise KeyError(field)

    def code(self, values: dict[str, int]) -> int:
        """The number of the text with these values."""
        found = 0
        for each in self.fields:
            found = found * _BASES[each] + values[each] - _FIRST.get(each, 0)
        return found

    def text(self, code: int) -> str:
        """The text of a number."""
        values: dict[str, int] = {}
        for each in reversed(self.fields):
            code, rest = divmod(code, _BASES[each])
            values[each] = rest + _FIRST.get(each, 0)
        return "".join(_spelled(each, values) for each in self.pieces)

    def least(self, text: str) -> int:
        """The number of the first text that does not sort before this one; `size` when there is none."""
        low, high = 0, self.size
        while low < high:
            middle = (low + high) // 2
            if self.text(middle) < text:
                low = middle + 1
            else:
                high = middle
        return low

    def exactly(self, text: str) -> int | None:
        """The number of a text; `None` for a text of another form."""
        code = self.least(text)
        return code if code < self.size and self.text(code) == text else None

    def part(self, start: int, length: int | None) -> Spelling | None:
        """The spelling of a substring that cuts no field; `start` counts from 1."""
        end = start + length if length is not None else _LONGEST
        pieces: list[str] = []
        at = 1
        for piece in self.pieces:
            width = _width(piece)
            low, high = max(start - at, 0), max(end - at, 0)
            at += width
            if not piece.startswith("%"):
                pieces.append(piece[low:high])
            elif low == 0 and high >= width:
                pieces.append(piece)
            elif low < min(width, high):
                return None
        found = Spelling(tuple(each for each in pieces if each))
        return found if found.fields else None

    def leading(self) -> tuple[str, ...] | None:
        """The fields that the number at the start of the text consists of; `None` when other digits do too."""
        found: list[str] = []
        for piece in self.pieces:
            if not piece.startswith("%"):
                return tuple(found) if not piece[0].isdigit() and piece[0] not in ".eE" else None
            if piece in _OPEN:
                return tuple(found)
            found.append(piece[1])
        return tuple(found)

    @property
    def numeric(self) -> bool:
        """Whether the whole text is a number."""
        return all(each.startswith("%") and each not in _OPEN for each in self.pieces)

    def patterns(self, pattern: str) -> Iterator[str] | None:
        """The patterns without `%` that a LIKE pattern stands for; `None` when there are too many or none is known."""
        if not _OPEN.isdisjoint(self.pieces):
            return None
        width = sum(map(_width, self.pieces))
        return _expanded(pattern, width)


DAY = Spelling(("%Y", "-", "%m", "-", "%d"))
MOMENT = Spelling(("%Y", "-", "%m", "-", "%d", " ", "%H", ":", "%M", ":", "%S"))
INSTANT = Spelling((*MOMENT.pieces, "%f"))
"""A moment that may have a fraction of a second."""
EITHER = Spelling(("%Y", "-", "%m", "-", "%d", "%t"))
"""A day, or a moment."""


DAY_AND_TIMES = _BASES["t"]
"""Texts of `EITHER` that begin with one day."""
FRACTIONS = _BASES["f"]
"""Texts of `INSTANT` that begin with one moment."""


def _width(piece: str) -> int:
    """The characters of a piece; of one of no fixed width, all that it may have."""
    return (_LONGEST if piece in _OPEN else _WIDTHS[piece[1]]) if piece.startswith("%") else len(piece)


def _spelled(piece: str, values: dict[str, int]) -> str:
    if not piece.startswith("%"):
        return piece
    if piece == "%t":
        seconds = values["t"] - 1
        return "" if seconds < 0 else f" {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if piece == "%f":
        return f".{values['f']:04d}".rstrip("0").rstrip(".")
    return f"{values[piece[1]]:0{_WIDTHS[piece[1]]}d}"


def _expanded(pattern: str, width: int) -> Iterator[str] | None:
    parts = re.split("%+", pattern)
    free = width - sum(map(len, parts))
    if len(parts) == 1:
        return iter([pattern] if free == 0 else [])
    if free < 0:
        return iter([])
    cuts = len(parts) - 1
    ways = [*combinations_with_replacement(range(free + 1), cuts - 1)] if cuts < 4 else []
    if not ways or len(ways) > _MOST_PLACES:
        return None
    return (_filled(parts, [0, *way, free]) for way in ways)


def _filled(parts: Sequence[str], marks: Sequence[int]) -> str:
    gaps = [high - low for low, high in pairwise(marks)]
    return parts[0] + "".join("_" * gap + part for gap, part in zip(gaps, parts[1:], strict=True))


@lru_cache(maxsize=1024)
def values_like(mask: str, field: str) -> tuple[int, ...] | None:
    """The values of a field whose digits match; `None` when all do.

    >>> values_like("0_", "m"), values_like("__", "m"), values_like("199_", "Y")
    ((1, 2, 3, 4, 5, 6, 7, 8, 9), None, (1990, 1991, 1992, 1993, 1994, 1995, 1996, 1997, 1998, 1999))
    """
    if set(mask) == {"_"}:
        return None
    known = re.compile(mask.replace("_", ".") if mask.replace("_", "").isdigit() else "(?!)")
    first = _FIRST.get(field, 0)
    values = range(first, first + _BASES[field])
    return tuple(each for each in values if known.fullmatch(f"{each:0{_WIDTHS[field]}d}"))


def fields_like(spelling: Spelling, mask: str) -> dict[str, tuple[int, ...]] | None:
    """The values of each field whose text matches a pattern without `%`; `None` when no text does."""
    found: dict[str, tuple[int, ...]] = {}
    at = 0
    for piece in spelling.pieces:
        width = _width(piece)
        part = mask[at : at + width]
        at += width
        if not piece.startswith("%"):
            if any(one not in {"_", other} for one, other in zip(part, piece, strict=True)):
                return None
            continue
        values = values_like(part, piece[1])
        if values == ():
            return None
        if values is not None:
            found[piece[1]] = values
    return found
