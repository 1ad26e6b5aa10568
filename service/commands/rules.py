"""`sqlassay rules`: a tenant's versioned rules, shown and set."""

from __future__ import annotations

import json
import sys

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.events import RulesDocument, is_name
from service.commands.exits import Exit, refuse
from service.commands.rules_file import load_rules
from service.commands.stored import settings, with_database
from service.redis.link import open_redis
from service.redis.rule_cache import open_rules
from service.storage.rule_store import PostgresRules, StoredRules


def show(tenant: str, *, version: int | None, as_json: bool) -> None:
    """Prints one version of a tenant's rules; exit code 1 when there is no such version of its own."""
    found = with_database(
        lambda engine: (
            PostgresRules(engine).current(tenant) if version is None else PostgresRules(engine).version(tenant, version)
        )
    )
    if found is None or found.version == 0:
        which = "rules of its own; the defaults apply" if version is None else f"rules version {version}"
        print(f"sqlassay: tenant {tenant!r} has no {which}", file=sys.stderr)
        raise SystemExit(int(Exit.NO))
    if as_json:
        print(json.dumps(described(found)))
        return
    print(f"{tenant}, version {found.version}", file=sys.stderr)
    print(json.dumps(dict(found.document), indent=2, ensure_ascii=False))


def described(stored: StoredRules) -> dict[str, object]:
    """A version with who made it and when."""
    return {
        "tenant": stored.tenant,
        "version": stored.version,
        "author": stored.author,
        "created_at": stored.created_at.isoformat() if stored.created_at else None,
        "rules": dict(stored.document),
    }


def put(tenant: str, source: str, *, author: str) -> None:
    """Stores the document as the tenant's next version and prints its number."""
    if not is_name(tenant):
        refuse(
            f"{tenant!r} is no tenant's name: at most 128 characters, none of them control or *, no space at the end"
        )
    document = load_rules(source)
    print(with_database(lambda engine: _store(engine, tenant, document, author)).version)


async def _store(engine: AsyncEngine, tenant: str, document: RulesDocument, author: str) -> StoredRules:
    async with open_redis(settings().redis) as link, open_rules(engine, link) as rules:
        return await rules.put(tenant, document, author=author)
