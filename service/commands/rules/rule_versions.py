"""`sqlassay rules`: shows and sets a tenant's versioned rules."""

from __future__ import annotations

import json
import sys

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.rules_document import RulesDocument
from consumers.wire.tenants import TENANT_RULE, is_tenant
from service.commands.command_context import settings, with_database
from service.commands.exits import answer_no, refuse
from service.commands.rules.rules_file import load_rules
from service.redis.link import open_redis
from service.redis.rule_cache import open_rules
from service.storage.rule_store import PostgresRules, StoredRules


def show_rules(tenant: str, *, version: int | None, as_json: bool) -> None:
    """Prints one version of a tenant's rules. Exit code 1 when the tenant has no such version."""
    found = with_database(
        lambda engine: (
            PostgresRules(engine).current(tenant) if version is None else PostgresRules(engine).version(tenant, version)
        )
    )
    if found is None or found.version == 0:
        which = "rules of its own; the defaults apply" if version is None else f"rules version {version}"
        answer_no(f"tenant {tenant!r} has no {which}")
    if as_json:
        print(json.dumps(_document(found)))
        return
    print(f"{tenant}, version {found.version}", file=sys.stderr)
    print(json.dumps(dict(found.document), indent=2, ensure_ascii=False))


def _document(stored: StoredRules) -> dict[str, object]:
    return {
        "tenant": stored.tenant,
        "version": stored.version,
        "author": stored.author,
        "created_at": stored.created_at.isoformat() if stored.created_at else None,
        "rules": dict(stored.document),
    }


def set_rules(tenant: str, source: str, *, author: str) -> None:
    """Stores the document as the tenant's next version and prints its number."""
    check_tenant(tenant)
    document = load_rules(source)
    print(with_database(lambda engine: _store(engine, tenant, document, author)).version)


def check_tenant(tenant: str) -> None:
    """Ends the command when the name cannot be a tenant's."""
    if not is_tenant(tenant):
        refuse(f"{tenant!r} cannot be a tenant: {TENANT_RULE}")


async def _store(engine: AsyncEngine, tenant: str, document: RulesDocument, author: str) -> StoredRules:
    async with open_redis(settings().redis) as link, open_rules(engine, link) as rules:
        return await rules.put(tenant, document, author=author)
