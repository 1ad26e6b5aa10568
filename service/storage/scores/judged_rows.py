"""Writes what memory says into rows that are stored already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation
from service.storage.database import translate_errors
from service.storage.remembering.remembered_rows import write_answers
from service.storage.scores.evaluation_rows import evaluation_row
from service.storage.tables import EVALUATIONS, REMEMBERED_ANSWERS

_ROWS = EVALUATIONS.c
_CHANGED = ("p_correct", "p_alone", "context", "reason_codes", "record")


async def remembered_of(engine: AsyncEngine, events: Collection[UUID]) -> set[UUID]:
    """Those of the events that are remembered; raises `StoreUnavailable`."""
    wanted = select(REMEMBERED_ANSWERS.c.event).where(REMEMBERED_ANSWERS.c.event.in_(list(events)))
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return set(await connection.scalars(wanted))


async def remember_answers(engine: AsyncEngine, evaluations: Sequence[Evaluation]) -> None:
    """Remembers the answers of stored events; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await write_answers(connection, evaluations)


async def rewrite_rows(engine: AsyncEngine, evaluations: Sequence[Evaluation]) -> int:
    """Gives each row its `p_correct`, reasons and context, where its texts are still stored; returns how many.

    Raises `StoreUnavailable`.
    """
    written: list[Evaluation] = []
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            for each in evaluations:
                row = evaluation_row(each)
                this = (_ROWS.occurred_at == each.occurred_at, _ROWS.id == each.id, _ROWS.withheld.is_(False))
                values = {name: row[name] for name in _CHANGED}
                if (await connection.execute(update(EVALUATIONS).where(*this).values(values))).rowcount:
                    written.append(each)
            held = set(
                await connection.scalars(
                    select(REMEMBERED_ANSWERS.c.event).where(
                        REMEMBERED_ANSWERS.c.event.in_([each.key.digest for each in written])
                    )
                )
            )
            await write_answers(connection, [each for each in written if each.key.digest in held])
    return len(written)
