"""How sure a share is, and which of many candidates stay when all of them were tried."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from learning.labelled import Floats


def lower_bound(hits: float, trials: float, error: float) -> float:
    """The exact (Clopper-Pearson) lower bound of a share, at this error; `hits` need not be whole.

    >>> round(lower_bound(20, 20, 0.05), 3), lower_bound(0, 20, 0.05)
    (0.861, 0.0)
    """
    if hits <= 0 or trials <= 0:
        return 0.0
    return float(betaincinv(hits, max(trials - hits, 0.0) + 1, error))


def chance_below(hits: float, trials: float, share: float) -> float:
    """The p-value of "the true share is at most `share`".

    >>> round(chance_below(20, 20, 0.86), 3)
    0.049
    """
    if hits <= 0 or trials <= 0:
        return 1.0
    return float(betainc(hits, max(trials - hits, 0.0) + 1, share))


def chance_together(both: float, first: float, second: float, all_of_them: float) -> float:
    """The p-value of Fisher's exact test (one-sided): two things occur together only as often as chance has it.

    >>> round(chance_together(5, 5, 5, 10), 4)
    0.004
    """
    from scipy.stats import hypergeom  # noqa: PLC0415 takes a second to load, and few processes mine

    return float(hypergeom.sf(round(both) - 1, round(all_of_them), round(first), round(second)))


def kept(p_values: Sequence[float], error: float) -> list[bool]:
    """Which candidates stay after Holm's correction: the chance that any of them is there by luck is below `error`.

    >>> kept([0.001, 0.03, 0.04], 0.05)
    [True, False, False]
    """
    stays = [False] * len(p_values)
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda each: p_values[each])):
        if p_values[index] > error / (len(p_values) - place):
            break
        stays[index] = True
    return stays


def discovered(p_values: Floats, share: float, tried: int) -> NDArray[np.bool_]:
    """Which of so many tried candidates are found, where this share of them may be there by luck (Benjamini-Hochberg).

    >>> discovered(np.array([0.001, 0.03, 0.04, 0.9]), 0.05, tried=4).tolist()
    [True, False, False, False]
    """
    order = np.argsort(p_values)
    below = np.flatnonzero(p_values[order] <= share * np.arange(1, len(order) + 1) / max(1, tried))
    found = np.zeros(len(order), dtype=np.bool_)
    if below.size:
        found[order[: below[-1] + 1]] = True
    return found
