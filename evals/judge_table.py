"""One row for each judge on the same labels: the figures by which judges of text-to-SQL are compared in print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.agreement import Judged, rank_auc


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """A judge's agreement with labels; `right` is the class that counts. Shares are in [0, 1], or `nan`."""

    judge: str
    answers: int
    accuracy: float
    precision: float
    """Share of the answers judged right that are right."""
    recall: float
    """Share of the right answers that are judged right."""
    f1: float
    auc: float


def judge_row(judge: str, rows: Sequence[Judged]) -> JudgeRow:
    """The figures of one judge.

    >>> rows = [Judged(id=str(n), correct=n > 1, p_correct=n / 4, group="q", fields={}) for n in range(4)]
    >>> found = judge_row("half", rows)
    >>> found.accuracy, found.precision, found.recall, found.f1, found.auc
    (1.0, 1.0, 1.0, 1.0, 1.0)
    """
    judged = [row.p_correct >= 0.5 for row in rows]
    correct = [row.correct for row in rows]
    both = sum(said and right for said, right in zip(judged, correct, strict=True))
    precision, recall = _share(both, sum(judged)), _share(both, sum(correct))
    return JudgeRow(
        judge=judge,
        answers=len(rows),
        accuracy=_share(sum(row.agrees for row in rows), len(rows)),
        precision=precision,
        recall=recall,
        f1=_share(2 * both, sum(judged) + sum(correct)),
        auc=rank_auc(np.array([row.p_correct for row in rows], dtype=np.float64), np.array(correct, dtype=bool)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def judge_table(labels: str, rows: Sequence[JudgeRow]) -> str:
    """The rows as Markdown."""
    head = f"| on {labels} | answers | accuracy | precision | recall | F1 | AUC |\n{'|---' * 7}|"
    lines = [
        f"| {each.judge} | {each.answers} | "
        + " | ".join(_number(value) for value in (each.accuracy, each.precision, each.recall, each.f1, each.auc))
        + " |"
        for each in rows
    ]
    return "\n".join(["## Judges side by side", "", head, *lines]) + "\n"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
