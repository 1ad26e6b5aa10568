"""Notes in the audit log what a person changed in the console."""

from __future__ import annotations

from service.api.caller import Caller
from service.pipeline.running import Service
from service.storage.audit import Actor, AuditAction, Change, Via, note_change
from service.storage.database import translate_errors
from service.storage.rule_store import StoredRules


async def note_rules(
    service: Service, caller: Caller, action: AuditAction, before: StoredRules, after: StoredRules
) -> None:
    """Notes a new version of a tenant's rules; raises `StoreUnavailable`."""
    change = Change(
        actor=Actor(name=caller.name, via=Via.CONSOLE),
        action=action,
        tenant=after.tenant,
        before=_versions(before),
        after=_versions(after),
    )
    with translate_errors(service.engine.url):
        async with service.engine.begin() as connection:
            await note_change(connection, change)


def _versions(rules: StoredRules) -> dict[str, int | None]:
    return {"version": rules.version, "calibration": rules.calibration_version}
