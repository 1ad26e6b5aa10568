"""The index for searches: the same answers are found with it, and it is used, also in partitions made later."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from service.settings.storage_settings import DatabaseSettings
from service.storage.partitions import make_partition
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page
from service.storage.scores.score_store import PostgresScores
from service.storage.scores.search_index import make_search_index
from tests.storage.conftest import NOW, evaluation

TEXTS = ["SELECT 'a%b' FROM ovens", "SELECT 'a_b'", r"SELECT 'a\b'", "SELECT 'ÄxÖ' FROM Ovens", "SELECT 'O''Ben'"]
SEARCHED = ["a%B", "A_B", "a\\b", "o''b", "OVENS", "%", "\\", "äxö", "oven_", "nothing of the kind", "q"]


async def found(engine) -> list[set[str]]:
    pages = [await evaluation_page(engine, EvaluationFilter(search=each)) for each in SEARCHED]
    return [{row["event_id"] for row in page.items} for page in pages]


async def plan(engine, searched: str) -> str:
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL enable_seqscan = off"))
        lines = await connection.scalars(
            text("EXPLAIN SELECT id FROM evaluations WHERE question ILIKE :searched OR sql ILIKE :searched"),
            {"searched": f"%{searched}%"},
        )
        return "\n".join(lines)


async def test_searches_find_the_same_with_the_index(engine, url):
    await make_partition(engine, NOW.date())
    store = PostgresScores(engine)
    rows = [evaluation(f"e{n}", sql, occurred_at=NOW.isoformat()) for n, sql in enumerate(TEXTS)]
    await store.record(rows)
    before = await found(engine)
    assert await make_search_index(url, DatabaseSettings())
    assert await make_search_index(url, DatabaseSettings())
    assert await found(engine) == before
    await make_partition(engine, (NOW + timedelta(days=1)).date())
    later = (NOW + timedelta(days=1)).isoformat()
    await store.record([evaluation(f"l{n}", sql, occurred_at=later) for n, sql in enumerate(TEXTS)])
    assert await found(engine) == [each | {f"l{name[1:]}" for name in each} for each in before]
    used = await plan(engine, "ovens")
    assert "Seq Scan" not in used
    assert {name for name in used.split() if name in ("evaluations_20261102", "evaluations_20261103")} == {
        "evaluations_20261102",
        "evaluations_20261103",
    }
    async with engine.connect() as connection:
        assert await connection.scalar(
            text("SELECT indisvalid FROM pg_index WHERE indexrelid = 'evaluations_texts'::regclass")
        )


@pytest.mark.slow
async def test_a_build_that_was_cut_short_is_made_again(engine, url):
    assert await make_search_index(url, DatabaseSettings())
    async with engine.begin() as connection:
        await connection.execute(text("DROP INDEX evaluations_texts"))
        await connection.execute(text("CREATE INDEX evaluations_other_texts ON evaluations_other (question)"))
    assert await make_search_index(url, DatabaseSettings())
    assert "Bitmap Index Scan" in await plan(engine, "ovens")


async def test_an_account_that_may_not_create_the_extension_keeps_its_searches(engine, url):
    async with engine.begin() as connection:
        name = f"u{url.database}"[:60]
        await connection.execute(text(f"CREATE ROLE {name} LOGIN PASSWORD 'p'"))
        await connection.execute(text(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}"))
    await PostgresScores(engine).record([evaluation("e0", TEXTS[0])])
    limited = url.set(username=name, password="p")
    other = create_async_engine(limited)
    try:
        assert not await make_search_index(limited, DatabaseSettings())
        assert (await evaluation_page(other, EvaluationFilter(search="OVENS"))).items
    finally:
        await other.dispose()
        async with engine.begin() as connection:
            await connection.execute(text(f"DROP OWNED BY {name}"))
            await connection.execute(text(f"DROP ROLE {name}"))
