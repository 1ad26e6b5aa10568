"""What the pages of runs show: rates with their intervals, slices, and the answers that did not pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.runner.rates import RATES, Answer

MOST_ANSWERS = 500
"""The most answers that a page shows; those that did not pass come first."""
NAMES = {
    "pass_rate": "pass",
    "parse_rate": "parse",
    "grounding_rate": "grounding",
    "equivalence_rate": "equivalent",
}


def run_page(summary: Mapping[str, object], records: Sequence[Answer]) -> dict[str, object]:
    """The content of the page of a run."""
    slices = cast("Mapping[str, Mapping[str, Mapping[str, Any]]]", summary["slices"])
    shown = sorted(records, key=lambda each: (each["pass"], each["score"] if each["score"] is not None else -1))
    return {
        "summary": summary,
        "rates": bars(summary),
        "slices": {
            name: [(value, rates["cases"], bars(rates)) for value, rates in values.items()]
            for name, values in slices.items()
            if len(values) > 1
        },
        "answers": shown[:MOST_ANSWERS],
        "left_out": max(0, len(records) - MOST_ANSWERS),
    }


def bars(rates: Mapping[str, Any]) -> list[dict[str, object]]:
    """Each rate as the bar of a chart: its share and its interval in per cent."""
    return [_bar(NAMES[name], rates[name], rates[f"{name}_interval"]) for name in RATES if rates[name] is not None]


def _bar(name: str, share: float, interval: Sequence[float]) -> dict[str, object]:
    low, high = interval
    return {
        "name": name,
        "share": round(100 * share, 1),
        "low": round(100 * low, 1),
        "high": round(100 * high, 1),
    }


def rates_table(summary: Mapping[str, Any]) -> str:
    """The rates of a run as a Markdown table."""
    lines = ["| rate | value | 95 % interval |", "|---|---|---|"]
    for name in RATES:
        if summary[name] is not None:
            low, high = summary[f"{name}_interval"]
            lines.append(f"| {NAMES[name]} | {summary[name]:.1%} | {low:.1%}–{high:.1%} |")
    lines.append(f"| answers | {summary['answers']} | |")
    lines.append(f"| without SQL | {summary['failures']} | |")
    if summary["mean_score"] is not None:
        lines.append(f"| mean score | {summary['mean_score']:.1f} | |")
    if summary.get("self_agreement"):
        lines.append(f"| two answers to a case mean the same | {summary['self_agreement']['pairs']:.1%} | |")
    return "\n".join(lines)
