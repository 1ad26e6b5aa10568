"""What a value of Cohen's κ is called: Altman, "Practical Statistics for Medical Research" (1991), page 404."""

from __future__ import annotations

from evals.trust.agreement_table import Interval

_WORDS = ((0.2, "poor"), (0.4, "fair"), (0.6, "moderate"), (0.8, "good"))
"""Each word up to its bound, inclusive; above the last, very good."""


def kappa_word(kappa: float) -> str:
    """The word for one value.

    >>> [kappa_word(each) for each in (-0.3, 0.2, 0.21, 0.5, 0.8, 0.95)]
    ['poor', 'poor', 'fair', 'moderate', 'good', 'very good']
    """
    # by two digits, as the figure is shown
    return next((word for bound, word in _WORDS if round(kappa, 2) <= bound), "very good")


def kappa_verdict(kappa: Interval) -> str:
    """The word, with those of the interval's ends where they differ.

    >>> kappa_verdict(Interval(value=0.5, low=0.1, high=0.7)), kappa_verdict(Interval(value=0.5, low=0.45, high=0.6))
    ('moderate (poor to good)', 'moderate')
    """
    word, low, high = (kappa_word(each) for each in (kappa.value, kappa.low, kappa.high))
    return word if low == high else f"{word} ({low} to {high})"
