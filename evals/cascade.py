"""What a cascade costs and brings: the share of answers sent to the model, and the expected agreement with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.agreement import Judged

BARS = (0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
"""Confidences from which a tenant may let the local judge answer alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of a cascade with one bar."""

    bar: float
    """The γ from which the local judge answers alone."""
    asked: float
    """Share of answers that go to the model."""
    local_accuracy: float
    """Accuracy of the answers that the local judge judges alone; `nan` when there are none."""
    agreement: float
    """Expected agreement on all answers, given the assumed accuracy of the model."""


def expected(rows: Sequence[Judged], *, model_accuracy: float, bars: Sequence[float] = BARS) -> list[Expected]:
    """Computes what each bar costs and brings, from the measured accuracy of the local judge.

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
    """Returns the answers as a cascade judges them, and the share judged by the model.

    Answers that the model did not judge keep the local verdict.
    """
    replies = {row.id: row for row in model}
    asked = {row.id for row in local if row.confidence < bar and row.id in replies}
    judged = [_by_model(row, replies[row.id]) if row.id in asked else row for row in local]
    return judged, len(asked) / len(local)


def _by_model(row: Judged, reply: Judged) -> Judged:
    return replace(row, p_correct=reply.p_correct, score=reply.score)
