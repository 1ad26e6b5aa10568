"""Since when an agent is worse: the day that splits its days best into better and worse ones."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from scipy.special import xlogy


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLoss:
    """The answers of one agent on one day."""

    day: date
    answers: int
    loss: float
    """Sum of 1 − p."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseSince:
    """The day from which more answers are wrong, and the shares on both sides of it."""

    day: date
    before: float
    after: float


def worse_since(days: Sequence[DayLoss]) -> WorseSince | None:
    """The most likely day of one change for the worse; `None` where no split has a worse second part.

    The likelihood is that of a share before and another one from the day on (a binomial change point). It says when,
    and not whether: ask it of an agent that is known to be worse.

    >>> days = [DayLoss(day=date(2026, 3, each), answers=50, loss=5 if each < 8 else 20) for each in range(1, 12)]
    >>> worse_since(days)
    WorseSince(day=datetime.date(2026, 3, 8), before=0.1, after=0.4)
    """
    ordered = sorted((each for each in days if each.answers), key=lambda each: each.day)
    answers, losses = list(accumulate(d.answers for d in ordered)), list(accumulate(d.loss for d in ordered))
    best: WorseSince | None = None
    likeliest = 0.0
    for place in range(1, len(ordered)):
        n, wrong = answers[place - 1], losses[place - 1]
        later, later_wrong = answers[-1] - n, losses[-1] - wrong
        gain = _likelihood(wrong, n) + _likelihood(later_wrong, later) - _likelihood(losses[-1], answers[-1])
        if later_wrong / later > wrong / n and (best is None or gain > likeliest):
            likeliest = gain
            best = WorseSince(day=ordered[place].day, before=wrong / n, after=later_wrong / later)
    return best


def _likelihood(wrong: float, answers: int) -> float:
    """The greatest log-likelihood of so many wrong answers, whatever the share."""
    share = min(max(wrong / answers, 0.0), 1.0)
    return float(xlogy(wrong, share) + xlogy(answers - wrong, 1 - share))
