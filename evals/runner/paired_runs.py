"""Compares two runs on the cases that both answered, with a paired test: exact, and with stated error rates."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from scipy.stats import binom, binomtest, bootstrap, permutation_test

from evals.runner.rates import Answer, not_compared

ALPHA = 0.05
"""The share of unchanged agents whose next run is called worse, at most."""
POWER = 0.8
"""The chance with which a drop of the stated size is found."""
_DRAWS = 2_000
_PERMUTATIONS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """What changed from the first run to the second."""

    cases: int
    """Cases that both runs answered."""
    only_first: int
    """Cases that only one of the runs has."""
    only_second: int
    pass_rates: tuple[float, float]
    not_compared: tuple[int, int]
    """Answers of each run that nothing could compare with their gold SQL. They count as not passing."""
    difference: float
    """Pass rate of the second run minus that of the first."""
    interval: tuple[float, float]
    """The 95 % interval of the difference, by resampling cases."""
    regressions: tuple[str, ...]
    """Cases that passed more often in the first run."""
    improvements: tuple[str, ...]
    p_worse: float
    """Chance of at least so many more regressions than improvements when nothing changed."""
    p_value: float
    """The same in both directions: with one answer to a case the exact McNemar test."""
    score_difference: float | None
    """Mean score of the second run minus that of the first, over the cases that both scored."""
    detectable: float | None
    """The drop that is found with a chance of 80 %, at this many cases and this many changes."""

    def document(self) -> dict[str, object]:
        """The comparison as JSON."""
        return {
            "cases": self.cases,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "pass_rate_first": round(self.pass_rates[0], 4),
            "pass_rate_second": round(self.pass_rates[1], 4),
            "not_compared_first": self.not_compared[0],
            "not_compared_second": self.not_compared[1],
            "difference": round(self.difference, 4),
            "interval": [round(each, 4) for each in self.interval],
            "p_value": round(self.p_value, 6),
            "p_worse": round(self.p_worse, 6),
            "alpha": ALPHA,
            "worse": self.worse,
            "detectable_drop": self.detectable,
            "score_difference": self.score_difference,
            "regressions": list(self.regressions),
            "improvements": list(self.improvements),
        }

    @property
    def worse(self) -> bool:
        """Whether the second run is worse beyond what chance explains."""
        return self.p_worse <= ALPHA and self.difference < 0


def pair_runs(first: Sequence[Answer], second: Sequence[Answer]) -> PairedRuns:
    """Compares two runs by their cases. Raises `ValueError` when they share none.

    >>> run = [{"case_id": str(n), "pass": n < 9, "score": 80.0, "gold_sql": "", "question": ""} for n in range(10)]
    >>> worse = [{**each, "pass": int(each["case_id"]) > 5} for each in run]
    >>> found = pair_runs(run, worse)
    >>> found.pass_rates, found.p_value, len(found.regressions), found.improvements, found.worse
    ((0.9, 0.4), 0.125, 6, ('9',), False)
    """
    one, two = _shares(first), _shares(second)
    both = [case_id for case_id in one if case_id in two]
    if not both:
        raise ValueError("the two runs share no case")
    changes = np.array([two[each] - one[each] for each in both])
    p_worse, p_value = chances_of(changes)
    return PairedRuns(
        cases=len(both),
        only_first=len(one) - len(both),
        only_second=len(two) - len(both),
        pass_rates=(_mean([one[each] for each in both]), _mean([two[each] for each in both])),
        not_compared=(not_compared(first), not_compared(second)),
        difference=float(changes.mean()),
        interval=_interval(changes),
        regressions=tuple(each for each, change in zip(both, changes, strict=True) if change < 0),
        improvements=tuple(each for each, change in zip(both, changes, strict=True) if change > 0),
        p_worse=p_worse,
        p_value=p_value,
        score_difference=_score_difference(first, second),
        detectable=detectable_drop(len(both), float(np.mean(changes != 0))),
    )


def _shares(answers: Sequence[Answer]) -> dict[str, float]:
    """The share of answers that pass, by case."""
    held: defaultdict[str, list[bool]] = defaultdict(list)
    for each in answers:
        held[each["case_id"]].append(each["pass"])
    return {case_id: sum(values) / len(values) for case_id, values in held.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def chances_of(changes: np.ndarray) -> tuple[float, float]:
    """The chance of such a fall, and of such a change, when each change might as well have gone the other way.

    Exact (McNemar, as a binomial test) where each case has one answer; by permutation of signs otherwise.
    """
    worse, better = int((changes < 0).sum()), int((changes > 0).sum())
    if not worse + better:
        return 1.0, 1.0
    if set(np.abs(changes[changes != 0])) == {1.0}:
        one_sided = binomtest(worse, worse + better, alternative="greater").pvalue
        return float(one_sided), float(binomtest(worse, worse + better).pvalue)
    found = [
        permutation_test(
            (changes,),
            np.mean,
            permutation_type="samples",
            alternative=side,
            n_resamples=_PERMUTATIONS,
            rng=np.random.default_rng(0),
            vectorized=True,
        ).pvalue
        for side in ("less", "two-sided")
    ]
    return float(found[0]), float(found[1])


def _interval(changes: np.ndarray) -> tuple[float, float]:
    if len(changes) < 2 or not np.ptp(changes):
        return float(changes.mean()), float(changes.mean())
    drawn = bootstrap(
        (changes,), np.mean, n_resamples=_DRAWS, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    return float(drawn.low), float(drawn.high)


def _score_difference(first: Sequence[Answer], second: Sequence[Answer]) -> float | None:
    one, two = _scores(first), _scores(second)
    changes = [two[each] - one[each] for each in one if each in two]
    return round(_mean(changes), 3) if changes else None


def _scores(answers: Sequence[Answer]) -> dict[str, float]:
    held: defaultdict[str, list[float]] = defaultdict(list)
    for each in answers:
        if each["score"] is not None and not isnan(each["score"]):
            held[each["case_id"]].append(each["score"])
    return {case_id: _mean(values) for case_id, values in held.items()}


def detectable_drop(cases: int, changed: float) -> float | None:
    """The smallest drop that the test finds with a chance of 80 %, if this share of the cases changes.

    `None` when no drop would be found so often.

    >>> detectable_drop(500, 0.1), detectable_drop(5, 0.1)
    (0.037, None)
    """
    changes = max(1, round(cases * changed))
    least = _least_regressions(changes)
    if least is None:
        return None
    for share in np.linspace(0.5, 1, 101):
        if float(binom.sf(least - 1, changes, share)) >= POWER:
            return round(float(2 * share - 1) * changes / cases, 3)
    return None


def _least_regressions(changes: int) -> int | None:
    """Regressions from which the test calls a run worse."""
    found = int(binom.isf(ALPHA, changes, 0.5)) + 1
    return found if found <= changes else None


def same_questions(first: Sequence[Answer], second: Sequence[Answer]) -> list[str]:
    """The cases whose question or gold SQL differs between the runs: they cannot be compared."""
    asked: Mapping[str, tuple[str, str]] = {each["case_id"]: (each["question"], each["gold_sql"]) for each in first}
    other = (
        each["case_id"]
        for each in second
        if each["case_id"] in asked and asked[each["case_id"]] != (each["question"], each["gold_sql"])
    )
    return sorted(set(other))
