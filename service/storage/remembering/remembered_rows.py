"""How a remembered answer becomes a row of `remembered_answers`, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID

from asyncpg import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.errors import RefusedByStore
from consumers.evaluation.event_evaluation import Evaluation
from scoring.memory.agreement import Agreement, agreement
from scoring.memory.asked import AskedQuestion
from scoring.memory.facts import AnswerFacts
from scoring.memory.remembered import RememberedAnswer

_COLUMNS = (
    "event tenant source event_id agent speaker question_key shape words specification filters tables joins"
    " conditions raw units size remembered_at occurred_at"
).split()
_REMEMBER = (
    f"INSERT INTO remembered_answers ({', '.join(_COLUMNS)})"  # noqa: S608 constant names
    f" VALUES ({', '.join(f'${place}' for place in range(1, len(_COLUMNS) + 1))})"
    f" ON CONFLICT (event) DO UPDATE SET {', '.join(f'{name} = EXCLUDED.{name}' for name in _COLUMNS[1:])}"
)
_WORD_OFFSET = 2**31
"""Digests of words are unsigned, and PostgreSQL's integers are not."""


class KnownAnswer(NamedTuple):
    """A remembered answer as it was read."""

    event: UUID
    tenant: str
    answer: RememberedAnswer
    agreed: Agreement
    remembered_at: datetime
    label: bool | None
    """What the latest label says: right, wrong, or nothing."""


async def write_answers(connection: AsyncConnection, evaluations: Iterable[Evaluation]) -> None:
    """Remembers the answers of evaluations that are written in this transaction.

    An event that is written again replaces its own row, so it never counts twice.
    """
    records = [_record(each, answer) for each in evaluations if (answer := each.answer) is not None]
    if not records:
        return
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    try:
        await driver.executemany(_REMEMBER, records)  # pyright: ignore[reportUnknownMemberType] its records are untyped
    except (OverflowError, ValueError, TypeError) as error:
        raise RefusedByStore(f"a value does not fit its column ({type(error).__name__})") from None


def _record(each: Evaluation, answer: RememberedAnswer) -> tuple[object, ...]:
    agreed = agreement(each.context.voices) if each.context is not None else Agreement(0.0, 0.0)
    facts = answer.facts
    return (
        each.key.digest,
        each.event.tenant,
        each.event.source,
        each.event.event_id,
        answer.agent,
        answer.speaker,
        answer.asked.key,
        answer.asked.shape,
        stored_words(answer.asked),
        facts.specification,
        facts.filters,
        list(facts.tables),
        [column for join in facts.joins for column in join],
        list(facts.conditions),
        agreed.raw,
        agreed.units,
        answer.size,
        each.received_at,
        each.occurred_at,
    )


def stored_words(asked: AskedQuestion) -> list[int]:
    """The digests of the question's words as PostgreSQL's integers."""
    return sorted([int(word, 16) - _WORD_OFFSET for word in asked.words])


def read_answers(rows: Iterable[Any]) -> list[KnownAnswer]:
    """The remembered answers of rows with `READ_COLUMNS` and their latest label."""
    questions: dict[str, AskedQuestion] = {}
    found: list[KnownAnswer] = []
    for row in rows:
        (
            event,
            tenant,
            event_id,
            agent,
            key,
            shape,
            words,
            specification,
            filters,
            tables,
            joins,
            conditions,
            raw,
            units,
            at,
            label,
        ) = row
        asked = questions.get(key)
        if asked is None:
            said = frozenset([f"{word + _WORD_OFFSET:08x}" for word in cast("Sequence[int]", words)])
            asked = questions[key] = AskedQuestion(key=key, shape=shape, words=said)
        facts = AnswerFacts(
            specification=specification,
            filters=filters,
            tables=tuple(tables),
            joins=tuple(zip(joins[::2], joins[1::2], strict=True)),
            conditions=tuple(conditions),
        )
        answer = RememberedAnswer(agent=agent, event_id=event_id, asked=asked, facts=facts)
        found.append(KnownAnswer(event, tenant, answer, Agreement(raw, units), at, LABELS_COUNTED.get(label)))
    return found


READ_COLUMNS = (
    "event tenant event_id agent question_key shape words specification filters tables joins"
    " conditions raw units remembered_at"
).split()
"""The columns that are read, in the order in which `read_answers` takes them."""
LABELS_COUNTED = {"right": True, "wrong": False}
"""Labels that memory counts."""
