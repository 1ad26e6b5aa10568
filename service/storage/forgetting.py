"""Deletes what PostgreSQL holds of a tenant or an event.

`tests/storage/column_kinds.py` lists what each column may hold, and a test compares the two.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Table,
    and_,
    bindparam,
    delete,
    false,
    func,
    null,
    or_,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from consumers.evaluation.withholding import without_texts
from service.storage.audit import AuditAction
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, wait_for_lock
from service.storage.reference_store import forget_references
from service.storage.scores.evaluation_rows import WITHHELD_TEXTS
from service.storage.sums.keeping import sum_stale_hours
from service.storage.tables import (
    ACCESS_TOKENS,
    AGENT_ALARMS,
    AGENT_INCIDENTS,
    ANSWER_SUMS,
    AUDIT_LOG,
    CANARY_ANSWERS,
    DEFERRED_EVENTS,
    EVAL_RUNS,
    EVALUATIONS,
    EVENT_KEYS,
    FEEDBACK,
    LABELS,
    PAST_LABELS,
    REFERENCE_VERDICTS,
    REMEMBERED_ANSWERS,
    REVIEW_DRAWS,
    REVIEW_ITEMS,
    SAVED_VIEWS,
    TENANT_CALIBRATIONS,
    TENANT_LEARNED_RULES,
    TENANT_RULES,
    TENANT_SCHEMAS,
    WATCHED_ANSWERS,
)

_ROWS = EVALUATIONS.c
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose texts to delete."""

    tenant: str
    event_id: str | None = None
    """One event; `None` means every event of the tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenRows:
    """How many rows of each table changed or went."""

    evaluations: int = 0
    """Rows whose texts were deleted, or that were deleted."""
    event_keys: int = 0
    """Event keys that were deleted: an event sent again is a new one."""
    labels: int = 0
    """Labels whose note and correction, or whose reviewer, were deleted, or that were deleted."""
    feedback: int = 0
    """What people say about answers: rows that were deleted."""
    references: int = 0
    """Reference results whose texts were deleted, or that were deleted."""
    deferred: int = 0
    """Deferred events, which will not be scored."""
    remembered: int = 0
    """Answers that memory compares others with."""
    canaries: int = 0
    """Answers to canaries that were deleted."""
    watched: int = 0
    """Answers that an alarm had not counted yet."""
    alarms: int = 0
    """Agents' alarms of the tenant that were deleted."""
    tokens: int = 0
    """Access tokens of the tenant that were deleted."""
    audit: int = 0
    """Rows of the audit log that were deleted."""


async def forget_rows(engine: AsyncEngine, subject: Subject) -> ForgottenRows:
    """Deletes the texts and keeps the rows. Raises `StoreUnavailable`, after which finished steps stay done."""
    with translate_errors(engine.url):
        digests = await _digests(engine, subject)
        emptied = 0
        while count := await _empty_some(engine, subject, digests):
            emptied += count
        async with engine.begin() as connection:
            labels = await connection.execute(
                update(LABELS).where(_of(LABELS.c, subject), _with_notes()).values(note=None, correction=None)
            )
            await connection.execute(
                update(PAST_LABELS).where(_of(PAST_LABELS.c, subject)).values(note=None, correction=None)
            )
            if subject.event_id is None:
                of_tenant = AGENT_INCIDENTS.c.tenant == subject.tenant
                await connection.execute(update(AGENT_INCIDENTS).where(of_tenant).values(explanation=None))
                for table in (EVAL_RUNS, SAVED_VIEWS):
                    await connection.execute(delete(table).where(table.c.tenant == subject.tenant))
            # nobody can review an answer whose texts are gone
            unlabelled = REVIEW_ITEMS.c.labelled_at.is_(None)
            await connection.execute(delete(REVIEW_ITEMS).where(_of(REVIEW_ITEMS.c, subject), unlabelled))
            feedback = await connection.execute(delete(FEEDBACK).where(_of(FEEDBACK.c, subject)))
            references = await count_where(connection, REFERENCE_VERDICTS, _judged(subject, digests))
            await forget_references(connection, subject.tenant, digests)
            deferred = await connection.execute(delete(DEFERRED_EVENTS).where(_of(DEFERRED_EVENTS.c, subject)))
            remembered = await connection.execute(delete(REMEMBERED_ANSWERS).where(_of(REMEMBERED_ANSWERS.c, subject)))
            canaries = await connection.execute(delete(CANARY_ANSWERS).where(_of(CANARY_ANSWERS.c, subject)))
    return ForgottenRows(
        evaluations=emptied,
        labels=labels.rowcount,
        feedback=feedback.rowcount,
        references=references,
        deferred=deferred.rowcount,
        remembered=remembered.rowcount,
        canaries=canaries.rowcount,
    )


async def delete_rows(engine: AsyncEngine, subject: Subject) -> ForgottenRows:
    """Deletes the rows themselves, with scores and names. An event that is sent again is then a new one."""
    with translate_errors(engine.url):
        digests = await _digests(engine, subject)
        deleted = 0
        while count := await _delete_some(engine, subject, digests):
            deleted += count
        gone: dict[str, int] = {}
        async with engine.begin() as connection:
            # an update that runs would store the alarm again, from answers that it has read
            await wait_for_lock(connection, AdvisoryLock.ALARMS)
            for name, (table, whose) in _other_rows(subject, digests).items():
                gone[name] = (await connection.execute(delete(table).where(whose))).rowcount
            for reviewed in (REVIEW_ITEMS, PAST_LABELS):
                await connection.execute(delete(reviewed).where(_of(reviewed.c, subject)))
            if subject.event_id is None:
                for table in (REVIEW_DRAWS, TENANT_CALIBRATIONS, AGENT_INCIDENTS, EVAL_RUNS, SAVED_VIEWS):
                    await connection.execute(delete(table).where(table.c.tenant == subject.tenant))
        await sum_stale_hours(engine)
    return ForgottenRows(evaluations=deleted, **gone)


async def count_rows(engine: AsyncEngine, subject: Subject, *, whole: bool) -> ForgottenRows:
    """How many rows `forget_rows`, or `delete_rows` where `whole` is set, would change or delete."""
    with translate_errors(engine.url):
        digests = await _digests(engine, subject)
        mine = _rows_of(subject, digests)
        places = _other_rows(subject, digests)
        places["evaluations"] = (EVALUATIONS, mine)
        if not whole:
            del places["event_keys"]
            for name in ("tokens", "alarms", "watched", "audit"):
                places.pop(name, None)
            places["evaluations"] = (EVALUATIONS, and_(mine, _ROWS.withheld.is_(False)))
            places["labels"] = (LABELS, and_(_of(LABELS.c, subject), _with_notes()))
            places["references"] = (REFERENCE_VERDICTS, _judged(subject, digests))
        async with engine.connect() as connection:
            return ForgottenRows(**{name: await count_where(connection, *place) for name, place in places.items()})


async def delete_rules_before(engine: AsyncEngine, tenant: str, version: int) -> int:
    """Deletes the tenant's versions before this one; returns how many.

    Schemas and learned rules that no version names are deleted too.
    """
    table = TENANT_RULES.c
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            older = delete(TENANT_RULES).where(table.tenant == tenant, table.version < version)
            count = (await connection.execute(older)).rowcount
            named = select(table.schema_version).where(table.tenant == tenant, table.schema_version.is_not(None))
            schemas = TENANT_SCHEMAS.c
            unused = delete(TENANT_SCHEMAS).where(schemas.tenant == tenant, schemas.version.not_in(named))
            await connection.execute(unused)
            in_force = select(table.learned_version).where(table.tenant == tenant, table.learned_version.is_not(None))
            learned = TENANT_LEARNED_RULES.c
            left = delete(TENANT_LEARNED_RULES).where(learned.tenant == tenant, learned.version.not_in(in_force))
            await connection.execute(left)
            return count


async def count_names(engine: AsyncEngine, subject: Subject) -> Mapping[str, int]:
    """How many rows of each table hold names, or rules, that stay without further options."""
    sums = ANSWER_SUMS.c.tenant == subject.tenant
    places: dict[str, tuple[Table, ColumnElement[bool]]] = {
        "evaluations": (EVALUATIONS, _rows_of(subject, await _digests(engine, subject))),
        "event_keys": (EVENT_KEYS, _of(EVENT_KEYS.c, subject)),
        "answer_sums": (ANSWER_SUMS, sums if subject.event_id is None else false()),
        "labels": (LABELS, _of(LABELS.c, subject)),
        "past_labels": (PAST_LABELS, _of(PAST_LABELS.c, subject)),
        "review_draws": (REVIEW_DRAWS, REVIEW_DRAWS.c.tenant == subject.tenant),
        "review_items": (REVIEW_ITEMS, _of(REVIEW_ITEMS.c, subject)),
        "tenant_rules": (TENANT_RULES, TENANT_RULES.c.tenant == subject.tenant),
        "tenant_learned_rules": (TENANT_LEARNED_RULES, TENANT_LEARNED_RULES.c.tenant == subject.tenant),
        "tenant_schemas": (TENANT_SCHEMAS, TENANT_SCHEMAS.c.tenant == subject.tenant),
        "access_tokens": (ACCESS_TOKENS, ACCESS_TOKENS.c.tenant == subject.tenant),
        "agent_alarms": (AGENT_ALARMS, AGENT_ALARMS.c.tenant == subject.tenant),
        "agent_incidents": (AGENT_INCIDENTS, AGENT_INCIDENTS.c.tenant == subject.tenant),
        "watched_answers": (WATCHED_ANSWERS, WATCHED_ANSWERS.c.tenant == subject.tenant),
        "audit_log": (AUDIT_LOG, _audited(subject)),
    }
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return {name: await count_where(connection, *place) for name, place in places.items()}


def _other_rows(subject: Subject, digests: Sequence[uuid.UUID] | None) -> dict[str, tuple[Table, ColumnElement[bool]]]:
    """The rows of every table but `evaluations`, by the name of their count."""
    verdicts = REFERENCE_VERDICTS.c
    judged = verdicts.tenant == subject.tenant
    of_tenant: dict[str, tuple[Table, ColumnElement[bool]]] = {}
    if subject.event_id is None:
        of_tenant = {
            "tokens": (ACCESS_TOKENS, ACCESS_TOKENS.c.tenant == subject.tenant),
            "alarms": (AGENT_ALARMS, AGENT_ALARMS.c.tenant == subject.tenant),
        }
    return of_tenant | {
        "labels": (LABELS, _of(LABELS.c, subject)),
        "feedback": (FEEDBACK, _of(FEEDBACK.c, subject)),
        "references": (REFERENCE_VERDICTS, judged if digests is None else and_(judged, verdicts.event.in_(digests))),
        "deferred": (DEFERRED_EVENTS, _of(DEFERRED_EVENTS.c, subject)),
        "remembered": (REMEMBERED_ANSWERS, _of(REMEMBERED_ANSWERS.c, subject)),
        "canaries": (CANARY_ANSWERS, _of(CANARY_ANSWERS.c, subject)),
        "watched": (WATCHED_ANSWERS, _watched(subject, digests)),
        "audit": (AUDIT_LOG, _audited(subject)),
        # last: their digests say whose the others are
        "event_keys": (EVENT_KEYS, _of(EVENT_KEYS.c, subject)),
    }


def _of(table: Any, subject: Subject) -> ColumnElement[bool]:
    mine = table.tenant == subject.tenant
    return mine if subject.event_id is None else and_(mine, table.event_id == subject.event_id)


def _audited(subject: Subject) -> ColumnElement[bool]:
    log = AUDIT_LOG.c
    mine = log.tenant == subject.tenant
    labelled = log.action.in_([AuditAction.LABEL_STORED, AuditAction.LABEL_WITHDRAWN])
    return mine if subject.event_id is None else and_(mine, labelled, log.subject == subject.event_id)


def _with_notes() -> ColumnElement[bool]:
    return or_(LABELS.c.note.is_not(None), LABELS.c.correction.is_not(None))


def _judged(subject: Subject, digests: Sequence[uuid.UUID] | None) -> ColumnElement[bool]:
    """The reference verdicts that wait or hold a text."""
    table = REFERENCE_VERDICTS.c
    held = and_(table.tenant == subject.tenant, or_(table.record.is_not(None), table.due.is_not(None)))
    return and_(held, true() if digests is None else table.event.in_(digests))


def _watched(subject: Subject, digests: Sequence[uuid.UUID] | None) -> ColumnElement[bool]:
    table = WATCHED_ANSWERS.c
    return table.tenant == subject.tenant if digests is None else table.event.in_(digests)


def _rows_of(subject: Subject, digests: Sequence[uuid.UUID] | None) -> ColumnElement[bool]:
    return _ROWS.tenant == subject.tenant if digests is None else _ROWS.event.in_(digests)


async def count_where(connection: AsyncConnection, table: Table, whose: ColumnElement[bool]) -> int:
    """How many rows of the table meet the condition."""
    return int(await connection.scalar(select(func.count()).select_from(table).where(whose)) or 0)


async def _digests(engine: AsyncEngine, subject: Subject) -> list[uuid.UUID] | None:
    """The keys of the event, one for each source; `None` for every event of the tenant."""
    if subject.event_id is None:
        return None
    names = (EVENT_KEYS.c.tenant, EVENT_KEYS.c.source, EVENT_KEYS.c.event_id)
    async with engine.connect() as connection:
        rows = await connection.execute(select(*names).where(_of(EVENT_KEYS.c, subject)))
        return [EventKey(*row).digest for row in rows]


async def _empty_some(engine: AsyncEngine, subject: Subject, digests: Sequence[uuid.UUID] | None) -> int:
    columns = (_ROWS.occurred_at, _ROWS.id, _ROWS.record)
    wanted = select(*columns).where(_rows_of(subject, digests), _ROWS.withheld.is_(False)).limit(_BATCH)
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
        .values(
            **WITHHELD_TEXTS,
            dialect=None,
            context=null(),
            withheld=True,
            record=bindparam("left", type_=_ROWS.record.type),
        )
    )
    values = [{"moment": moment, "row": id_, "left": left} for moment, id_, left in rows]
    await connection.execute(statement, values)


async def _delete_some(engine: AsyncEngine, subject: Subject, digests: Sequence[uuid.UUID] | None) -> int:
    key = tuple_(_ROWS.occurred_at, _ROWS.id)
    wanted = select(_ROWS.occurred_at, _ROWS.id).where(_rows_of(subject, digests)).limit(_BATCH)
    async with engine.begin() as connection:
        rows = (await connection.execute(wanted)).all()
        if rows:
            await connection.execute(delete(EVALUATIONS).where(key.in_([tuple(row) for row in rows])))
    return len(rows)
