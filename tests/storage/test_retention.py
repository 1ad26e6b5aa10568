"""Rows go when their tenant keeps them no longer; what anyone keeps stays, and days nobody keeps are dropped whole."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import insert, text

from consumers.errors import StoreUnavailable
from consumers.wire.rules_document import RulesDocument
from scoring.query import UnscoredReason
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from service.settings.storage_settings import RetentionSettings
from service.storage.audit import AuditFilter, audit_rows
from service.storage.partitions import AHEAD, OTHER_DAYS, partition_name
from service.storage.retention import do_housekeeping, housekeeping
from service.storage.rule_store import PostgresRules
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import AUDIT_LOG
from tests.storage.conftest import NOW, evaluation
from tests.storage.test_partitions import days, rows_of
from tests.storage.test_scores import scored

AGES = (0, 5, 20, 60, 200)


@pytest.fixture
async def store(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record(
        [
            evaluation(f"{age}", tenant=tenant, occurred_at=str(NOW - timedelta(days=age)))
            for tenant in ("bakers", "millers", "others")
            for age in AGES
        ]
    )
    return store


async def kept(engine) -> dict[str, list[int]]:
    rows = (await evaluation_page(engine, EvaluationFilter(), limit=500)).items
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["tenant"], []).append((NOW - row["occurred_at"]).days)
    return {tenant: sorted(each) for tenant, each in found.items()}


@pytest.mark.slow  # waits for a lock
async def test_while_a_backup_reads_the_tables_answers_are_stored_and_no_day_is_dropped(engine, store):
    async with engine.connect() as backup:
        # what pg_dump holds until it ends
        await backup.execute(text("LOCK TABLE evaluations IN ACCESS SHARE MODE"))
        tried = asyncio.create_task(do_housekeeping(engine, 30, NOW))
        for number in range(10):
            await store.record([evaluation(f"new {number}", tenant="bakers", occurred_at=str(NOW))])
        with pytest.raises(StoreUnavailable):
            await tried
        assert (await kept(engine))["others"] == list(AGES)
    done = await do_housekeeping(engine, 30, NOW)
    assert done is not None
    assert done.dropped == 2
    assert await kept(engine) == {"bakers": [0] * 11 + [5, 20], "millers": [0, 5, 20], "others": [0, 5, 20]}


async def test_each_tenants_rows_are_kept_as_long_as_it_says(engine, store):
    rules = PostgresRules(engine)
    await rules.put("bakers", RulesDocument(retention_days=300))
    await rules.put("bakers", RulesDocument(retention_days=100))
    await rules.put("millers", RulesDocument(retention_days=7))
    done = await do_housekeeping(engine, 30, NOW)
    assert await kept(engine) == {"bakers": [0, 5, 20, 60], "millers": [0, 5], "others": [0, 5, 20]}
    assert done is not None
    assert (done.deleted, done.dropped) == (3, 1)
    claims = await store.claims([evaluation("200", tenant="bakers").key, evaluation("60", tenant="bakers").key])
    assert [key.event_id for key in claims] == ["60"]
    again = await do_housekeeping(engine, 30, NOW)
    assert again is not None
    assert (again.made, again.deleted, again.dropped) == (0, 0, 0)


async def test_without_a_number_of_days_everything_is_kept_and_empty_old_days_go(engine, store):
    await do_housekeeping(engine, None, NOW)
    assert {len(each) for each in (await kept(engine)).values()} == {len(AGES)}
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM evaluations_20260416"))
    done = await do_housekeeping(engine, None, NOW)
    assert done is not None
    assert done.dropped == 1
    assert "evaluations_20260416" not in await days(engine)


async def test_days_are_made_ahead_and_rows_of_other_days_moved_when_theirs_comes(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    soon = NOW + timedelta(days=AHEAD + 3)
    await store.record([evaluation("soon", occurred_at=str(soon)), evaluation("old", occurred_at="0001-01-01")])
    first = await do_housekeeping(engine, None, NOW)
    assert first is not None
    assert (first.partitions, first.other_days, first.moved) == (AHEAD + 2, 2, 0)
    later = await do_housekeeping(engine, None, NOW + timedelta(days=4))
    assert later is not None
    assert (later.other_days, later.moved) == (1, 1)
    assert await rows_of(engine, f"evaluations_{soon:%Y%m%d}") == 1


async def test_retention_reaches_the_rows_of_other_days(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([evaluation("ancient", occurred_at="1980-01-01")])
    done = await do_housekeeping(engine, 30, NOW)
    assert done is not None
    assert (done.deleted, done.other_days, await rows_of(engine, OTHER_DAYS)) == (1, 0, 0)


async def test_a_score_that_comes_when_the_day_of_its_row_was_just_dropped_is_written_all_the_same(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    failed = evaluation("a", reason=UnscoredReason.JUDGE_UNAVAILABLE, occurred_at=str(NOW - timedelta(days=20)))
    await store.record([failed])
    async with engine.begin() as connection:
        await connection.execute(text(f"DROP TABLE {partition_name(failed.occurred_at.date())}"))
    late = scored(failed, (await store.claims([failed.key]))[failed.key])
    assert await store.record([late]) == {}
    [row] = (await evaluation_page(engine, EvaluationFilter())).items
    assert (row["id"], row["score"] is None) == (failed.id, False)


async def test_labels_go_with_their_tenants_rows(engine):
    async with engine.begin() as connection:
        for days_ago in (1, 40):
            await connection.execute(
                text("INSERT INTO labels VALUES ('t', '/s', :id, 'ann', 'right', NULL, NULL, NULL, :at)"),
                {"id": str(days_ago), "at": NOW - timedelta(days=days_ago)},
            )
    await do_housekeeping(engine, 30, NOW)
    assert await rows_of(engine, "labels") == 1


@pytest.mark.parametrize(
    ("settings", "left"),
    [({}, [1, 364, 365]), ({"audit_days": 30, "days": 7}, [1]), ({"audit_days": 30, "days": 400}, [1, 364, 365, 366])],
)
async def test_changes_stay_in_the_audit_log_for_its_days_or_those_of_rows(engine, settings, left):
    kept, ages = RetentionSettings(**settings), [1, 364, 365, 366]
    rows = [
        {
            "at": NOW - timedelta(days=age),
            "via": "api",
            "action": "rules_stored",
            "tenant": "bakers",
            "subject": str(age),
        }
        for age in ages
    ]
    async with engine.begin() as connection:
        await connection.execute(insert(AUDIT_LOG), rows)
    await do_housekeeping(engine, kept.days, NOW)
    assert len(await audit_rows(engine, AuditFilter(), 10)) == len(ages)
    await do_housekeeping(engine, kept.days, NOW, audit_days=kept.audit_log())
    assert [int(each["subject"]) for each in await audit_rows(engine, AuditFilter(), 10)] == left[::-1]


async def test_one_process_at_a_time_does_the_housekeeping(engine, store):
    done = await asyncio.gather(*(do_housekeeping(engine, 30, NOW) for _ in range(3)))
    assert [each for each in done if each is not None]
    assert sum(each.deleted for each in done if each is not None) == 0
    assert sum(each.dropped for each in done if each is not None) == 2


async def test_housekeeping_repeats_and_shows_when_it_last_ended(engine, wait_until):
    metrics = Metrics(MetricSettings(), "local")
    shown = metrics.registry.get_sample_value
    moment = [NOW]
    old = {"at": NOW - timedelta(days=400), "via": "api", "action": "rules_stored"}
    async with engine.begin() as connection:
        await connection.execute(insert(AUDIT_LOG), old)
    async with housekeeping(engine, None, metrics.storage, audit_days=365, clock=lambda: moment[0], every=0.01):
        begun = shown("sqlassay_housekeeping_time_seconds") or 0

        async def ended() -> bool:
            return (shown("sqlassay_housekeeping_time_seconds") or 0) > begun and bool(shown("sqlassay_partitions"))

        await wait_until(ended)
        assert shown("sqlassay_partitions") == AHEAD + 2
        assert await audit_rows(engine, AuditFilter(), 10) == []
        assert not shown("sqlassay_housekeeping_failures_total")
        async with engine.begin() as connection:
            await connection.execute(text("DROP TABLE tenant_rules"))

        async def failed() -> bool:
            return bool(shown("sqlassay_housekeeping_failures_total"))

        await wait_until(failed)


async def test_events_stored_during_housekeeping_are_all_there(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    batches = [
        [evaluation(f"{batch}-{age}", occurred_at=str(NOW - timedelta(days=age))) for age in range(0, 40, 4)]
        for batch in range(12)
    ]
    stood = await asyncio.gather(
        *(store.record(batch) for batch in batches), *(do_housekeeping(engine, None, NOW) for _ in range(3))
    )
    assert [each for each in stood[:12] if each] == []
    assert await rows_of(engine, "evaluations") == 120
