"""`sqlassay bench alarms`: how often an agent's alarm is false and how late a true one is."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from evals.alarms.bench_figures import FALLS, AlarmFigures, measured
from service.commands.exits import refuse
from service.commands.rendering.terminal import print_to_terminal


def bench_alarms(*, right: float, pasts: Sequence[int], seed: int, as_json: bool) -> None:
    """Prints the figures: tables on a terminal, JSON elsewhere."""
    if right <= max(FALLS):
        refuse(f"--right {right:g} leaves no room for a fall of {max(FALLS):.0%}: give more than {max(FALLS):g}")
    figures = measured(right=right, pasts=pasts, seed=seed)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(asdict(figures)))
    else:
        print_to_terminal(*_tables(figures))


def _tables(figures: AlarmFigures) -> tuple[Table, Table, Table]:
    return _false_alarms(figures), _sessions(figures), _delays(figures)


def _false_alarms(figures: AlarmFigures) -> Table:
    false = Table(title=f"False alarms of agents of which {figures.right:.0%} of the answers are right")
    for head in ("answers a day", "agent-years", "false alarms", "a year"):
        false.add_column(head, justify="right")
    for row in figures.false_alarms:
        false.add_row(
            f"{row.answers_a_day:g}",
            f"{row.agent_years:g}",
            str(row.false_alarms),
            f"{row.per_agent_year:g}",
        )
    return false


def _sessions(figures: AlarmFigures) -> Table:
    false = Table(title="False alarms where the answers of a session are good or bad together")
    for head in ("answers a day", "apart", "past", "agent-years", "false alarms", "a year"):
        false.add_column(head, justify="right")
    for row in figures.sessions:
        false.add_row(
            f"{row.answers_a_day:g}",
            f"± {row.apart:.0%}",
            f"{row.past:,}",
            f"{row.agent_years:g}",
            str(row.false_alarms),
            f"{row.per_agent_year:g}",
        )
    return false


def _delays(figures: AlarmFigures) -> Table:
    late = Table(title="Answers from a fall to the alarm")
    for head in (
        "a day",
        "fall",
        "past",
        "theory",
        "with this past",
        "median",
        "p90",
        "days",
        "ratio",
        "ratio to that",
    ):
        late.add_column(head, justify="right")
    for each in figures.delays:
        late.add_row(
            f"{each.answers_a_day:g}",
            f"{each.fall:.0%}",
            f"{each.past:,}",
            f"{each.theory:g}",
            _cell(each.theory_with_past, "none"),
            *(_cell(number) for number in (each.median, each.p90, each.median_days, each.ratio)),
            _cell(each.ratio_with_past, ""),
        )
    return late


def _cell(number: float | None, otherwise: str = "never") -> str:
    return otherwise if number is None else f"{number:g}"
