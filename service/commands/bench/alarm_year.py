"""`sqlassay bench year`: what pages in a year of healthy agents, and how soon bad ones are found."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from rich.table import Table

from evals.alarms.year_figures import CANARIES, LABELS_A_WEEK, YearFigures, year_figures
from service.commands.rendering.terminal import print_to_terminal


def bench_year(*, seed: int, scale: float, as_json: bool) -> None:
    """Prints the figures: tables on a terminal, JSON elsewhere."""
    figures = year_figures(seed=seed, scale=scale)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(asdict(figures)))
    else:
        print_to_terminal(_healthy(figures), _labelled(figures), _found(figures), _new_agents(figures))


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title)
    for head in heads:
        table.add_column(head, justify="right")
    return table


def _healthy(figures: YearFigures) -> Table:
    heads = ("answers an hour", "right", "agent-years", "pages", "pages a year", "window tickets a year", "of no use")
    table = _table("Healthy agents", *heads)
    for row in figures.healthy:
        counted = (str(row.pages), f"{row.pages_a_year:g}", str(row.window_tickets_a_year), str(row.unusable_pages))
        table.add_row(f"{row.an_hour:g}", f"{row.right:.0%}", f"{row.agent_years:g}", *counted)
    return table


def _labelled(figures: YearFigures) -> Table:
    heads = ("right", "years of labels", "pages", "years of canaries", "pages")
    table = _table(f"Healthy agents with {LABELS_A_WEEK} labels a week and {CANARIES} canaries a day", *heads)
    for row in figures.labelled:
        numbers = (row.label_years, row.label_pages, row.canary_years, row.canary_pages)
        table.add_row(f"{row.right:.0%}", *map(str, numbers))
    return table


def _found(figures: YearFigures) -> Table:
    heads = ("answers an hour", "right before", "right now", "alarm", "answers, median", "90 of 100", "hours")
    table = _table("Answers until an agent is found", *heads)
    for row in figures.found:
        before = "new" if row.before is None else f"{row.before:.0%}"
        late = ("never" if number is None else f"{number:g}" for number in (row.median, row.p90, row.hours))
        table.add_row(f"{row.an_hour:g}", before, f"{row.after:.0%}", row.alarm, *late)
    return table


def _new_agents(figures: YearFigures) -> Table:
    heads = ("alarm", "what the judge knows", "bound", "right", "answers, median", "90 of 100")
    table = _table("Answers until a new agent is found", *heads)
    for row in figures.new_agents:
        late = ("never" if number is None else f"{number:g}" for number in (row.median, row.p90))
        table.add_row(row.alarm, row.knows, f"{row.bound:g}", f"{row.right:.0%}", *late)
    return table
