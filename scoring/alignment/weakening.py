"""Finds the definitions of the enriched question that take away from the question or contradict it.

The agent that is judged writes the enriched question. Its definitions may say which column and value a phrase means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scoring.alignment.matching import CERTAIN
from scoring.alignment.stated import Stated, stated
from scoring.immutable import immutable
from scoring.linking import content_words
from scoring.question.definitions.vacuous import (
    LONGEST,
    always_holds,
    holds_for_most,
    is_key,
    keeps_everything,
    plain_letters,
    words_of,
)
from scoring.question.english.weakening import QUANTIFIERS
from scoring.specification import Definition, QuestionFilter, QuestionSpec
from scoring.values import DatePart, Number, RelativeTime, TimeRange
from scoring.verdict import Weakening
from scoring.words import identifier_words, stem

MOST_DEFINITIONS = 20
"""Most definitions of one word that are looked at."""
_FEW = 4
"""Definitions that are compared one by one, without an index."""
_LONGEST_SHOWN = 80
_MEASURED = (Number, TimeRange, RelativeTime, DatePart)


@immutable(kw_only=False)
class Weakened:
    """The definitions of Qe that weaken Qu, and what they do."""

    found: tuple[Weakening, ...] = ()
    definitions: frozenset[int] = frozenset()
    """Their places in Qe."""
    by_word: DefinedWords | None = None
    """The definitions of Qe by their words, if none weakens Qu."""


def find_weakening(question: QuestionSpec, enriched: QuestionSpec) -> Weakened:
    """The definitions of Qe that drop a condition of Qu, contradict its value, or change what it computes."""
    if not enriched.definitions:
        return Weakened()
    found: list[Weakening] = []
    places: set[int] = set()
    sure = [each for each in question.filters if each.certain >= CERTAIN]
    by_word = DefinedWords(enriched.definitions if sure else ())
    for own in sure:
        for place in by_word.covering(own):
            definition = enriched.definitions[place]
            if by_word.stated(own, place) is Stated.WEAKENS:
                found.append(_of_condition(own, definition))
                places.add(place)
    for place, definition in enumerate(enriched.definitions):
        other = None if place in places else _of_phrase(question, definition)
        if other is not None:
            found.append(other)
            places.add(place)
    return Weakened(tuple(found), frozenset(places), by_word if sure and not places else None)


class DefinedWords:
    """Finds the definitions that cover all words of a condition, and what they state about it."""

    def __init__(self, definitions: tuple[Definition, ...]) -> None:
        self.definitions = definitions
        self._stated: dict[tuple[int, int], Stated] = {}
        """By the condition's id and the definition's place."""
        self._words = [_defined_words(each) for each in definitions]
        self._by_word: dict[str, list[int]] | None = None

    def _indexed(self) -> dict[str, list[int]]:
        if self._by_word is not None:
            return self._by_word
        self._by_word = {}
        for place, words in enumerate(self._words):
            for word in words:
                places = self._by_word.setdefault(word, [])
                if len(places) < MOST_DEFINITIONS:
                    places.append(place)
        return self._by_word

    def covering(self, own: QuestionFilter) -> Iterator[int]:
        """The places of the definitions that define all words of the condition."""
        said = set(content_words(own.span))
        if len(self._words) <= _FEW:
            return (place for place, words in enumerate(self._words) if said and said <= words)
        index = self._indexed()
        by_word = [index.get(word, []) for word in said]
        rarest = min(by_word, key=len) if by_word else []
        return (place for place in rarest if said <= self._words[place])

    def stated(self, own: QuestionFilter, place: int) -> Stated:
        """What the definition at a place states about a condition of Qu; found out once for each pair."""
        key = (id(own), place)
        found = self._stated.get(key)
        if found is None:
            found = self._stated[key] = stated(own, self.definitions[place])
        return found


def _defined_words(definition: Definition) -> set[str]:
    words = {*content_words(definition.phrase)}
    if not definition.filters and definition.columns:
        words |= {*content_words(definition.text)}
    return words


def without_weakening(enriched: QuestionSpec, weakened: Weakened) -> QuestionSpec:
    """Sq of Qe without the definitions that weaken Qu, and without their conditions."""
    if not weakened.definitions:
        return enriched
    kept = tuple(each for place, each in enumerate(enriched.definitions) if place not in weakened.definitions)
    gone = {each.start for place in weakened.definitions for each in enriched.definitions[place].filters}
    gone -= {each.start for definition in kept for each in definition.filters}
    own = len(enriched.filters) and [each for each in enriched.filters if not _is_of(each, gone)]
    return replace(enriched, definitions=kept, filters=tuple(own or ()))


def _is_of(each: QuestionFilter, starts: set[int]) -> bool:
    """Whether a condition of Qe was read from a definition that starts there."""
    return each.start in starts and each.lhs is not None and bool(each.lhs.columns)


def _of_condition(own: QuestionFilter, definition: Definition) -> Weakening:
    contradicts = bool(definition.filters) and isinstance(own.rhs, _MEASURED)
    return Weakening(asked=own.span, given=_shown(definition.text), contradicts=contradicts, condition=own)


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST_SHOWN else plain[: _LONGEST_SHOWN - 1] + "…"


def _of_phrase(question: QuestionSpec, definition: Definition) -> Weakening | None:
    """What a definition takes from words of Qu that were not read as a condition."""
    phrase = plain_letters(definition.phrase[:LONGEST])
    said = [stem(word) for word in words_of(phrase) if word not in QUANTIFIERS]
    used = [word for word in said if word in question.stems]
    if not used or 2 * len(used) < len(said):
        return None
    text = plain_letters(definition.text[:LONGEST])
    return _rows(question, phrase, text, definition) or _meaning(phrase, text, definition)


def _rows(question: QuestionSpec, phrase: str, text: str, definition: Definition) -> Weakening | None:
    """Another number of rows than `top 5` asks for."""
    rows = question.top_k
    if rows is None or str(rows) not in words_of(phrase) or str(rows) in words_of(text):
        return None
    numbers = any(word.isdecimal() for word in words_of(text))
    if not numbers and not keeps_everything(text):
        return None
    return Weakening(asked=_shown(definition.phrase), given=_shown(definition.text), contradicts=numbers, rows=rows)


def _meaning(phrase: str, text: str, definition: Definition) -> Weakening | None:
    """Words of Qu that mean nothing any more: `active customers` are `all customers`."""
    lost = frozenset(content_words(phrase)) - QUANTIFIERS - set(content_words(text))
    if not lost or not _restricts_nothing(phrase, text, definition):
        return None
    return Weakening(asked=_shown(definition.phrase), given=_shown(definition.text), words=lost)


def _restricts_nothing(phrase: str, text: str, definition: Definition) -> bool:
    if always_holds(text):
        return True
    if definition.filters:
        return all(holds_for_most(each) and _is_unrelated(each, phrase) for each in definition.filters)
    named = [name for name in definition.columns if name not in QUANTIFIERS]
    return not named and not definition.functions and keeps_everything(text)


def _is_unrelated(each: QuestionFilter, phrase: str) -> bool:
    """Whether a condition is on a key that the phrase does not mention."""
    names = [column.name for column in each.lhs.columns] if each.lhs is not None else []
    return all(is_key(name) and not _mentions(phrase, identifier_words(name)) for name in names)


def _mentions(phrase: str, words: Iterable[str]) -> bool:
    said = set(content_words(phrase))
    return any(word[:4] == other[:4] for word in words if word not in ("id", "key") for other in said)
