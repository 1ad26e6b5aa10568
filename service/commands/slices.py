"""`sqlassay slices`: prints where agents lose most right answers, and what got worse."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.counts import SliceKind
from service.commands.command_context import with_database
from service.commands.exits import answer_no, give_up, refuse
from service.commands.options import SlicesOptions
from service.commands.rendering.report_tables import interval_text
from service.commands.rendering.terminal import one_line, print_to_terminal
from service.commands.report import parse_time
from service.storage.slices.answer_slices import SlicesTooSlow
from service.storage.slices.slice_lines import changed_slice_line, slice_line
from service.storage.slices.slice_reports import EmptyPeriod, changed_slices, compared_periods, slice_report
from service.storage.sums.reading import AnswerScope

Line = Mapping[str, Any]


def slices(options: SlicesOptions) -> None:
    """Prints the slices, most right answers lost first. Exit code 1 when there are none."""
    if options.kind not in (None, *SliceKind):
        refuse(f"--kind {options.kind!r}: one of {', '.join(SliceKind)}")
    wanted = AnswerScope(
        tenant=options.tenant,
        agent=options.agent,
        since=parse_time("--since", options.since),
        until=parse_time("--until", options.until),
    )
    try:
        found = with_database(lambda engine: _lines(engine, wanted, changes=options.changes))
    except EmptyPeriod as error:
        refuse(f"--since and --until: {error}")
    except SlicesTooSlow as error:
        give_up(f"{error}: give --tenant, --agent or a shorter time")
    lines = [each for each in found if options.kind in {None, each["kind"]}][: options.most]
    if options.as_json or not sys.stdout.isatty():
        print(json.dumps(lines))
    elif lines:
        print_to_terminal(_table(lines))
    if not lines:
        answer_no("no slice of the stored answers has enough questions")


async def _lines(engine: AsyncEngine, wanted: AnswerScope, *, changes: bool) -> list[Line]:
    if changes:
        changed = await changed_slices(engine, await compared_periods(engine, wanted, datetime.now(UTC)))
        return [changed_slice_line(each) for each in changed.report.slices]
    _, report = await slice_report(engine, wanted)
    return [slice_line(each) for each in report.slices]


def _table(lines: Sequence[Line]) -> Table:
    """A row for each slice; those that are surely worse are bold."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("tenant", "agent", "kind", "slice"):
        table.add_column(name)
    for name in ("answers", "wrong", "against", "lost", "p adjusted"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        names = (line["tenant"], line["agent"], line["kind"], line["value"])
        against = line["before"]["wrong_share"] if "before" in line else line["agent_share"]
        figures = (
            str(line["answers"]),
            interval_text(line["low"], line["high"]) if "low" in line else f"{line['wrong_share']:.0%}",
            f"{against:.0%}",
            f"{line['lost']:.1f}",
            f"{line['adjusted']:.3f}",
        )
        table.add_row(
            *(Text(one_line(str(each), 60)) for each in names), *figures, style="bold" if line["sure"] else None
        )
    return table
