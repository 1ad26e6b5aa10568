"""Cuts a text where marks begin and end, so that a template can show each piece with its marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Token = tuple[int, str, str]
"""Where a piece of highlighted text begins, its class, and the piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A part of a text that is shown marked."""

    start: int
    end: int
    number: int = 0
    """The pair it belongs to; 0 is none."""
    kind: str
    """How it is shown: a class of the style sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
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


def find_words(text: str, words: str, taken: Iterable[Mark] = ()) -> tuple[int, int] | None:
    """Where words stand in a text, whatever their case and spaces; after those `taken` where they stand repeatedly.

    >>> find_words("In Oslo or near oslo", "oslo"), find_words("Oslofjord", "oslo"), find_words("a  B", "a b")
    ((3, 7), None, (0, 4))
    >>> find_words("Oslo or Oslo", "oslo", [Mark(start=0, end=4, kind="")])
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


def runs(text: str, marks: Sequence[Mark], tokens: Iterable[Token] | None = None) -> list[Run]:
    """The whole text as runs. Marks may overlap; those without length are left out."""
    marks = [each for each in marks if 0 <= each.start < each.end <= len(text)]
    first: dict[int, int] = {}
    for each in sorted(marks, key=lambda one: one.start):
        first.setdefault(each.number, each.start)
    bounds = sorted({place for each in marks for place in (each.start, each.end)})
    made: list[Run] = []
    open_until = -1
    for start, css, piece in _cut(tokens or [(0, "", text)], bounds):
        if start >= open_until or not made:
            made.append(_run(start, marks, first))
            open_until = next((bound for bound in bounds if bound > start), len(text))
            ends = {each.number for each in marks if each.end == open_until and each.start <= start}
            made[-1] = _with_ends(made[-1], ends)
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


def _run(start: int, marks: Sequence[Mark], first: dict[int, int]) -> Run:
    over = [each for each in marks if each.start <= start < each.end]
    numbers = tuple(dict.fromkeys(each.number for each in sorted(over, key=_length) if each.number))
    kinds = " ".join(dict.fromkeys(each.kind for each in sorted(over, key=_length)))
    return Run(numbers=numbers, kinds=kinds, begins=tuple(n for n in numbers if first[n] == start), ends=())


def _length(mark: Mark) -> int:
    return mark.end - mark.start


def _with_ends(run: Run, ends: set[int]) -> Run:
    return Run(
        numbers=run.numbers,
        kinds=run.kinds,
        begins=run.begins,
        ends=tuple(number for number in run.numbers if number in ends),
        pieces=run.pieces,
    )
