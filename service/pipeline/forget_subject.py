"""Forgets a tenant, an event or a reviewer in every place that stores texts and names, and says what stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.stream.dead_letter_subject import concerns
from consumers.stream.oversized import publish_each
from consumers.stream.ports import Message
from consumers.wire.rules_document import RulesDocument
from service.kafka.client import open_publisher
from service.kafka.dead_letter_topic import dead_letters
from service.redis.link import RedisLink
from service.redis.reply_cache import RedisReplies
from service.redis.rule_cache import open_rules
from service.settings.stream_settings import KafkaSettings
from service.storage.audit import forget_changes
from service.storage.forgetting import (
    ForgottenRows,
    Subject,
    count_names,
    count_rows,
    delete_rows,
    delete_rules_before,
    forget_rows,
)
from service.storage.reviewer_names import count_reviewer, forget_reviewer
from service.storage.rule_store import PostgresRules

_AUTHOR = "forget"
_MOST_PASSES = 5
_KEPT_RULES = ("store_raw", "memory", "retention_days")
"""They hold no name, and without them texts would be stored, or kept, that were not."""
_EMPTY_RULES = "the tenant's name, and store_raw, memory and retention_days: numbers of versions are not used again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much to forget."""

    everything: bool = False
    """The rows themselves, with scores and names, and the rules of a whole tenant."""
    rules: bool = False
    """All versions of the tenant's rules and schemas. It then has the defaults, but for what it stores and how long."""
    reviewer: str | None = None
    """This reviewer's name, and nothing else."""
    dry_run: bool = False
    """Only count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(ForgottenRows):
    """What was deleted, by place."""

    rules: int = 0
    """Versions of the rules that were deleted, or whose author was."""
    replies: int = 0
    """Model replies deleted from Redis."""
    dead_letters: int = 0
    """Dead letters that Kafka will delete."""
    stays: Mapping[str, str] = field(default_factory=dict[str, str])
    """What this run leaves, by place, and what removes it."""


async def forget_stored(engine: AsyncEngine, link: RedisLink | None, subject: Subject, extent: Extent) -> Forgotten:
    """Forgets in PostgreSQL. Raises `StoreUnavailable`, after which finished steps stay done."""
    if extent.reviewer is not None:
        change = count_reviewer if extent.dry_run else forget_reviewer
        labels, rules = await change(engine, subject.tenant, extent.reviewer)
        return Forgotten(labels=labels, rules=rules)
    if extent.dry_run:
        done = Forgotten(**asdict(await count_rows(engine, subject, whole=extent.everything)))
    elif extent.everything:
        done = await _delete_all(engine, subject)
    else:
        done = Forgotten(**asdict(await forget_rows(engine, subject)))
    if extent.rules or (extent.everything and subject.event_id is None):
        done = replace(done, rules=await _forget_rules(engine, link, subject.tenant, dry_run=extent.dry_run))
    if extent.everything and subject.event_id is None and not extent.dry_run:
        # the default rules, which were stored last, are a change too
        await forget_changes(engine, subject.tenant)
    return replace(done, stays=await _stays(engine, subject))


async def _delete_all(engine: AsyncEngine, subject: Subject) -> Forgotten:
    """Deletes again while a running service stored something meanwhile, of answers that it had read before."""
    total: Counter[str] = Counter()
    for _ in range(_MOST_PASSES):
        found: dict[str, int] = asdict(await delete_rows(engine, subject))
        total.update(found)
        if not any(found.values()):
            break
    return Forgotten(**asdict(ForgottenRows(**total)))


async def _forget_rules(engine: AsyncEngine, link: RedisLink | None, tenant: str, *, dry_run: bool) -> int:
    """Stores a newest version without texts and deletes all before it, so that numbers never mean other rules."""
    if dry_run:
        return (await count_names(engine, Subject(tenant)))["tenant_rules"]
    async with open_rules(engine, link) as rules:
        stored = await rules.current(tenant)
        if stored.version == 0:
            return 0
        kept = {name: stored.document[name] for name in _KEPT_RULES if name in stored.document}
        latest = await rules.put(
            tenant, RulesDocument(**kept), author=_AUTHOR, expected=stored.version, keep_schema=False
        )
    return await delete_rules_before(engine, tenant, latest.version)


async def _stays(engine: AsyncEngine, subject: Subject) -> dict[str, str]:
    left = await count_names(engine, subject)
    said = {
        "evaluations": "ids and sources of events, agents and their versions: --everything deletes the rows",
        "event_keys": "ids and sources of events, by which an event sent again is known: --everything deletes them",
        "answer_sums": "names of agents and their versions: --everything deletes them",
        "labels": "names of reviewers, ids and sources of events: --reviewer NAME, or --everything",
        "past_labels": "names of reviewers, ids and sources of events: --reviewer NAME, or --everything",
        "review_draws": "names of agents: --everything",
        "review_items": "names of reviewers and agents, ids and sources of events: --reviewer NAME, or --everything",
        "tenant_rules": "documents that may quote names and values, and authors: --rules, or --reviewer NAME",
        "tenant_learned_rules": "rules that may quote names, ids of events, and authors: --rules, or --reviewer NAME",
        "tenant_schemas": "names of tables and columns: --rules",
        "access_tokens": "names of tokens: --everything deletes them",
        "agent_alarms": "names of agents: --everything without --event deletes them",
        "agent_incidents": "names of agents, versions, tokens and people: --everything without --event",
        "audit_log": "names of tokens, people and reviewers, and ids of events: --reviewer NAME, or --everything",
        "watched_answers": "names of agents, for some minutes: --everything deletes them",
    }
    if left["tenant_rules"] == 1 and await _last_rules_are_empty(engine, subject.tenant):
        said["tenant_rules"] = _EMPTY_RULES
    return {table: f"{count} rows with {said[table]}" for table, count in left.items() if count}


async def _last_rules_are_empty(engine: AsyncEngine, tenant: str) -> bool:
    return (await PostgresRules(engine).current(tenant)).author == _AUTHOR


async def forget_replies(link: RedisLink, tenant: str) -> int:
    """Deletes the cached model replies about the tenant's answers; raises `CacheUnavailable`.

    A reply does not name its event, so all of the tenant's are deleted. The only cost is that a model is asked again.
    """
    return await RedisReplies(link=link, seconds=1).forget(tenant)


async def forget_dead_letters(settings: KafkaSettings, subject: Subject, *, dry_run: bool = False) -> int:
    """Publishes a tombstone for each of the subject's dead letters; raises `Unavailable`."""
    count = 0
    async with open_publisher(settings) as publisher:
        async for each in dead_letters(settings):
            if each.key is not None and concerns(each.letter, subject.tenant, subject.event_id):
                if not dry_run:
                    await publish_each(publisher, [Message(topic=settings.topic_dead, key=each.key, value=None)])
                count += 1
    return count
