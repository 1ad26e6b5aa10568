"""How much an answer counts whose question was asked of the agent before: it says little that is new."""

from __future__ import annotations

from dataclasses import dataclass, field

REMEMBERED = 256
"""Distinct questions that are remembered of one agent, the latest ones."""
DAY = 86_400.0
"""Seconds after which a question counts in full again."""


@dataclass(slots=True)
class LatelyAsked:
    """The latest questions, by digest: how often each was asked, and when first.

    >>> lately = LatelyAsked()
    >>> [lately.weight(7, moment) for moment in (0.0, 60.0, 120.0)], lately.weight(8, 180.0)
    ([1.0, 0.25, 0.1111111111111111], 1.0)
    >>> lately.weight(7, 86_400.0)
    1.0
    """

    questions: dict[int, tuple[int, float]] = field(default_factory=dict[int, tuple[int, float]])

    def weight(self, question: int | None, moment: float) -> float:
        """The weight of an answer to this question now: 1 / n² for its nth answer of a day.

        So a thousand answers to one question weigh less than two to different questions. `None` is a question that
        was not stored, which weighs 1.
        """
        if question is None:
            return 1.0
        times, first = self.questions.pop(question, (0, moment))
        if moment - first >= DAY:
            times, first = 0, moment
        self.questions[question] = (times + 1, first)
        if len(self.questions) > REMEMBERED:
            del self.questions[next(iter(self.questions))]
        return 1.0 / (times + 1) ** 2
