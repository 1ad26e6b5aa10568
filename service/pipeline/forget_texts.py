"""Deletes the texts of a tenant or an event from every place that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from consumers.evaluation.withholding import without_texts
from consumers.stream.dead_letter_subject import concerns
from consumers.stream.ports import Message
from service.kafka.client import open_publisher
from service.kafka.dead_letter_topic import dead_letters
from service.redis.link import RedisLink
from service.redis.reply_cache import RedisReplies
from service.settings.stream_settings import KafkaSettings
from service.storage.database import translate_errors
from service.storage.reference_store import forget_references
from service.storage.scores.evaluation_rows import WITHHELD_TEXTS
from service.storage.tables import DEFERRED_EVENTS, EVALUATIONS, EVENT_KEYS, LABELS

_ROWS = EVALUATIONS.c
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted, by place."""

    evaluations: int = 0
    """Rows whose texts were deleted; their scores and codes stay."""
    labels: int = 0
    """Labels whose note and correction were deleted."""
    deferred: int = 0
    """Deferred events, which will not be scored."""
    replies: int = 0
    """Model replies deleted from Redis."""
    dead_letters: int = 0
    """Dead letters that Kafka will delete."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose texts to delete."""

    tenant: str
    event_id: str | None = None
    """One event; `None` means every event of the tenant."""


async def forget_rows(engine: AsyncEngine, subject: Subject) -> Forgotten:
    """Deletes the texts in PostgreSQL. Raises `StoreUnavailable`, after which finished steps stay done."""
    with translate_errors(engine.url):
        keys = await _keys(engine, subject)
        emptied = 0
        while count := await _empty_some(engine, subject, keys):
            emptied += count
        async with engine.begin() as connection:
            noted = or_(LABELS.c.note.is_not(None), LABELS.c.correction.is_not(None))
            labels = await connection.execute(
                update(LABELS).where(_of(LABELS.c, subject), noted).values(note=None, correction=None)
            )
            await forget_references(connection, subject.tenant, None if keys is None else [key.digest for key in keys])
            deferred = await connection.execute(delete(DEFERRED_EVENTS).where(_of(DEFERRED_EVENTS.c, subject)))
    return Forgotten(evaluations=emptied, labels=labels.rowcount, deferred=deferred.rowcount)


def _of(table: Any, subject: Subject) -> ColumnElement[bool]:
    mine = table.tenant == subject.tenant
    return mine if subject.event_id is None else and_(mine, table.event_id == subject.event_id)


async def _keys(engine: AsyncEngine, subject: Subject) -> list[EventKey] | None:
    """The keys of the event, one for each source; `None` for every event of the tenant."""
    if subject.event_id is None:
        return None
    names = (EVENT_KEYS.c.tenant, EVENT_KEYS.c.source, EVENT_KEYS.c.event_id)
    async with engine.connect() as connection:
        return [EventKey(*row) for row in await connection.execute(select(*names).where(_of(EVENT_KEYS.c, subject)))]


async def _empty_some(engine: AsyncEngine, subject: Subject, keys: Sequence[EventKey] | None) -> int:
    whose = _ROWS.tenant == subject.tenant
    if keys is not None:
        whose = _ROWS.event.in_([key.digest for key in keys])
    columns = (_ROWS.occurred_at, _ROWS.id, _ROWS.record)
    wanted = select(*columns).where(whose, _ROWS.withheld.is_(False)).limit(_BATCH)
    async with engine.begin() as connection:
        # locked, so that a score written meanwhile cannot restore the texts
        rows = (await connection.execute(wanted.with_for_update())).all()
        await _empty(connection, [(row.occurred_at, row.id, without_texts(row.record)) for row in rows])
    return len(rows)


async def _empty(connection: AsyncConnection, rows: Sequence[tuple[Any, Any, dict[str, object]]]) -> None:
    if not rows:
        return
    statement = (
        update(EVALUATIONS)
        .where(_ROWS.occurred_at == bindparam("moment"), _ROWS.id == bindparam("row"))
        .values(**WITHHELD_TEXTS, withheld=True, record=bindparam("left", type_=_ROWS.record.type))
    )
    values = [{"moment": moment, "row": id_, "left": left} for moment, id_, left in rows]
    await connection.execute(statement, values)


async def forget_replies(link: RedisLink, tenant: str) -> int:
    """Deletes the cached model replies about the tenant's answers; raises `CacheUnavailable`.

    A reply does not name its event, so all of the tenant's are deleted. The only cost is that a model is asked again.
    """
    return await RedisReplies(link=link, seconds=1).forget(tenant)


async def forget_dead_letters(settings: KafkaSettings, subject: Subject) -> int:
    """Publishes a tombstone for each of the subject's dead letters; raises `KafkaUnavailable`."""
    count = 0
    async with open_publisher(settings) as publisher:
        async for each in dead_letters(settings):
            if each.key is not None and concerns(each.letter, subject.tenant, subject.event_id):
                await publisher.publish([Message(topic=settings.topic_dead, key=each.key, value=None)])
                count += 1
    return count
