"""Stage 2 for an enriched question: its definitions first, then what is left as a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from scoring.question.definitions import read_definitions
from scoring.question.english import ENGLISH
from scoring.question.language import Language
from scoring.question.questions import specify
from scoring.question.reading import read
from scoring.specification import Definition, Kind, Op, QuestionSpec, Source
from scoring.values import Choices, Text, TimeRange, Value
from scoring.words import stem


def read_enriched(text: str, question: QuestionSpec, *, language: Language = ENGLISH) -> QuestionSpec:
    """`Sq` of Qe. Its definitions' filters come last: DEFINITION where Qu uses what they define, else ENRICHED.

    >>> from scoring.question import read_question
    >>> asked = read_question("How many ripe plums are there?")
    >>> spec = read_enriched("How many ripe plums are there? (ripe refers to state = 'R'; old means age > 9)", asked)
    >>> [(each.source.value, str(each.rhs)) for each in spec.filters]
    [('definition', "'r'"), ('enriched', '9')]
    """
    definitions, blanks = read_definitions(text, language)
    sourced = _sourced(definitions, _Said(question, language)) if definitions else ()
    if not _only_defines(text, question, blanks):
        return specify(read(text, Source.ENRICHED, language, blanks), sourced)
    filters = [each.permitted() for each in question.filters]
    filters += [each for definition in sourced for each in definition.filters]
    return question.enriched(text, tuple(filters), sourced)


def _only_defines(text: str, question: QuestionSpec, blanks: tuple[tuple[int, int], ...]) -> bool:
    """Whether Qe is Qu and definitions after it, so that nothing need be read twice."""
    if not text.startswith(question.text):
        return False
    at = len(question.text)
    for start, end in blanks:
        if start < at or text[at:start].strip(" ."):
            return False
        at = end
    return not text[at:].strip(" .")


class _Use(NamedTuple):
    """How far Qu uses what one definition defines."""

    content: frozenset[str]
    """The words of its phrase."""
    met: frozenset[str]
    """The words of its phrase that stand in Qu."""
    share: float
    values: frozenset[tuple[str, Op, Value | None]]


class _Said:
    """The words and values of Qu, to see whether it uses what a definition defines."""

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
        words = [token.lower for token in self._question.tokens if token.kind is not Kind.PUNCTUATION]
        return f" {' '.join(words)} "

    @cached_property
    def chooses(self) -> bool:
        """Whether Qu may ask which of two holds: `is it ripe or not`, `men or women`."""
        words = {token.lower for token in self._question.tokens}
        return self._question.yes_no or not words.isdisjoint(self._language.alternatives)

    def use(self, definition: Definition) -> _Use:
        words: list[str] = _WORDS.findall(definition.phrase.casefold())
        if "-" in definition.phrase or "_" in definition.phrase:
            content = {part for word in words for part in _parts(word)} - _EMPTY
        else:
            content = set(map(stem, words)) - _EMPTY
        said = content & self._stems
        met = said.union([word for word in content - said if self._has_akin(word)])
        values = frozenset((each.lhs.name, each.op, each.rhs) for each in definition.filters if each.lhs is not None)
        return _Use(frozenset(content), frozenset(met), len(met) / len(content) if content else 0.0, values)

    def _has_akin(self, word: str) -> bool:
        return len(word) > 4 and any(_akin(word, other) for other in self._by_start.get(word[:4], ()))

    def holds(self, value: Value | None) -> bool:
        """Whether the value itself stands in Qu."""
        if isinstance(value, Text):
            return len(value.folded) > 1 and f" {value.folded} " in self._padded
        if isinstance(value, TimeRange):
            return any(each.rhs == value for each in self._question.filters)
        return isinstance(value, Choices) and any(self.holds(member) for member in value.members)


def _sourced(definitions: tuple[Definition, ...], said: _Said) -> tuple[Definition, ...]:
    """Each filter DEFINITION where Qu uses its definition or says its value, else ENRICHED."""
    filtering = [definition for definition in definitions if definition.filters]
    used = _in_use([said.use(definition) for definition in filtering], said)
    unused = {id(definition) for definition, use in zip(filtering, used, strict=True) if not use}
    return tuple(_permitted(each, said) if id(each) in unused else each for each in definitions)


def _permitted(definition: Definition, said: _Said) -> Definition:
    """A definition that Qu does not use: its filters are only permitted, but for those whose value Qu says."""
    filters = tuple([each if said.holds(each.rhs) else each.permitted() for each in definition.filters])
    return definition.filtering(filters)


def _in_use(uses: list[_Use], said: _Said) -> list[bool]:
    """Of two definitions of one column, Qu uses the one more of whose words it says: `non-ripe` before `ripe`.

    Where it says a word that both share and nothing else (`which kind of kite`), or asks which of them holds, it
    requires neither.
    """
    if len(uses) < 2:
        return [use.share >= _USED for use in uses]
    by_column: dict[str, list[_Use]] = {}
    for use in uses:
        for name in {name for name, _, _ in use.values}:
            rivals = by_column.setdefault(name, [])
            if len(rivals) < _RIVALS:
                rivals.append(use)
    return [use.share >= _USED and not _outdone(use, by_column, said) for use in uses]


def _outdone(use: _Use, by_column: dict[str, list[_Use]], said: _Said) -> bool:
    """Whether Qu says another definition of the same column rather than this one."""
    others = [other for name in {name for name, _, _ in use.values} for other in by_column[name]]
    others = [other for other in others if not use.values & other.values]
    own = use.content.difference(*(other.content for other in others)) if others else frozenset[str]()
    if own and len(own & use.met) < _USED * len(own):
        return True
    rivals = [other for other in others if other.share >= _USED]
    if any(_beats(other, use) for other in rivals):
        return True
    common = use.share < 1 and any(other.met == use.met for other in rivals)
    return common or (said.chooses and any(other.share == 1 for other in rivals))


def _beats(other: _Use, use: _Use) -> bool:
    fuller = use.met < other.met or (use.met == other.met and other.share > use.share)
    return fuller and other.share >= use.share


def _akin(left: str, right: str) -> bool:
    """Whether two words share all but an ending: `carry` and `carried`, `virtual` and `virtually`."""
    shared = max(min(len(left), len(right)) - 1, 4)
    return abs(len(left) - len(right)) <= 4 and left[:shared] == right[:shared]


def _parts(word: str) -> list[str]:
    if "-" not in word and "_" not in word:
        return [stem(word)]
    return [stem(part) for part in word.replace("_", "-").split("-") if part]


_WORDS = re.compile(r"[\w-]+")
_USED = 0.5
"""The share of a definition's words that Qu must say to use it."""
_RIVALS = 20
"""Definitions of one column that are compared."""
_EMPTY = frozenset(
    "the a an of in on at is are was were be to for from with and or that which who has have by it its their his her "
    "refer it's as this these those than".split()
)
