"""A tenant's own calibration of a judge: a line on the log-odds of `p_correct`, fitted to the tenant's labels."""

from __future__ import annotations

import math

from scoring.immutable import immutable
from scoring.patterns import lazy

LEAST_SLOPE, MOST_SLOPE = 0.5, 2.0
"""The range of a slope. It is positive, so that no labels can turn the order of answers around."""
MOST_SHIFT = 2.0
"""Most log-odds, of either sign, that the intercept adds: an answer at even odds stays within 0.12 and 0.88."""
LEAST, MOST = 0.02, 0.98
"""The range of a calibrated `p_correct`."""
_CALIBRATED = lazy(r"\+c\d+$")


@immutable()
class TenantCalibration:
    """One version of a tenant's calibration, for one judge and evaluator. Raises `ValueError` beyond its bounds."""

    version: int
    judge: str
    """The judge whose log-odds it was fitted to: `local/4`."""
    evaluator: str
    intercept: float
    slope: float

    def __post_init__(self) -> None:
        # written so that a value that is not a number is refused too
        if not (LEAST_SLOPE <= self.slope <= MOST_SLOPE and -MOST_SHIFT <= self.intercept <= MOST_SHIFT):
            bounds = f"needs a slope from {LEAST_SLOPE} to {MOST_SLOPE} and an intercept within ±{MOST_SHIFT}"
            raise ValueError(f"calibration with slope {self.slope} and intercept {self.intercept}: {bounds}")

    def applies_to(self, judge: str, evaluator: str) -> bool:
        """Whether it was fitted to this judge and evaluator: log-odds of others mean something else."""
        return (self.judge, self.evaluator) == (judge, evaluator)

    @property
    def name(self) -> str:
        """The judge's name in a stored score: `local/4+c2`."""
        return self.judge + f"+c{self.version}"

    def of(self, p_correct: float) -> float:
        """The calibrated probability: logistic(intercept + slope × log-odds), within [`LEAST`, `MOST`].

        >>> line = TenantCalibration(version=1, judge="local/4", evaluator="3", intercept=1.0, slope=1.0)
        >>> round(line.of(0.5), 3), round(line.of(1.0), 3), round(line.of(0.0), 3)
        (0.731, 0.98, 0.053)
        """
        return min(MOST, max(LEAST, logistic(self.intercept + self.slope * log_odds(p_correct))))


def log_odds(p_correct: float) -> float:
    """The log-odds of a probability, which counts as at least `LEAST` and at most `MOST`."""
    bounded = min(MOST, max(LEAST, p_correct))
    return math.log(bounded / (1 - bounded))


def logistic(value: float) -> float:
    """The probability of log-odds."""
    return 1 / (1 + math.exp(-value))


def uncalibrated_judge(name: str) -> str:
    """The name of the judge alone.

    >>> uncalibrated_judge("local/4+c12"), uncalibrated_judge("local/4")
    ('local/4', 'local/4')
    """
    return _CALIBRATED.sub("", name)
