"""The report on a judge, as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from evals.agreement import NAMES, Measures
from evals.by_agent import ByAgent
from evals.cascade import Expected
from evals.everyday import Everyday
from evals.paired import Paired

WORDS = {
    "answers": "answers",
    "right": "labelled right",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "wrong_precision": "precision of the wrong class",
    "wrong_recall": "recall of the wrong class",
    "wrong_f1": "F1 of the wrong class",
    "kappa": "Cohen's κ",
    "auc": "AUC of `p_correct`",
    "score_auc": "AUC of Φ",
    "calibration_error": "calibration error",
    "top_20": "accuracy, most confident 20 %",
    "top_33": "accuracy, most confident 33 %",
    "top_50": "accuracy, most confident 50 %",
    "sure": "share with γ ≥ 0.85",
    "sure_accuracy": "accuracy where γ ≥ 0.85",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures of one judge on one set of labels."""

    judge: str
    labels: str
    unscored: int
    """Answers that could not be scored. No figure counts them."""
    measures: Measures
    intervals: Mapping[str, tuple[float, float]]
    slices: Mapping[str, Mapping[str, Measures]] = field(default_factory=dict[str, Mapping[str, Measures]])
    everyday: Everyday | None = None
    """Figures of labels that say of each wrong answer whether its fault can be seen."""
    by_agent: ByAgent | None = None
    cascade: Sequence[Expected] = ()
    bounds: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])
    """`full` and `most` of a tenant's `confidence`, as these labels would set them; `None` where they say nothing."""
    asked: float | None = None
    """Share of answers that a cascade sent to its model."""
    against: Paired | None = None
    """The comparison with a second judge."""
    other: str = ""
    """The second judge's name."""

    def document(self) -> dict[str, object]:
        """The report as JSON-ready data, with `None` for figures that could not be computed."""
        return {key: _without_nan(value) for key, value in asdict(self).items()}

    def markdown(self) -> str:
        """The report as Markdown."""
        parts = [f"## {self.judge} on {self.labels}", _figures(self), *_slices(self)]
        if self.bounds:
            parts.append(_bounds(self.bounds))
        if self.everyday is not None:
            parts.append(_everyday(self.everyday))
        if self.by_agent is not None:
            parts += [_agents(self.by_agent), _fairness(self.by_agent)]
        if self.asked is not None:
            parts.append(f"The model was asked about {self.asked:.1%} of the answers.")
        if self.cascade:
            parts.append(_cascade(self.cascade))
        if self.against is not None:
            parts.append(_paired(self.against, self.other))
        return "\n\n".join(parts) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 4)
    if isinstance(value, Mapping):
        return {str(key): _without_nan(each) for key, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in cast("Sequence[object]", value)]
    return value


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _figures(report: Report) -> str:
    lines = ["| figure | value | 95 % interval |", "|---|---|---|"]
    for name in NAMES:
        value = getattr(report.measures, name)
        if name == "answers":
            lines.append(f"| {WORDS[name]} | {value:.0f} | |")
            continue
        low, high = report.intervals.get(name, (math.nan, math.nan))
        lines.append(f"| {WORDS[name]} | {_number(value)} | {_number(low)}–{_number(high)} |")
    if report.unscored:
        lines.append(f"| not scored | {report.unscored} | |")
    return "\n".join(lines)


def _slices(report: Report) -> list[str]:
    shown = ("accuracy", "wrong_recall", "auc")
    parts: list[str] = []
    for by, values in report.slices.items():
        head = f"| {by} | answers | labelled right | accuracy | recall of the wrong class | AUC |\n{'|---' * 6}|"
        rows = [
            f"| {value} | {each.answers:.0f} | {_number(each.right)} | "
            + " | ".join(_number(getattr(each, name)) for name in shown)
            + " |"
            for value, each in values.items()
        ]
        parts.append("\n".join([head, *rows]))
    return parts


_EVERYDAY = {
    "auc": "AUC over all",
    "auc_visible": "AUC against faults that can be seen",
    "auc_within_agent": "AUC within an agent",
    "auc_within_question": "AUC within a question",
    "right_called_wrong": "right answers called wrong",
    "visible_called_right": "faults that can be seen, called right",
    "sure": "share with γ ≥ 0.85",
    "sure_holds": "of these, as labelled",
    "rank_correlation": "Spearman over company × agent",
}


def _everyday(found: Everyday) -> str:
    lines = ["| on everyday questions | value |", "|---|---|", f"| answers | {found.answers} |"]
    lines += [f"| {words} | {_number(getattr(found, name))} |" for name, words in _EVERYDAY.items()]
    good = f"mean Φ of the {found.good_agents} company × agent of which 90 % is right"
    lines.append(f"| {good} | {found.good_score:.1f} |" if found.good_agents else f"| {good} | – |")
    return "\n".join(lines)


def _agents(found: ByAgent) -> str:
    head = (
        f"| agent | answers | labelled right | mean `p_correct` | bias | place by labels | place shown |\n{'|---' * 7}|"
    )
    rows = [
        f"| {each.agent} | {each.answers} | {each.right:.3f} | {each.shown:.3f} | {each.bias:+.3f} |"
        f" {each.rank_right:g} | {each.rank_shown:g} |"
        for each in found.agents
    ]
    return "\n".join([head, *rows])


def _fairness(found: ByAgent) -> str:
    lines = [
        "| figure over the agents | value |",
        "|---|---|",
        f"| Spearman between the two orders of agents | {_number(found.rank_correlation)} |",
        f"| spread (standard deviation) of the bias | {_number(found.bias_spread)} |",
        f"| right answer above a wrong one of the same question ({found.same_question_pairs} pairs)"
        f" | {_number(found.same_question)} |",
        f"| labelled wrong where `p_correct` ≤ 0.15 ({found.sure_wrong_share:.1%} of the answers)"
        f" | {_number(found.sure_wrong)} |",
        f"| labelled right where `p_correct` ≥ 0.85 ({found.sure_right_share:.1%} of the answers)"
        f" | {_number(found.sure_right)} |",
        f"| {WORDS['auc']} | {_number(found.auc)} |",
        f"| {WORDS['top_33']} | {_number(found.top_33)} |",
    ]
    return "\n".join(lines)


def _bounds(bounds: Mapping[str, float | None]) -> str:
    said = ", ".join(f"`{name}` {'–' if bound is None else f'{bound:.2f}'}" for name, bound in bounds.items())
    return f"By these labels, the bounds of Γ (`confidence` of a tenant's rules) are {said}."


def _cascade(bars: Sequence[Expected]) -> str:
    lines = [
        "| bar on γ | asked of the model | local accuracy above the bar | expected agreement |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {each.bar:.2f} | {each.asked:.1%} | {_number(each.local_accuracy)} | {_number(each.agreement)} |"
        for each in bars
    ]
    return "\n".join(lines)


def _paired(found: Paired, other: str) -> str:
    low, high = found.auc_interval
    return (
        f"Against {other}: right where the other is wrong on {found.only_first} answers, the reverse on"
        f" {found.only_second} (exact McNemar p = {found.p_value:.3g}); AUC of the other differs by"
        f" {found.auc_gain:+.3f} ({low:+.3f} to {high:+.3f})."
    )
