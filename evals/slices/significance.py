"""Whether more answers are wrong than elsewhere, for many slices at once."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from evals.slices.counts import Loss

FALSE_DISCOVERIES = 0.05
"""Expected share of chance findings among those that are marked."""
LEAST_QUESTIONS = 5
"""Fewest questions of a slice that is tested."""
SHRINKING = 10.0
"""A slice's share is mixed with its agent's as if so many more questions had been asked with the agent's share."""
_STEP = 0.25
"""Taken off a sum before it is tested: sums of right and wrong answers move in steps of one."""
_LEAST_CHANCE = 1e-12
"""Smaller chances are no more than rounding."""


def chances_of_more(tested: Sequence[tuple[Loss, Loss]]) -> list[float]:
    """A permutation test, one-sided: the chances that as many questions of the pool lose as much as each part's do.

    All ways to draw so many of the pool's questions are equally likely. Their sums have a known mean, variance and
    skewness, and the Pearson type III distribution with these three (Mielke and Berry) gives the chance.

    >>> def loss(wrong, right):
    ...     n = wrong + right
    ...     return Loss(answers=n, questions=n, loss=wrong, question_loss=wrong, squares=wrong, cubes=wrong)
    >>> found = chances_of_more([(loss(5, 5), loss(10, 90)), (loss(1, 9), loss(10, 90))])
    >>> round(found[0], 4), found[1] > 0.2
    (0.001, True)
    """
    from scipy.stats import pearson3  # noqa: PLC0415 takes a second to load, and only slices need it

    found = [_standardised(own, pool) for own, pool in tested]
    drawn = [each for each in found if isinstance(each, tuple)]
    tails = pearson3.sf([above for above, _ in drawn], [skew for _, skew in drawn]) if drawn else ()
    left = iter([max(float(each), _LEAST_CHANCE) for each in tails])
    return [next(left) if isinstance(each, tuple) else each for each in found]


def _standardised(own: Loss, pool: Loss) -> tuple[float, float] | float:
    """The sum, in standard deviations above its mean, and its skewness; the chance itself where it needs neither."""
    n, size = own.questions, pool.questions
    if n <= 0 or n >= size or size < 3:
        return 1.0
    mean = pool.question_loss / size
    variance = max(pool.squares / size - mean**2, 0.0)
    third = pool.cubes / size - 3 * mean * pool.squares / size + 2 * mean**3
    spread = sqrt(n * variance * (size - n) / (size - 1))
    above = own.question_loss - n * mean - _STEP
    if above <= 0 or spread < _STEP / size:
        return 0.5
    return above / spread, n * third * (size - n) * (size - 2 * n) / ((size - 1) * (size - 2)) / spread**3


def among_many(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values, in the order given.

    Those of at most `FALSE_DISCOVERIES` are findings, of which at most that share is expected to be chance.

    >>> among_many([0.01, 0.02, 0.9]), among_many([])
    ([0.03, 0.03, 0.9], [])
    """
    from scipy.stats import false_discovery_control  # noqa: PLC0415 for the reason above

    if not p_values:
        return []
    return [round(float(each), 12) for each in false_discovery_control(list(p_values), method="bh")]


def shrunk(share: float, questions: int, agent_share: float) -> float:
    """The share of a slice, drawn towards its agent's the more, the fewer questions it has.

    >>> shrunk(0.9, 10, 0.1), round(shrunk(0.9, 990, 0.1), 3)
    (0.5, 0.892)
    """
    return (share * questions + agent_share * SHRINKING) / (questions + SHRINKING)
