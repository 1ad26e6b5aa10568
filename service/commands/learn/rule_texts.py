"""Learned rules and their gain as text for a person."""

from __future__ import annotations

from consumers.wire.learned_rules_document import (
    AccuracyFigures,
    ChangeFigures,
    HeldOutFigures,
    LearnedRuleEntry,
    LearnedRulesDocument,
)

SURE = 0.05
"""The p-value above which a change is called possible luck."""


def learned_text(document: LearnedRulesDocument, out: str) -> str:
    """The rules and their gain, for a person."""
    lines = [rule_line(number, each) for number, each in enumerate(document.rules, 1)]
    if document.held_out is not None:
        lines += comparison_lines(document.held_out)
    return "\n".join([*lines, f"{len(document.rules)} rules → {out}"])


def rule_line(number: int, rule: LearnedRuleEntry) -> str:
    """One rule with its side and what it rests on."""
    side = "right" if rule.side.value == "supports_right" else "wrong"
    known = "" if rule.precision is None else f"  ({rule.precision:.2f} of {rule.support})"
    return f"{number:>2}  {side}  {rule.text}{known}"


def comparison_lines(held_out: HeldOutFigures) -> list[str]:
    """Before and after on held-out labels."""
    rows = [("", "accuracy", "balanced", "precision", "recall", "F1")]
    rows += [
        (name, *(_percent(each) for each in _figures(found)))
        for name, found in (("before", held_out.before), ("after", held_out.after))
    ]
    if held_out.after.auc is not None:
        added = ("AUC", _percent(held_out.before.auc), _percent(held_out.after.auc))
        rows = [(*row, cell) for row, cell in zip(rows, added, strict=True)]
    lines = ["  ".join(f"{cell:>9}" for cell in row) for row in rows]
    return [f"on {held_out.labels} held-out labels:", *lines, *_change_lines(held_out.change)]


def _change_lines(change: ChangeFigures | None) -> list[str]:
    if change is None:
        return []
    luck = "" if change.p_value <= SURE else ": this may be luck"
    lines = [f"better on {change.better} groups of labels, worse on {change.worse}; p = {change.p_value:.3g}{luck}"]
    if change.gain is None or change.low is None or change.high is None:
        return lines
    surely = "a gain" if change.low > 0 else "a loss" if change.high < 0 else "no sure gain"
    interval = f"90 % interval {100 * change.low:+.1f} to {100 * change.high:+.1f}"
    return [f"accuracy {100 * change.gain:+.1f} points, {interval}: {surely}", *lines]


def _figures(found: AccuracyFigures) -> tuple[float | None, ...]:
    return found.accuracy, found.balanced_accuracy, found.precision, found.recall, found.f1


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f}"
