"""What revision 0001 stored is there now, and can still be found, claimed and told apart."""

from __future__ import annotations

import asyncio
from importlib.resources import files

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from consumers.evaluation.event_evaluation import EventKey
from consumers.wire.events import decode_event
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page
from service.storage.scores.reports import report
from service.storage.scores.score_store import PostgresScores
from tests.storage.conftest import evaluation

NAMES = [("bakers", "/bakers/crumb", "7"), ("字", "/:1:/🍞", "a:b"), ("bakers", "/bakers/crumb", "8")]


@pytest.fixture
async def old(bare_url):
    """A database of revision 0001."""
    engine = create_engine(bare_url, DatabaseSettings())
    async with engine.begin() as connection:
        await connection.run_sync(upgrade, "0001")
    yield engine
    await engine.dispose()


def newest_revision() -> str:
    return max(each.name[:4] for each in files("migrations.versions").iterdir() if each.name[:4].isdigit())


def upgrade(connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


async def store_as_before(engine, key: tuple[str, str, str], *, score: float | None, unscored: str | None) -> str:
    event = decode_event(
        {"tenant": key[0], "source": key[1], "id": key[2], "question": "How many?", "sql": "SELECT 1"}, require_id=True
    )
    row = evaluation("x", occurred_at="2026-10-05T12:00:00Z")
    values = {
        "id": row.id,
        "at": row.occurred_at,
        "tenant": key[0],
        "source": key[1],
        "event": key[2],
        "hash": event.payload_hash,
        "score": score,
        "unscored": unscored,
    }
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO event_keys VALUES (:tenant, :source, :event, :hash, :id)"), values)
        await connection.execute(
            text(
                "INSERT INTO evaluations (id, occurred_at, received_at, tenant, agent, source, event_id, question, sql,"
                " score, unscored, reason_codes, rules_version, evaluator_version, attributes, record)"
                " VALUES (:id, :at, :at, :tenant, 'crumb', :source, :event, 'How many?', 'SELECT 1',"
                " :score, :unscored, '{}', 3, '1', '{\"k\": [1]}', '{\"score\": 1}')"
            ),
            values,
        )
    return str(row.id)


async def test_rows_keys_and_rules_survive(old):
    ids = [
        await store_as_before(old, NAMES[0], score=90.0, unscored=None),
        await store_as_before(old, NAMES[1], score=None, unscored="EMPTY_SQL"),
        await store_as_before(old, NAMES[2], score=None, unscored="JUDGE_UNAVAILABLE"),
    ]
    async with old.begin() as connection:
        await connection.execute(text("INSERT INTO tenant_rules VALUES ('bakers', 1, '{}')"))
    assert await migrate(old) == newest_revision()
    store = PostgresScores(old)
    claims = await store.claims([EventKey(*names) for names in NAMES])
    assert [str(claims[EventKey(*names)].evaluation_id) for names in NAMES] == ids
    assert [claims[EventKey(*names)].fillable for names in NAMES] == [False, False, True]
    listed = (await evaluation_page(old, EvaluationFilter())).items
    assert {str(row["id"]) for row in listed} == set(ids)
    assert {row["trigger"] for row in listed} == {"live"}
    assert {(row.tenant, row.received, row.scored) for row in await report(old)} == {("bakers", 2, 1), ("字", 1, 0)}
    async with old.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM tenant_rules")) == 1


async def test_tables_of_a_later_version_stay_and_take_rows(bare_url):
    engine = create_engine(bare_url, DatabaseSettings())
    await migrate(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        await connection.execute(text("ALTER TABLE evaluations ADD COLUMN of_a_later_version text"))
    assert await migrate(engine) == "9999"
    row = evaluation("x")
    assert await PostgresScores(engine).record([row]) == {}
    assert [each.received for each in await report(engine)] == [1]
    await engine.dispose()


async def test_an_old_row_has_the_digest_that_new_ones_of_its_event_get(old):
    for names in NAMES:
        await store_as_before(old, names, score=50.0, unscored=None)
    await migrate(old)
    async with old.connect() as connection:
        found = await connection.execute(text("SELECT tenant, source, event_id, event FROM evaluations"))
        digests = {EventKey(*row[:3]): row.event for row in found}
    assert digests == {key: key.digest for key in digests}
    assert len(digests) == 3


async def test_an_old_event_sent_again_is_a_duplicate(old):
    await store_as_before(old, ("default", "/default/default", "a"), score=1.0, unscored=None)
    await migrate(old)
    again = evaluation("a")
    assert set(await PostgresScores(old).record([again])) == {again.key}


async def test_processes_that_migrate_old_rows_at_once_agree(old):
    await store_as_before(old, NAMES[0], score=1.0, unscored=None)
    assert set(await asyncio.gather(*(migrate(old) for _ in range(3)))) == {newest_revision()}
    assert len((await evaluation_page(old, EvaluationFilter())).items) == 1
