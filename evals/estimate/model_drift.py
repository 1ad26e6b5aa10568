"""Whether a model's verdicts became worse: the labels of the earlier answers against those of the later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.estimate.exact_intervals import chance_of_at_least

SURELY = 0.01
"""A model that did not change is called worse in at most this share of looks."""
_LEAST = 4
"""Fewest labels that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDrift:
    """How often labels agree with a model's verdicts, in the earlier and in the later half of them."""

    before: float
    after: float
    chance: float
    """Of at least as many disagreements in the later half, were they spread at random (Fisher's exact test)."""

    @property
    def worse(self) -> bool:
        return self.chance < SURELY


def model_drift(agreed: Sequence[bool]) -> ModelDrift | None:
    """Compares the first half of the labels, in order of their answers, with the second; `None` below four.

    >>> found = model_drift([True] * 20 + [False, True] * 10)
    >>> found.before, found.after, found.chance, found.worse
    (1.0, 0.5, 0.0002, True)
    >>> model_drift([True, False, True]) is None
    True
    """
    if len(agreed) < _LEAST:
        return None
    half = len(agreed) // 2
    later = agreed[half:]
    wrong = len(later) - sum(later)
    chance = chance_of_at_least(wrong, len(agreed) - sum(agreed), len(later), len(agreed))
    return ModelDrift(before=sum(agreed[:half]) / half, after=sum(later) / len(later), chance=round(chance, 4))
