"""How a score came about, as sums that a person can follow: from the reasons to p(correct), then to the score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.calibration import uncalibrated_judge
from scoring.composite import SIGMA_FILTERS, SIGMA_VERDICT
from scoring.judging.local import Weights
from service.console.answer.stored_record import entries, number

_LEAST_SHOWN = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One term of the sum of log-odds."""

    words: str
    move: float
    code: str = ""
    total: float
    """The sum so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSum:
    """The way to `p_judge`, the probability of this answer alone before any calibration of the tenant's."""

    steps: list[Step]
    total: float
    p_judge: float
    calibrated: bool
    """The tenant's own calibration moves `p_judge` to `p_alone`."""


def sum_of(row: Mapping[str, Any], weights: Weights) -> ScoreSum | None:
    """The sum of a local judge's row; `None` where a model judged or nothing did.

    A record keeps the reasons that moved it most, so what is left to the stored probability is one term of its own.
    """
    record: Mapping[str, Any] = row["record"]
    alone = number(record, "p_correct")
    judge = str(row["judge"] or "")
    if alone is None or row["model"] or not judge.startswith("local/"):
        return None
    p_judge = number(record, "p_judge")
    probability = p_judge if p_judge is not None else alone
    known = uncalibrated_judge(judge) == f"local/{weights.version}"
    total = _log_odds(probability, weights if known else None)
    steps: list[Step] = []
    if known:
        start = weights.probability.intercept
        steps.append(Step(words="where every answer starts", move=start, total=start))
    for each in entries(record, "reasons"):
        moved = number(each, "weight")
        if moved:
            so_far = (steps[-1].total if steps else 0.0) + moved
            steps.append(
                Step(words=str(each.get("detail") or ""), code=str(each.get("code")), move=moved, total=so_far)
            )
    rest = total - (steps[-1].total if steps else 0.0)
    if abs(rest) >= _LEAST_SHOWN:
        words = "smaller signals, and bounds on single signals" if known else "the start, and smaller signals"
        steps.append(Step(words=words, move=rest, total=total))
    return ScoreSum(steps=steps, total=total, p_judge=probability, calibrated=p_judge is not None)


def _log_odds(probability: float, weights: Weights | None) -> float:
    if weights is not None:
        least, most = weights.probability.least, weights.probability.most
        probability = (probability - least) / (most - least)
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))


SCALES = {
    "filters": {status.value: points for status, points in SIGMA_FILTERS.items()},
    "verdict": {verdict.value: points for verdict, points in SIGMA_VERDICT.items()},
}
"""Points of each filter status and verdict."""
