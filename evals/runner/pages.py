"""What the pages of runs show: rates with their intervals, slices, and the answers that did not pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.runner.paired_runs import PairedRuns
from evals.runner.rates import RATES, Answer
from evals.runner.traces import plain

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
    lines.append(f"| not compared | {summary.get('not_compared', 0)} | |")
    lines.append(f"| failed (`error`) | {summary['failures']} | |")
    if summary["mean_score"] is not None:
        lines.append(f"| mean score | {summary['mean_score']:.1f} | |")
    if summary.get("self_agreement"):
        lines.append(f"| two answers to a case mean the same | {summary['self_agreement']['pairs']:.1%} | |")
    return "\n".join(lines)


def leaderboard_rows(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """A row for each run, highest pass rate first."""
    rows = [
        {
            "run": name,
            "backend": summary["backend"],
            "model": ", ".join(summary["slices"].get("model", {})) or "–",
            "benchmark": summary["benchmark"],
            "complete": summary["complete"],
            "cases": summary["cases"],
            "mean_score": summary["mean_score"],
            "pass_rate": summary["pass_rate"],
            "summary": summary,
            "bars": bars(summary),
        }
        for name, summary in runs
    ]
    return sorted(rows, key=lambda row: (-(row["pass_rate"] or 0), row["run"]))


def leaderboard_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The leaderboard as Markdown."""
    lines = ["# Leaderboard", ""]
    if len({row["benchmark"] for row in rows}) > 1:
        lines += ["The runs are of different benchmarks: their rates cannot be compared.", ""]
    heads = ["run", "backend", "model", "cases", *NAMES.values(), "mean score"]
    lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        cells = [plain(row[name]) for name in ("run", "backend", "model", "cases")]
        cells += [_cell(row["summary"], name) for name in RATES]
        cells.append("–" if row["mean_score"] is None else f"{row['mean_score']:.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(summary: Mapping[str, Any], name: str) -> str:
    if summary[name] is None:
        return "–"
    low, high = summary[f"{name}_interval"]
    return f"{summary[name]:.1%} ({low:.1%}–{high:.1%})"


def comparison_page(first: str, second: str, found: PairedRuns, answers: Sequence[Answer]) -> str:
    """What changed between two runs, as Markdown; each regression with the reason of the second run."""
    low, high = found.interval
    verdict = "worse beyond what chance explains" if found.worse else "not worse beyond what chance explains"
    why = {each["case_id"]: str(each["rationale"]) for each in answers if not each["pass"]}
    lines = [
        f"# {plain(first)} → {plain(second)}: {verdict}",
        "",
        "| figure | value |",
        "|---|---|",
        f"| cases in both | {found.cases} |",
        f"| pass rate | {found.pass_rates[0]:.1%} → {found.pass_rates[1]:.1%} |",
        f"| not compared | {found.not_compared[0]} → {found.not_compared[1]} |",
        f"| difference | {found.difference:+.1%} ({low:+.1%} to {high:+.1%}) |",
        f"| regressions, improvements | {len(found.regressions)}, {len(found.improvements)} |",
        f"| chance of such a change when nothing changed | {found.p_value:.3g} |",
        f"| chance of such a fall when nothing changed | {found.p_worse:.3g} |",
        "",
    ]
    if found.score_difference is not None:
        lines.insert(-1, f"| difference of the mean score | {found.score_difference:+.1f} |")
    if found.regressions:
        lines += ["## Regressions", "", *(f"- {plain(each)}: {plain(why.get(each, ''))}" for each in found.regressions)]
    if found.improvements:
        lines += ["", "## Improvements", "", *(f"- {plain(each)}" for each in found.improvements)]
    return "\n".join(lines) + "\n"
