"""A tenant's memory: what its earlier answers teach, bounded in count and bytes, the oldest questions out first."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from scoring.memory.agreement import agreement
from scoring.memory.asked import SAME_QUESTION, AskedQuestion, similarity
from scoring.memory.context import MOST_CONTEXT_JOINS, MOST_LACKING, MOST_VOICES, JoinUse, MemoryContext, Voice
from scoring.memory.habits import Habits
from scoring.memory.remembered import RememberedAnswer, RememberedQuestion, joined_tables

MAX_ANSWERS = 20_000
"""Most answers remembered of one tenant."""
MAX_BYTES = 24 * 1024 * 1024
"""Most bytes, about, that one tenant's memory takes."""
MOST_ALIKE = 64
"""Most questions of one shape among which rewordings are looked for: the latest."""
MOST_REWORDINGS = 3
"""Most rewordings whose answers are compared with."""


@dataclass(slots=True)
class TenantMemory:
    """What the earlier answers of one tenant teach. The same answers in the same order always teach the same."""

    max_answers: int = MAX_ANSWERS
    max_bytes: int | None = MAX_BYTES
    """`None` counts no bytes: for a few questions that a store keeps."""
    habits: Habits = field(default_factory=Habits)
    size: int = 0
    """About how many bytes the remembered questions take."""
    _questions: OrderedDict[str, RememberedQuestion] = field(default_factory=OrderedDict[str, RememberedQuestion])
    _shapes: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])

    @property
    def answers(self) -> int:
        """Answers remembered."""
        return self.habits.answers

    def load(self, question: RememberedQuestion) -> None:
        """Puts in a question that the habits count already, as a store of many questions reads a few of them."""
        self._questions[question.asked.key] = question
        self._index(question.asked)
        self.size += self._size(question)

    def question(self, key: str) -> RememberedQuestion | None:
        """The question with this key, if it is remembered."""
        return self._questions.get(key)

    def recall(self, answer: RememberedAnswer) -> MemoryContext:
        """What is known about an answer before it is learnt."""
        return MemoryContext(
            answers=self.habits.answers,
            usual=self.habits.usual,
            voices=tuple(self._voices(answer)),
            joins=tuple(self._join_uses(answer)),
            lacking=tuple(islice(self.habits.lacking(answer, self._questions.get(answer.asked.key)), MOST_LACKING)),
        )

    def learn(self, answer: RememberedAnswer, context: MemoryContext) -> None:
        """Remembers an answer that was judged with `context`. An event that is remembered already teaches nothing."""
        question = self._questions.pop(answer.asked.key, None)
        before = question.answers.get(answer.speaker) if question is not None else None
        if question is not None and before is not None and before.event_id == answer.event_id:
            self._questions[answer.asked.key] = question
            return
        if question is None:
            question = RememberedQuestion(answer.asked)
            self._index(answer.asked)
        else:
            self._count(question, -1)
        self.habits.copies.compare(answer, question.answers.values(), before)
        question.put(answer, agreement(context.voices))
        self._questions[answer.asked.key] = question
        self._count(question, 1)
        self._shrink()

    def review(self, answer: RememberedAnswer, *, correct: bool) -> None:
        """Remembers what a person said about an answer to a question that is remembered."""
        labels = self.habits.labels.setdefault(answer.speaker, Counter[bool]())
        labels[correct] += 1
        question = self._questions.get(answer.asked.key)
        if question is not None:
            self.size -= self._size(question)
            question.review(answer, correct=correct)
            self.size += self._size(question)

    def _voices(self, answer: RememberedAnswer) -> Iterator[Voice]:
        """Reviewed answers first, then each other agent once, by its answer to the most similar question."""
        heard = {answer.speaker}
        voices: list[Voice] = []
        for likeness, question in self._alike(answer.asked):
            for other, correct in question.reviewed.values():
                if likeness == 1.0 and other.event_id != answer.event_id:
                    yield _voice(answer, other, 1.0, correct)
            for speaker, other in reversed(question.answers.items()):
                if speaker not in heard and _comparable(answer, other):
                    heard.add(speaker)
                    voices.append(_voice(answer, other, likeness * self.habits.weight(answer.speaker, speaker), None))
        yield from sorted(voices, key=lambda each: -each.weight)[:MOST_VOICES]

    def _alike(self, asked: AskedQuestion) -> list[tuple[float, RememberedQuestion]]:
        """The same question, then its rewordings, most similar first."""
        same = self._questions.get(asked.key)
        found: list[tuple[float, RememberedQuestion]] = []
        for key in self._shapes.get(asked.shape, ()):
            if key != asked.key:
                question = self._questions[key]
                found.append((similarity(asked.words, question.asked.words), question))
        found = sorted([pair for pair in found if pair[0] >= SAME_QUESTION], key=lambda pair: -pair[0])
        rewordings = [(round(min(likeness, 0.99), 2), question) for likeness, question in found[:MOST_REWORDINGS]]
        return [(1.0, same), *rewordings] if same is not None else rewordings

    def _join_uses(self, answer: RememberedAnswer) -> Iterator[JoinUse]:
        """How other questions use the joins; answers to this very question do not count."""
        question = self._questions.get(answer.asked.key)
        own: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for join in question.joins() if question is not None else ():
            own.setdefault(joined_tables(join), set()).add(join)
        for join in answer.facts.joins[:MOST_CONTEXT_JOINS]:
            yield self.habits.use(join, own)

    def _count(self, question: RememberedQuestion, sign: int) -> None:
        """Adds a question to the sums, or takes it out of them."""
        self.size += sign * self._size(question)
        self.habits.add(question, times=sign)

    def _size(self, question: RememberedQuestion) -> int:
        return 0 if self.max_bytes is None else question.size

    def _index(self, asked: AskedQuestion) -> None:
        alike = self._shapes.setdefault(asked.shape, {})
        alike[asked.key] = None
        if len(alike) > MOST_ALIKE:
            del alike[next(iter(alike))]

    def _shrink(self) -> None:
        while self._questions and (
            self.answers > self.max_answers or (self.max_bytes is not None and self.size > self.max_bytes)
        ):
            key, question = self._questions.popitem(last=False)
            self._count(question, -1)
            alike = self._shapes.get(question.asked.shape, {})
            alike.pop(key, None)
            if not alike:
                self._shapes.pop(question.asked.shape, None)


def _voice(answer: RememberedAnswer, other: RememberedAnswer, weight: float, reviewed: bool | None) -> Voice:
    mine, theirs = answer.facts, other.facts
    return Voice(
        agent=other.agent,
        event_id=other.event_id,
        same=mine.specification == theirs.specification,
        same_filters=mine.filters == theirs.filters,
        same_tables=mine.tables == theirs.tables,
        weight=round(weight, 2),
        reviewed=reviewed,
    )


def _comparable(answer: RememberedAnswer, other: RememberedAnswer) -> bool:
    """Whether both may be about the same database: the same words over other tables ask something else."""
    return not set(answer.facts.tables).isdisjoint(other.facts.tables) or not answer.facts.tables
