"""One behaviour for each port, on the memory that tests use and on the PostgreSQL 15 and 18 that users use."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import Evaluation, EventKey, evaluate
from consumers.evaluation.outcomes import DeferredReason, Trigger
from consumers.wire.events import decode_event
from consumers.wire.rules_document import RulesDocument
from consumers.wire.span_source import SPAN_SOURCE
from scoring.evaluation import conclude
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Reply, Verdict
from service.storage.deferred_store import PostgresDeferred
from service.storage.rule_store import PostgresRules
from service.storage.scores.score_store import PostgresScores
from tests.examples import example_case
from tests.memory.stores import MemoryDeferred, MemoryRules, MemoryScores
from tests.storage.conftest import NOW, POSTGRES_15, evaluation


@pytest.fixture(params=["memory", POSTGRES_15, "postgres18"])
def server(request):
    return "memory" if request.param == "memory" else request.getfixturevalue(request.param)


@pytest.fixture
def ports(request, server):
    """A store and the events that wait beside it."""
    if server == "memory":
        return MemoryScores(), MemoryDeferred()
    engine = request.getfixturevalue("engine")
    return PostgresScores(engine, clock=lambda: NOW), PostgresDeferred(engine)


@pytest.fixture
def store(ports):
    return ports[0]


@pytest.fixture
def deferred(ports):
    return ports[1]


def scored(unscored: Evaluation, claim=None, hours: int = 1) -> Evaluation:
    """The same event with a score."""
    reply = Reply(verdict=Verdict.CORRECT, confidence=0.9, p_correct=0.95, reasons=(), judge="local/test")
    score = conclude(example_case("How many loaves?", "SELECT COUNT(*) FROM loaves"), reply)
    return evaluate(unscored.event, score, Rules(), NOW + timedelta(hours=hours), trigger=Trigger.DEFERRED, claim=claim)


async def test_what_is_recorded_has_a_claim(store):
    written = evaluation("a")
    assert await store.claims([written.key]) == {}
    assert await store.record([written]) == {}
    assert await store.claims([written.key]) == {written.key: written.claim}


async def test_the_first_evaluation_keeps_the_claim_and_later_ones_are_not_written(store):
    first, later, other = evaluation("a"), evaluation("a", "SELECT 2"), evaluation("b")
    await store.record([first])
    assert await store.record([later, other]) == {first.key: first.claim}
    assert await store.claims([first.key, other.key]) == {first.key: first.claim, other.key: other.claim}


async def test_nothing_to_record_is_nothing_recorded(store):
    assert await store.record([]) == {}
    assert await store.claims([]) == {}


async def test_tenant_and_source_are_part_of_the_event_key(store):
    each = [evaluation("a"), evaluation("a", tenant="t"), evaluation("a", source="/s")]
    assert await store.record(each) == {}
    assert len(await store.claims([one.key for one in each] + [EventKey("nobody", "/s", "a")])) == 3


async def test_concurrent_batches_with_the_same_events_write_each_event_once(store):
    batches = [[evaluation(str(number)) for number in order] for order in (range(60), reversed(range(60)), range(60))]
    stood = await asyncio.gather(*(store.record(batch) for batch in batches))
    assert sum(60 - len(claims) for claims in stood) == 60


@pytest.mark.parametrize(
    "text", ["naïve — 北京 🍞", "quote ' and \" and \\ and %s and :name", "x" * 200_000, "\u2028\x7f\x01"]
)
async def test_any_text_can_be_kept(store, text):
    each = evaluation("a", text, question=text, attributes={"note": text})
    assert await store.record([each]) == {}


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "1969-12-31T00:00:00Z"])
async def test_any_time_can_be_kept(store, moment):
    assert await store.record([evaluation("a", occurred_at=moment)]) == {}


async def test_the_longest_names_fit(store):
    names: dict[str, Any] = {"tenant": "字" * 128, "agent": "字" * 128, "source": "字" * 260}
    assert await store.record([evaluation("字" * 256, **names)]) == {}


async def test_a_row_without_a_score_because_of_the_judge_is_filled_once(store):
    failed = evaluation("a", reason=UnscoredReason.JUDGE_UNAVAILABLE)
    await store.record([failed, evaluation("b")])
    claim = (await store.claims([failed.key]))[failed.key]
    assert claim.fillable
    first, second = scored(failed, claim), scored(failed, claim, hours=2)
    assert await store.record([first]) == {}
    filled = (await store.claims([failed.key]))[failed.key]
    assert (filled.fillable, filled.evaluation_id, filled.occurred_at) == (False, failed.id, failed.occurred_at)
    assert set(await store.record([second])) == {failed.key}


async def test_retrying_after_a_lost_commit_acknowledgement_is_idempotent(store):
    first, failed = evaluation("a"), evaluation("b", reason=UnscoredReason.JUDGE_UNAVAILABLE)
    assert await store.record([first, failed]) == {}
    assert await store.record([first, failed, evaluation("c")]) == {}
    filling = scored(failed, (await store.claims([failed.key]))[failed.key])
    assert await store.record([filling]) == {}
    assert await store.record([filling]) == {}
    assert set(await store.record([evaluation("a"), scored(failed, hours=3)])) == {first.key, failed.key}


async def test_a_row_is_not_filled_by_another_event_or_by_a_reason(store):
    failed = evaluation("a", reason=UnscoredReason.JUDGE_UNAVAILABLE)
    await store.record([failed])
    claim = (await store.claims([failed.key]))[failed.key]
    other = replace(scored(failed, claim), payload_hash="0" * 64)
    for each in (other, scored(failed), evaluation("a", reason=UnscoredReason.JUDGE_UNAVAILABLE)):
        assert set(await store.record([each])) == {failed.key}
    assert (await store.claims([failed.key]))[failed.key] == claim


async def test_a_row_that_says_what_is_wrong_with_the_answer_is_never_filled(store):
    settled = evaluation("a")
    await store.record([settled])
    claim = (await store.claims([settled.key]))[settled.key]
    assert set(await store.record([scored(settled, claim)])) == {settled.key}


def span_event(question: str, sql: str = "SELECT 1", reason=UnscoredReason.NO_QUESTION, claim=None) -> Evaluation:
    fields = {"event_id": "a", "source": SPAN_SOURCE, "question": question, "sql": sql}
    event = decode_event(fields, require_id=True)
    return evaluate(event, Unscored(reason, "blank"), Rules(), NOW, claim=claim)


async def test_an_answer_whose_question_is_found_late_is_the_same_event(store):
    bare = span_event("")
    assert await store.record([bare]) == {}
    claim = (await store.claims([bare.key]))[bare.key]
    whole = [scored(span_event("How many loaves?"), claim, hours=hours) for hours in (1, 2)]
    assert await store.record([whole[0]]) == {}
    stands = (await store.claims([bare.key]))[bare.key]
    assert (stands.evaluation_id, stands.payload_hash) == (bare.id, whole[0].payload_hash)
    assert await store.record([whole[1]]) == {bare.key: stands}
    assert await store.record([span_event("")]) == {bare.key: stands}


async def test_an_answer_with_another_sql_is_not_completed(store):
    bare = span_event("")
    await store.record([bare])
    claim = (await store.claims([bare.key]))[bare.key]
    assert await store.record([scored(span_event("How many loaves?", "SELECT 2"), claim)]) == {bare.key: claim}


def deferral(
    id_: str,
    *,
    minutes: int = 0,
    sql: str = "SELECT 1",
    tenant: str = "bakers",
    reason: DeferredReason = DeferredReason.JUDGE_UNAVAILABLE,
    **fields,
) -> Deferral:
    event = evaluation(id_, sql, tenant=tenant).event
    return Deferral(
        tenant=event.tenant,
        source=event.source,
        event_id=event.event_id,
        payload=event.model_dump_json().encode(),
        payload_hash=event.payload_hash,
        reason=reason,
        due=NOW + timedelta(minutes=minutes),
        **fields,
    )


async def test_what_is_deferred_is_given_to_one_when_due_and_again_after_the_lease(deferred):
    sent = [deferral("late", minutes=9), deferral("b", minutes=-1, timestamp=NOW), deferral("a", minutes=-2)]
    assert await deferred.defer(sent) == []
    taken = await asyncio.gather(*(deferred.lease_due(NOW, 10, 60) for _ in range(3)))
    first = [each for one in taken for each in one]
    assert sorted(each.event_id for each in first) == ["a", "b"]
    assert {each.attempts for each in first} == {1}
    [b] = [each for each in first if each.event_id == "b"]
    assert (b.payload, b.timestamp, b.key) == (sent[1].payload, NOW, sent[1].key)
    assert list(await deferred.lease_due(NOW + timedelta(seconds=59), 10, 60)) == []
    assert {each.attempts for each in await deferred.lease_due(NOW + timedelta(seconds=60), 10, 60)} == {2}


async def test_the_same_event_deferred_twice_is_kept_once_and_its_attempts_stand(deferred):
    await deferred.defer([deferral("a")])
    [taken] = await deferred.lease_due(NOW, 1, 60)
    assert await deferred.defer([deferral("a", minutes=5)]) == []
    assert await deferred.waiting() == 1
    [again] = await deferred.lease_due(NOW + timedelta(minutes=5), 1, 60)
    assert (taken.attempts, again.attempts) == (1, 2)


async def test_a_throttled_try_does_not_count_as_an_attempt(deferred):
    await deferred.defer([deferral("a")])
    for minutes in (1, 2, 3):
        [taken] = await deferred.lease_due(NOW + timedelta(minutes=minutes), 1, 60)
        assert taken.attempts == 1
        over = deferral("a", minutes=minutes, reason=DeferredReason.TENANT_THROTTLED, attempts=0)
        assert await deferred.defer([over]) == []


async def test_each_tenant_has_its_turn_however_many_events_of_another_were_due_before(deferred):
    flood = [deferral(str(number), tenant="flood", minutes=-60 - number) for number in range(300)]
    few = [deferral(name, tenant=name, minutes=-1) for name in ("bakers", "millers")]
    assert await deferred.defer(flood + few) == []
    first, second = [await deferred.lease_due(NOW, 10, 60) for _ in range(2)]
    assert sorted({each.tenant for each in first}) == ["bakers", "flood", "millers"]
    assert len(first) == len(second) == 10
    assert {each.event_id for each in first if each.tenant == "flood"} == {str(number) for number in range(292, 300)}


async def test_another_event_with_the_id_of_one_that_waits_is_not_kept(deferred):
    first, other, third = deferral("a"), deferral("a", sql="SELECT 2"), deferral("c")
    await deferred.defer([first])
    assert list(await deferred.defer([other, third])) == [other.key]
    assert {each.payload for each in await deferred.lease_due(NOW, 10, 1)} == {first.payload, third.payload}


async def test_an_event_waits_until_it_is_dropped_even_when_its_row_is_written(store, deferred):
    await deferred.defer([deferral("a"), deferral("b")])
    await store.record([evaluation("a", tenant="bakers")])
    await deferred.drop([deferral("b").key])
    assert [each.event_id for each in await deferred.lease_due(NOW, 10, 1)] == ["a"]
    assert await deferred.waiting() == 1


@pytest.fixture
def rules(request, server):
    if server == "memory":
        source = MemoryRules()
        return source, partial(keep, source)
    engine = request.getfixturevalue("engine")
    return PostgresRules(engine), PostgresRules(engine).put


async def keep(source: MemoryRules, tenant: str, document: RulesDocument) -> None:
    version = source.known[tenant].version + 1 if tenant in source.known else 1
    source.known[tenant] = document.rules(version)


async def test_a_tenant_without_rules_has_the_default(rules):
    source, _ = rules
    assert await source.rules(["nobody"]) == {"nobody": Rules()}


async def test_a_change_is_seen_by_the_next_reading_of_a_source_that_did_not_make_it(rules):
    source, put = rules
    for lambda_min in (10, 20):
        await put("bakers", RulesDocument(lambda_min=lambda_min))
        read = (await source.rules(["bakers", "nobody"]))["bakers"]
        assert read.lambda_min == lambda_min
    assert read.version == 2
