"""`sqlassay audit`: prints who changed labels, rules, schemas, calibrations and tokens, and when."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import orjson

from service.commands.command_context import with_database
from service.commands.exits import answer_no, refuse
from service.commands.options import AuditOptions
from service.commands.rendering.terminal import one_line
from service.commands.report import parse_time
from service.storage.audit import AuditAction, AuditFilter, audit_rows


def list_changes(options: AuditOptions) -> None:
    """Prints changes, newest first, one a line. Exit code 1 when none match."""
    wanted = AuditFilter(
        tenant=options.tenant,
        action=_action(options.action),
        since=parse_time("--since", options.since),
        until=parse_time("--until", options.until),
    )
    found = with_database(lambda engine: audit_rows(engine, wanted, options.most))
    for each in found:
        readable = sys.stdout.isatty() and not options.as_json
        print(_line(each) if readable else orjson.dumps(each, option=orjson.OPT_UTC_Z).decode())
    if not found:
        answer_no("no changes in the audit log match")


def _action(text: str | None) -> AuditAction | None:
    if text is None:
        return None
    try:
        return AuditAction(text)
    except ValueError:
        refuse(f"--action {text!r} is not one of {', '.join(AuditAction)}")


def _line(row: Mapping[str, Any]) -> str:
    parts = (
        f"{row['at'].astimezone(UTC):%Y-%m-%d %H:%M:%SZ}",
        "all tenants" if row["tenant"] is None else f"tenant {row['tenant']}",
        row["action"],
        row["subject"],
        None if row["reviewer"] is None else f"label of {row['reviewer']}",
        f"by {row['actor'] or 'nobody who has a name'} ({row['via']})",
        *(f"{name} {json.dumps(row[name])}" for name in ("before", "after") if row[name] is not None),
    )
    return one_line(", ".join(each for each in parts if each))
