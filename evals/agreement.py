"""How well a judge agrees with labels: figures with confidence intervals."""

# scipy and scikit-learn ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import cohen_kappa_score

Floats = NDArray[np.float64]
BINS = 10
"""Bins of equal width in which stated and observed shares are compared."""
SHARES = {"top_20": 0.20, "top_33": 1 / 3, "top_50": 0.50}
"""Shares of the most confident answers whose accuracy is measured."""
SURE = 0.85
"""The γ from which the composite score counts a verdict in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A labelled answer with a judge's probability."""

    id: str
    correct: bool
    """The label."""
    p_correct: float
    group: str
    """Answers of one group (a question, a database) are resampled together."""
    fields: Mapping[str, tuple[str, ...]]
    """The values of each field by which figures may be sliced."""
    question: str = ""
    agent: str = ""
    """The agent that gave the answer; empty when unknown."""
    company: str = ""
    """The company, or database, that the question is about; empty when unknown."""
    visible: bool | None = None
    """Of a wrong answer: whether question and SQL alone show the fault. `None` where the labels do not say."""
    score: float | None = None
    """Φ in [0, 100], where the judge gave one."""

    @property
    def confidence(self) -> float:
        """γ: the probability of the judge's own verdict."""
        return max(self.p_correct, 1 - self.p_correct)

    @property
    def agrees(self) -> bool:
        """Whether the judge agrees with the label."""
        return (self.p_correct >= 0.5) == self.correct


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Figures of one judge on some answers; `nan` for those that cannot be computed."""

    answers: float
    right: float
    """Share labelled right."""
    accuracy: float
    balanced_accuracy: float
    wrong_precision: float
    """Share of the answers judged wrong that are wrong."""
    wrong_recall: float
    wrong_f1: float
    kappa: float
    """Cohen's κ."""
    auc: float
    """Chance that a right answer has a higher `p_correct` than a wrong one."""
    score_auc: float
    """The same of Φ; `nan` where the judge did not give every answer one."""
    calibration_error: float
    """Mean distance between stated and observed share, over `BINS` bins of equal width."""
    top_20: float
    top_33: float
    top_50: float
    """Accuracy on that share of most confident answers."""
    sure: float
    """Share of answers with γ of at least `SURE`."""
    sure_accuracy: float


NAMES = tuple(each.name for each in fields(Measures))
"""The names of all figures, in the order of reports."""


def measure(rows: Sequence[Judged]) -> Measures:
    """Computes the figures of some answers.

    >>> rows = [Judged(id=str(n), correct=n > 1, p_correct=n / 4, group="q", fields={}) for n in range(4)]
    >>> measure(rows).auc, measure(rows).accuracy
    (1.0, 1.0)
    """
    return _measure(*_columns(rows))


def _columns(rows: Sequence[Judged]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """`p_correct`, Φ (`nan` without one) and the label of each answer."""
    scores = [float("nan") if row.score is None else row.score for row in rows]
    p_correct, score = np.array([[row.p_correct for row in rows], scores], dtype=np.float64)
    return p_correct, score, np.array([row.correct for row in rows], dtype=bool)


def _measure(p_correct: Floats, score: Floats, correct: NDArray[np.bool_]) -> Measures:
    judged = p_correct >= 0.5
    confidence = np.maximum(p_correct, 1 - p_correct)
    agrees = judged == correct
    order = np.argsort(-confidence, kind="stable")
    sure = confidence >= SURE
    both = 0 < correct.sum() < len(correct)
    precision, recall, f1 = _of_wrong(~correct, ~judged)
    top = {name: _mean(agrees[order[: max(1, int(len(order) * share))]]) for name, share in SHARES.items()}
    return Measures(
        answers=float(len(correct)),
        right=_mean(correct),
        accuracy=_mean(agrees),
        balanced_accuracy=(_mean(agrees[correct]) + _mean(agrees[~correct])) / 2,
        wrong_precision=precision,
        wrong_recall=recall,
        wrong_f1=f1,
        kappa=float(cohen_kappa_score(correct, judged)) if both else float("nan"),
        auc=rank_auc(p_correct, correct),
        score_auc=rank_auc(score, correct),
        calibration_error=calibration_error(p_correct, correct),
        sure=_mean(sure),
        sure_accuracy=_mean(agrees[sure]),
        **top,
    )


def _of_wrong(wrong: NDArray[np.bool_], judged_wrong: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the wrong class; 0 when nothing is wrong or judged wrong."""
    caught = float((wrong & judged_wrong).sum())
    precision = caught / judged_wrong.sum() if judged_wrong.any() else 0.0
    recall = caught / wrong.sum() if wrong.any() else 0.0
    return float(precision), float(recall), float(2 * precision * recall / (precision + recall)) if caught else 0.0


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def rank_auc(p_correct: Floats, correct: NDArray[np.bool_]) -> float:
    """The area under the ROC curve, from ranks (Mann and Whitney). Ties count half."""
    right, wrong = int(correct.sum()), int((~correct).sum())
    if not right or not wrong:
        return float("nan")
    return float((rankdata(p_correct)[correct].sum() - right * (right + 1) / 2) / (right * wrong))


def calibration_error(p_correct: Floats, correct: NDArray[np.bool_]) -> float:
    """Mean distance between stated and observed share, weighted by the answers in each bin."""
    return sum(count / len(correct) * abs(stated - observed) for stated, observed, count in bins(p_correct, correct))


def bins(p_correct: Floats, correct: NDArray[np.bool_]) -> list[tuple[float, float, int]]:
    """Stated share, observed share and number of answers of each bin that is not empty."""
    place = np.minimum((p_correct * BINS).astype(int), BINS - 1)
    held = [place == number for number in range(BINS)]
    return [
        (float(p_correct[each].mean()), float(correct[each].mean()), int(each.sum())) for each in held if each.any()
    ]


def intervals(rows: Sequence[Judged], *, draws: int = 300, seed: int = 0) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each figure, by resampling whole groups. The same rows give the same interval."""
    groups: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group, []).append(place)
    members = [np.array(each) for each in groups.values()]
    p_correct, score, correct = _columns(rows)
    dice = np.random.default_rng(seed)
    drawn: list[list[float]] = []
    for _ in range(draws):
        places = np.concatenate([members[each] for each in dice.integers(0, len(members), len(members))])
        found = _measure(p_correct[places], score[places], correct[places])
        drawn.append([getattr(found, name) for name in NAMES])
    return {name: _middle([each[place] for each in drawn]) for place, name in enumerate(NAMES)}


def _middle(values: list[float]) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile, without `nan`."""
    known = [each for each in values if not np.isnan(each)]
    if not known:
        return float("nan"), float("nan")
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def slices(rows: Sequence[Judged], field: str, *, least: int = 10) -> dict[str, Measures]:
    """Computes the figures for each value of a field that at least `least` answers have, most frequent first."""
    held: dict[str, list[Judged]] = {}
    for row in rows:
        for value in row.fields.get(field, ()):
            held.setdefault(value, []).append(row)
    frequent = sorted(held.items(), key=lambda each: (-len(each[1]), each[0]))
    return {value: measure(answers) for value, answers in frequent if len(answers) >= least}


LEAST_SURE = 20
"""Fewest answers from which a bound of γ is read."""


def confidence_from(rows: Sequence[Judged], share: float) -> float | None:
    """The least γ from which at least `share` of the answers are judged as labelled; `None` where there is none.

    Answers above a bound that have the same γ count together, and at least `LEAST_SURE` of them are needed.

    >>> rows = [Judged(id=str(n), correct=n > 9, p_correct=0.6 + n / 1000, group="q", fields={}) for n in range(50)]
    >>> confidence_from(rows, 0.9), confidence_from(rows, 0.8), confidence_from(rows[:10], 0.8)
    (0.606, 0.6, None)
    """
    ranked = sorted(rows, key=lambda row: -row.confidence)
    found, agreeing = None, 0
    for place, row in enumerate(ranked, start=1):
        agreeing += row.agrees
        is_last = place == len(ranked) or ranked[place].confidence < row.confidence
        if is_last and place >= LEAST_SURE and agreeing / place >= share:
            found = round(row.confidence, 4)
    return found
