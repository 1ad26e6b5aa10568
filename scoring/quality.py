"""Is an agent's quality below Good? What the default tier alert asks of a window of its answers."""

from __future__ import annotations

JUDGED_WRONG_BOUND = 0.28
"""Largest share, in [0, 1], of scored answers judged wrong that still counts as Good.

A calibrated judge that is unsure of right answers keeps their mean Φ far below the Good tier, so the mean would page
for good agents; the share judged wrong does not. `docs/trust.md` has the figures of both.
"""
LEAST_SCORED = 30
"""Fewest scored answers in a window that say anything."""


def below_good(*, scored: int, judged_wrong: float | None) -> bool:
    """Whether a window of answers is worse than Good; never on too few of them.

    >>> below_good(scored=200, judged_wrong=0.45), below_good(scored=5, judged_wrong=1.0)
    (True, False)
    """
    return scored >= LEAST_SCORED and judged_wrong is not None and judged_wrong > JUDGED_WRONG_BOUND
