"""Replaces the name of a reviewer in every table that holds it."""

from __future__ import annotations

import uuid

from sqlalchemy import ColumnElement, and_, any_, func, literal, update
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import translate_errors
from service.storage.forgetting import count_where
from service.storage.tables import (
    AUDIT_LOG,
    LABELS,
    PAST_LABELS,
    REVIEW_ITEMS,
    TENANT_LEARNED_RULES,
    TENANT_RULES,
)


async def forget_reviewer(engine: AsyncEngine, tenant: str, reviewer: str) -> tuple[int, int]:
    """Replaces a reviewer's name by one that says nothing; returns how many labels and versions of rules had it."""
    nobody = f"forgotten-{uuid.uuid4().hex[:12]}"
    of_label, of_rules = _by(tenant, reviewer)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            labels = await connection.execute(update(LABELS).where(of_label).values(reviewer=nobody))
            for table in (REVIEW_ITEMS, PAST_LABELS):
                named = and_(table.c.tenant == tenant, table.c.reviewer == reviewer)
                await connection.execute(update(table).where(named).values(reviewer=nobody))
            skipped = REVIEW_ITEMS.c.skipped_by
            await connection.execute(
                update(REVIEW_ITEMS)
                .where(REVIEW_ITEMS.c.tenant == tenant, literal(reviewer) == any_(skipped))
                .values(skipped_by=func.array_replace(skipped, reviewer, nobody))
            )
            rules = await connection.execute(update(TENANT_RULES).where(of_rules).values(author=nobody))
            for name in (AUDIT_LOG.c.reviewer, AUDIT_LOG.c.actor):
                noted = update(AUDIT_LOG).where(AUDIT_LOG.c.tenant == tenant, name == reviewer)
                await connection.execute(noted.values({name: nobody}))
            learned = TENANT_LEARNED_RULES.c
            of_learned = and_(learned.tenant == tenant, learned.author == reviewer)
            await connection.execute(update(TENANT_LEARNED_RULES).where(of_learned).values(author=nobody))
    return labels.rowcount, rules.rowcount


async def count_reviewer(engine: AsyncEngine, tenant: str, reviewer: str) -> tuple[int, int]:
    """How many labels and versions of rules have this name."""
    of_label, of_rules = _by(tenant, reviewer)
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return await count_where(connection, LABELS, of_label), await count_where(
                connection, TENANT_RULES, of_rules
            )


def _by(tenant: str, reviewer: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    rules = TENANT_RULES.c
    return (
        and_(LABELS.c.tenant == tenant, LABELS.c.reviewer == reviewer),
        and_(rules.tenant == tenant, rules.author == reviewer),
    )
