"""How an agent's scores spread over the tiers of its tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from scoring.rules import Tier, TierBounds


@dataclass(frozen=True, slots=True, kw_only=True)
class TierShare:
    """The share of an agent's scored answers in one tier."""

    tier: str
    answers: int
    share: float
    begin: float
    """The sum of the shares before it."""


def tier_mix(histogram: Sequence[int], bounds: TierBounds) -> list[TierShare]:
    """The shares of the tiers, best first; scores count by whole points, as the sums keep them.

    >>> [(each.tier, each.share) for each in tier_mix([2, *[0] * 98, 1, 1], TierBounds())]
    [('excellent', 0.5), ('good', 0.0), ('marginal', 0.0), ('poor', 0.5)]
    """
    bottoms = {Tier.EXCELLENT: bounds.excellent, Tier.GOOD: bounds.good, Tier.MARGINAL: bounds.marginal, Tier.POOR: 0.0}
    counts: dict[Tier, int] = {}
    end = len(histogram)
    for tier, bottom in bottoms.items():
        first = min(end, ceil(bottom))
        counts[tier] = sum(histogram[first:end])
        end = first
    scored = sum(counts.values())
    shares: list[TierShare] = []
    begin = 0.0
    for tier, count in counts.items():
        share = count / scored if scored else 0.0
        shares.append(TierShare(tier=tier.value, answers=count, share=share, begin=begin))
        begin += share
    return shares
