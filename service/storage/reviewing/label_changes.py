"""Notes in the audit log which labels were stored: who said what, and what the reviewer had said before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from service.storage.audit import Actor, AuditAction, Change
from service.storage.tables import LABELS

PRIMARY_KEY = ("tenant", "source", "event_id", "reviewer")
_SAID = ("label", "error_type", "note", "correction", "blind")
_Key = tuple[Any, ...]


async def labels_before(connection: AsyncConnection, keys: Sequence[_Key]) -> dict[_Key, Mapping[str, Any]]:
    """The stored labels with these primary keys."""
    names = [LABELS.c[name] for name in PRIMARY_KEY]
    columns: list[Any] = [*names, *(LABELS.c[name] for name in _SAID)]
    rows = (await connection.execute(select(*columns).where(tuple_(*names).in_(keys)))).mappings()
    return {tuple(row[name] for name in PRIMARY_KEY): dict(row) for row in rows}


def stored_changes(
    before: Mapping[_Key, Mapping[str, Any]], after: Iterable[Mapping[str, Any]], actor: Actor
) -> list[Change]:
    """What storing the labels `after` changed: nothing where the reviewer had said the same."""
    changes: list[Change] = []
    for row in after:
        key = tuple(row[name] for name in PRIMARY_KEY)
        old = before.get(key)
        if old is None or any(old[name] != row[name] for name in _SAID):
            changes.append(_change(AuditAction.LABEL_STORED, row, actor, before=figures(old), after=figures(row)))
    return changes


def withdrawn_change(row: Mapping[str, Any], actor: Actor) -> Change:
    """That this label was withdrawn."""
    return _change(AuditAction.LABEL_WITHDRAWN, row, actor, before=figures(row), after=None)


def figures(label: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What of a label is no text.

    >>> figures({"label": "wrong", "error_type": None, "note": "secret", "blind": True})
    {'label': 'wrong', 'blind': True}
    """
    named = ("label", "error_type", "blind")
    return None if label is None else {name: label[name] for name in named if label[name] is not None}


def _change(action: AuditAction, row: Mapping[str, Any], actor: Actor, **values: dict[str, Any] | None) -> Change:
    return Change(
        actor=actor, action=action, tenant=row["tenant"], subject=row["event_id"], reviewer=row["reviewer"], **values
    )
