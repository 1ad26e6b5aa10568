"""The audit log: who changed labels, rules, calibrations, tokens, saved views and runs, and when, without texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.storage.database import fetch_rows, translate_errors
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
    LEARNED_RULES_PROMOTED = "learned_rules_promoted"
    """A set of learned rules came into force."""
    LEARNED_RULES_ROLLED_BACK = "learned_rules_rolled_back"
    """An older set of learned rules, or none, is in force again."""
    TOKEN_CREATED = "token_created"  # noqa: S105 the name of a change
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 the name of a change
    VIEW_SAVED = "view_saved"
    VIEW_DELETED = "view_deleted"
    RUN_STORED = "run_stored"
    """A run of a benchmark was sent."""
    RUN_DELETED = "run_deleted"


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


_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)


def act_as(actor: Actor) -> None:
    """Says who makes the changes of this task: a request, a command."""
    _acting.set(actor)


def acting() -> Actor:
    """Who makes the changes of this task; the service itself where nobody has said so."""
    return _acting.get() or Actor(name=None, via=Via.SERVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `before` and `after` hold figures and words from fixed lists, never what people wrote."""

    action: AuditAction
    tenant: str | None
    """`None` where it concerns all tenants."""
    subject: str | None = None
    """The name of what was changed: an event's id, a token's name."""
    reviewer: str | None = None
    """Whose label it is."""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    actor: Actor = field(default_factory=acting)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which changes to read; a field left out restricts nothing."""

    tenant: str | None = None
    action: AuditAction | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""
    before: int | None = None
    """Only changes older than the one with this number."""


async def audit_rows(engine: AsyncEngine, wanted: AuditFilter, limit: int) -> list[dict[str, Any]]:
    """Changes, newest first; raises `StoreUnavailable`."""
    log = AUDIT_LOG.c
    conditions: list[tuple[object, Callable[[Any], ColumnElement[bool]]]] = [
        (wanted.tenant, lambda value: log.tenant == value),
        (wanted.action, lambda value: log.action == value),
        (wanted.actor, lambda value: log.actor == value),
        (wanted.since, lambda value: log.at >= value),
        (wanted.until, lambda value: log.at < value),
        (wanted.before, lambda value: log.id < value),
    ]
    given = [condition(value) for value, condition in conditions if value is not None]
    return await fetch_rows(engine, select(AUDIT_LOG).where(*given).order_by(log.id.desc()).limit(limit))


async def forget_changes(engine: AsyncEngine, tenant: str) -> None:
    """Deletes the tenant's rows of the audit log."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(delete(AUDIT_LOG).where(AUDIT_LOG.c.tenant == tenant))
