"""Stored answers judged again with what memory knows now."""

from scoring.rules import Rules
from service.judges.weights import local_judge
from service.pipeline.backfill_memory import BackfillWithMemory
from service.processes.examining import examine_in_thread
from service.storage.remembering.bounds import MemoryBounds
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import REMEMBERED_ANSWERS
from tests.recomputed_memory import memory_differences
from tests.storage.conftest import NOW
from tests.storage.test_remembering import (
    AT_20,
    evaluations,
    judged_alone,
    label,
    memory_in,
    said,
    stored,
    stream,
    write,
)
from tests.stored_contexts import read_context

TENANTS = {"post": Rules(), "rail": Rules()}


async def backfilled(engine, rules=TENANTS, **wanted) -> dict[str, int]:
    backfill = BackfillWithMemory(
        engine=engine,
        judge=local_judge(),
        rules=rules,
        bounds=MemoryBounds(answers=1000, bytes=10**8),
        examine=examine_in_thread,
    )
    sizes: list[int] = []
    done = await backfill(EvaluationFilter(**wanted), sizes.append)
    assert sum(sizes) == done.ended.total()
    return {name: count for name, count in done.ended.items() if count}


async def test_rows_written_without_memory_are_remembered_and_judged_with_all_of_it(engine):
    await PostgresScores(engine, clock=lambda: NOW).record(evaluations(stream()))
    async with engine.begin() as connection:
        await connection.execute(REMEMBERED_ANSWERS.delete())
    before = await stored(engine)
    assert all(row["context"] is None for row in before.values())
    assert await backfilled(engine) == {"scored": 60}
    after = await stored(engine)
    first = after["e1"]
    assert read_context(first["context"]).voices, "the first answer is judged with those that came after it"
    kept = ("id", "p_alone", "score", "tier", "verdict", "confidence", "received_at", "judge")
    assert {name: [row[each] for each in kept] for name, row in after.items()} == {
        name: [row[each] for each in kept] for name, row in before.items()
    }
    assert sum(row["p_correct"] != row["p_alone"] for row in after.values()) > 30
    assert await memory_differences(engine) == []
    assert await backfilled(engine) == {"scored": 60}
    assert await memory_differences(engine) == []


async def test_an_answers_own_label_does_not_judge_it(engine):
    await write(engine, memory_in(engine), evaluations([said(1, "ash"), said(2, "birch", AT_20)]))
    await label(engine, "e1", "right", "ash")
    assert await backfilled(engine, tenant="post") == {"scored": 2}
    rows = await stored(engine)
    assert not [code for code in rows["e1"]["reason_codes"] if "REVIEWED" in code]
    assert "DIFFERS_FROM_REVIEWED" in rows["e2"]["reason_codes"]


async def test_rows_of_a_tenant_without_memory_stay(engine):
    await PostgresScores(engine, clock=lambda: NOW).record(evaluations([said(1, "ash"), said(2, "birch")]))
    assert await backfilled(engine, {"post": Rules(memory=False)}) == {"not_judged": 2}
    assert [row["context"] for row in (await stored(engine)).values()] == [None, None]


async def test_other_versions_and_withheld_rows_stay(engine):
    withheld = judged_alone(said(2, "birch"), 1, Rules(store_raw=False))
    old = judged_alone(said(3, "cedar"), 2, Rules(version=7))
    await PostgresScores(engine, clock=lambda: NOW).record([*evaluations([said(1, "ash")]), withheld, old])
    assert await backfilled(engine) == {"scored": 1, "not_judged": 1}
    rows = await stored(engine)
    assert [rows[name]["context"] is None for name in ("e1", "e2", "e3")] == [False, True, True]
