"""Keeps feedback, and attaches what names a trace to the answer of that trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, literal_column, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.keep_feedback import Feedback
from service.storage.database import translate_errors
from service.storage.tables import EVALUATIONS, FEEDBACK
from service.storage.tables.events import TRACE_OF_ROW

WAIT = timedelta(days=2)
"""How long feedback waits for the answer of its trace."""
_ANSWERED_WITHIN = timedelta(days=30)
"""How long before the feedback an answer may be that its trace names."""
_SAID = ("kind", "trace_id", "thumb", "stars", "edited_sql", "comment", "user_id", "satisfied")
_ROWS, _GIVEN = EVALUATIONS.c, FEEDBACK.c


@dataclass(frozen=True, slots=True)
class PostgresFeedback:
    """A `FeedbackStore` in PostgreSQL."""

    engine: AsyncEngine

    async def keep(self, given: Sequence[Feedback]) -> None:
        """Keeps the latest of each id, and attaches it if its answer is stored."""
        latest = {(each.tenant, each.feedback_id): each for each in sorted(given, key=lambda each: each.given_at)}
        if not latest:
            return
        # every transaction writes in this order, so that two batches with the same ids cannot deadlock
        rows = [asdict(latest[key]) for key in sorted(latest)]
        new = insert(FEEDBACK).values(rows)
        excluded = new.excluded
        names = ("source", "event_id", "given_at", *_SAID)
        changed = or_(*(_GIVEN[name].is_distinct_from(excluded[name]) for name in _SAID), _names_another(excluded))
        upsert = new.on_conflict_do_update(
            index_elements=["tenant", "feedback_id"],
            set_={name: excluded[name] for name in names},
            where=and_(_GIVEN.given_at <= excluded.given_at, changed),
        )
        traced = [key for key, each in latest.items() if each.event_id is None]
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                await connection.execute(upsert)
                if traced:
                    these = tuple_(_GIVEN.tenant, _GIVEN.feedback_id).in_(traced)
                    since = min(each.received_at for each in latest.values()) - _ANSWERED_WITHIN
                    await _attach(connection, these, since)

    async def attach_waiting(self, now: datetime) -> int:
        """Attaches what arrived before its answer; returns how many. Raises `StoreUnavailable`."""
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                return await _attach(connection, _GIVEN.received_at > now - WAIT, now - WAIT - _ANSWERED_WITHIN)


def _names_another(new: object) -> ColumnElement[bool]:
    """Whether the sender names another event; that of a trace is found, not named."""
    columns: dict[str, ColumnElement[str]] = {name: getattr(new, name) for name in ("source", "event_id")}
    differs = or_(*(_GIVEN[name].is_distinct_from(column) for name, column in columns.items()))
    return and_(columns["event_id"].is_not(None), differs)


async def _attach(connection: AsyncConnection, which: ColumnElement[bool], since: datetime) -> int:
    """Attaches feedback to the newest answer of its trace; `since` bounds the days that are searched."""
    trace: ColumnElement[str] = literal_column(TRACE_OF_ROW)
    newest = (
        select(_GIVEN.tenant, _GIVEN.feedback_id, _ROWS.source, _ROWS.event_id)
        .select_from(FEEDBACK.join(EVALUATIONS, and_(_ROWS.tenant == _GIVEN.tenant, trace == _GIVEN.trace_id)))
        .where(_GIVEN.event_id.is_(None), which, _ROWS.current, trace != "", _ROWS.occurred_at >= since)
        .ext(distinct_on(_GIVEN.tenant, _GIVEN.feedback_id))
        .order_by(_GIVEN.tenant, _GIVEN.feedback_id, _ROWS.occurred_at.desc(), _ROWS.id.desc())
        .subquery("newest")
    )
    same = and_(_GIVEN.tenant == newest.c.tenant, _GIVEN.feedback_id == newest.c.feedback_id)
    values = {"source": newest.c.source, "event_id": newest.c.event_id}
    done = await connection.execute(update(FEEDBACK).where(same, _GIVEN.event_id.is_(None)).values(**values))
    return done.rowcount
