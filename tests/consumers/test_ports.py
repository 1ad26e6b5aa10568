"""One behaviour for each port, on the memory that tests use and on the PostgreSQL that users use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial

import pytest

from consumers.evaluation import Evaluation, EventKey, evaluate
from consumers.events import RulesDocument, decode_event
from consumers.memory import MemoryRules, MemoryScores
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from service.database import create_engine
from service.settings import DatabaseSettings
from service.store import PostgresRules, PostgresScores

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)


def evaluation(id_: str, sql: str = "SELECT 1", **fields: object) -> Evaluation:
    event = decode_event({"event_id": id_, "question": "q", "sql": sql, **fields}, require_id=True)
    return evaluate(event, Unscored(UnscoredReason.EMPTY_SQL, "blank"), Rules(), NOW)


@pytest.fixture(params=["memory", "postgres"])
async def store(request, database) -> AsyncIterator[MemoryScores | PostgresScores]:
    if request.param == "memory":
        yield MemoryScores()
        return
    engine = create_engine(database, DatabaseSettings())
    yield PostgresScores(engine)
    await engine.dispose()


async def test_what_is_recorded_has_a_claim(store):
    written = evaluation("a")
    assert await store.claims([written.key]) == {}
    assert await store.record([written]) == {}
    assert await store.claims([written.key]) == {written.key: written.claim}


async def test_a_claim_stands_for_ever_and_the_later_row_is_not_written(store):
    first, later, other = evaluation("a"), evaluation("a", "SELECT 2"), evaluation("b")
    await store.record([first])
    assert await store.record([later, other]) == {first.key: first.claim}
    assert await store.claims([first.key, other.key]) == {first.key: first.claim, other.key: other.claim}


async def test_nothing_to_record_is_nothing_recorded(store):
    assert await store.record([]) == {}
    assert await store.claims([]) == {}


async def test_keys_are_told_apart_by_tenant_and_source(store):
    each = [evaluation("a"), evaluation("a", tenant="t"), evaluation("a", source="/s")]
    assert await store.record(each) == {}
    assert len(await store.claims([one.key for one in each] + [EventKey("nobody", "/s", "a")])) == 3


async def test_of_batches_at_once_that_hold_the_same_events_one_writes_each(store):
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
    names = {"tenant": "字" * 128, "agent": "字" * 128, "source": "字" * 260}
    assert await store.record([evaluation("字" * 256, **names)]) == {}


@pytest.fixture(params=["memory", "postgres"])
async def rules(request, database):
    if request.param == "memory":
        source = MemoryRules()
        yield source, partial(keep, source)
        return
    engine = create_engine(database, DatabaseSettings())
    source = PostgresRules(engine)
    yield source, PostgresRules(engine).put
    await engine.dispose()


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
