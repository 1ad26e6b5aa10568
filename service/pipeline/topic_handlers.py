"""What happens to the records of each topic: events are scored, labels and feedback stored, spans joined."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from consumers.decoding import Record
from consumers.errors import StoreUnavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.keep_feedback import FeedbackRecord, KeepFeedback
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.pool.pool import Pool
from consumers.stream.dead_letters import trigger_of
from consumers.stream.driver import Handle, Receipts
from consumers.stream.ports import StreamRecord
from consumers.wire.events import InvalidEvent
from service.pipeline.span_intake import SpansFromKafka

_RECORD_OVERHEAD = 512
"""Bytes that a record takes in memory besides its value."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Stalled = Callable[[str, Exception], None]
"""Counts and logs why something is tried again."""


def score_records(pool: Pool) -> Handle:
    """Submits the records of the events topic to the pool."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        return await pool.submit([event_record(each) for each in records])

    return handle


def event_record(record: StreamRecord) -> Record:
    """A record of the events topic, as the pool takes it."""
    return Record(
        payload=record.value,
        headers=record.headers,
        timestamp=moment(record.timestamp),
        trigger=trigger_of(record.headers),
        size=len(record.value or b"") + _RECORD_OVERHEAD,
    )


def moment(millis: int) -> datetime | None:
    """A record's timestamp; `None` if it has none, or one outside the calendar.

    >>> moment(-1), moment(10**18)
    (None, None)
    """
    if millis < 0:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def keep_label_records(keep: KeepLabels, stalled: Stalled) -> Handle:
    """Stores the records of the labels topic."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        now = datetime.now(UTC)
        outcomes = await keep(
            [LabelRecord(payload=each.value, sent_at=moment(each.timestamp) or now) for each in records]
        )
        return _receipts(outcomes, "labels", stalled)

    return handle


def keep_feedback_records(keep: KeepFeedback, stalled: Stalled) -> Handle:
    """Stores the records of the feedback topic."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        now = datetime.now(UTC)
        outcomes = await keep(
            [FeedbackRecord(payload=each.value, sent_at=moment(each.timestamp) or now) for each in records]
        )
        return _receipts(outcomes, "feedback", stalled)

    return handle


def join_span_records(spans: SpansFromKafka) -> Handle:
    """Joins the records of the spans topic."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        return [await _join(spans, each) for each in records]

    return handle


async def _join(spans: SpansFromKafka, record: StreamRecord) -> asyncio.Future[Outcome] | asyncio.Future[None]:
    try:
        return await spans.read(record.value, record.headers)
    except InvalidEvent as error:
        return _resolved(Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=error.reason.value, detail=error.detail))


def _receipts(outcomes: Sequence[Outcome | None], what: str, stalled: Stalled) -> Receipts:
    """The receipts of a batch. Records that wait for the store hold back their partition, so the cause is reported."""
    waiting = [each for each in outcomes if each is not None and each.kind is OutcomeKind.DEFERRED]
    if waiting:
        stalled(what, StoreUnavailable(waiting[0].detail))
    return [_resolved(each) for each in outcomes]


def _resolved(outcome: Outcome | None) -> asyncio.Future[Outcome] | asyncio.Future[None]:
    receipt: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    receipt.set_result(outcome)
    return receipt
