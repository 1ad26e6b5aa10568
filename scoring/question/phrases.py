"""Finds noun phrases: the words that name a column, a thing or a measure."""

from __future__ import annotations

from scoring.question.language import Language, Role
from scoring.question.reading import Reading
from scoring.specification import Operand, TokenKind

_ENDING_ROLES = frozenset(
    {
        Role.COMPARE,
        Role.SUFFIX,
        Role.NOT,
        Role.EXCEPT,
        Role.LACK,
        Role.NEVER,
        Role.MATCH,
        Role.NAMED,
        Role.GROUP,
        Role.ORDER,
        Role.ALSO,
        Role.COMMAND,
        Role.ASK,
        Role.WHETHER,
        Role.TIME,
    }
)
_LONGEST = 6
"""Words in a noun phrase."""


def verb_like(word: str, language: Language) -> bool:
    """Whether a word is more likely a verb than a noun, by table and by ending.

    >>> from scoring.question.english import ENGLISH
    >>> verb_like("written", ENGLISH), verb_like("building", ENGLISH), verb_like("hosting", ENGLISH)
    (True, False, True)
    """
    if word in language.verbs:
        return True
    return len(word) > 4 and word.endswith(language.verb_endings) and word not in language.not_verbs


def skip_openers(reading: Reading, place: int) -> int:
    """The first place that is not an article, number, superlative, `distinct` or a token already read."""
    count, starts = len(reading.tokens), reading.starts
    limit = min(count, place + _LONGEST)
    while place < limit:
        mark = starts.get(place)
        if mark is not None:
            if mark.cue.role in _SKIPPED:
                place = mark.end
                continue
            if mark.cue.role is Role.PLAIN:
                break
        if not _opens(reading, place):
            break
        place += 1
    return min(place, count)


_SKIPPED = frozenset({Role.SUPERLATIVE, Role.DISTINCT})


def _opens(reading: Reading, place: int) -> bool:
    language, word = reading.language, reading.lowers[place]
    if (
        word in language.articles
        or reading.claimed[place]
        or reading.tokens[place].kind is TokenKind.NUMBER
        or word == "'s"
    ):
        return True
    return word in language.numbers or word in language.ordinals


def phrase_end(reading: Reading, start: int) -> int:
    """The end of the noun phrase that starts at `start`; `start` itself if there is none."""
    language, tokens, lowers, claimed = reading.language, reading.tokens, reading.lowers, reading.claimed
    place, count = start, len(tokens)
    limit = min(count, start + _LONGEST)
    ending = _ENDING_ROLES
    while place < limit and not claimed[place]:
        mark, word = reading.starts.get(place), lowers[place]
        if mark is not None and mark.cue.role is Role.PLAIN:
            place, ending = mark.end, _ENDING_LATER
            continue
        if word in language.breaks or word in language.articles or tokens[place].kind is not TokenKind.WORD:
            break
        if mark is not None and mark.cue.role in ending:
            break
        if place > start and _ends_at(reading, place):
            break
        place, ending = place + 1, _ENDING_LATER
    return min(place, count)


_ENDING_LATER = _ENDING_ROLES | {Role.SUPERLATIVE}


def is_summed(reading: Reading, place: int) -> bool:
    """Whether an aggregate governs the word: `spend` is a noun in `ranked by total spend`."""
    before = reading.ends.get(place)
    return before is not None and before.cue.role is Role.AGGREGATE and before.cue.func in {"SUM", "AVG"}


def _ends_at(reading: Reading, place: int) -> bool:
    """Whether a verb, or a plural before `place`, ends the phrase: in `ships carry`, not in `sales amount`."""
    language, before = reading.language, reading.tokens[place - 1]
    word = reading.lowers[place]
    if is_summed(reading, place):
        return False
    if verb_like(word, language):
        return True
    if before.stem == before.lower or before.lower in language.plural_modifiers:
        return False
    named = word in language.measures or word in language.classifiers or reading.tokens[place].stem in language.ordinary
    return not named


def phrase_at(reading: Reading, place: int) -> tuple[int, int]:
    """The noun phrase at `place` or after articles there, as tokens [start, end)."""
    start = skip_openers(reading, place)
    return start, phrase_end(reading, start)


def phrase_before(reading: Reading, end: int) -> tuple[int, int]:
    """The noun phrase that ends right before `end`, as tokens [start, end)."""
    language = reading.language
    start = end
    while start > 0 and end - start < _LONGEST:
        word = reading.lowers[start - 1]
        if not reading.is_word(start - 1) or reading.claimed[start - 1]:
            break
        if word in language.breaks or word in language.articles or verb_like(word, language):
            break
        before = reading.ends.get(start)
        if before is not None and before.cue.role is not Role.PLAIN and before.cue.role is not Role.RATIO:
            break
        start -= 1
    return start, end


def operand(phrase: str, func: str | None = None) -> Operand:
    """A question's phrase as the left side of a filter."""
    return Operand(name=phrase.lower(), func=func)
