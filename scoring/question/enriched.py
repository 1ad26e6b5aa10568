"""Reads an enriched question: its definitions first, then the rest as a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from scoring.patterns import lazy
from scoring.question.definitions import read_definitions
from scoring.question.english import ENGLISH
from scoring.question.language import Language
from scoring.question.questions import specify
from scoring.question.reading import read
from scoring.specification import Definition, FilterOrigin, Op, QuestionSpec, TokenKind
from scoring.values import Choices, Text, TimeRange, Value
from scoring.words import stem


def read_enriched(text: str, question: QuestionSpec, *, language: Language = ENGLISH) -> QuestionSpec:
    """`Sq` of Qe. Filters of definitions come last, with source DEFINITION if Qu uses the definition, else ENRICHED.

    >>> from scoring.question import read_question
    >>> asked = read_question("How many ripe plums are there?")
    >>> spec = read_enriched("How many ripe plums are there? (ripe refers to state = 'R'; old means age > 9)", asked)
    >>> [(each.source.value, str(each.rhs)) for each in spec.filters]
    [('definition', "'r'"), ('enriched', '9')]
    """
    definitions, blanks = read_definitions(text, language)
    if _OUTLINE.match(text):
        return _outlined(text, definitions, language)
    sourced = _sourced(definitions, _QuestionWords(question, language)) if definitions else ()
    if not _only_defines(text, question, blanks):
        return specify(read(text, FilterOrigin.ENRICHED, language, blanks), sourced)
    filters = [each.permitted() for each in question.filters]
    filters += [each for definition in sourced for each in definition.filters]
    return question.enriched(text, tuple(filters), sourced)


def _outlined(text: str, definitions: tuple[Definition, ...], language: Language) -> QuestionSpec:
    """An outline states what is asked for: its parts define no words, and their conditions are permitted."""
    spec = specify(read(text, FilterOrigin.ENRICHED, language), ())
    stated = [each.permitted() for definition in definitions for each in definition.filters]
    return replace(spec, filters=(*spec.filters, *(each for each in stated if each not in spec.filters)))


_OUTLINE = lazy(
    r"\s*(?:metric|measure|dimension|column|output|show|select|group|by|filter|where|having|order|sort|limit|top|time"
    r"|period|grain|aggregat\w+|breakdown)s?(?: by)?\s*:\s*\S",
    re.IGNORECASE,
)
"""`metric: parcels; by: depot; filter: state = lost`."""


def _only_defines(text: str, question: QuestionSpec, blanks: tuple[tuple[int, int], ...]) -> bool:
    """Whether Qe is Qu followed by definitions only, so that Qu need not be read again."""
    if not text.startswith(question.text):
        return False
    at = len(question.text)
    for start, end in blanks:
        if start < at or text[at:start].strip(" ."):
            return False
        at = end
    return not text[at:].strip(" .")


class _Use(NamedTuple):
    """How much of a definition Qu uses."""

    content: frozenset[str]
    """The words of the defined phrase."""
    met: frozenset[str]
    """Those of them that stand in Qu."""
    share: float
    """The share of its words that stand in Qu."""
    values: frozenset[tuple[str, Op, Value | None]]
    """Its conditions: column, operator and value."""

    @property
    def columns(self) -> set[str]:
        return {name for name, _, _ in self.values}


class _QuestionWords:
    """The words and values of Qu, to find out which definitions it uses."""

    def __init__(self, question: QuestionSpec, language: Language) -> None:
        stems = set(question.stems)
        if "-" in question.text or "_" in question.text:
            for word in [word for word in stems if "-" in word or "_" in word]:
                stems.update(_parts(word))
        if question.negations:
            stems.update(("non", "not"))
        self._stems = stems
        self._question = question
        self._language = language

    @cached_property
    def _by_start(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._stems:
            found.setdefault(word[:4], []).append(word)
        return found

    @cached_property
    def _padded(self) -> str:
        words = [token.lower for token in self._question.tokens if token.kind is not TokenKind.PUNCTUATION]
        return f" {' '.join(words)} "

    @cached_property
    def offers_choice(self) -> bool:
        """Whether Qu may ask which of two definitions holds: `is it ripe or not`, `men or women`."""
        words = {token.lower for token in self._question.tokens}
        return self._question.yes_no or not words.isdisjoint(self._language.alternatives)

    def use(self, definition: Definition) -> _Use:
        words: list[str] = _WORDS.findall(definition.phrase.casefold())
        if "-" in definition.phrase or "_" in definition.phrase:
            content = {part for word in words for part in _parts(word)} - _STOP_WORDS
        else:
            content = set(map(stem, words)) - _STOP_WORDS
        exact = content & self._stems
        met = exact.union([word for word in content - exact if self._has_similar(word)])
        values = frozenset((each.lhs.name, each.op, each.rhs) for each in definition.filters if each.lhs is not None)
        return _Use(frozenset(content), frozenset(met), len(met) / len(content) if content else 0.0, values)

    def _has_similar(self, word: str) -> bool:
        return len(word) > 4 and any(_similar(word, other) for other in self._by_start.get(word[:4], ()))

    def holds(self, value: Value | None) -> bool:
        """Whether Qu contains the value."""
        if isinstance(value, Text):
            return len(value.folded) > 1 and f" {value.folded} " in self._padded
        if isinstance(value, TimeRange):
            return any(each.rhs == value for each in self._question.filters)
        return isinstance(value, Choices) and any(self.holds(member) for member in value.members)


def _sourced(definitions: tuple[Definition, ...], words: _QuestionWords) -> tuple[Definition, ...]:
    """Gives each filter its source: DEFINITION if Qu uses its definition or contains its value, else ENRICHED."""
    filtering = [definition for definition in definitions if definition.filters]
    used = _in_use([words.use(definition) for definition in filtering], words)
    unused = {id(definition) for definition, use in zip(filtering, used, strict=True) if not use}
    return tuple(_permitted(each, words) if id(each) in unused else each for each in definitions)


def _permitted(definition: Definition, words: _QuestionWords) -> Definition:
    """A definition that Qu does not use: its filters are permitted, except those whose value Qu contains."""
    filters = tuple([each if words.holds(each.rhs) else each.permitted() for each in definition.filters])
    return definition.filtering(filters)


def _in_use(uses: list[_Use], words: _QuestionWords) -> list[bool]:
    """Which definitions Qu uses: of several for one column, the one with more words in Qu (`non-ripe`, not `ripe`).

    It uses neither if Qu contains only words that they share (`which kind of kite`), or asks which of them holds.
    """
    if len(uses) < 2:
        return [use.share >= _USED for use in uses]
    by_column: dict[str, list[_Use]] = {}
    for use in uses:
        for name in use.columns:
            rivals = by_column.setdefault(name, [])
            if len(rivals) < _RIVALS:
                rivals.append(use)
    return [use.share >= _USED and not _has_better_rival(use, by_column, words) for use in uses]


def _has_better_rival(use: _Use, by_column: dict[str, list[_Use]], words: _QuestionWords) -> bool:
    """Whether Qu uses another definition of the same column rather than this one."""
    others = _others_of_column(use, by_column)
    if _misses_own_words(use, others):
        return True
    rivals = [other for other in others if other.share >= _USED]
    if any(_beats(other, use) for other in rivals):
        return True
    if use.share < 1 and any(other.met == use.met for other in rivals):
        return True
    return words.offers_choice and any(other.share == 1 for other in rivals)


def _others_of_column(use: _Use, by_column: dict[str, list[_Use]]) -> list[_Use]:
    """Definitions of the same column by other conditions."""
    return [other for name in use.columns for other in by_column[name] if not use.values & other.values]


def _misses_own_words(use: _Use, others: list[_Use]) -> bool:
    """Whether Qu lacks most of the words that only this definition has."""
    own = use.content.difference(*(other.content for other in others)) if others else frozenset[str]()
    return bool(own) and len(own & use.met) < _USED * len(own)


def _beats(other: _Use, use: _Use) -> bool:
    fuller = use.met < other.met or (use.met == other.met and other.share > use.share)
    return fuller and other.share >= use.share


def _similar(left: str, right: str) -> bool:
    """Whether two words differ only in their ending: `carry` and `carried`, `virtual` and `virtually`."""
    shared = max(min(len(left), len(right)) - 1, 4)
    return abs(len(left) - len(right)) <= 4 and left[:shared] == right[:shared]


def _parts(word: str) -> list[str]:
    if "-" not in word and "_" not in word:
        return [stem(word)]
    return [stem(part) for part in word.replace("_", "-").split("-") if part]


_WORDS = lazy(r"[\w-]+")
_USED = 0.5
"""The share of a definition's words that must stand in Qu for Qu to use it."""
_RIVALS = 20
"""At most this many definitions of one column are compared."""
_STOP_WORDS = frozenset(
    "the a an of in on at is are was were be to for from with and or that which who has have by it its their his her "
    "refer it's as this these those than".split()
)
