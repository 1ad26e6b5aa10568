from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consumers.decoding import Known, MomentBounds, Record, decode
from consumers.errors import RefusedByStore, RulesUnavailable, StoreUnavailable
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.outcomes import OutcomeKind
from consumers.judging.panel import Panel
from scoring.rules import JudgePolicy, JudgeRules, Rules
from tests.memory.stores import MemoryRules, MemoryScores

GOOD = {"event_id": "a", "question": "How many ovens are there?", "sql": "SELECT COUNT(*) FROM ovens"}


def record(**changes: Any) -> Record:
    return Record(payload={**GOOD, **changes}, require_id=True)


def kinds(outcomes) -> list[str]:
    return [outcome.kind.value for outcome in outcomes]


async def test_an_event_is_scored_stored_and_counted(world):
    [outcome] = await world.use_case()([record()])
    [row] = world.store.rows.values()
    assert (outcome.kind, outcome.evaluation_id) == (OutcomeKind.SCORED, row.id)
    assert row.record["score"] == outcome.score
    assert row.record["event_id"] == "a"
    assert world.outcomes.evaluations == [row]
    assert world.outcomes.tally.balanced


async def test_an_event_without_a_score_is_stored_with_its_reason(world):
    [outcome] = await world.use_case()([record(sql="  ")])
    assert (outcome.kind, outcome.reason, outcome.score) == (OutcomeKind.UNSCORED, "EMPTY_SQL", None)
    assert [row.record["unscored"] for row in world.store.rows.values()] == ["EMPTY_SQL"]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00"])
async def test_an_event_that_would_never_expire_is_dead_lettered(world, moment):
    [outcome] = await world.use_case()([record(occurred_at=moment)])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.DEAD_LETTERED, "INVALID_FIELD")
    assert "occurred_at" in outcome.detail
    assert world.store.rows == {}


async def test_when_events_may_have_occurred_is_bounded_on_both_sides():
    bounds, now = MomentBounds(past_days=10, ahead_days=1), datetime(2026, 11, 2, 9, tzinfo=UTC)
    for days, kept in ((-10, True), (-11, False), (1, True), (2, False)):
        moment = (now + timedelta(days=days)).isoformat()
        decoded = decode(Record(payload=json.dumps({**GOOD, "occurred_at": moment}).encode()))
        assert isinstance(bounds.checked(decoded, now), Known) == kept


async def test_the_same_event_again_is_a_duplicate_of_the_first_row(world):
    use_case = world.use_case()
    [first] = await use_case([record()])
    again = await use_case([record(), record()])
    assert kinds(again) == ["duplicate", "duplicate"]
    assert {each.evaluation_id for each in again} == {first.evaluation_id}
    assert len(world.store.rows) == 1


async def test_the_same_event_twice_in_a_batch_is_scored_once(world):
    assert kinds(await world.use_case()([record(), record()])) == ["scored", "duplicate"]


async def test_an_id_with_other_content_is_dead_lettered_in_a_batch_and_across_batches(world):
    use_case = world.use_case()
    outcomes = [*await use_case([record(), record(sql="SELECT 1")]), *await use_case([record(sql="SELECT 2")])]
    assert kinds(outcomes) == ["scored", "dead_lettered", "dead_lettered"]
    assert {each.reason for each in outcomes[1:]} == {"ID_CONFLICT"}


async def test_the_same_id_of_another_tenant_source_or_agent_is_another_event(world):
    batch = [record(), record(tenant="t"), record(source="/elsewhere"), record(agent="b")]
    assert kinds(await world.use_case()(batch)) == ["scored"] * 4


async def test_a_sender_bound_to_a_tenant_writes_only_for_it(world):
    payloads = [{**GOOD}, {**GOOD, "event_id": "b", "tenant": "theirs"}]
    mine, theirs = await world.use_case()([Record(payload=each, require_id=True, tenant="mine") for each in payloads])
    assert (mine.kind, mine.tenant) == (OutcomeKind.SCORED, "mine")
    assert (theirs.kind, theirs.reason) == (OutcomeKind.DEAD_LETTERED, "TENANT_NOT_ALLOWED")


async def test_a_change_of_rules_takes_effect_on_the_next_event_and_rows_name_the_version(world):
    use_case = world.use_case()
    await use_case([record()])
    world.rules.known["default"] = Rules(version=4)
    await use_case([record(event_id="b")])
    assert [row.rules_version for row in world.store.rows.values()] == [0, 4]
    assert [row.record["rules_version"] for row in world.store.rows.values()] == [0, 4]


async def test_events_outside_the_sample_are_stored_without_a_score(world):
    world.rules.known["default"] = Rules(sample_rate=0.3, version=1)
    outcomes = await world.use_case()([record(event_id=str(number)) for number in range(400)])
    scored = kinds(outcomes).count("scored")
    assert 80 < scored < 160
    assert {each.reason for each in outcomes if each.kind is OutcomeKind.UNSCORED} == {"NOT_SAMPLED"}


async def test_a_policy_without_a_judge_leaves_events_unscored(world):
    world.rules.known["default"] = Rules(judge=JudgeRules(policy=JudgePolicy.LLM))
    [outcome] = await world.use_case()([record()])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.UNSCORED, "JUDGE_UNAVAILABLE")


def broken(case):
    raise ZeroDivisionError


async def test_a_bug_in_the_judge_costs_one_event_its_score_and_is_reported(world):
    [outcome] = await world.use_case(panel=Panel(local=broken))([record()])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.UNSCORED, "SCORER_FAILED")
    assert len(world.outcomes.faults) == 1


class DownStore(MemoryScores):
    async def claims(self, keys):
        raise StoreUnavailable("no answer")


class PickyStore(MemoryScores):
    async def record(self, evaluations):
        if any(each.event.agent == "unfit" for each in evaluations):
            raise RefusedByStore("a value does not fit")
        return await super().record(evaluations)


class DownRules(MemoryRules):
    async def rules(self, tenants):
        raise RulesUnavailable("no answer")


class PartialRules(MemoryRules):
    async def rules(self, tenants):
        return {tenant: Rules() for tenant in tenants if tenant != "unreadable"}


async def test_with_the_store_down_every_event_is_deferred_and_none_is_lost_from_the_count(world):
    outcomes = await world.use_case(store=DownStore())([record(), Record(payload=b"garbage")])
    assert kinds(outcomes) == ["deferred", "dead_lettered"]
    assert not outcomes[0].kept
    assert world.outcomes.tally.balanced


async def test_with_the_rules_down_nothing_is_scored(world):
    [outcome] = await world.use_case(rules=DownRules())([record()])
    assert (outcome.kind, outcome.reason) == (OutcomeKind.DEFERRED, "RULES_UNAVAILABLE")
    assert world.store.rows == {}


async def test_unreadable_rules_defer_only_their_tenants_events(world):
    outcomes = await world.use_case(rules=PartialRules())([record(tenant="unreadable"), record(tenant="fine")])
    assert kinds(outcomes) == ["deferred", "scored"]


async def test_a_row_the_store_refuses_does_not_cost_the_others_theirs(world):
    store = PickyStore()
    batch = [record(event_id=str(number), agent="unfit" if number == 3 else "fit") for number in range(8)]
    outcomes = await world.use_case(store=store)(batch)
    assert kinds(outcomes) == ["scored"] * 3 + ["dead_lettered"] + ["scored"] * 4
    assert outcomes[3].reason == "REFUSED_BY_STORE"
    assert len(store.rows) == 7


TEXTS = st.text(max_size=30) | st.sampled_from(["SELECT 1", "SELECT a FROM b WHERE c = 'd'", "", "\0", "\ud800"])
EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "event_id": st.sampled_from(["1", "2", "3"]) | st.integers() | st.none(),
        "question": TEXTS,
        "sql": TEXTS | st.none(),
        "tenant": st.sampled_from(["a", "b", "*", 3]),
        "occurred_at": st.datetimes().map(str) | TEXTS,
        "attributes": st.dictionaries(st.text(max_size=5), st.none() | st.floats() | TEXTS, max_size=2) | TEXTS,
    },
)
RECORDS = st.builds(
    Record,
    payload=st.binary(max_size=40)
    | TEXTS
    | EVENTS
    | EVENTS.map(json.dumps)
    | st.none()
    | st.lists(st.integers(), max_size=2),
    require_id=st.booleans(),
    tenant=st.none() | st.just("a"),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(RECORDS, max_size=12), max_size=3))
def test_consumed_is_the_sum_of_outcomes_for_any_batches_of_garbage(new_world, batches):
    world = new_world()

    async def consume() -> None:
        use_case = world.use_case()
        for batch in batches:
            assert len(await use_case(batch)) == len(batch)

    asyncio.run(consume())
    tally = world.outcomes.tally
    assert tally.consumed == sum(map(len, batches)) == tally.ended.total()
    stored = tally.ended[OutcomeKind.SCORED] + tally.ended[OutcomeKind.UNSCORED]
    assert stored == len(world.store.rows) == len(world.outcomes.evaluations)
    assert world.outcomes.faults == []


class ForgetfulMemory:
    """Memory that fails as often as `failures` says, and then knows nothing."""

    def __init__(self, *failures: Exception) -> None:
        self.failures, self.learnt = list(failures), list[Any]()

    @asynccontextmanager
    async def recalled(self, evaluations: Sequence[Evaluation]) -> AsyncGenerator[Sequence[Evaluation]]:
        """The evaluations as they are."""
        if self.failures:
            raise self.failures.pop(0)
        yield evaluations
        self.learnt.extend(evaluations)


async def test_a_bug_of_memory_costs_no_score(world):
    [outcome] = await world.use_case(memory=ForgetfulMemory(ZeroDivisionError()))([record()])
    assert outcome.kind is OutcomeKind.SCORED
    assert [(where, type(error)) for where, error in world.outcomes.faults] == [("memory", ZeroDivisionError)]
    [row] = world.store.rows.values()
    assert row.compared is not None
    assert row.context is None


async def test_without_memorys_database_nothing_is_written_and_the_event_sent_again_is_learnt(world):
    memory = ForgetfulMemory(StoreUnavailable("down"))
    use_case = world.use_case(memory=memory)
    [first] = await use_case([record()])
    assert (first.kind, first.reason, world.store.rows) == (OutcomeKind.DEFERRED, "STORE_UNAVAILABLE", {})
    [again] = await use_case([record()])
    assert again.kind is OutcomeKind.SCORED
    assert memory.learnt == list(world.store.rows.values())
    assert world.outcomes.faults == []
