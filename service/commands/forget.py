"""`sqlassay forget`: removes a tenant's texts, or one event's, from PostgreSQL, Redis and the dead letters."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.command_context import settings, with_database
from service.pipeline.forget_texts import Forgotten, Subject, forget_dead_letters, forget_replies, forget_rows
from service.redis.link import open_redis
from service.settings import Settings


def forget(tenant: str, event_id: str | None) -> None:
    """Removes the texts and prints how many where. Safe to run again after a dependency was down."""
    configured, subject = settings(), Subject(tenant, event_id)
    print(json.dumps(asdict(with_database(lambda engine: _forget(engine, configured, subject)))))


async def _forget(engine: AsyncEngine, configured: Settings, subject: Subject) -> Forgotten:
    done = await forget_rows(engine, subject)
    async with open_redis(configured.redis) as link:
        if link is not None:
            done = replace(done, replies=await forget_replies(link, subject.tenant))
    if configured.kafka.bootstrap_servers:
        done = replace(done, dead_letters=await forget_dead_letters(configured.kafka, subject))
    return done
