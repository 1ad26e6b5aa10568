"""Whether a share of one week differs from that of the week before: Fisher's exact test."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma


@lru_cache(maxsize=16_384)
def share_change(before: tuple[int, int], after: tuple[int, int]) -> float | None:
    """How often chance gives shares as far apart, twice the smaller tail; `None` without answers on a side.

    Each side is how many answers have a property, and how many there are. The answers count as independent.

    >>> [round(share_change(*each), 5) for each in (((10, 50), (30, 50)), ((0, 2), (2, 2)), ((5, 50), (5, 50)))]
    [8e-05, 0.33333, 1.0]
    >>> share_change((0, 0), (2, 2))
    """
    (had, earlier), (has, later) = before, after
    if not earlier or not later:
        return None
    both = had + has
    low, high = max(0, both - earlier), min(both, later)
    at = exp(_log_ways(later, has) + _log_ways(earlier, had) - _log_ways(earlier + later, both))
    upper, lower = at, at
    term = at
    for count in range(has, high):
        term *= (later - count) * (both - count) / ((count + 1) * (earlier - both + count + 1))
        upper += term
    term = at
    for count in range(has, low, -1):
        term *= count * (earlier - both + count) / ((later - count + 1) * (both - count + 1))
        lower += term
    return min(1.0, 2 * min(upper, lower))


def _log_ways(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
