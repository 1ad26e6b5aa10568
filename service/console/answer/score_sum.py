"""How a score came about, as sums that a person can follow: from the reasons to p(correct), then to the score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from scoring.calibration import uncalibrated_judge
from scoring.judging.local import Weights
from scoring.judging.probability import LEAST_PROVED
from scoring.reason_kinds import FORGERIES
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
    bounds: tuple[float, float] | None
    """The lowest and the highest probability that the judge gives such evidence, if its weights are known."""
    calibrated: bool
    """The tenant's own calibration moves `p_judge` to `p_alone`."""


def sum_of(row: Mapping[str, Any], weights: Weights) -> ScoreSum | None:
    """The sum of a local judge's row; `None` where a model judged or nothing did.

    A record keeps only the reasons with the largest weights. One last term stands for all the others: it is the
    difference between the sum of the kept weights and the stored probability.
    """
    record: Mapping[str, Any] = row["record"]
    alone, p_judge = number(record, "p_correct"), number(record, "p_judge")
    judge = str(row["judge"] or "")
    if alone is None or row["model"] or not judge.startswith("local/"):
        return None
    probability = alone if p_judge is None else p_judge
    known = weights if uncalibrated_judge(judge) == f"local/{weights.version}" else None
    bounds = None if known is None else _bounds(record, known)
    total = _log_odds(probability, *(bounds or (0.0, 1.0)))
    return ScoreSum(
        steps=_steps(record, known, total),
        total=total,
        p_judge=probability,
        bounds=bounds,
        calibrated=p_judge is not None,
    )


def _bounds(record: Mapping[str, Any], weights: Weights) -> tuple[float, float]:
    proved = any(each.get("code") in FORGERIES for each in entries(record, "reasons"))
    least = weights.probability.least
    return min(least, LEAST_PROVED) if proved else least, weights.probability.most


def _steps(record: Mapping[str, Any], weights: Weights | None, total: float) -> list[Step]:
    terms: list[tuple[str, str, float]] = []
    if weights is not None:
        terms.append(("where every answer starts", "", weights.probability.intercept))
    for each in entries(record, "reasons"):
        moved = number(each, "weight")
        if moved:
            terms.append((str(each.get("detail") or ""), str(each.get("code")), moved))
    rest = total - math.fsum(move for _, _, move in terms)
    if abs(rest) >= _LEAST_SHOWN:
        known = "smaller signals, and bounds on single signals"
        terms.append((known if weights is not None else "the start, and smaller signals", "", rest))
    sums = accumulate(move for _, _, move in terms)
    return [
        Step(words=words, code=code, move=move, total=so_far)
        for (words, code, move), so_far in zip(terms, sums, strict=True)
    ]


def _log_odds(probability: float, least: float, most: float) -> float:
    probability = (probability - least) / (most - least)
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))
