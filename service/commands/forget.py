"""`sqlassay forget`: removes a tenant's texts, or one event's, from PostgreSQL, Redis and the dead letters."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.command_context import settings, with_database
from service.commands.exits import refuse
from service.commands.options import ForgetOptions
from service.kafka.topic_retention import topic_retention
from service.pipeline.forget_subject import Extent, Forgotten, forget_dead_letters, forget_replies, forget_stored
from service.redis.link import open_redis
from service.settings import Settings
from service.storage.forgetting import Subject


def forget(options: ForgetOptions) -> None:
    """Removes the texts and prints how many where. Safe to run again after a dependency was down."""
    if options.reviewer is not None and (options.everything or options.rules or options.event_id is not None):
        refuse("--reviewer replaces one name and nothing else: leave out --event, --rules and --everything")
    if options.rules and options.event_id is not None:
        refuse("--rules is about a whole tenant: leave out --event")
    configured, subject = settings(), Subject(options.tenant, options.event_id)
    extent = Extent(
        everything=options.everything, rules=options.rules, reviewer=options.reviewer, dry_run=options.dry_run
    )
    print(json.dumps(asdict(with_database(lambda engine: _forget(engine, configured, subject, extent)))))


async def _forget(engine: AsyncEngine, configured: Settings, subject: Subject, extent: Extent) -> Forgotten:
    kafka = configured.kafka if configured.kafka.bootstrap_servers else None
    stays = {
        "logs, traces and backups": "what they hold of shortened texts and ids, until they expire",
        "disk of postgresql": "deleted rows until VACUUM, samples of values until ANALYZE, WAL until it is recycled",
        "prometheus": "names of tenants and agents in its time series, until they expire",
    }
    async with open_redis(configured.redis) as link:
        done = await forget_stored(engine, link, subject, extent)
        if link is not None:
            stays["redis"] = "the tenant's name in the keys of today's spent budget and of its rules, for a day at most"
            if extent.reviewer is None and not extent.dry_run:
                done = replace(done, replies=await forget_replies(link, subject.tenant))
    if kafka is not None:
        if extent.reviewer is None:
            done = replace(done, dead_letters=await forget_dead_letters(kafka, subject, dry_run=extent.dry_run))
        topics = (kafka.topic_events, kafka.topic_scores, kafka.topic_labels, kafka.topic_feedback)
        topics += (kafka.topic_spans,)
        kept = await topic_retention(kafka, [topic for topic in topics if topic])
        stays |= {f"topic {topic}": f"records as they were sent, {how_long}" for topic, how_long in kept.items()}
    return replace(done, stays={**done.stays, **stays})
