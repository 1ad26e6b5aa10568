"""The alarms of one agent under one judge and evaluator, and how an answer changes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evals.alarms.below import BelowAlarm
from evals.alarms.fall import FallAlarm
from evals.alarms.repeats import LatelyAsked

_YEAR = 365.25 * 86_400.0
JUDGED_WRONG = 0.2
"""The share of answers judged wrong that `AgentAlarm.wrong` compares with, unless another is given: more than right
answers cause (0.02 to 0.12), less than an even mix of right and wrong ones does where the judge finds most of the wrong
ones. The judge alone finds so few of them on a house's own questions that this alarm then stays silent
(docs/operations.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedAnswer:
    """What the alarms read of a scored answer. Answers without a score are no evidence."""

    moment: float
    """Event time, in seconds since 1970."""
    p_alone: float
    score: float
    question: int | None
    """Digest of the question; `None` where it is not stored."""
    draw: float
    """From 0 to 1, uniform and fixed for the answer: orders answers of equal `p_alone`."""


@dataclass(slots=True)
class AgentAlarm:
    """The state of an agent's alarms. The same answers in the same order give the same state."""

    fall: FallAlarm = field(default_factory=FallAlarm)
    below: BelowAlarm = field(default_factory=BelowAlarm)
    wrong: BelowAlarm = field(default_factory=BelowAlarm)
    """The share of answers that are not judged wrong, in percent, against its least."""
    lately: LatelyAsked = field(default_factory=LatelyAsked)
    moment: float | None = None
    """Event time of the latest answer."""
    answers: int = 0
    """Answers added since the evidence was last dropped."""

    @property
    def on(self) -> bool:
        """Whether it pages."""
        return self.fall.on or self.below.on

    def add_all(self, answers: Iterable[WatchedAnswer], bound: float, judged_wrong: float = JUDGED_WRONG) -> None:
        """Adds answers, of which none is earlier than the one before it."""
        for answer in answers:
            self.add(answer, bound, judged_wrong)

    def add(self, answer: WatchedAnswer, bound: float, judged_wrong: float = JUDGED_WRONG) -> None:
        """Adds one answer; `bound` is the lowest score of the tenant's tier, `judged_wrong` the highest share."""
        was_on = self.on
        latest = self.moment if self.moment is not None else answer.moment
        self.moment = max(latest, answer.moment)
        years = (self.moment - latest) / _YEAR
        weight = self.lately.weight(answer.question, self.moment)
        self.fall.add(answer.p_alone, answer.draw, years, weight)
        weight /= self.fall.spread.effect
        self.below.add(answer.score, bound, years, weight)
        self.wrong.add(100.0 * (answer.p_alone >= 0.5), round(100 * (1 - judged_wrong), 6), years, weight)
        self.answers = 0 if was_on != self.on else self.answers + 1
