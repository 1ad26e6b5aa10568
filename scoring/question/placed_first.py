"""Finds orders that say what comes first: `most overdue first`, `longest wait first`."""

from __future__ import annotations

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.reading import Reading
from scoring.specification import TokenKind

_REACH = 4
"""Most words between an extreme and its `first`."""


def placed_first(reading: Reading) -> list[tuple[Mark, int]]:
    """The extremes that a `first` at the end of a phrase makes an order, each with the place of that `first`.

    >>> from scoring.question import read_question
    >>> read_question("List the late loans, most overdue first").ordering.phrase
    'overdue'
    >>> read_question("Who drove the longest first leg?").ordering is None
    True
    """
    places = [mark.start for mark in reading.marks_of(Role.SUPERLATIVE) if reading.lowers[mark.start] == "first"]
    found: list[tuple[Mark, int]] = []
    for place in places:
        mark = _extreme_before(reading, place) if _ends_phrase(reading, place + 1) else None
        if mark is not None:
            found.append((mark, place))
    return found


def _ends_phrase(reading: Reading, place: int) -> bool:
    if place >= len(reading.tokens) or reading.tokens[place].kind is TokenKind.PUNCTUATION:
        return True
    return reading.lowers[place] in reading.language.conjunctions


def _extreme_before(reading: Reading, place: int) -> Mark | None:
    """The last extreme shortly before a place, with nothing but words between."""
    for mark in reversed(reading.marks_of(Role.SUPERLATIVE)):
        if mark.end <= place and reading.lowers[mark.start] not in {"first", "last"}:
            between = range(mark.end, place)
            return mark if len(between) <= _REACH and all(map(reading.is_word, between)) else None
    return None
