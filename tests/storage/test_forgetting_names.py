"""Forgetting knows every column: what it empties, what stays and is said to stay, and what it deletes when asked."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import asdict
from typing import Any

import pytest
from sqlalchemy import ARRAY, JSON, Column, LargeBinary, String, Table, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlmodel import SQLModel

from consumers.wire.rules_document import RulesDocument
from consumers.wire.schema_document import of_ddl
from service.kafka.topic_retention import topic_retention
from service.pipeline.forget_subject import Extent, forget_stored
from service.settings.stream_settings import KafkaSettings
from service.storage.forgetting import Subject
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.reference_store import REFERENCE_VERDICTS
from service.storage.rule_store import PostgresRules
from service.storage.sums.keeping import sum_stale_hours
from tests.storage.column_kinds import COLUMN_KINDS, ColumnKind
from tests.storage.conftest import NOW
from tests.storage.test_forgetting import SECRET, full  # noqa: F401  # pyright: ignore[reportUnusedImport] a fixture

TABLES = {name: table for name, table in SQLModel.metadata.tables.items() if name != "alembic_version"}
HELD = (ColumnKind.TEXT, ColumnKind.NAME, ColumnKind.RULES)


def columns(*kinds: ColumnKind) -> list[tuple[Table, Column[Any]]]:
    return [
        (table, column) for name, table in TABLES.items() for column in table.columns
        if COLUMN_KINDS[name][column.name] in kinds
    ]  # fmt: skip


def is_text(column: Column[Any]) -> bool:
    return isinstance(column.type, String | JSON | ARRAY | LargeBinary)


def test_every_column_is_classified_and_only_texts_can_hold_a_name():
    assert {name: set(table.columns.keys()) for name, table in TABLES.items()} == {
        name: set(kinds) for name, kinds in COLUMN_KINDS.items()
    }
    assert all(is_text(column) for _, column in columns(*HELD))


def planted(column: Column[Any]) -> Any:
    """A value with the secret in it, different in each row."""
    if isinstance(column.type, JSONB):
        return func.jsonb_build_object("planted", SECRET)
    if isinstance(column.type, LargeBinary):
        return literal(SECRET.encode())
    if isinstance(column.type, ARRAY):
        return func.array_append(column, SECRET)
    return func.concat(column, f" {SECRET}")


@pytest.fixture
async def everywhere(full: AsyncEngine) -> AsyncEngine:  # noqa: F811 the fixture
    """The secret in every column that may hold a text, for two tenants."""
    for tenant in ("bakers", "millers"):
        for _ in range(2):
            await PostgresRules(full).put(tenant, RulesDocument(), author="ann")
        await PostgresRules(full).put_schema(tenant, of_ddl("CREATE TABLE ovens (id INT)", None), author="ann")
    async with full.begin() as connection:
        for tenant in ("bakers", "millers"):
            await connection.execute(
                REFERENCE_VERDICTS.insert().values(
                    event=func.gen_random_uuid(),
                    tenant=tenant,
                    occurred_at=NOW,
                    verdict="different",
                    tries=0,
                    record={},
                )
            )
            await connection.execute(
                TABLES["access_tokens"]
                .insert()
                .values(id=tenant, name=f"of {tenant}", tenant=tenant, scopes=["publish"], digest=f"{tenant:0<64}")
            )
            watched = {"tenant": tenant, "agent": "crumb", "judge": "local", "evaluator_version": "1"}
            await connection.execute(
                TABLES["watched_answers"].insert().values(
                    **watched, alarm=func.gen_random_uuid(), event=func.gen_random_uuid(), moment=0, p_alone=0,
                    score=0, question=0, received_at=NOW,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["agent_alarms"].insert().values(
                    **watched, id=func.gen_random_uuid(), state={}, fall_evidence=0, below_evidence=0, answers=0,
                    answered_at=NOW,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["agent_incidents"].insert().values(
                    **watched, id=func.gen_random_uuid(), agent_version="2", version_before="1", before_since=NOW,
                    since=NOW, until=NOW, answers_before=1, wrong_before=0, answers_after=1, wrong_after=1,
                    opened_at=NOW, explanation="a", history=[],
                )
            )  # fmt: skip
            kept = {"id": func.gen_random_uuid(), "tenant": tenant, "name": "a"}
            await connection.execute(
                TABLES["eval_runs"].insert().values(**kept, answers=[], cases=0, passed=0, sent_by="ann", sent_at=NOW)
            )
            await connection.execute(
                TABLES["saved_views"].insert().values(**kept, shows="slices", filters={}, saved_by="ann", saved_at=NOW)
            )
            await connection.execute(
                TABLES["audit_log"].insert().values(
                    tenant=tenant, actor="ann", via="api", action="label_stored", subject="a", reviewer="ann"
                )
            )  # fmt: skip
            reviewed = {"tenant": tenant, "agent": "crumb"}
            await connection.execute(
                TABLES["review_draws"].insert().values(**reviewed, secret=b"x", wanted=30, spread=0.5, drawn_at=NOW)
            )
            await connection.execute(
                TABLES["review_items"].insert().values(
                    **reviewed, source="/s", event_id="a", occurred_at=NOW, share=0.5, sampling_probability=0.5,
                    place=0.5, drawn_at=NOW, reviewer="ann", labelled_at=NOW,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["past_labels"].insert().values(
                    tenant=tenant, source="/s", event_id="a", reviewer="ann", labelled_at=NOW, label="wrong",
                    withdrawn=True,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["feedback"].insert().values(
                    tenant=tenant, feedback_id="a", kind="user", source="/s", event_id="a", thumb="down", given_at=NOW,
                    received_at=NOW,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["tenant_calibrations"].insert().values(
                    tenant=tenant, version=1, judge="local/4", evaluator_version="1", intercept=0, slope=1, labels=20,
                    labelled_right=10, loss_before=0.7, loss_after=0.6,
                )
            )  # fmt: skip
            await connection.execute(
                TABLES["canary_answers"].insert().values(
                    event=func.gen_random_uuid(), id=func.gen_random_uuid(), tenant=tenant, source="/s", event_id="a",
                    agent="crumb", case_id="a", occurred_at=NOW, received_at=NOW, question="q", sql="x", record={},
                )
            )  # fmt: skip
            learned = {"document": {"rules": []}, "labels": 20, "author": "ann"}
            await connection.execute(
                TABLES["tenant_learned_rules"].insert().values(tenant=tenant, version=1, **learned)
            )
    await sum_stale_hours(full)
    async with full.begin() as connection:
        for table, column in columns(*HELD):
            await connection.execute(update(table).values({column.name: planted(column)}))
    return full


async def holding(engine: AsyncEngine, tenant: str, *kinds: ColumnKind) -> set[str]:
    """The columns in which the tenant's rows hold the secret."""
    found: set[str] = set()
    async with engine.connect() as connection:
        for table, column in columns(*kinds):
            if "tenant" not in table.c:
                continue
            text = func.encode(column, "escape") if isinstance(column.type, LargeBinary) else column.cast(String)
            rows = select(func.count()).where(table.c.tenant == tenant, text.contains(SECRET)).select_from(table)
            if await connection.scalar(rows):
                found.add(f"{table.name}.{column.name}")
    return found


async def counts(engine: AsyncEngine) -> dict[str, int]:
    async with engine.connect() as connection:
        return {
            name: await connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in TABLES.items()
        }


async def test_the_secret_is_in_every_column_that_may_hold_one_and_in_no_other(everywhere: AsyncEngine):
    assert await holding(everywhere, "bakers", *HELD) == {f"{table}.{column.name}" for table, column in columns(*HELD)}
    coded = [column for _, column in columns(ColumnKind.CODE) if is_text(column)]
    assert len(coded) > 10
    assert await holding(everywhere, "bakers", ColumnKind.CODE) == set()


async def test_texts_go_and_what_stays_is_said(everywhere: AsyncEngine):
    done = await forget_stored(everywhere, None, Subject("bakers"), Extent())
    assert await holding(everywhere, "bakers", ColumnKind.TEXT) == set()
    left = await holding(everywhere, "bakers", ColumnKind.NAME, ColumnKind.RULES)
    assert set(done.stays) == {each.partition(".")[0] for each in left} == {
        "access_tokens", "agent_alarms", "agent_incidents", "answer_sums", "audit_log", "evaluations", "event_keys",
        "labels", "past_labels", "review_draws", "review_items", "tenant_learned_rules", "tenant_rules",
        "tenant_schemas", "watched_answers",
    }  # fmt: skip
    assert await holding(everywhere, "millers", *HELD) == {f"{table}.{column.name}" for table, column in columns(*HELD)}


async def test_everything_leaves_no_row_but_the_default_rules(everywhere: AsyncEngine):
    before = await counts(everywhere)
    done = await forget_stored(everywhere, None, Subject("bakers"), Extent(everything=True))
    assert await holding(everywhere, "bakers", *HELD) == set()
    left = await counts(everywhere)
    others = before.keys() - {"tenant_rules", "stale_hours"}
    assert {name: before[name] / 2 for name in others} == {name: left[name] for name in others}
    assert left["stale_hours"] == 0
    assert left["tenant_rules"] == 3 + 1
    current = await PostgresRules(everywhere).current("bakers")
    assert (current.version, current.author) == (4, "forget")
    assert RulesDocument.model_validate(current.document) == RulesDocument()
    assert set(done.stays) == {"tenant_rules"}
    assert done.stays["tenant_rules"].startswith("1 rows with the tenant's name, and store_raw")
    assert await holding(everywhere, "millers", *HELD) == {f"{table}.{column.name}" for table, column in columns(*HELD)}
    again = await forget_stored(everywhere, None, Subject("bakers"), Extent(everything=True))
    assert sum(value for value in asdict(again).values() if isinstance(value, int)) == 1, "the rules it wrote itself"


LATE = (
    "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN OLD.reviewer := 'late';"
    " INSERT INTO past_labels VALUES (OLD.*); RETURN OLD; END $$",
    "CREATE TRIGGER late AFTER DELETE ON past_labels FOR EACH ROW WHEN (OLD.reviewer <> 'late')"
    " EXECUTE FUNCTION late()",
)
"""Stores a row anew as it is deleted, once."""


async def test_everything_also_deletes_what_a_running_service_stores_meanwhile(everywhere: AsyncEngine):
    async with everywhere.begin() as connection:
        for statement in LATE:
            await connection.execute(text(statement))
    await forget_stored(everywhere, None, Subject("bakers"), Extent(everything=True))
    assert await holding(everywhere, "bakers", *HELD) == set()


async def test_an_alarm_that_is_updated_meanwhile_is_deleted_too(everywhere: AsyncEngine, wait_until: Any):
    alarm = {"tenant": "bakers", "agent": f"crumb {SECRET}", "judge": "local", "evaluator_version": "1"}
    numbers = {"state": {}, "fall_evidence": 0, "below_evidence": 0, "answers": 0, "answered_at": NOW}
    async with try_alone(everywhere, AdvisoryLock.ALARMS) as alone, asyncio.timeout(20):
        assert alone
        forgetting = asyncio.create_task(forget_stored(everywhere, None, Subject("bakers"), Extent(everything=True)))
        await wait_until(lambda: waits_for_a_lock(everywhere))
        async with everywhere.begin() as connection:
            await connection.execute(TABLES["agent_alarms"].insert().values(id=uuid.uuid4(), **alarm, **numbers))
    await forgetting
    assert await holding(everywhere, "bakers", *HELD) == set()


async def waits_for_a_lock(engine: AsyncEngine) -> bool:
    async with engine.connect() as connection:
        return bool(await connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


async def test_a_tenant_that_stores_no_texts_still_stores_none_without_its_rules(engine: AsyncEngine):
    rules = RulesDocument(store_raw=False, retention_days=3, benign_filters=["name = 'x'"])
    await PostgresRules(engine).put("bakers", rules, author="ann")
    await forget_stored(engine, None, Subject("bakers"), Extent(rules=True))
    current = await PostgresRules(engine).current("bakers")
    assert RulesDocument.model_validate(current.document) == RulesDocument(store_raw=False, retention_days=3)


async def test_rules_go_alone_when_asked(everywhere: AsyncEngine):
    done = await forget_stored(everywhere, None, Subject("bakers"), Extent(rules=True))
    assert done.rules == 3
    assert await holding(everywhere, "bakers", ColumnKind.RULES) == set()
    assert "evaluations.agent" in await holding(everywhere, "bakers", ColumnKind.NAME)


@pytest.mark.parametrize("extent", [{}, {"everything": True}, {"rules": True}, {"reviewer": f"ann {SECRET}"}])
@pytest.mark.parametrize("event", [None, "1"])
async def test_a_dry_run_counts_what_the_run_does_and_changes_nothing(
    full: AsyncEngine,  # noqa: F811 the fixture
    extent: dict[str, Any],
    event: str | None,
):
    await PostgresRules(full).put("bakers", RulesDocument(), author="ann")
    subject, before = Subject("bakers", event), await counts(full)
    announced = await forget_stored(full, None, subject, Extent(**extent, dry_run=True))
    assert await counts(full) == before
    assert await holding(full, "bakers", ColumnKind.TEXT)
    done = await forget_stored(full, None, subject, Extent(**extent))
    assert {**asdict(announced), "stays": None} == {**asdict(done), "stays": None}


async def test_a_reviewers_name_goes_and_the_labels_stay(full: AsyncEngine):  # noqa: F811 the fixture
    await PostgresRules(full).put("bakers", RulesDocument(), author="ann")
    before = await counts(full)
    done = await forget_stored(full, None, Subject("bakers"), Extent(reviewer="ann"))
    assert (done.labels, done.rules, done.evaluations) == (2, 1, 0)
    assert await counts(full) == before
    labels = TABLES["labels"].c
    async with full.connect() as connection:
        names = (await connection.scalars(select(labels.reviewer).where(labels.tenant == "bakers"))).all()
        others = (await connection.scalars(select(labels.reviewer).where(labels.tenant == "millers"))).all()
    assert len(set(names)) == 1
    assert names[0].startswith("forgotten-")
    assert set(others) == {"ann"}


async def test_one_event_is_deleted_with_its_keys_labels_and_results(full: AsyncEngine):  # noqa: F811 the fixture
    before = await counts(full)
    done = await forget_stored(full, None, Subject("bakers", "1"), Extent(everything=True))
    assert (done.evaluations, done.event_keys, done.labels, done.deferred, done.rules) == (1, 1, 1, 1, 0)
    left = await counts(full)
    assert {name: before[name] - left[name] for name in ("evaluations", "event_keys", "labels", "deferred_events")} == {
        "evaluations": 1, "event_keys": 1, "labels": 1, "deferred_events": 1
    }  # fmt: skip


async def test_what_kafka_keeps_is_said_with_its_time(kafka: Any):
    said = await topic_retention(KafkaSettings(bootstrap_servers=kafka.bootstrap), [kafka.events, "no-such-topic"])
    assert said[kafka.events] == "for 7 days, 0:00:00"
    assert "unknown" in said["no-such-topic"]
