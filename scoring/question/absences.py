"""Reads conditions that something is absent: `without orders`, `never won a race`, `have no pets`."""

from __future__ import annotations

from scoring.question.comparisons import add_filter
from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.phrases import operand, phrase_at
from scoring.question.reading import Reading
from scoring.specification import Op

_REACH = 7
"""Words after a negation within which it negates a literal or number instead."""


def read_absences(reading: Reading) -> None:
    """Adds a NOT EXISTS filter for each absence whose clause has no literal that is negated already."""
    for mark in reading.marks_of(Role.LACK) + reading.marks_of(Role.NEVER):
        if _negates_value(reading, mark) or is_included(reading, mark):
            continue
        start, end = phrase_at(reading, mark.end)
        if mark.cue.role is Role.NEVER and start == mark.end and start < end:
            start, end = _after_verb(reading, start, end)
        if start == end:
            continue
        certain = 0.7 if mark.cue.role is Role.LACK else 0.5
        phrase = reading.span(start, end)
        add_filter(reading, operand(phrase), Op.NOT_EXISTS, None, (mark.start, end), certain)


_INCLUDING = frozenset({"including", "include", "incl", "even", "plus"})
_REMARKED = frozenset({"count", "counts", "matter", "matters", "care", "mind", "worry"})
"""Verbs of remarks: `weekends don't count`, `the year doesn't matter`."""
_NOTHING = frozenset({"", ".", ",", ";", "!", "?", ")", "those", "these", "them", "em", "here", "so"})
_SPLITS = frozenset({"vs", "vs.", "versus", "and", "or", "/", "&"})
_INCLUDED = 5
"""Words before a negation within which `including` takes it in: `including the pilots who have no flights`."""


def is_included(reading: Reading, mark: Mark) -> bool:
    """Whether things with an absence are asked for beside all others, or a word is explained: no condition then.

    `including those without …`, `with vs without a coupon`, `(people not visits)`.
    """
    if reading.lower(mark.end) in _REMARKED and reading.lower(mark.end + 1) in _NOTHING:
        return True
    if reading.lower(mark.start - 1) in _SPLITS and reading.lower(mark.start - 2) in {"with", "w", "w/"}:
        return True
    bracketed = reading.lower(mark.start - 2) == "(" and reading.lower(mark.end + 1) in {")", "!"}
    aside = reading.lower(mark.start - 1) in {"?", ",", "-", "–"} and reading.lower(mark.end + 1) in {",", ")", "!"}
    if (bracketed or aside) and reading.lowers[mark.start] == "not":
        return True
    before = reading.lowers[max(mark.start - _INCLUDED, 0) : mark.start]
    return any(word in _INCLUDING for word in before) and not any(word in {".", "?", ";"} for word in before[:-1])


def _after_verb(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """The object of a negated verb, or the verb itself where there is none."""
    first, last = phrase_at(reading, start + 1)
    return (first, last) if first < last else (start, end)


def _negates_value(reading: Reading, mark: Mark) -> bool:
    """Whether a literal, number or comparison in reach is what the negation negates."""
    for place in range(mark.end, min(mark.end + _REACH, len(reading.tokens))):
        if reading.claimed[place]:
            return True
        if reading.lowers[place] in reading.language.relatives or reading.lowers[place] in {
            ".",
            "?",
            ",",
            "and",
            "but",
        }:
            return False
    return False
