"""What answers prove about a habit: labels where there are enough, otherwise the judge's opinion at a stricter bar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from learning.mining.observing import ObservedAnswer

LEAST_LABELLED = 60
"""Distinct labelled questions from which labels alone are the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a habit must show to be proposed."""

    error: float
    """The chance that any proposal of one kind is there by luck."""
    questions: int
    """Fewest distinct questions that show it."""
    usual: float
    """Least share of answers that have it, among those that could: a condition that an agent adds by itself."""
    nearly_all: float
    """The same for a column whose conditions are to be ignored."""
    agreeing: float
    """Least share of right answers that read the column which a phrase means."""
    worth: float
    """How much of a label one answer counts for."""


LABELLED = Bar(error=0.05, questions=8, usual=0.25, nearly_all=0.7, agreeing=0.5, worth=1.0)
UNLABELLED = Bar(error=0.01, questions=30, usual=0.6, nearly_all=0.7, agreeing=0.5, worth=0.5)
HARM = 1 / 3
"""A condition that makes this share of otherwise right answers wrong is a mistake, not a habit."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of distinct questions; a question of which half of the answers have it counts one half."""

    hits: float
    questions: int

    @property
    def rate(self) -> float:
        """The share in [0, 1]; 0 without questions."""
        return self.hits / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """The answers that count as evidence, by question."""

    answers: Sequence[ObservedAnswer]
    bar: Bar

    @classmethod
    def of(cls, answers: Iterable[ObservedAnswer]) -> AnswerEvidence:
        """Labelled answers alone where enough questions have some; all answers otherwise."""
        everything = list(answers)
        labelled = [each for each in everything if each.right is not None]
        if len({each.asked for each in labelled}) >= LEAST_LABELLED:
            return cls(answers=labelled, bar=LABELLED)
        return cls(answers=everything, bar=UNLABELLED)

    @property
    def labelled(self) -> bool:
        """Whether labels are the evidence."""
        return self.bar is LABELLED

    def rightness(self, answer: ObservedAnswer) -> float:
        """How likely the answer is right: its label, or what the judge says."""
        return float(answer.right) if answer.right is not None else answer.p_correct

    def good(self) -> list[ObservedAnswer]:
        """The answers that show what right SQL looks like: those labelled right, or all where there are no labels."""
        return [each for each in self.answers if each.right is not False]


def share(answers: Iterable[ObservedAnswer], holds: Callable[[ObservedAnswer], float | bool]) -> Share:
    """How far something holds, over distinct questions."""
    values = by_question(answers, holds).values()
    return Share(sum(values), len(values))


def by_question(
    answers: Iterable[ObservedAnswer], holds: Callable[[ObservedAnswer], float | bool]
) -> Mapping[str, float]:
    """The mean of something over the answers to each question."""
    sums: dict[str, list[float]] = defaultdict(list)
    for each in answers:
        sums[each.asked].append(float(holds(each)))
    return {asked: sum(values) / len(values) for asked, values in sums.items()}
