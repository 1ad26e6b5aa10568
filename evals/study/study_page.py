"""A study as a document and as a Markdown page. Both are the same for the same answers: they hold no times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.runner.traces import plain
from evals.study.disagreements import Attribution, attributed, disagreements, spread
from evals.study.method_figures import coverage_rows, level_rows, method_rows, row_curve
from evals.study.outcomes import Answer

_HEADS = {
    "method": "method",
    "answers": "answers",
    "ex_test": "EX-TEST %",
    "ex_spotit": "EX-SPOTIT %",
    "ex_spotit_plus": "EX-SPOTIT⁺ %",
    "ex_ordinary": "on ordinary data %",
    "coverage": "coverage %",
    "refuted_seconds": "seconds of a refutation",
    "verified_seconds": "seconds of any answer",
    "crossed": "refuted by another's counterexample alone",
    "uncounted": "differ only where a result is nothing",
    "gold_wrong": "gold wrong",
    "prediction_wrong": "prediction wrong",
    "not_refuted": "not refuted",
    "k": "K",
}


def study_of(answers: Sequence[Answer], filled: Mapping[tuple[str, str], str]) -> dict[str, object]:
    """The content of `study.json`. `filled` has the attributions of a person, by case and kind."""
    found = disagreements(answers)
    return {
        "methods": method_rows(answers),
        "coverage": coverage_rows(answers),
        "levels": level_rows(answers),
        "curve": row_curve(answers),
        "disagreements": spread(answers),
        "most_methods_disagree": {
            kind: [each.case_id for each in found if each.by == kind] for kind in ("search", "test")
        },
        "attributions": attributed(filled, found),
    }


def study_page(study: Mapping[str, object]) -> str:
    """The tables of a study as Markdown."""
    rows = {name: cast("list[dict[str, Any]]", study[name]) for name in ("methods", "coverage", "levels", "curve")}
    parts = [
        "# Study of methods",
        "## Accuracy and rank",
        markdown_table(_with_ranks(rows["methods"])),
        "## What could be verified",
        markdown_table(rows["coverage"]),
        "## Refuted, by what the counterexample assumes",
        markdown_table(rows["levels"]) if rows["levels"] else "No answer was refuted.",
        "## Refuted with at most K rows per table",
        markdown_table(rows["curve"]),
        "## Methods that disagree with the gold SQL",
        _spread_table(cast("Mapping[str, Mapping[str, int]]", study["disagreements"])),
        "## Cases on which most methods disagree",
        _attribution_table(cast("Mapping[str, Mapping[str, int]]", study["attributions"])),
    ]
    return "\n\n".join(parts) + "\n"


def times_page(rows: Sequence[Mapping[str, object]]) -> str:
    """The mean CPU time of each method as Markdown. Another run takes other times."""
    return f"# Mean CPU time\n\n{markdown_table(rows)}\n"


def markdown_table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows with the same keys as a Markdown table.

    >>> print(markdown_table([{"method": "a|b", "ex_test": 50.0}]))
    | method | EX-TEST % |
    |---|---|
    | a\\|b | 50.0 |
    """
    heads = list(rows[0])
    lines = [f"| {' | '.join(plain(_HEADS.get(name, name)) for name in heads)} |", "|---" * len(heads) + "|"]
    lines += [f"| {' | '.join('–' if row[name] is None else plain(row[name]) for name in heads)} |" for row in rows]
    return "\n".join(lines)


def _with_ranks(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Accuracy and rank in one cell."""
    return [
        {
            name: f"{value:.2f} ({row[f'{name}_rank']})" if f"{name}_rank" in row else value
            for name, value in row.items()
            if not name.endswith("_rank")
        }
        for row in rows
    ]


def _spread_table(found: Mapping[str, Mapping[str, int]]) -> str:
    most = max((int(methods) for each in found.values() for methods in each), default=0)
    if not most:
        return "No method disagrees."
    heads = {"search": "cases that pass EX-TEST and are refuted", "test": "cases that fail EX-TEST"}
    return markdown_table(
        [
            {"methods that disagree": number, **{head: found[kind].get(str(number), 0) for kind, head in heads.items()}}
            for number in range(1, most + 1)
        ]
    )


def _attribution_table(found: Mapping[str, Mapping[str, int]]) -> str:
    shown = {"search": "pass EX-TEST, refuted", "test": "fail EX-TEST"}
    rows = [
        {"cases": head, **{name: found[kind][name] for name in [*Attribution, "open"]}} for kind, head in shown.items()
    ]
    return markdown_table(rows) + "\n\nFill in `attributions.csv` and run the same command again to count them."
