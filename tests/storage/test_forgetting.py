"""Forgetting deletes texts everywhere and nothing else."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from pydantic import SecretStr
from sqlalchemy import text

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import evaluate, line_out
from consumers.evaluation.outcomes import DeferredReason
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.stream.dead_letter_subject import concerns
from consumers.stream.dead_letters import dead_letter, read_dead_letter
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.kafka.client import open_publisher
from service.kafka.dead_letter_topic import dead_letters
from service.pipeline.forget_subject import forget_dead_letters, forget_replies
from service.redis.link import open_redis
from service.redis.reply_cache import RedisReplies
from service.settings.storage_settings import RedisSettings
from service.settings.stream_settings import KafkaSettings
from service.storage.deferred_store import PostgresDeferred
from service.storage.forgetting import Subject, forget_rows
from service.storage.label_store import PostgresLabels
from service.storage.retention import do_housekeeping
from service.storage.scores.score_store import PostgresScores
from tests.storage.conftest import NOW

SECRET = "quillfeather"


LITERALS = {"sql": f"SELECT COUNT(*) FROM sales WHERE baker = '{SECRET}' AND city = '{SECRET}'"}
PARAMETERS = {"sql": "SELECT COUNT(*) FROM sales WHERE baker = :who AND city = :who", "parameters": {"who": SECRET}}


def scored(id_: str, tenant: str, rules: Rules = Rules()):  # noqa: B008 frozen
    """An answer with the secret in its SQL: as a literal, or as a parameter where the id is 2."""
    question = f"How many loaves did {SECRET} sell in {id_}?"
    event = decode_event(
        {
            "event_id": id_,
            "tenant": tenant,
            "question": question,
            "enriched_question": f"{question} ({SECRET} refers to baker = '{SECRET}')",
            **(PARAMETERS if id_ == "2" else LITERALS),
            "reference_sql": f"SELECT '{SECRET}'",
            "result": {"error": f"timeout while reading {SECRET}"},
            "history": [{"question": f"Where does {SECRET} live?", "sql": f"SELECT '{SECRET}'"}],
            "attributes": {"note": SECRET},
        },
        require_id=True,
    )
    case = examine(event.query(), rules)
    assert isinstance(case, Case)
    return evaluate(event, line_out(id_, conclude(case, local_judge().judge(case)), rules, remember=True), rules, NOW)


async def secrets(engine, tenant: str | None = None) -> int:
    """How many rows of any table hold the secret."""
    async with engine.connect() as connection:
        tables = await connection.scalars(
            text("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace")
        )
        found = 0
        # of the service, or without a name
        others = {"alembic_version", "session_secrets", "unsent_scores"}
        for table in {name for name in tables if not name.startswith("evaluations_")} - others:
            payload = "encode(payload, 'escape')" if table == "deferred_events" else "''"
            found += await connection.scalar(
                text(
                    f"SELECT count(*) FROM {table} AS row WHERE (row::text || {payload}) LIKE '%' || :secret || '%'"
                    + (" AND tenant = :tenant" if tenant else "")
                ),
                {"secret": SECRET, **({"tenant": tenant} if tenant else {})},
            )
        return found


@pytest.fixture
async def full(engine):
    """Two tenants with two events each, all kinds of rows, each of them holding the secret."""
    await PostgresScores(engine, clock=lambda: NOW).record(
        [scored(id_, tenant) for tenant in ("bakers", "millers") for id_ in ("1", "2")]
    )
    labels = [
        {"tenant": tenant, "event_id": id_, "label": "wrong", "reviewer": "ann", "note": SECRET, "correction": SECRET}
        for tenant in ("bakers", "millers")
        for id_ in ("1", "2")
    ]
    await KeepLabels(store=PostgresLabels(engine))([LabelRecord(payload=each, sent_at=NOW) for each in labels])
    waiting = [
        Deferral(
            tenant=tenant,
            source="/s",
            event_id="1",
            payload=SECRET.encode(),
            payload_hash="",
            reason=DeferredReason.EVENT_DEADLINE,
            due=NOW,
        )
        for tenant in ("bakers", "millers")
    ]
    await PostgresDeferred(engine).defer(waiting)
    return engine


async def test_a_tenants_texts_are_gone_from_every_table_and_its_scores_stay(full):
    before = await secrets(full, "millers")
    assert await secrets(full, "bakers") == before == 5
    done = await forget_rows(full, Subject("bakers"))
    assert (done.evaluations, done.labels, done.deferred) == (2, 2, 1)
    assert (await secrets(full, "bakers"), await secrets(full, "millers")) == (0, before)
    async with full.connect() as connection:
        rows = (await connection.execute(text("SELECT * FROM evaluations WHERE tenant = 'bakers'"))).mappings().all()
    assert all(row["score"] is not None and row["withheld"] and row["record"]["verdict"] for row in rows)
    again = await forget_rows(full, Subject("bakers"))
    assert (again.evaluations, again.labels, again.deferred) == (0, 0, 0)


async def test_one_events_texts_are_gone_and_its_tenants_others_stay(full):
    done = await forget_rows(full, Subject("bakers", "1"))
    assert (done.evaluations, done.labels, done.deferred) == (1, 1, 1)
    assert (await secrets(full, "bakers"), await secrets(full, "millers")) == (2, 5)
    async with full.connect() as connection:
        left = await connection.execute(
            text("SELECT tenant, event_id FROM evaluations WHERE NOT withheld ORDER BY 1, 2")
        )
        assert [tuple(row) for row in left] == [("bakers", "2"), ("millers", "1"), ("millers", "2")]


async def test_a_tenant_that_stores_no_texts_has_none_in_any_table(engine):
    none = Rules(store_raw=False, version=3)
    await PostgresScores(engine, clock=lambda: NOW).record([scored(id_, "bakers", none) for id_ in ("1", "2")])
    assert await secrets(engine) == 0
    async with engine.connect() as connection:
        rows = (await connection.execute(text("SELECT * FROM evaluations"))).mappings().all()
    expected = (True, 3, True)
    assert [(row["withheld"], row["rules_version"], row["reason_codes"] != []) for row in rows] == [expected] * 2


async def test_values_of_parameters_are_stored_and_go_with_retention_as_literals_do(engine):
    await PostgresScores(engine, clock=lambda: NOW).record([scored(id_, "bakers") for id_ in ("1", "2")])
    stored = "SELECT sql FROM evaluations WHERE event_id = :id"
    async with engine.connect() as connection:
        written, bound = [await connection.scalar(text(stored), {"id": id_}) for id_ in ("1", "2")]
    assert written == bound == LITERALS["sql"]
    kept = await secrets(engine)
    await do_housekeeping(engine, 30, NOW + timedelta(days=29))
    assert await secrets(engine) == kept == 2
    await do_housekeeping(engine, 30, NOW + timedelta(days=32))
    assert await secrets(engine) == 0


async def test_a_resend_of_what_is_forgotten_is_still_a_duplicate(full):
    await forget_rows(full, Subject("bakers"))
    again = scored("1", "bakers")
    assert set(await PostgresScores(full, clock=lambda: NOW).record([again])) == {again.key}


async def test_replies_of_models_are_gone_from_redis(redis):
    async with open_redis(RedisSettings(url=SecretStr(redis.url), prefix=redis.prefix)) as link:
        assert link is not None
        replies = RedisReplies(link=link, seconds=60)
        for tenant in ("bakers", "bakers*", "b?kers"):
            await replies.keep(tenant, "m", "digest", SECRET)
        assert await forget_replies(link, "b?kers") == 1
        assert await replies.find("b?kers", "m", "digest") is None
        assert await replies.find("bakers", "m", "digest") == SECRET


@pytest.fixture
async def compacted(kafka):
    """A dead-letter topic as it should be made."""
    topic = f"dead-{uuid.uuid4().hex[:8]}"
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(topic, 2, 1, topic_configs={"cleanup.policy": "compact"})])
    yield KafkaSettings(bootstrap_servers=kafka.bootstrap, topic_dead=topic)
    await admin.delete_topics([topic])
    await admin.close()


class Read:
    """A record as it was read from the topic of events."""

    def __init__(self, offset: int, value: bytes, *headers) -> None:
        self.topic, self.partition, self.offset, self.timestamp = "query-events", 0, offset, 0
        self.key, self.value, self.headers = None, value, headers


LETTERS = [
    ({"tenant": "bakers", "event_id": "1", "question": 7}, ()),
    ({"tenant": "bakers", "id": 2}, ()),
    ({"specversion": "1.0", "id": "1", "data": {"tenant": "bakers", "sql": None}}, ()),
    ({"tenant": "millers", "event_id": "1", "note": "bakers"}, ()),
    ({"question": 7, "event_id": "1"}, ()),
    (b'{"tenant": "bakers", "event_id": "1", "question": "cut off', ()),
    (b"\xff\x00", (("ce_id", b"1"), ("tenant", b"bakers"))),
]


@pytest.mark.slow  # takes over a second
async def test_dead_letters_are_removed_by_tombstones_and_listed_no_more(compacted):
    async with open_publisher(compacted) as publisher:
        for place, (value, headers) in enumerate(LETTERS):
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            letter = dead_letter(Read(place, raw, *headers), compacted.topic_dead, reason="NOT_JSON", detail="")
            assert await publisher.publish([letter]) in ([], set(), ())
    assert {each.letter.offset async for each in dead_letters(compacted)} == set(range(len(LETTERS)))
    assert await forget_dead_letters(compacted, Subject("bakers", "1")) == 4
    assert {each.letter.offset async for each in dead_letters(compacted)} == {1, 3, 4}
    assert await forget_dead_letters(compacted, Subject("bakers")) == 1
    assert {each.letter.offset async for each in dead_letters(compacted)} == {3, 4}
    assert await forget_dead_letters(compacted, Subject("default")) == 1


@pytest.mark.parametrize("value", [b"", b"[1]", b"7", b"\xff", b"[" * 100_000, b'{"data": 1}', b'{"tenant": [1]}'])
def test_whose_a_letter_is_can_be_asked_of_anything(value):
    record: Any = dead_letter(Read(0, value), "dead", reason="NOT_JSON", detail="")
    letter = read_dead_letter(record)
    assert not concerns(letter, "bakers", "1")
