"""Whether the mean of one week differs from that of the week before: Welch's test, from sums alone."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtr, stdtrit

LEVEL = 0.95
"""How often the interval of a change holds the true one."""
SIGNIFICANT = 0.05
"""The p-value, after Holm's correction, below which a change counts as real."""
LEAST_ANSWERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSums:
    """The sums of some values."""

    count: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        return self.total / self.count

    @property
    def variance(self) -> float:
        """The variance of one value, without the bias of a small sample."""
        apart = self.squares - self.total**2 / self.count
        return max(0.0, apart) / (self.count - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanChange:
    """The difference of two means, later less earlier, with its 95 % interval."""

    change: float
    low: float
    high: float
    p_value: float
    """How often means differ by so much where nothing has changed."""


def mean_change(before: ValueSums, after: ValueSums) -> MeanChange | None:
    """Welch's test of two means; `None` with fewer than two values on a side.

    The values count as independent. Repeated questions are not, so a change among few questions may look surer than
    it is.

    >>> before = ValueSums(count=50, total=40.0, squares=34.0)
    >>> found = mean_change(before, ValueSums(count=50, total=25.0, squares=15.0))
    >>> round(found.change, 2), found.p_value < 0.001, mean_change(before, ValueSums(count=1, total=1, squares=1))
    (-0.3, True, None)
    """
    if min(before.count, after.count) < LEAST_ANSWERS:
        return None
    errors = [each.variance / each.count for each in (before, after)]
    spread = sum(errors)
    change = after.mean - before.mean
    if spread <= 0:
        return MeanChange(change=change, low=change, high=change, p_value=0.0 if change else 1.0)
    freedom = spread**2 / sum(error**2 / (each.count - 1) for error, each in zip(errors, (before, after), strict=True))
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * sqrt(spread)
    p_value = 2 * float(stdtr(freedom, -abs(change) / sqrt(spread)))
    return MeanChange(change=change, low=change - reach, high=change + reach, p_value=p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number (Holm, 1979): each stays valid although several are looked at.

    >>> [round(each, 3) for each in holm([0.04, 0.01, 0.5])]
    [0.08, 0.03, 0.5]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected
