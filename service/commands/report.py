"""`sqlassay report`: prints the paper's Table 4 from the stored rows."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime

from service.commands.command_context import with_database
from service.commands.exits import answer_no, refuse
from service.commands.options import ReportOptions
from service.commands.rendering.report_tables import report_table
from service.commands.rendering.terminal import print_to_terminal
from service.storage.scores.estimated_reports import estimated_report
from service.storage.sums.reading import AnswerScope, Period

GROUPS = ("agent", "agent_version")


def report(options: ReportOptions) -> None:
    """Prints a row for each tenant and agent (and version). Exit code 1 when no answers match."""
    if options.by not in GROUPS:
        refuse(f"--by {options.by!r}: one of {', '.join(GROUPS)}")
    if options.every not in (None, *Period):
        refuse(f"--every {options.every!r}: one of {', '.join(Period)}")
    period = Period(options.every) if options.every is not None else None
    since, until = parse_time("--since", options.since), parse_time("--until", options.until)
    wanted, by_version = (
        AnswerScope(tenant=options.tenant, since=since, until=until),
        options.by == "agent_version",
    )
    found = with_database(lambda engine: estimated_report(engine, wanted, by_version=by_version, period=period))
    rows = [asdict(row) for row in found]
    for row in rows:
        row["period"] = row["period"] and row["period"].date().isoformat()
    if options.as_json or not sys.stdout.isatty():
        print(json.dumps(rows))
    elif rows:
        print_to_terminal(report_table(rows))
    if not rows:
        answer_no("no stored answers match")


def parse_time(option: str, text: str | None) -> datetime | None:
    """Parses an ISO 8601 time. A time without a zone is UTC."""
    return None if text is None else read_time(option, text)


def read_time(option: str, text: str) -> datetime:
    """Parses an ISO 8601 time, UTC without a zone. Ends the command for another text."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        refuse(f"{option} {text!r} is not an ISO 8601 time such as 2026-11-02 or 2026-11-02T09:30:00Z")
    return read if read.tzinfo else read.replace(tzinfo=UTC)
