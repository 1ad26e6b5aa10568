"""Finds the words that a negation excludes directly: `cancelled` in `not yet cancelled` and `excluding cancelled`."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.reading import Reading
from scoring.specification import TokenKind

_MOST_WORDS = 6
"""Most words that one negation excludes."""
_LISTING = {
    Role.NOT: frozenset({"or", "nor"}),
    Role.NEVER: frozenset({"or", "nor"}),
    Role.EXCEPT: frozenset({"or", "and"}),
}
"""Words that list more of what is excluded: `excluding refunded and cancelled`, but not `not paid and cancelled`."""
_ELSEWHERE = frozenset({"only", "just", "necessarily", "all", "every", "both"})
"""Words of which a negation takes some back: `not only cancelled`, `not all cancelled`."""


def excluded_words(reading: Reading) -> tuple[int, ...]:
    """Where these words start in the text."""
    places = [place for role in _LISTING for mark in reading.marks_of(role) for place in _after(reading, mark)]
    prefixes = reading.language.negative_prefixes
    places += [place for place, word in enumerate(reading.lowers) if word.startswith(prefixes)]
    return tuple([reading.tokens[place].start for place in places])


def _after(reading: Reading, negation: Mark) -> Iterator[int]:
    """The places of the words that a negation excludes, with those listed after them."""
    place = _first_word(reading, negation.end)
    if place is None:
        return
    for _ in range(_MOST_WORDS):
        if not _is_content(reading, place):
            return
        yield place
        place += 1
        if reading.lower(place) in _LISTING[negation.cue.role]:
            place += 1


def _first_word(reading: Reading, place: int) -> int | None:
    """The place of the first word after function words, unless a cue or one of `_ELSEWHERE` comes before it."""
    language = reading.language
    while reading.is_word(place) and (
        reading.lower(place) in language.breaks or reading.lower(place) in language.articles
    ):
        if reading.lower(place) in _ELSEWHERE or place in reading.starts:
            return None
        place += 1
    return None if reading.lower(place) in _ELSEWHERE else place


def _is_content(reading: Reading, place: int) -> bool:
    if place >= len(reading.tokens) or reading.tokens[place].kind not in (TokenKind.WORD, TokenKind.QUOTED):
        return False
    return reading.lower(place) not in reading.language.breaks
