"""What users say beside what reviewers say, by agent: how far they agree, and what users' complaints are worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.trust.agreement_table import LEVEL, CalledAnswer, Interval, LabelAgreement, agreement

_DRAWS = 4_000
ENOUGH_LABELS = 10
"""Labelled answers with feedback from which on complaints are corrected by labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardAnswer:
    """An answer that users gave feedback on, with what its reviewers say."""

    tenant: str
    agent: str
    satisfied: int
    """How many users are satisfied."""
    dissatisfied: int
    right: int
    """How many reviewers call it right."""
    wrong: int

    @property
    def complained(self) -> bool | None:
        """Whether more users are dissatisfied than satisfied; `None` for as many of both, or none."""
        return None if self.satisfied == self.dissatisfied else self.dissatisfied > self.satisfied

    @property
    def is_wrong(self) -> bool | None:
        """Whether most reviewers call it wrong; `None` for as many of both, or none."""
        return None if self.right == self.wrong else self.wrong > self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackAgreement:
    """The feedback on one agent's answers."""

    name: str
    answers: int
    """Answers on which users are not divided."""
    complained: float
    """Share of them with which users are dissatisfied."""
    labelled: int
    """Those of them on which reviewers are not divided either."""
    beside_labels: LabelAgreement | None
    """Reviewers first and users second; `None` without labels."""
    wrong: Interval | None
    """Share of the answers with feedback that is wrong: complaints corrected by labels; `None` with too few labels."""


def feedback_agreement(heard: Sequence[HeardAnswer]) -> list[FeedbackAgreement]:
    """One line for each agent, those with most answers first."""
    by_agent: dict[str, list[HeardAnswer]] = defaultdict(list)
    for each in heard:
        if each.complained is not None:
            by_agent[f"{each.agent} of {each.tenant}"].append(each)
    found = [_agreement(name, answers) for name, answers in by_agent.items()]
    return sorted(found, key=lambda each: (-each.answers, each.name))


def _agreement(name: str, answers: Sequence[HeardAnswer]) -> FeedbackAgreement:
    both = [(bool(each.complained), each.is_wrong) for each in answers if each.is_wrong is not None]
    complained = sum(bool(each.complained) for each in answers) / len(answers)
    called = [CalledAnswer(wrong=bool(wrong), called_wrong=complains) for complains, wrong in both]
    return FeedbackAgreement(
        name=name,
        answers=len(answers),
        complained=complained,
        labelled=len(both),
        beside_labels=agreement(called),
        wrong=_corrected(complained, both) if len(both) >= ENOUGH_LABELS else None,
    )


def _corrected(complained: float, both: Sequence[tuple[bool, bool | None]]) -> Interval | None:
    """The share wrong, as labels find it among complaints and among praise (post-stratification).

    `None` where one of the two has no label: it would be a guess. The interval is that of the posterior under
    Jeffreys's prior of both shares.
    """
    groups = [[bool(wrong) for complains, wrong in both if complains is kind] for kind in (True, False)]
    weights = (complained, 1 - complained)
    if any(weight and not group for weight, group in zip(weights, groups, strict=True)):
        return None
    # the same answers give the same interval
    random = np.random.default_rng(0)
    drawn, value = np.zeros(_DRAWS), 0.0
    for weight, group in zip(weights, groups, strict=True):
        if weight:
            wrong = sum(group)
            drawn += weight * random.beta(wrong + 0.5, len(group) - wrong + 0.5, _DRAWS)
            value += weight * wrong / len(group)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value=value, low=min(float(low), value), high=max(float(high), value))
