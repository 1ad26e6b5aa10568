"""Events that the pool defers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from consumers.errors import RefusedByStore
from consumers.evaluation.deferrals import RetryPolicy
from consumers.evaluation.outcomes import DeferredReason, OutcomeKind, Trigger
from consumers.judging.breaker import BreakerState
from consumers.pool.deferring import RetryDeferred
from scoring.rules import Rules
from tests.memory.pooling import BY_MODEL, PATIENT, Model, record
from tests.memory.stores import MemoryDeferred, MemoryScores


async def test_what_the_panel_defers_is_kept_and_scored_when_it_is_due(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=model)([record(occurred_at="2026-11-01T10:00:00Z")])
    assert (outcome.kind, outcome.reason, outcome.kept) == (OutcomeKind.DEFERRED, "EVENT_DEADLINE", True)
    world.rules.known["default"] = Rules()
    async with world.running() as pool:
        retry = RetryDeferred(
            deferred=world.deferred,
            submit=pool.submit,
            outcomes=world.outcomes,
            clock=lambda: world.now,
            breaker=lambda: BreakerState.CLOSED,
        )
        assert await retry() == 0
        world.now += timedelta(hours=1)
        assert await retry() == 1
    assert world.deferred.kept == {}
    [row] = world.store.rows.values()
    assert (row.trigger, row.event.occurred_at.isoformat()) == (Trigger.DEFERRED, "2026-11-01T10:00:00+00:00")
    assert world.outcomes.outcomes[-1].trigger is Trigger.DEFERRED


async def test_an_event_tried_often_enough_is_stored_without_a_score(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=model, retries=RetryPolicy(attempts=0))([record()])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.UNSCORED, "JUDGE_UNAVAILABLE")
    assert world.deferred.kept == {}


async def test_a_model_that_answers_too_late_puts_the_event_off(world):
    world.rules.known["default"] = BY_MODEL
    [outcome] = await world.use_case(panel=Model(), limits=replace(PATIENT, deadline=0.01))([record()])
    assert (outcome.reason, outcome.kept) == ("EVENT_DEADLINE", True)


class Buggy(MemoryScores):
    async def record(self, evaluations):
        if any(each.event.agent == "cursed" for each in evaluations):
            raise ZeroDivisionError
        return await super().record(evaluations)


async def test_a_bug_while_writing_puts_events_off_and_in_the_end_hands_them_back(world):
    [outcome] = await world.use_case(store=Buggy())([record(agent="cursed")])
    assert (outcome.reason, outcome.kept) == ("INTERNAL_ERROR", True)
    [last] = await world.use_case(store=Buggy(), retries=RetryPolicy(attempts=0))([record(agent="cursed")])
    assert (last.reason, last.kept) == ("INTERNAL_ERROR", False)
    assert world.outcomes.tally.balanced


class PickyDeferred(MemoryDeferred):
    async def defer(self, deferrals):
        if any(each.event_id == "unfit" for each in deferrals):
            raise RefusedByStore("a value does not fit")
        return await super().defer(deferrals)


async def test_a_deferral_the_store_refuses_costs_the_others_nothing(world):
    model = Model(reply=DeferredReason.EVENT_DEADLINE)
    model.open.set()
    world.rules.known["default"] = BY_MODEL
    outcomes = await world.use_case(panel=model, deferred=PickyDeferred())([record(1), record("unfit"), record(3)])
    assert [each.reason for each in outcomes] == ["EVENT_DEADLINE", "REFUSED_BY_STORE", "EVENT_DEADLINE"]
