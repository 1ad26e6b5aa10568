"""What a cascade is worth: how many answers go to the model, and how often its verdicts would agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.agreement import Judged

BARS = (0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
"""Confidences at which a tenant may let the local judge answer alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A cascade by one bar."""

    bar: float
    """Least γ with which the local judge answers alone."""
    asked: float
    """Share of answers that go to the model."""
    local_accuracy: float
    """Agreement with labels where the local judge answers alone; `nan` where it never does."""
    agreement: float
    """Agreement on all answers, when the model agrees as often as was assumed, on whatever it is asked."""


def expected(rows: Sequence[Judged], *, model_accuracy: float, bars: Sequence[float] = BARS) -> list[Expected]:
    """What each bar costs and brings, from local accuracy as measured.

    >>> rows = [Judged(id=str(n), correct=True, p_correct=p, group="q", fields={}) for n, p in enumerate((0.9, 0.6))]
    >>> expected(rows, model_accuracy=0.8, bars=[0.7])
    [Expected(bar=0.7, asked=0.5, local_accuracy=1.0, agreement=0.9)]
    """
    return [_expected(rows, bar, model_accuracy) for bar in bars]


def _expected(rows: Sequence[Judged], bar: float, model_accuracy: float) -> Expected:
    alone = [row.agrees for row in rows if row.confidence >= bar]
    asked = len(rows) - len(alone)
    return Expected(
        bar=bar,
        asked=asked / len(rows),
        local_accuracy=sum(alone) / len(alone) if alone else float("nan"),
        agreement=(sum(alone) + asked * model_accuracy) / len(rows),
    )


def cascaded(local: Sequence[Judged], model: Sequence[Judged], *, bar: float) -> tuple[list[Judged], float]:
    """The answers as a cascade judges them, and the share that went to the model; what it did not judge stays local."""
    replies = {row.id: row for row in model}
    asked = {row.id for row in local if row.confidence < bar and row.id in replies}
    judged = [replace(row, p_correct=replies[row.id].p_correct) if row.id in asked else row for row in local]
    return judged, len(asked) / len(local)
