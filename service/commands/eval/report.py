"""`sqlassay eval judge`: reads its options, and shows or writes what was measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from evals.agreement import Judged
from evals.plots import reliability, risk_coverage
from evals.report import Report
from scoring.rules import JudgePolicy
from service.commands.eval import judge
from service.commands.eval.judge import Wanted
from service.commands.exits import refuse
from service.commands.score import read_judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options as they were given."""

    judge: str
    replies: str | None
    against: str | None
    bar: float
    model_accuracy: float | None
    held_out: str | None
    training: Sequence[str]
    training_weights: Sequence[float]
    weights: str | None
    question_only: bool
    by: Sequence[str]
    group: str
    out: str | None
    as_json: bool


def run(labels: Sequence[str], asked: Asked) -> None:
    """Measures each file of labels by itself and shows the reports, or writes them to a folder too."""
    wanted = _wanted(asked)
    measured = judge.reports(labels, wanted, against=asked.against, model_accuracy=asked.model_accuracy)
    reports = [report for report, _ in measured]
    if asked.out is not None:
        _write(Path(asked.out), reports, {report.labels: rows for report, rows in measured})
    _show(reports, as_json=asked.as_json)


def _wanted(asked: Asked) -> Wanted:
    if asked.judge not in {each.value for each in JudgePolicy}:
        refuse(f"--judge is local, llm or cascade, not {asked.judge!r}")
    if not 0.5 <= asked.bar <= 1 or not (asked.model_accuracy is None or 0 <= asked.model_accuracy <= 1):
        refuse("--bar lies in [0.5, 1] and --model-accuracy in [0, 1]")
    if asked.held_out is not None and asked.replies is not None and asked.judge != JudgePolicy.CASCADE:
        refuse("--held-out fits the local judge: with --replies it makes sense for a cascade only")
    return Wanted(
        judge=JudgePolicy(asked.judge),
        local=read_judge(asked.weights),
        bar=asked.bar,
        replies=asked.replies,
        group=asked.group,
        by=asked.by,
        enriched=not asked.question_only,
        held_out=asked.held_out,
        training=list(zip(asked.training, _weights(asked), strict=True)),
    )


def _weights(asked: Asked) -> Sequence[float]:
    """What a row of each training file weighs: as given, once for all, or 1."""
    given = list(asked.training_weights) or [1.0]
    if len(given) not in {1, len(asked.training)}:
        refuse(f"{len(asked.training)} --train and {len(given)} --train-weight: give one for each, or one for all")
    return given * len(asked.training) if len(given) == 1 else given


def _show(reports: Sequence[Report], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([report.document() for report in reports], indent=1))
        return
    page = "\n".join(report.markdown() for report in reports)
    if sys.stdout.isatty():
        Console().print(Markdown(page))
    else:
        print(page)


def _write(folder: Path, reports: Sequence[Report], judged: Mapping[str, Sequence[Judged]]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text("\n".join(report.markdown() for report in reports), encoding="utf-8")
        (folder / "report.json").write_text(json.dumps([report.document() for report in reports], indent=1) + "\n")
        reliability(judged, folder / "reliability.png")
        risk_coverage(judged, folder / "risk_coverage.png")
    except OSError as error:
        refuse(f"cannot write {folder}: {error.strerror or error}")
