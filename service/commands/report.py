"""`sqlassay report`: the paper's Table 4, from the stored rows."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime

from service.commands.exits import Exit, refuse
from service.commands.rendering import print_to_terminal, report_table
from service.commands.stored import with_database
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.reports import report as stored_report

GROUPS = ("agent", "agent_version")


def report(*, tenant: str | None, by: str, since: str | None, until: str | None, as_json: bool) -> None:
    """Prints a row for each tenant and agent (and version); exit code 1 when nothing is stored for them."""
    if by not in GROUPS:
        refuse(f"--by {by!r}: one of {', '.join(GROUPS)}")
    wanted = EvaluationFilter(tenant=tenant, since=moment("--since", since), until=moment("--until", until))
    found = with_database(lambda engine: stored_report(engine, wanted, by_version=by == "agent_version"))
    rows = [asdict(row) for row in found]
    if as_json or not sys.stdout.isatty():
        print(json.dumps(rows))
    elif rows:
        print_to_terminal(report_table(rows))
    if not rows:
        print("sqlassay: no answers are stored for that", file=sys.stderr)
        raise SystemExit(int(Exit.NO))


def moment(option: str, text: str | None) -> datetime | None:
    """An ISO 8601 time; UTC where it says no zone."""
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        refuse(f"{option} {text!r} is no ISO 8601 time, such as 2026-11-02 or 2026-11-02T09:30:00Z")
    return read if read.tzinfo else read.replace(tzinfo=UTC)
