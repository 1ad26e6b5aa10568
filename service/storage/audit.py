"""The audit log: who changed labels, rules, calibrations and tokens, and when. It holds no texts and no secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.storage.tables import AUDIT_LOG


class AuditAction(StrEnum):
    """What was changed."""

    LABEL_STORED = "label_stored"
    LABEL_WITHDRAWN = "label_withdrawn"
    RULES_STORED = "rules_stored"
    SCHEMA_STORED = "schema_stored"
    SCHEMA_REMOVED = "schema_removed"
    CALIBRATION_PROMOTED = "calibration_promoted"
    """A calibration came into force."""
    CALIBRATION_ROLLED_BACK = "calibration_rolled_back"
    """The calibration before it, or none, is in force again."""
    TOKEN_CREATED = "token_created"  # noqa: S105 the name of a change
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 the name of a change


class Via(StrEnum):
    """The way by which a change came."""

    API = "api"
    CONSOLE = "console"
    COMMAND = "command"
    STREAM = "stream"
    SERVICE = "service"
    """The service itself, such as an automatic calibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who makes a change."""

    name: str | None
    """The name of the token, of the person who is logged in, or of the account that runs a command."""
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `before` and `after` hold figures and words from fixed lists, never what people wrote."""

    actor: Actor
    action: AuditAction
    tenant: str | None
    """`None` where it concerns all tenants."""
    subject: str | None = None
    """The name of what was changed: an event's id, a token's name."""
    reviewer: str | None = None
    """Whose label it is."""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None


async def note_change(connection: AsyncConnection, *changes: Change) -> None:
    """Adds changes to the audit log, in the transaction that makes them."""
    if changes:
        await connection.execute(insert(AUDIT_LOG), _rows(changes))


def _rows(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {
            "tenant": each.tenant,
            "actor": each.actor.name,
            "via": each.actor.via.value,
            "action": each.action.value,
            "subject": each.subject,
            "reviewer": each.reviewer,
            "before": each.before,
            "after": each.after,
        }
        for each in changes
    ]
