"""Stage 2 for an enriched question: its definitions first, then what is left as a question."""

from __future__ import annotations

from dataclasses import replace

from scoring.question.definitions import read_definitions
from scoring.question.english import ENGLISH
from scoring.question.language import Language
from scoring.question.questions import specify
from scoring.question.reading import read
from scoring.specification import Definition, Kind, QuestionSpec, Source
from scoring.values import Choices, Text, Value
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
    spec = specify(read(text, Source.ENRICHED, language, blanks))
    said = _Said(question)
    sourced = tuple(said.sourced(definition) for definition in definitions)
    filters = (*spec.filters, *(each for definition in sourced for each in definition.filters))
    return replace(spec, filters=filters, definitions=sourced)


class _Said:
    """The words and values of Qu, to see whether it uses what a definition defines."""

    def __init__(self, question: QuestionSpec) -> None:
        self._stems = frozenset(part for token in question.tokens for part in _parts(token.stem))
        self._text = question.text.casefold()
        self._padded = (
            " " + " ".join(token.lower for token in question.tokens if token.kind is not Kind.PUNCTUATION) + " "
        )

    def sourced(self, definition: Definition) -> Definition:
        used = self._uses(definition.phrase)
        filters = tuple(
            each if used or self._holds(each.rhs) else replace(each, source=Source.ENRICHED)
            for each in definition.filters
        )
        return replace(definition, filters=filters)

    def _uses(self, phrase: str) -> bool:
        """Whether at least half of the phrase's content words, in any form, stand in Qu."""
        words = [part for word in phrase.casefold().split() for part in _parts(word.strip("\"'`.,;:?!()"))]
        content = {word for word in words if word and word not in _EMPTY}
        if not content:
            return False
        met = sum(1 for word in content if self._has(word))
        return met * 2 >= len(content)

    def _has(self, word: str) -> bool:
        return word in self._stems or (
            len(word) > 4 and any(_akin(word, other) for other in self._stems if other[:4] == word[:4])
        )

    def _holds(self, value: Value | None) -> bool:
        if isinstance(value, Text):
            return bool(value.folded) and f" {value.folded} " in self._padded
        if isinstance(value, Choices):
            return any(self._holds(member) for member in value.members)
        return False


def _akin(left: str, right: str) -> bool:
    """Whether two words share all but an ending: `carry` and `carried`, `virtual` and `virtually`."""
    shared = min(len(left), len(right)) - 1
    return abs(len(left) - len(right)) <= 4 and left[:shared] == right[:shared]


def _parts(word: str) -> list[str]:
    return [stem(part) for part in word.replace("_", "-").split("-") if part]


_EMPTY = frozenset(
    "the a an of in on at is are was were be to for from with and or that which who has have by it its their his her "
    "refer it's as this these those than".split()
)
