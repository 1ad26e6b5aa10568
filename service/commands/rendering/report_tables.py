"""The report, the worst answers and the figures of a bench as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import cast

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from scoring.rules import Tier, TierBounds
from service.commands.rendering.terminal import one_line


def bench_table(figures: Mapping[str, object]) -> RenderableType:
    """The time per event by stage."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("stage")
    table.add_column("µs per event", justify="right")
    micros = cast("Mapping[str, float]", figures["micros_per_event"])
    for stage, spent in micros.items():
        table.add_row(stage, f"{spent:.1f}", style="dim" if stage.startswith(("parse", "decode", "memory")) else None)
    table.add_row("event (all but decode, memory and the parses)", f"{figures['micros_event']:.1f}", style="bold")
    build = "compiled" if figures["compiled_sqlglot"] else "pure Python"
    summary = (
        f"{figures['events_per_second']:,.0f} events/s on one core;"
        f" an event costs {figures['parses_per_event']:.2f} bare parses of text met for the first time,"
        f" {figures['parses_again_per_event']:.2f} of text just parsed;"
        f" memory adds {figures['memory_share']:.1%}"
        f" ({build} sqlglot, {figures['events']} distinct SQL, cold caches, median of {figures['rounds']} rounds)"
    )
    return Group(table, Text(""), Text(summary))


def report_table(rows: Sequence[Mapping[str, object]]) -> RenderableType:
    """The paper's Table 4, with the raw mean of p_correct, the share judged wrong and the estimated share right.

    `rows` are `EstimatedRow` as plain data.
    """
    by_version = any(row["agent_version"] is not None for row in rows)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0)
    by_period = any(row.get("period") is not None for row in rows)
    for name in ("tenant", "agent", *(["version"] if by_version else []), *(["from"] if by_period else [])):
        table.add_column(name)
    for name in ("answers", "Φ mean", "P90", "cover", "raw", "wrong", "right", "90 %", "labels", "±5 pts"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            *_who(row, by_version=by_version, by_period=by_period),
            str(row["received"]),
            _figure(row["mean"], ".1f"),
            _figure(row["p90"], ".0f"),
            _figure(row["coverage"], ".0%"),
            _figure(row["mean_p_correct"], ".2f"),
            _figure(row["judged_wrong"], ".0%"),
            _figure(row["estimate"], ".0%"),
            _interval(row),
            str(row["labels"] or "none"),
            f"+{row['more_labels']}" if row["more_labels"] else "",
        )
    return Group(table, *(Text(note, style="dim") for note in _notes(rows)))


def _notes(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    yield tier_legend()
    if any(row["estimate"] is None and row["received"] for row in rows):
        yield "right –: not measured yet, label 30 answers of the agent"
    if any(row["more_labels"] for row in rows):
        yield "±5 pts: more labels that narrow the interval to 5 points on each side"


def tier_legend() -> str:
    """The tiers of a score and what to do at each (STEF, Table 3), with the bounds of a tenant that set none.

    >>> print(tier_legend().splitlines()[-1])
    Φ below 50, poor: review it at once
    """
    bounds = TierBounds()
    lowest = {Tier.EXCELLENT: bounds.excellent, Tier.GOOD: bounds.good, Tier.MARGINAL: bounds.marginal}
    lines = [f"Φ from {bound:.0f}, {tier.value}: {tier.action}" for tier, bound in lowest.items()]
    return "\n".join([*lines, f"Φ below {bounds.marginal:.0f}, {Tier.POOR.value}: {Tier.POOR.action}"])


def _who(row: Mapping[str, object], *, by_version: bool, by_period: bool) -> list[Text]:
    """The cells of a row that say whose answers they are."""
    who = [row["tenant"], row["agent"]]
    who += [row["agent_version"] or ""] if by_version else []
    who += [row["period"]] if by_period else []
    return [Text(one_line(str(each), 40)) for each in who]


def _interval(row: Mapping[str, object]) -> str:
    return "–" if row["estimate"] is None else interval_text(row["low"], row["high"])


def estimate_table(rows: Sequence[Mapping[str, object]], level: float) -> RenderableType:
    """The share of right answers of each group, beside the raw mean of the scores."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("group")
    for name in ("answers", "labels", "verdicts", "raw", "right", f"{level:.0%} interval", "to ±5 points"):
        table.add_column(name, justify="right")
    table.add_column("method")
    for row in rows:
        table.add_row(
            Text(one_line(str(row["group"]), 60)),
            *(str(row[name]) for name in ("answers", "labels", "verdicts")),
            _figure(row["raw"], ".2f"),
            _figure(row["estimate"], ".1%"),
            _interval(row),
            more_text(row),
            str(row["method"]),
        )
    return table


def more_text(row: Mapping[str, object]) -> str:
    """How many more labels alone, or calls of a model alone, narrow an interval to ±5 points.

    >>> more_text({"more_labels": 20, "more_calls": 300}), more_text({"more_labels": 0, "more_calls": 0})
    ('20 labels or 300 calls', '')
    """
    found = [f"{row[name]} {name[5:]}" for name in ("more_labels", "more_calls") if row.get(name)]
    return " or ".join(found)


def interval_text(low: object, high: object) -> str:
    """An interval of shares, in whole percents outwards.

    >>> interval_text(0.6149, 0.8)
    '61–80%'
    """
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return "–"
    return f"{floor(low * 100 + 1e-6)}–{ceil(high * 100 - 1e-6)}%"


def _figure(value: object, how: str) -> str:
    return format(value, how) if isinstance(value, int | float) else "–"


def worst_answers(evaluations: Sequence[Mapping[str, object]]) -> RenderableType:
    """Stored answers, worst first, each with the reasons that count against it."""
    parts: list[RenderableType] = [Text(""), Text("Worst answers, by p_correct", style="bold")]
    for each in evaluations:
        head = (
            f"{each['tenant']} · {each['agent']} · p_correct {_figure(each['p_correct'], '.2f')} · "
            f"Φ {_figure(each['score'], '.2f')} · {each['verdict']}"
        )
        grid = Table.grid(padding=(0, 0, 0, 2))
        grid.add_row(Text(one_line(str(each["question"]), 200), style="bold"))
        grid.add_row(Text(one_line(str(each["sql"]), 300), style="cyan"))
        for reason in _against(each):
            grid.add_row(Text(f"{reason['weight']:+.2f} {reason['code']}: {one_line(str(reason['detail']), 160)}"))
        parts += [Text(""), Text(one_line(head), style="red"), grid]
    return Group(*parts)


def _against(evaluation: Mapping[str, object]) -> list[Mapping[str, object]]:
    record = cast("Mapping[str, object]", evaluation["record"])
    given = cast("Sequence[Mapping[str, object]]", record["reasons"])
    return [reason for reason in given if cast("float", reason["weight"]) <= 0][:3]
