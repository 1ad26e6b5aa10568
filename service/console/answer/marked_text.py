"""Cuts a text where marks begin and end, so that a template can show each piece with its marks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse

Token = tuple[int, str, str]
"""Where a piece of highlighted text begins, its class, and the piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark:
    """A part of a text that is shown marked."""

    start: int
    end: int
    number: int = 0
    """The pair it belongs to; 0 is none."""
    kind: str
    """How it is shown: a class of the style sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRun:
    """Neighbouring text under the same marks."""

    numbers: tuple[int, ...]
    """The pairs it belongs to."""
    kinds: str
    begins: tuple[int, ...]
    """The pairs whose first mark begins here."""
    ends: tuple[int, ...]
    """The pairs of which a mark ends here."""
    pieces: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Class and text of each highlighted piece."""


def find_words(text: str, words: str, taken: Iterable[TextMark] = ()) -> tuple[int, int] | None:
    """Where words stand in a text, whatever their case and spaces; after those `taken` where they stand repeatedly.

    >>> find_words("In Oslo or near oslo", "oslo"), find_words("Oslofjord", "oslo"), find_words("a  B", "a b")
    ((3, 7), None, (0, 4))
    >>> find_words("Oslo or Oslo", "oslo", [TextMark(start=0, end=4, kind="")])
    (8, 12)
    """
    said = words.split()
    if not said:
        return None
    pattern = r"\s+".join(map(re.escape, said))
    found = [
        each.span() for each in re.finditer(rf"(?<!\w){pattern}(?!\w)" if _is_word(words) else pattern, text, re.I)
    ]
    used = {(each.start, each.end) for each in taken}
    return next((each for each in found if each not in used), found[0] if found else None)


def _is_word(words: str) -> bool:
    said = words.strip()
    return said[0].isalnum() and said[-1].isalnum()


def runs(text: str, marks: Sequence[TextMark], tokens: Iterable[Token] | None = None) -> list[MarkedRun]:
    """The whole text as runs. Marks may overlap; those without length are left out."""
    marks = [each for each in marks if 0 <= each.start < each.end <= len(text)]
    bounds = sorted({0, len(text), *(each.start for each in marks), *(each.end for each in marks)})
    made: list[MarkedRun] = []
    reached = 0
    for start, css, piece in _cut(tokens or [(0, "", text)], bounds):
        if start >= reached:
            reached = bounds[bisect_right(bounds, start)]
            made.append(_run(start, reached, marks))
        made[-1].pieces.append((css, piece))
    return made


def _cut(tokens: Iterable[Token], bounds: Sequence[int]) -> Iterator[Token]:
    place = 0
    for start, css, piece in tokens:
        end, begin = start + len(piece), start
        while place < len(bounds) and bounds[place] < end:
            if bounds[place] > begin:
                yield begin, css, piece[begin - start : bounds[place] - start]
                begin = bounds[place]
            place += 1
        if begin < end:
            yield begin, css, piece[begin - start :]


def _run(start: int, end: int, marks: Sequence[TextMark]) -> MarkedRun:
    over = sorted((each for each in marks if each.start <= start < each.end), key=_length)
    numbers = [number for number in dict.fromkeys(each.number for each in over) if number]
    earlier = {each.number for each in marks if each.start < start}
    ended = {each.number for each in over if each.end == end}
    return MarkedRun(
        numbers=tuple(numbers),
        kinds=" ".join(dict.fromkeys(each.kind for each in over)),
        begins=tuple(filterfalse(earlier.__contains__, numbers)),
        ends=tuple(filter(ended.__contains__, numbers)),
    )


def _length(mark: TextMark) -> int:
    return mark.end - mark.start
