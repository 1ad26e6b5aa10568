"""What the audit log says of a new version of a tenant's rules: numbers of versions and names of fields, no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.storage.audit import AuditAction, Change, acting

_CALIBRATION, _SCHEMA, _LEARNED = "calibration_version", "schema_version", "learned_version"


def rules_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> Change:
    """The change from one version to the next.

    >>> old = {"version": 1, "calibration_version": 2, "schema_version": None, "document": {"lambda_min": 5}}
    >>> change = rules_change(old, {**old, "tenant": "a", "author": "ann", "version": 2, "calibration_version": 1})
    >>> change.action.value, change.before["calibration_version"], change.after["calibration_version"]
    ('calibration_rolled_back', 2, 1)
    """
    changed = sorted(name for name in _names(before, after) if before["document"].get(name) != _of(after, name))
    actor = acting()
    return Change(
        action=_action(before, after),
        tenant=after["tenant"],
        before=_versions(before),
        after=_versions(after) | {"changed": changed},
        actor=actor if actor.name is not None else replace(actor, name=after["author"]),
    )


def _action(before: Mapping[str, Any], after: Mapping[str, Any]) -> AuditAction:
    if before.get(_CALIBRATION) != after.get(_CALIBRATION):
        later = _is_later(before, after, _CALIBRATION)
        return AuditAction.CALIBRATION_PROMOTED if later else AuditAction.CALIBRATION_ROLLED_BACK
    if before["document"] != after["document"]:
        return AuditAction.RULES_STORED
    if before.get(_SCHEMA) != after.get(_SCHEMA):
        return AuditAction.SCHEMA_REMOVED if after[_SCHEMA] is None else AuditAction.SCHEMA_STORED
    if before.get(_LEARNED) != after.get(_LEARNED):
        later = _is_later(before, after, _LEARNED)
        return AuditAction.LEARNED_RULES_PROMOTED if later else AuditAction.LEARNED_RULES_ROLLED_BACK
    return AuditAction.RULES_STORED


def _is_later(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    old, new = before.get(name), after.get(name)
    return new is not None and (old is None or new > old)


def _names(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    return {*before["document"], *after["document"]}


def _of(version: Mapping[str, Any], name: str) -> object:
    return version["document"].get(name)


def _versions(version: Mapping[str, Any]) -> dict[str, object]:
    return {name: value for name, value in version.items() if name.endswith("version")}
