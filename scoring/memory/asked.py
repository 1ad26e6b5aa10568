"""When two questions ask the same: the same words, or a rewording with the same values, numbers and extremes."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import lru_cache

from scoring.immutable import immutable
from scoring.linking import STOP_WORDS
from scoring.memory.facts import digest
from scoring.specification import QuestionSpec, TokenKind

SAME_QUESTION = 0.65
"""Least similarity, in [0, 1], of a rewording. Looser matches did harm."""
MOST_WORDS = 60
"""Most words of a question that are kept to find rewordings."""


@immutable()
class AskedQuestion:
    """A question as memory finds it again."""

    key: str
    """Digest of its words in order, without case, spaces and punctuation."""
    shape: str
    """Digest of what a rewording cannot change: values, numbers, extremes, aggregates, negations and parts."""
    words: frozenset[str]
    """Digests of the stems of its content words: no word of the person is kept."""

    def says(self, stems: Iterable[str]) -> bool:
        """Whether it says one of these words."""
        return any(_word(each) in self.words for each in stems)


def asked_question(question: QuestionSpec) -> AskedQuestion:
    """The question as memory finds it again."""
    said = [token.lower for token in question.tokens if token.kind is not TokenKind.PUNCTUATION]
    stems = sorted(stem for stem in question.stems if stem.isalnum() and stem not in STOP_WORDS)
    return AskedQuestion(
        key=digest(said, ordered=True),
        shape=digest([*_values(question), *_requests(question)]),
        words=frozenset([_word(stem) for stem in stems[:MOST_WORDS]]),
    )


@lru_cache(maxsize=8192)
def _word(stem: str) -> str:
    return digest([stem])[:8]


def _values(question: QuestionSpec) -> list[str]:
    texts = [f"value {each.op} {each.rhs}" for each in question.filters]
    quoted = [f"quoted {token.lower}" for token in question.tokens if token.kind is TokenKind.QUOTED]
    return [*texts, *quoted, *[f"number {number.value:g}" for number in question.numbers]]


def _requests(question: QuestionSpec) -> list[str]:
    extremes = [f"extreme {each.direction} {each.k} {each.counted}" for each in question.superlatives]
    functions = [f"function {each.func} {each.distinct}" for each in question.aggregations]
    ratios = [f"ratio {each.kind}" for each in question.ratios]
    whole = f"{len(question.negations)} {question.distinct} {question.yes_no} {question.parts}"
    return [*extremes, *functions, *ratios, whole]


def similarity(left: Set[str], right: Set[str]) -> float:
    """The share of the words of both that both have, in [0, 1].

    >>> similarity({"name", "pilot", "age"}, {"name", "pilot"}), similarity(set(), set())
    (0.6666666666666666, 0.0)
    """
    either = len(left | right)
    return len(left & right) / either if either else 0.0
