"""`sqlassay schema`: shows, sets and removes the schema of a tenant's database."""

from __future__ import annotations

import json
import sys

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.schema_document import SchemaDocument
from service.commands.command_context import check_tenant, with_database
from service.commands.exits import answer_no
from service.commands.rules.rule_versions import shared_rules
from service.commands.rules.rules_file import load_schema_document
from service.storage.rule_store import PostgresRules, StoredSchema


def show_schema(tenant: str, *, version: int | None) -> None:
    """Prints the schema in force, or one version. Exit code 1 when the tenant has no such schema."""
    found = with_database(lambda engine: PostgresRules(engine).schema(tenant, version))
    if found is None or found.document is None:
        which = "schema" if version is None else f"schema version {version}"
        answer_no(f"tenant {tenant!r} has no {which}")
    print(f"{tenant}, version {found.version}", file=sys.stderr)
    print(json.dumps(found.document, indent=2, ensure_ascii=False))


def set_schema(tenant: str, source: str, *, author: str) -> None:
    """Stores the schema as a new version of the tenant's rules and prints the number of that version."""
    check_tenant(tenant)
    document = load_schema_document(source)
    print(with_database(lambda engine: _store(engine, tenant, document, author)).version)


def remove_schema(tenant: str, *, author: str) -> None:
    """Takes the schema away by a new version of the rules. Exit code 1 when the tenant has none."""
    if with_database(lambda engine: _remove(engine, tenant, author)) is None:
        answer_no(f"tenant {tenant!r} has no schema")


async def _store(engine: AsyncEngine, tenant: str, document: SchemaDocument | None, author: str) -> StoredSchema:
    async with shared_rules(engine) as rules:
        stored = await rules.put_schema(tenant, document, author=author)
        return StoredSchema(tenant=tenant, version=stored.version)


async def _remove(engine: AsyncEngine, tenant: str, author: str) -> StoredSchema | None:
    found = await PostgresRules(engine).schema(tenant)
    return None if found is None or found.version == 0 else await _store(engine, tenant, None, author)
