"""How many more labels, or calls of a model, narrow an estimate to a wanted width."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from evals.estimate.model_sample import ModelSample
from evals.estimate.right_share import Method, ShareEstimate

WANTED = 0.05
"""Half of the wanted width: ±5 points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What is still needed, by the spread seen so far."""

    labels: int | None
    """More labels, if no more calls are made; `None` where labels alone cannot, or where nothing is known yet."""
    calls: int | None
    """More calls about random answers, if no more labels are given; `None` where calls alone cannot."""


def narrowing(found: ShareEstimate, answers: int, sample: ModelSample | None, *, half: float = WANTED) -> Narrowing:
    """What narrows an estimate of so many answers to `half` above and below; 0 where it is that narrow.

    >>> found = ShareEstimate(share=0.8, low=0.7, high=0.9, labels=40, method=Method.PPI)
    >>> narrowing(found, 100_000, None)
    Narrowing(labels=120, calls=None)
    >>> narrowing(found, 200, None)
    Narrowing(labels=60, calls=None)
    """
    if not found.labels:
        return Narrowing(labels=None, calls=None)
    now = (found.high - found.low) / 2
    if now <= half:
        return Narrowing(labels=0, calls=0)
    if found.method is Method.EXACT:
        # nearly equal labels: the width falls with their number, not with its root
        return Narrowing(labels=min(answers, ceil(found.labels * now / half)) - found.labels, calls=None)
    part, goal = found.of_verdicts, (half / now) ** 2
    by_labels = _needed(found.labels, answers, 1 / found.labels - 1 / answers, (goal - part) / (1 - part))
    asked = (
        None
        if sample is None or not part
        else _needed(sample.verdicts, answers, sample.spread, (goal - (1 - part)) / part)
    )
    return Narrowing(labels=by_labels, calls=asked)


def _needed(drawn: int, answers: int, spread: float, share: float) -> int | None:
    """How many more draws leave this share of the variance that is left now."""
    if share < 0 or (share == 0 and drawn < answers):
        return None
    return max(0, ceil(1 / (share * spread + 1 / answers) - 1e-6) - drawn)
