"""Stage 2 for an enriched question: its definitions first, then what is left as a question."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

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
    spec = _as_enriched(text, question, blanks) or specify(read(text, Source.ENRICHED, language, blanks))
    sourced = _sourced(definitions, _Said(question), chooses=_chooses(question, language))
    filters = (*spec.filters, *(each for definition in sourced for each in definition.filters))
    return replace(spec, filters=filters, definitions=sourced)


def _as_enriched(text: str, question: QuestionSpec, blanks: tuple[tuple[int, int], ...]) -> QuestionSpec | None:
    """Qu's own specification where Qe is Qu and definitions after it: nothing need be read twice."""
    asked = len(question.text)
    if not text.startswith(question.text) or any(start < asked for start, _ in blanks):
        return None
    at = asked
    for start, end in blanks:
        if text[at:start].strip(" ."):
            return None
        at = end
    if text[at:].strip(" ."):
        return None
    filters = tuple(replace(each, source=Source.ENRICHED) for each in question.filters)
    return replace(question, text=text, filters=filters)


def _chooses(question: QuestionSpec, language: Language) -> bool:
    """Whether Qu may ask which of two holds: `is it ripe or not`, `men or women`."""
    return question.yes_no or any(token.lower in language.alternatives for token in question.tokens)


@dataclass(frozen=True, slots=True)
class _Use:
    """How far Qu uses what one definition defines."""

    met: frozenset[str]
    """The words of its phrase that stand in Qu."""
    share: float
    values: frozenset[tuple[str, Op, Value | None]]


class _Said:
    """The words and values of Qu, to see whether it uses what a definition defines."""

    def __init__(self, question: QuestionSpec) -> None:
        stems = {part for token in question.tokens for part in _parts(token.stem)}
        self._stems = frozenset(stems | {"non", "not"} if question.negations else stems)
        self._starts = frozenset(word[:4] for word in self._stems)
        words = [token.lower for token in question.tokens if token.kind is not Kind.PUNCTUATION]
        self._times = frozenset(each.rhs for each in question.filters if isinstance(each.rhs, TimeRange))
        self._padded = f" {' '.join(words)} "

    def use(self, definition: Definition) -> _Use:
        content = {part for word in _WORDS.findall(definition.phrase.casefold()) for part in _parts(word)} - _EMPTY
        met = frozenset(word for word in content if self._has(word))
        values = frozenset((each.lhs.name, each.op, each.rhs) for each in definition.filters if each.lhs is not None)
        return _Use(met, len(met) / len(content) if content else 0.0, values)

    def _has(self, word: str) -> bool:
        if word in self._stems:
            return True
        return len(word) > 4 and word[:4] in self._starts and any(_akin(word, other) for other in self._stems)

    def holds(self, value: Value | None) -> bool:
        """Whether the value itself stands in Qu."""
        if isinstance(value, Text):
            return len(value.folded) > 1 and f" {value.folded} " in self._padded
        if isinstance(value, TimeRange):
            return value in self._times
        return isinstance(value, Choices) and any(self.holds(member) for member in value.members)


def _sourced(definitions: tuple[Definition, ...], said: _Said, *, chooses: bool) -> tuple[Definition, ...]:
    """Each filter DEFINITION where Qu uses its definition or says its value, else ENRICHED."""
    uses = [said.use(definition) for definition in definitions]
    return tuple(
        replace(
            definition,
            filters=tuple(
                each if used or said.holds(each.rhs) else replace(each, source=Source.ENRICHED)
                for each in definition.filters
            ),
        )
        for definition, used in zip(definitions, _in_use(uses, chooses=chooses), strict=True)
    )


def _in_use(uses: list[_Use], *, chooses: bool) -> list[bool]:
    """Of two definitions of one column, Qu uses the one more of whose words it says: `non-ripe` before `ripe`.

    Where it says a word that both share and nothing else (`which type of bond`), or asks which of them holds, it
    requires neither.
    """
    by_column: dict[str, list[_Use]] = {}
    for use in uses:
        for name in {name for name, _, _ in use.values}:
            rivals = by_column.setdefault(name, [])
            if len(rivals) < _RIVALS:
                rivals.append(use)
    return [use.share >= 0.5 and not _outdone(use, by_column, chooses=chooses) for use in uses]


def _outdone(use: _Use, by_column: dict[str, list[_Use]], *, chooses: bool) -> bool:
    rivals = [
        other
        for name in {name for name, _, _ in use.values}
        for other in by_column[name]
        if not use.values & other.values and other.share >= 0.5
    ]
    if any(_beats(other, use) for other in rivals):
        return True
    common = use.share < 1 and any(other.met == use.met for other in rivals)
    return common or (chooses and any(other.share == 1 for other in rivals))


def _beats(other: _Use, use: _Use) -> bool:
    fuller = use.met < other.met or (use.met == other.met and other.share > use.share)
    return fuller and other.share >= use.share


def _akin(left: str, right: str) -> bool:
    """Whether two words share all but an ending: `carry` and `carried`, `virtual` and `virtually`."""
    shared = max(min(len(left), len(right)) - 1, 4)
    return abs(len(left) - len(right)) <= 4 and left[:shared] == right[:shared]


def _parts(word: str) -> list[str]:
    return [stem(part) for part in word.replace("_", "-").split("-") if part]


_WORDS = re.compile(r"[\w-]+")
_RIVALS = 20
"""Definitions of one column that are compared."""
_EMPTY = frozenset(
    "the a an of in on at is are was were be to for from with and or that which who has have by it its their his her "
    "refer it's as this these those than".split()
)
