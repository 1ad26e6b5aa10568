"""The page of the audit log: who changed what, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from service.api.access import ConsoleAdministrator, RunningService
from service.api.evaluations import Name
from service.console.forms import RANGES, BrowserForm
from service.console.rendering import page
from service.console.spelling import spelled
from service.storage.audit import AuditAction, AuditFilter, audit_rows

router = APIRouter(include_in_schema=False)
PATH = "/console/audit"
_ROWS = 50
ACTION_WORDS: Mapping[AuditAction, str] = {
    AuditAction.LABEL_STORED: "stored a label",
    AuditAction.LABEL_WITHDRAWN: "withdrew a label",
    AuditAction.RULES_STORED: "stored rules",
    AuditAction.SCHEMA_STORED: "stored a schema",
    AuditAction.SCHEMA_REMOVED: "removed a schema",
    AuditAction.CALIBRATION_PROMOTED: "put a calibration in force",
    AuditAction.CALIBRATION_ROLLED_BACK: "rolled a calibration back",
    AuditAction.LEARNED_RULES_PROMOTED: "put learned rules in force",
    AuditAction.LEARNED_RULES_ROLLED_BACK: "rolled learned rules back",
    AuditAction.TOKEN_CREATED: "created a token",
    AuditAction.TOKEN_REVOKED: "revoked a token",
    AuditAction.VIEW_SAVED: "saved a view",
    AuditAction.VIEW_DELETED: "deleted a view",
    AuditAction.RUN_STORED: "stored a run of a benchmark",
    AuditAction.RUN_DELETED: "deleted a run of a benchmark",
}
_OF_RULES = frozenset(
    {
        *(AuditAction.RULES_STORED, AuditAction.SCHEMA_STORED, AuditAction.SCHEMA_REMOVED),
        *(AuditAction.CALIBRATION_PROMOTED, AuditAction.CALIBRATION_ROLLED_BACK),
        *(AuditAction.LEARNED_RULES_PROMOTED, AuditAction.LEARNED_RULES_ROLLED_BACK),
    }
)
"""Changes that made a new version of a tenant's rules."""


class AuditForm(BrowserForm):
    """The form above the changes."""

    action: AuditAction | None = None
    actor: Name | None = None
    cursor: Annotated[str, Field(pattern=r"^[0-9]{1,18}$")] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChange:
    """One entry as the page shows it."""

    row: Mapping[str, Any]
    words: str
    details: list[tuple[str, str, str]]
    """The name of each figure that differs, with its value before and after."""
    version: int | None
    """The version of the rules that it made."""


@router.get(PATH)
async def show_changes(
    query: Annotated[AuditForm, Query()], service: RunningService, administrator: ConsoleAdministrator
) -> Response:
    """Shows the changes, newest first. The token of one tenant sees the changes of that tenant only."""
    form, suggestions = await spelled(query, service.engine, administrator)
    scope = form.at(datetime.now(UTC)).wanted(administrator)
    wanted = AuditFilter(
        tenant=scope.tenant,
        action=form.action,
        actor=form.actor,
        since=scope.since,
        until=scope.until,
        before=int(form.cursor) if form.cursor is not None else None,
    )
    rows = await audit_rows(service.engine, wanted, _ROWS + 1)
    shown = {
        "title": "Audit log",
        "changes": [_shown(row) for row in rows[:_ROWS]],
        "next_cursor": str(rows[_ROWS - 1]["id"]) if len(rows) > _ROWS else None,
        "actions": [(each.value, words) for each, words in ACTION_WORDS.items()],
        "given": form.given(),
        "ranges": RANGES,
        "suggestions": suggestions,
    }
    return page("audit.html", shown, carried=form.carried())


def _shown(row: Mapping[str, Any]) -> ShownChange:
    known = row["action"] in set(AuditAction)
    after: Mapping[str, Any] = row["after"] or {}
    version = after.get("version")
    return ShownChange(
        row=row,
        words=ACTION_WORDS[AuditAction(row["action"])] if known else row["action"],
        details=_differences(row["before"] or {}, after),
        version=version if isinstance(version, int) and row["action"] in _OF_RULES else None,
    )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What differs, as text.

    >>> _differences({"version": 1, "blind": True}, {"version": 2, "changed": ["tiers"], "blind": True})
    [('changed', '', 'tiers'), ('version', '1', '2')]
    """
    names = sorted({*before, *after})
    return [
        (name.replace("_", " "), _text(before.get(name)), _text(after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return str(value)
