"""Results of rows stored before are published again."""

from __future__ import annotations

import orjson
import pytest

from consumers.errors import RefusedByStore
from consumers.evaluation.event_evaluation import Claim, evaluate
from consumers.pool.ports import ResultsTooLarge
from consumers.pool.unpublished_results import UnpublishedResults
from scoring.evaluation import conclude
from scoring.rules import Rules
from scoring.verdict import Reply, Verdict
from service.kafka.results_topic import KafkaResults
from service.storage.scores.score_store import PostgresScores
from tests.examples import example_case
from tests.memory.stream import MemoryPublisher
from tests.storage.conftest import NOW, evaluation

FAR = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]


@pytest.fixture
def store(engine) -> PostgresScores:
    return PostgresScores(engine, clock=lambda: NOW)


async def test_rows_of_the_first_and_the_last_moment_there_is_are_told_again_beside_others(engine, store):
    written = [evaluation("first", occurred_at=FAR[0]), evaluation("last", occurred_at=FAR[1]), evaluation("now")]
    await store.record(written)
    claims = await store.claims([each.key for each in written])
    publisher = MemoryPublisher()
    await KafkaResults(publisher=publisher, topic="query-scores", engine=engine).publish(claims)
    told = {orjson.loads(message.value or b"")["event_id"] for message in publisher.messages}
    assert told == {"first", "last", "now"}


async def test_a_claim_that_knows_no_time_is_told_again_too(engine, store):
    written = [evaluation("old"), evaluation("new")]
    await store.record(written)
    claims = {**await store.claims([written[0].key]), written[1].key: Claim("", written[1].id)}
    publisher = MemoryPublisher()
    await KafkaResults(publisher=publisher, topic="query-scores", engine=engine).publish(claims)
    assert len(publisher.messages) == 2


async def test_a_value_that_no_column_holds_is_refused_and_nothing_else(store):
    reply = Reply(verdict=Verdict.CORRECT, confidence=0.9, p_correct=0.95, reasons=(), judge="llm/1", tokens_in=2**40)
    score = conclude(example_case("How many loaves?", "SELECT COUNT(*) FROM loaves"), reply)
    unfit = evaluate(evaluation("unfit").event, score, Rules(), NOW)
    with pytest.raises(RefusedByStore):
        await store.record([unfit])
    assert await store.claims([unfit.key]) == {}


async def test_results_that_the_broker_refuses_are_named_and_only_they_are_published_again(engine, store):
    written = [evaluation("early"), evaluation("a" * 250), evaluation("b" * 250)]
    await store.record(written)
    claims = await store.claims([written[0].key, written[1].key])
    publisher = MemoryPublisher()
    results = KafkaResults(publisher=publisher, topic="query-scores", engine=engine)
    await results.publish(claims)
    smaller, larger = sorted(len(message.value or b"") for message in publisher.messages)
    publisher.messages.clear()
    publisher.largest = larger - 1
    publishing = UnpublishedResults(results, {**claims, written[2].key: written[2]})
    for _ in range(2):
        with pytest.raises(ResultsTooLarge, match="refuses 2 messages on query-scores for their size"):
            await publishing()
    assert [len(message.value or b"") for message in publisher.messages] == [smaller]
    publisher.largest = larger
    await publishing()
    assert sorted(message.key or b"" for message in publisher.messages) == [b"a" * 250, b"b" * 250, b"early"]
