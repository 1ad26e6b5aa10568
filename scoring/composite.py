"""Φ: one number from filter status, verdict and confidence (STEF, section 4)."""

from __future__ import annotations

from scoring.rules import ConfidenceBounds
from scoring.verdict import Composite, FilterAlignment, FilterStatus, Verdict

SIGMA_FILTERS: dict[FilterStatus, int] = {
    FilterStatus.FULLY_APPLIED: 5,
    FilterStatus.FULLY_APPLIED_WITH_EXTRAS: 4,
    FilterStatus.PARTIALLY_APPLIED: 3,
    FilterStatus.NOT_APPLIED: 0,
}
"""σ_filters (STEF, Table 1)."""
SIGMA_VERDICT: dict[Verdict, int] = {
    Verdict.CORRECT: 5,
    Verdict.LIKELY_CORRECT: 3,
    Verdict.POTENTIALLY_INCORRECT: 2,
    Verdict.INCORRECT: 0,
}
"""σ_verdict (STEF, Table 2)."""


_PAPER = ConfidenceBounds()


def multiplier(confidence: float, bounds: ConfidenceBounds = _PAPER) -> float:
    """Γ(γ) (STEF, equation 13), by the paper's bounds where a tenant has no others.

    >>> multiplier(0.8), multiplier(0.8, ConfidenceBounds(full=0.75, most=0.6))
    (0.8, 1.0)
    """
    return bounds.multiplier(confidence)


def leniency(filters: FilterAlignment) -> int:
    """δ (STEF, equation 14): 1 when all extras are benign filters of the tenant."""
    with_extras = filters.status is FilterStatus.FULLY_APPLIED_WITH_EXTRAS
    return int(with_extras and bool(filters.benign) and not filters.extra)


SETTLED = SIGMA_FILTERS[FilterStatus.FULLY_APPLIED_WITH_EXTRAS]
"""The least σ_filters of an answer that a model, which was shown the alignment, calls right; of a wrong one it is 0."""


def compose(
    filters: FilterAlignment,
    verdict: Verdict,
    confidence: float,
    *,
    by_model: bool = False,
    bounds: ConfidenceBounds = _PAPER,
) -> Composite:
    """Φ = round((σ_filters + σ_verdict + δ) × 10 × Γ, 2), in [0, 100] (STEF, equations 11 and 12).

    `by_model`: the alignment was shown to a model, so where its verdict differs the conditions are held to be misread.
    So Φ of an answer that a model calls right, 35 at least, is above that of any that it calls wrong, 20 at most.

    >>> compose(FilterAlignment(), Verdict.CORRECT, 0.9).score
    100.0
    """
    sigma_filters, sigma_verdict = SIGMA_FILTERS[filters.status], SIGMA_VERDICT[verdict]
    delta, gamma = leniency(filters), multiplier(confidence, bounds)
    if by_model and sigma_verdict >= SIGMA_VERDICT[Verdict.LIKELY_CORRECT]:
        sigma_filters = max(sigma_filters, SETTLED)
    elif by_model:
        sigma_filters = delta = 0
    base = sigma_filters + sigma_verdict + delta
    return Composite(
        filters=sigma_filters,
        verdict=sigma_verdict,
        leniency=delta,
        multiplier=gamma,
        score=round(base * 10 * gamma, 2),
    )
