"""Adds reasons with weights of their own to a judge's reply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from scoring.reason_kinds import FORMS, FROM_RULES
from scoring.verdict import Reason, Reply, Verdict

CERTAIN = 0.98
"""`p_correct` stays within [1 − CERTAIN, CERTAIN], or where the signals left it."""


def moved(p_correct: float, weight: float) -> float:
    """The probability moved by log-odds within the bounds; the bounds themselves never move it.

    >>> round(moved(0.5, -7.0), 3), moved(0.99, 1.0), round(moved(0.5, 0.0), 3)
    (0.02, 0.99, 0.5)
    """
    bounded = max(1 - CERTAIN, min(CERTAIN, p_correct))
    log_odds = math.log(bounded / (1 - bounded)) + weight
    kept = max(1 - CERTAIN, min(CERTAIN, 1 / (1 + math.exp(-log_odds))))
    return max(p_correct, kept) if weight > 0 else min(p_correct, kept)


def with_reasons(reply: Reply, found: Sequence[Reason], verdict: Verdict, p_correct: float, most: int) -> Reply:
    """The reply with these reasons among its own, strongest first. The tenant's decision rules are never left out."""
    ranked = sorted((*reply.reasons, *found), key=lambda each: (each.code in FORMS, -abs(each.weight)))
    return replace(
        reply,
        verdict=verdict,
        confidence=round(max(p_correct, 1 - p_correct), 4),
        p_correct=round(p_correct, 4),
        reasons=tuple(_strongest(ranked, most)),
    )


def _strongest(ranked: Sequence[Reason], most: int) -> list[Reason]:
    own = sum(each.code in FROM_RULES for each in ranked)
    others = [each for each in ranked if each.code not in FROM_RULES][: max(0, most - own)]
    return [each for each in ranked if each.code in FROM_RULES or each in others][:most]
