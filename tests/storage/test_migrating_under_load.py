"""Migrations beside writers that hold the same locks: they give way, try again, and say who is in the way."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from structlog.testing import capture_logs

from consumers.errors import StoreUnavailable
from service.settings.storage_settings import DatabaseSettings
from service.storage import migrating
from service.storage.database import create_engine, migrate
from service.storage.partitions import make_partition
from tests.storage.test_migration import newest_revision, upgrade

OTHERS = "LOCK TABLE evaluations_other IN ACCESS EXCLUSIVE MODE"
ATTACHES = "LOCK TABLE ONLY evaluations IN SHARE UPDATE EXCLUSIVE MODE"
WAITS = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE NOT granted AND datname = current_database()
"""


@pytest.fixture
async def before(bare_url):
    """A database of revision 0024; the next one indexes `evaluations`."""
    engine = create_engine(bare_url, DatabaseSettings())
    async with engine.begin() as connection:
        await connection.run_sync(upgrade, "0024")
    yield engine
    await engine.dispose()


@pytest.fixture
async def rival(bare_url):
    """A session that is not ours."""
    engine = create_async_engine(bare_url, connect_args={"server_settings": {"application_name": "rival"}})
    async with engine.connect() as connection:
        yield connection
    await engine.dispose()


@pytest.fixture
def waits(before, wait_until):
    """Returns once a lock is waited for."""

    async def seen() -> bool:
        async with before.connect() as connection:
            return bool(await connection.scalar(text(WAITS)))

    return lambda: wait_until(seen)


async def test_a_session_that_locks_a_partition_before_the_table_ends_no_migration(before, rival, waits):
    await rival.execute(text(OTHERS))
    with capture_logs() as logs:
        migration = asyncio.create_task(migrate(before))
        await waits()
        # the migration has the table and waits for the partition: each would wait for the other
        try:
            await rival.execute(text(ATTACHES))
        finally:
            await rival.rollback()
        assert await migration == newest_revision()
    (gave_way,) = [each for each in logs if each["event"] == "migration_gave_way"]
    assert gave_way["revision"] == "0025"
    assert "rival" in gave_way["blocked_by"]


async def test_a_migration_that_is_the_victim_of_a_deadlock_tries_again(before, rival, waits, monkeypatch):
    monkeypatch.setattr(migrating, "LOCK_SECONDS", 30.0)
    # the migration looks for a deadlock after a second, and the rival not in this time
    await rival.execute(text("SET LOCAL deadlock_timeout = '20s'"))
    await rival.execute(text(OTHERS))
    with capture_logs() as logs:
        migration = asyncio.create_task(migrate(before))
        await waits()
        await rival.execute(text(ATTACHES))
        await rival.rollback()
        assert await migration == newest_revision()
    assert [each["cause"] for each in logs if each["event"] == "migration_gave_way"] == ["deadlock_detected"]


@pytest.mark.slow  # waits for locks
async def test_a_session_that_never_ends_is_named_with_its_pid_and_the_fix(before, rival, monkeypatch):
    monkeypatch.setattr(migrating, "TRIES", 2)
    pid = await rival.scalar(text("SELECT pg_backend_pid()"))
    await rival.execute(text("INSERT INTO tenant_rules VALUES ('bakers', 1, '{}')"))
    await rival.execute(text("LOCK TABLE evaluations IN ROW EXCLUSIVE MODE"))
    with pytest.raises(StoreUnavailable) as refusal:
        await migrate(before)
    said = str(refusal.value)
    assert said.startswith("revision 0025 of the tables was given up after 2 tries (lock_not_available)")
    assert f"held by pid {pid} (rival, idle in transaction" in said
    assert "pg_terminate_backend" in said
    assert "does not answer" not in said
    await rival.rollback()
    assert await migrate(before) == newest_revision()


@pytest.mark.slow  # waits for locks
async def test_a_migration_lock_that_is_never_freed_is_named_and_stops_nobody_with_current_tables(
    before, rival, monkeypatch
):
    monkeypatch.setattr(migrating, "TRIES", 1)
    await rival.execute(text("SELECT pg_advisory_lock(5317041)"))
    with pytest.raises(StoreUnavailable, match="rival"):
        await migrate(before)
    await rival.execute(text("SELECT pg_advisory_unlock(5317041)"))
    await rival.rollback()
    await migrate(before)
    await rival.execute(text("SELECT pg_advisory_lock(5317041)"))
    assert await migrate(before) == newest_revision()


async def test_other_errors_of_a_revision_are_not_tried_again(before):
    async with before.begin() as connection:
        await connection.execute(text("CREATE TABLE feedback (id int)"))
    with pytest.raises(StoreUnavailable, match="already exists"), capture_logs() as logs:
        await migrate(before)
    assert logs == []


async def test_each_revision_is_committed_before_the_next(bare_url, rival, monkeypatch):
    monkeypatch.setattr(migrating, "TRIES", 1)
    engine = create_engine(bare_url, DatabaseSettings())
    async with engine.begin() as connection:
        await connection.run_sync(upgrade, "0022")
    await rival.execute(text("LOCK TABLE ONLY evaluations IN ROW EXCLUSIVE MODE"))
    with pytest.raises(StoreUnavailable, match="revision 0025"):
        await migrate(engine)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT version_num FROM alembic_version")) == "0024"
    await engine.dispose()


async def test_partitions_are_made_beside_who_indexes_the_table(before, rival, waits):
    await rival.execute(text("LOCK TABLE ONLY evaluations IN SHARE MODE"))
    making = asyncio.create_task(make_partition(before, date(2026, 11, 3)))
    await waits()
    # the one who makes a partition holds no part of the table while he waits
    await rival.execute(text("LOCK TABLE evaluations_other IN SHARE MODE NOWAIT"))
    await rival.rollback()
    assert await making == 0
