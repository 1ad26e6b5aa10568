"""One question with the answers to it, as a tenant's memory holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from scoring.immutable import immutable
from scoring.memory.agreement import Agreement
from scoring.memory.asked import AskedQuestion
from scoring.memory.context import MOST_VOICES
from scoring.memory.facts import AnswerFacts

MOST_REVIEWED = 8
"""Most reviewed answers kept of one question; the oldest go first."""
_QUESTION_BYTES, _WORD_BYTES, _ANSWER_BYTES = 600, 70, 900
"""About what a question, a word and an answer take in memory beside their texts."""


@lru_cache(maxsize=4096)
def speaker_of(agent: str) -> str:
    """The agent's name without upper case and repeated blanks.

    >>> speaker_of("Atlas  One")
    'atlas one'
    """
    return " ".join(agent.casefold().split())


@immutable()
class RememberedAnswer:
    """One answer: what memory compares, and who gave it."""

    agent: str
    event_id: str
    asked: AskedQuestion
    facts: AnswerFacts

    @property
    def speaker(self) -> str:
        """Whose voice it is: the agent's, whatever version or model it names. Upper case and blanks do not make two."""
        return speaker_of(self.agent)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = [self.agent, self.event_id, *self.facts.tables, *self.facts.conditions]
        return _ANSWER_BYTES + sum(map(len, texts)) + sum(len(a) + len(b) + 100 for a, b in self.facts.joins)


def joined_tables(join: tuple[str, str]) -> tuple[str, str]:
    """The two tables of a join.

    >>> joined_tables(("a.x", "b.y"))
    ('a', 'b')
    """
    left, right = join
    return left.partition(".")[0], right.partition(".")[0]


@dataclass(slots=True)
class RememberedQuestion:
    """A question and the latest answer of each agent to it."""

    asked: AskedQuestion
    answers: dict[str, RememberedAnswer] = field(default_factory=dict[str, RememberedAnswer])
    """By speaker, the one that spoke longest ago first."""
    agreed: dict[str, Agreement] = field(default_factory=dict[str, Agreement])
    """How far each speaker's answer agreed with those before it."""
    reviewed: dict[str, tuple[RememberedAnswer, bool]] = field(default_factory=dict[str, tuple[RememberedAnswer, bool]])
    """Answers that a person called right or wrong, by event id."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        kept = [*self.answers.values(), *(answer for answer, _ in self.reviewed.values())]
        return _QUESTION_BYTES + _WORD_BYTES * len(self.asked.words) + sum(each.size for each in kept)

    def joins(self) -> Iterator[tuple[str, str]]:
        """Every join of its answers, each once."""
        yield from {join for answer in self.answers.values() for join in answer.facts.joins}

    def put(self, answer: RememberedAnswer, agreed: Agreement) -> None:
        """Makes this the speaker's answer, in place of an earlier one."""
        speaker = answer.speaker
        self.answers.pop(speaker, None)
        if len(self.answers) >= MOST_VOICES:
            oldest = next(iter(self.answers))
            del self.answers[oldest], self.agreed[oldest]
        self.answers[speaker] = answer
        self.agreed[speaker] = agreed

    def review(self, answer: RememberedAnswer, *, correct: bool) -> None:
        """Keeps what a person said about an answer; the latest word about an event holds."""
        self.reviewed.pop(answer.event_id, None)
        for oldest in list(islice(self.reviewed, max(0, len(self.reviewed) - MOST_REVIEWED + 1))):
            del self.reviewed[oldest]
        self.reviewed[answer.event_id] = (answer, correct)
