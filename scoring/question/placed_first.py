"""Finds orders that say what comes first: `most overdue first`, `longest wait on top`."""

from __future__ import annotations

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.reading import Reading
from scoring.specification import TokenKind

_REACH = 4
"""Most words between an extreme and its `first`."""


def placed_first(reading: Reading) -> list[tuple[Mark, int, int]]:
    """The extremes that a `first` or `on top` at the end of a phrase makes an order, and their places.

    >>> from scoring.question import read_question
    >>> read_question("List the late loans, most overdue first").ordering.phrase
    'overdue'
    >>> read_question("Who drove the longest first leg?").ordering is None
    True
    """
    found: list[tuple[Mark, int, int]] = []
    for place, end in _first_places(reading):
        mark = _extreme_before(reading, place) if _ends_phrase(reading, end) else None
        if mark is not None:
            found.append((mark, place, end))
    return found


def _first_places(reading: Reading) -> list[tuple[int, int]]:
    """Where each `first`, `on top` and `at the top` begins and ends."""
    found: list[tuple[int, int]] = []
    for mark in reading.marks_of(Role.SUPERLATIVE):
        if reading.lowers[mark.start] == "first":
            found.append((mark.start, mark.start + 1))
        for words in (["on", "top"], ["at", "the", "top"]):
            start = mark.start + 1 - len(words)
            if start >= 0 and reading.lowers[start : mark.start + 1] == words:
                found.append((start, mark.start + 1))
    return found


def _ends_phrase(reading: Reading, place: int) -> bool:
    if place >= len(reading.tokens) or reading.tokens[place].kind is TokenKind.PUNCTUATION:
        return True
    return reading.lowers[place] in reading.language.conjunctions


def _extreme_before(reading: Reading, place: int) -> Mark | None:
    """The last extreme shortly before a place, with nothing but words between."""
    for mark in reversed(reading.marks_of(Role.SUPERLATIVE)):
        if mark.end <= place and reading.lowers[mark.start] not in {"first", "last", "top"}:
            between = range(mark.end, place)
            return mark if len(between) <= _REACH and all(map(reading.is_word, between)) else None
    return None
