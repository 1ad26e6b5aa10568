"""Plots of a judge: its calibration, and its errors by share of answers kept."""

# matplotlib ships partial types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from evals.agreement import Judged, bins


def reliability(judges: Mapping[str, Sequence[Judged]], path: Path) -> None:
    """Plots the observed against the stated share of right answers, one line per judge."""
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":", label="as stated")
    for name, rows in judges.items():
        points = bins(np.array([row.p_correct for row in rows]), np.array([row.correct for row in rows], dtype=bool))
        axes.plot([point[0] for point in points], [point[1] for point in points], marker="o", label=name)
    axes.set(xlabel="p_correct", ylabel="share labelled right", xlim=(0, 1), ylim=(0, 1), title="Reliability")
    axes.legend()
    figure.savefig(path, dpi=120)


def risk_coverage(judges: Mapping[str, Sequence[Judged]], path: Path) -> None:
    """Plots the share of errors against the share of answers kept, most confident first."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, rows in judges.items():
        ranked = sorted(rows, key=lambda row: -row.confidence)
        errors = np.cumsum([not row.agrees for row in ranked]) / np.arange(1, len(ranked) + 1)
        axes.plot(np.arange(1, len(ranked) + 1) / len(ranked), errors, label=name)
    axes.set(xlabel="share of answers kept", ylabel="share judged wrongly", xlim=(0, 1), ylim=(0, None))
    axes.set_title("Risk and coverage")
    axes.legend()
    figure.savefig(path, dpi=120)
