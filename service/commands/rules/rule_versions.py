"""`sqlassay rules`: shows and sets a tenant's versioned rules."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.rules_document import RulesDocument
from service.commands.command_context import check_tenant, settings, with_database
from service.commands.exits import answer_no
from service.commands.rules.rules_file import load_rules
from service.redis.link import open_redis
from service.redis.rule_cache import RuleBook, open_rules
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


async def _store(engine: AsyncEngine, tenant: str, document: RulesDocument, author: str) -> StoredRules:
    async with shared_rules(engine) as rules:
        return await rules.put(tenant, document, author=author)


@asynccontextmanager
async def shared_rules(engine: AsyncEngine) -> AsyncGenerator[RuleBook]:
    """The tenants' rules. All running processes are told of a change."""
    async with open_redis(settings().redis) as link, open_rules(engine, link) as rules:
        yield rules
