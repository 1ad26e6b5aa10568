"""Deferred events go by the database's clock: workers whose clocks are wrong agree with the others on what is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.outcomes import DeferredReason
from service.storage.deferred_store import PostgresDeferred


def store_of(engine, **wrong: int) -> PostgresDeferred:
    """The store of a worker whose clock is wrong by this much."""
    return PostgresDeferred(engine, lambda: datetime.now(UTC) + timedelta(**wrong))


def deferral(event_id: str, due: datetime) -> Deferral:
    return Deferral(
        tenant="bakers",
        source="/bakers/oven",
        event_id=event_id,
        payload=b"{}",
        payload_hash=event_id,
        timestamp=None,
        reason=DeferredReason.JUDGE_UNAVAILABLE,
        due=due,
        attempts=1,
    )


async def test_what_a_worker_with_a_wrong_clock_defers_is_due_when_it_said(engine):
    for days in (3, -30):
        now = datetime.now(UTC) + timedelta(days=days)
        soon, later = now - timedelta(seconds=5), now + timedelta(seconds=600)
        await store_of(engine, days=days).defer([deferral(f"soon {days}", soon), deferral(f"later {days}", later)])
    due = await store_of(engine).lease_due(datetime.now(UTC), 10, 60)
    assert {each.event_id for each in due} == {"soon 3", "soon -30"}
    ahead = datetime.now(UTC) + timedelta(days=3)
    assert not await store_of(engine, days=3).lease_due(ahead, 10, 60)
