from __future__ import annotations

import asyncio
import traceback

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, make_url, select, text
from sqlmodel import SQLModel

from consumers.errors import RefusedByStore, StoreUnavailable
from service.settings.loading import SettingsError
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, fetch_rows, migrate, translate_errors
from service.storage.libpq_url import read_url
from service.storage.partitions import is_declared
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import EVALUATIONS


async def test_the_migrations_make_exactly_the_tables_that_the_models_declare(database):
    engine = create_engine(database, DatabaseSettings())
    async with engine.connect() as connection:
        difference = await connection.run_sync(
            lambda sync: compare_metadata(
                MigrationContext.configure(sync, opts={"compare_type": True, "include_name": is_declared}),
                SQLModel.metadata,
            )
        )
    await engine.dispose()
    assert EVALUATIONS.metadata is SQLModel.metadata
    assert difference == []


async def test_a_connection_that_ended_while_it_was_idle_is_opened_anew(database, monkeypatch):
    engine, other = (create_engine(database, DatabaseSettings()) for _ in range(2))
    own = select(func.pg_backend_pid().label("pid"))
    monkeypatch.setattr("service.storage.pooled_sessions._IDLE_SECONDS", 3_600.0)
    try:
        (first,) = await fetch_rows(engine, own)
        assert await fetch_rows(engine, own) == [first]
        assert await fetch_rows(other, select(func.pg_terminate_backend(first["pid"], 5_000).label("ended")))
        with pytest.raises(StoreUnavailable):
            await fetch_rows(engine, own)  # not idle for so long, so not asked
        (second,) = await fetch_rows(engine, own)
        assert second != first
        assert await fetch_rows(other, select(func.pg_terminate_backend(second["pid"], 5_000).label("ended")))
        monkeypatch.setattr("service.storage.pooled_sessions._IDLE_SECONDS", 0.0)
        (third,) = await fetch_rows(engine, own)
        assert third not in (first, second)
    finally:
        await asyncio.gather(engine.dispose(), other.dispose())


async def test_several_processes_that_migrate_at_once_agree(empty_database):
    engines = [create_engine(empty_database, DatabaseSettings()) for _ in range(4)]
    made = set(await asyncio.gather(*map(migrate, engines)))
    assert len(made) == 1
    assert {await migrate(engines[0])} == made
    await asyncio.gather(*(engine.dispose() for engine in engines))


async def test_a_database_that_does_not_answer_is_named_without_its_password():
    engine = create_engine(make_url("postgresql+asyncpg://me:s3cret@127.0.0.1:1/assay"), DatabaseSettings())
    for call in (migrate(engine), PostgresScores(engine).claims([])):
        with pytest.raises(StoreUnavailable) as refusal:
            await call
        assert "Connection refused" in str(refusal.value)
        assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("statement", "values", "named"),
    [
        ("INSERT INTO labels (tenant) VALUES (:told)", {"told": "s3cret"}, "labels"),
        ("SELECT CAST(:told AS text)::jsonb", {"told": "s3cret"}, "22P02"),
        ("SELECT CAST(:told AS int)", {"told": "s3cret"}, "DataError"),
        ("SELECT CAST(:told AS int2)", {"told": 2**60}, "DataError"),
        ("SELECT repeat(CAST(:told AS text), 2)::varchar(3)::int", {"told": "s3cret"}, "22P02"),
    ],
)
async def test_what_a_database_refuses_is_named_without_what_a_row_says(database, statement, values, named):
    engine = create_engine(database, DatabaseSettings())

    async def execute() -> None:
        with translate_errors(engine.url):
            async with engine.begin() as connection:
                await connection.execute(text(statement), values)

    with pytest.raises(RefusedByStore) as refusal:
        await execute()
    await engine.dispose()
    told = "".join(traceback.format_exception(refusal.value))
    assert named in str(refusal.value)
    assert not any(str(value) in told for value in values.values())


@pytest.mark.parametrize("url", ["mysql://me:s3cret@db/assay", "s3cret", "", "postgresql://me:s3cret@db:port/assay"])
def test_a_url_that_is_no_postgresql_is_refused_without_repeating_it(url):
    with pytest.raises(SettingsError) as refusal:
        read_url(url)
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_every_spelling_of_postgresql_is_understood(scheme):
    assert read_url(f"{scheme}://me@db/assay").drivername == "postgresql+asyncpg"
