"""The tenants' memory in PostgreSQL: what it holds, what it changes, and that it is what the rows say."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from consumers.evaluation.event_evaluation import Evaluation, evaluate, line_out
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.wire.events import decode_event
from scoring.evaluation import conclude, examine
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case
from service.commands.jsonl import InputLine
from service.commands.score_lines import LocalScorer
from service.commands.score_memory import MemoryScorer
from service.judges.weights import local_judge
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from service.storage.forgetting import Subject, delete_rows, forget_rows
from service.storage.label_store import PostgresLabels
from service.storage.remembering.bounds import MemoryBounds
from service.storage.remembering.postgres_memory import PostgresMemory
from service.storage.retention import do_housekeeping
from service.storage.scores.reports import report
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import EVALUATIONS, REMEMBERED_ANSWERS
from tests.recomputed_memory import memory_differences
from tests.storage.conftest import NOW

JUDGE = local_judge()
OVER_20 = "SELECT COUNT(*) FROM parcels WHERE weight > 20"
AT_20 = "SELECT COUNT(*) FROM parcels WHERE weight >= 20"
QUESTION = "How many parcels weigh more than 20 kg?"
REWORDED = "How many of the parcels weigh more than 20 kg?"
DEPOTS = "SELECT depots.city FROM depots JOIN parcels ON depots.id = parcels.depot_id"


def said(number: int, agent: str, sql: str = OVER_20, question: str = QUESTION, **fields: str) -> dict[str, str]:
    return {"event_id": f"e{number}", "agent": agent, "question": question, "sql": sql, "tenant": "post", **fields}


def stream() -> list[dict[str, str]]:
    """Agents that agree, disagree, reword, retry and change their mind, in two tenants."""
    agents = ("ash", "birch", "cedar", "ASH", "elm")
    answers: list[dict[str, str]] = []
    for number in range(60):
        agent, asked = agents[number % 5], number % 7
        sql = AT_20 if (number + asked) % 3 == 0 else OVER_20
        question = (QUESTION, REWORDED, f"How many parcels weigh more than {asked} kg?")[number % 3]
        if asked == 4:
            sql, question = DEPOTS, "In which cities are the depots of the parcels?"
        answers.append(said(number, agent, sql, question, tenant="post" if number % 4 else "rail"))
    return answers


def evaluations(answers: Sequence[dict[str, str]], first: int = 0) -> list[Evaluation]:
    """The answers judged alone, each received a second after the one before."""
    return [judged_alone(each, first + place) for place, each in enumerate(answers)]


def judged_alone(answer: dict[str, str], seconds: int, rules: Rules = Rules()) -> Evaluation:  # noqa: B008 frozen
    event = decode_event(answer, require_id=True)
    case = examine(event.query(), rules)
    assert isinstance(case, Case)
    line = line_out(event.event_id, conclude(case, JUDGE.judge(case)), rules, remember=True)
    return evaluate(event, line, rules, NOW + timedelta(seconds=seconds))


def memory_in(engine, *, answers: int = 20_000, refresh_seconds: float = 1e9) -> PostgresMemory:
    bounds = MemoryBounds(answers=answers, bytes=10**8)
    return PostgresMemory(engine, JUDGE.weights.thresholds, bounds, refresh_seconds=refresh_seconds)


async def write(engine, memory: PostgresMemory, batch: Sequence[Evaluation]) -> None:
    async with memory.recalled(batch) as judged:
        await PostgresScores(engine, clock=lambda: NOW).record(judged)


async def stored(engine, table=EVALUATIONS) -> dict[str, dict]:
    async with engine.connect() as connection:
        return {row["event_id"]: dict(row) for row in (await connection.execute(select(table))).mappings()}


def by_file(answers: Sequence[dict[str, str]]) -> dict[str, dict]:
    scorer = MemoryScorer(LocalScorer(Rules(), JUDGE))
    rows = [scorer.row(InputLine(place, json.dumps(each).encode())) for place, each in enumerate(answers, 1)]
    return {str(row["event_id"]): row for row in rows}


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.slow), 7, pytest.param(60, marks=pytest.mark.slow)])
async def test_the_service_says_what_a_file_in_the_same_order_says(engine, size):
    """However the stream is cut into batches, answers see those received before them."""
    answers, memory = stream(), memory_in(engine)
    for first in range(0, len(answers), size):
        await write(engine, memory, evaluations(answers[first : first + size], first))
    rows, expected = await stored(engine), by_file(answers)
    assert len(rows) == 60
    moved = [name for name, row in rows.items() if row["p_correct"] != row["p_alone"]]
    assert len(moved) > 20
    for name, row in rows.items():
        line = json.loads(json.dumps(expected[name]))
        assert (row["p_alone"], row["p_correct"]) == (line["p_alone"], line["p_correct"]), name
        assert row["context"] == line["context"], name
        assert row["record"]["reasons"] == line["reasons"], name
    assert await memory_differences(engine) == []


async def test_sums_read_again_are_those_counted(engine):
    """A process that starts in the middle goes on as one that counted from the start."""
    answers = stream()
    await write(engine, memory_in(engine), evaluations(answers[:40]))
    for first in range(40, 60, 5):
        await write(engine, memory_in(engine), evaluations(answers[first : first + 5], first))
    rows, expected = await stored(engine), by_file(answers)
    assert {name: row["p_correct"] for name, row in rows.items()} == {
        name: line["p_correct"] for name, line in expected.items()
    }


async def test_the_score_and_its_verdict_stay_those_of_the_answer_alone(engine):
    batch = evaluations(stream())
    await write(engine, memory_in(engine), batch)
    rows = await stored(engine)
    for each in batch:
        row = rows[each.event.event_id]
        alone = {name: each.record[name] for name in ("score", "tier", "verdict", "confidence")}
        assert {name: row[name] for name in alone} == alone
        assert row["p_alone"] == each.record["p_correct"]


async def test_an_agents_report_and_metrics_are_the_same_with_and_without_memory(engine):
    batch = evaluations(stream())
    await write(engine, memory_in(engine), batch)
    shown = await report(engine)
    await forget_memory(engine, batch)
    assert await report(engine) == shown
    alone, with_it = Metrics(MetricSettings(), "local"), Metrics(MetricSettings(), "local")
    async with memory_in(engine).recalled(batch) as judged:
        assert sum(each.record["p_correct"] != each.record.get("p_alone") for each in judged) > 20
        for before, after in zip(batch, judged, strict=True):
            alone.evaluated(before)
            with_it.evaluated(after)
    assert counted(alone) == counted(with_it)


async def forget_memory(engine, batch: Sequence[Evaluation]) -> None:
    """Writes the rows as they are without memory."""
    async with engine.begin() as connection:
        await connection.execute(text("TRUNCATE evaluations, event_keys, remembered_answers"))
    await PostgresScores(engine, clock=lambda: NOW).record(batch)


def counted(metrics: Metrics) -> list[str]:
    return [line for line in metrics.exposition().decode().splitlines() if "_created" not in line]


async def test_an_event_delivered_again_teaches_nothing_new(engine):
    batch = evaluations([said(1, "ash"), said(2, "birch"), said(3, "cedar")])
    await write(engine, memory_in(engine), batch)
    before = await stored(engine, REMEMBERED_ANSWERS), await stored(engine)
    again = evaluations([said(1, "ash"), said(2, "birch"), said(3, "cedar")], 100)
    await write(engine, memory_in(engine), again)
    await write(engine, memory_in(engine), batch)
    assert (await stored(engine, REMEMBERED_ANSWERS), await stored(engine)) == before
    assert await memory_differences(engine) == []


async def test_what_was_not_written_is_not_remembered(engine):
    memory = memory_in(engine)
    with pytest.raises(ZeroDivisionError):
        async with memory.recalled(evaluations([said(1, "ash"), said(2, "birch")])):
            raise ZeroDivisionError
    assert await stored(engine, REMEMBERED_ANSWERS) == {}
    await write(engine, memory, evaluations([said(3, "cedar")]))
    row = (await stored(engine))["e3"]
    assert row["context"]["voices"] == []
    assert row["context"]["answers"] == 0


async def test_no_tenant_sees_anothers_answers(engine):
    others = [said(place, agent, tenant="rail") for place, agent in enumerate(("birch", "cedar", "elm"))]
    memory = memory_in(engine)
    await write(engine, memory, evaluations(others))
    mixed = evaluations([said(10, "ash"), said(11, "fir", tenant="rail"), said(12, "oak")], 10)
    await write(engine, memory, mixed)
    rows = await stored(engine)
    assert rows["e10"]["context"]["answers"] == 0
    assert rows["e10"]["p_correct"] == rows["e10"]["p_alone"]
    assert [each["event_id"] for each in rows["e12"]["context"]["voices"]] == ["e10"]
    assert {each["event_id"] for each in rows["e11"]["context"]["voices"]} == {"e0", "e1", "e2"}


async def test_one_agent_does_not_lift_itself(engine):
    batch = evaluations([said(place, "ash") for place in range(30)])
    await write(engine, memory_in(engine), batch)
    assert all(row["p_correct"] == row["p_alone"] for row in (await stored(engine)).values())
    assert set(await stored(engine, REMEMBERED_ANSWERS)) == {"e27", "e28", "e29"}
    assert await memory_differences(engine) == []


@pytest.mark.parametrize("rules", [Rules(store_raw=False), Rules(memory=False)])
async def test_a_tenant_without_texts_or_memory_is_not_remembered(engine, rules):
    kept = [judged_alone(said(place, agent), place, rules) for place, agent in enumerate("ab")]
    await write(engine, memory_in(engine), kept)
    rows = await stored(engine)
    assert [row["context"] for row in rows.values()] == [None, None]
    assert all(row["p_alone"] == row["p_correct"] is not None for row in rows.values())
    assert await stored(engine, REMEMBERED_ANSWERS) == {}


async def label(engine, event_id: str, value: str, agent: str) -> None:
    sent = {"tenant": "post", "event_id": event_id, "agent": agent, "label": value, "reviewer": "ann"}
    assert await KeepLabels(store=PostgresLabels(engine))([LabelRecord(payload=sent, sent_at=NOW)]) == [None]


@pytest.mark.parametrize(
    ("value", "sql", "code", "sign"),
    [
        ("right", OVER_20, ReasonCode.MATCHES_REVIEWED, 1),
        ("wrong", OVER_20, ReasonCode.REPEATS_REJECTED, -1),
        ("right", AT_20, ReasonCode.DIFFERS_FROM_REVIEWED, -1),
    ],
)
async def test_a_label_reaches_the_next_answer_to_the_question(engine, value, sql, code, sign):
    memory = memory_in(engine)
    await write(engine, memory, evaluations([said(1, "ash")]))
    await label(engine, "e1", value, "ash")
    await write(engine, memory, [judged_alone(said(2, "birch", sql), 5)])
    row = (await stored(engine))["e2"]
    assert code in row["reason_codes"]
    assert (row["p_correct"] - row["p_alone"]) * sign > 0
    assert await memory_differences(engine) == []


async def test_a_labelled_answer_stays_though_its_agent_answered_again(engine):
    memory = memory_in(engine)
    await write(engine, memory, evaluations([said(1, "ash")]))
    await label(engine, "e1", "wrong", "ash")
    for number in range(2, 9):
        await write(engine, memory, [judged_alone(said(number, "ash", AT_20), number)])
    assert set(await stored(engine, REMEMBERED_ANSWERS)) == {"e1", "e6", "e7", "e8"}
    await write(engine, memory, [judged_alone(said(9, "birch"), 9)])
    assert ReasonCode.REPEATS_REJECTED in (await stored(engine))["e9"]["reason_codes"]


async def test_reliable_agents_count_more(engine):
    await write(engine, memory_in(engine), evaluations([said(1, "ash"), said(2, "birch")]))
    await label(engine, "e1", "right", "ash")
    await label(engine, "e2", "wrong", "birch")
    await write(engine, memory_in(engine), [judged_alone(said(3, "cedar", AT_20), 5)])
    voices = (await stored(engine))["e3"]["context"]["voices"]
    weights = {each["agent"]: each["weight"] for each in voices if each["reviewed"] is None}
    assert weights["ash"] > weights["birch"]


@pytest.mark.parametrize("forget", [pytest.param(forget_rows, marks=pytest.mark.slow), delete_rows])
async def test_a_forgotten_answer_is_no_voice(engine, forget):
    await write(engine, memory_in(engine), evaluations([said(1, "ash"), said(2, "birch")]))
    done = await forget(engine, Subject("post", "e1"))
    assert done.remembered == 1
    await write(engine, memory_in(engine), [judged_alone(said(3, "cedar"), 5)])
    rows = await stored(engine)
    assert [each["event_id"] for each in rows["e3"]["context"]["voices"]] == ["e2"]
    assert "e1" not in rows or rows["e1"]["context"] is None


async def test_retention_removes_answers_by_their_events_time(engine):
    old = said(1, "ash", occurred_at=(NOW - timedelta(days=40)).isoformat())
    await write(engine, memory_in(engine), evaluations([old, said(2, "birch")]))
    await do_housekeeping(engine, 30, NOW)
    assert set(await stored(engine, REMEMBERED_ANSWERS)) == {"e2"}


async def test_the_oldest_answers_go_first_in_each_tenant(engine):
    answers = [said(n, "ash", question=f"How many parcels weigh more than {n} kg?") for n in range(150)]
    answers.append(said(999, "ash", tenant="rail"))
    memory = memory_in(engine, answers=100)
    for first in range(0, 151, 10):
        await write(engine, memory, evaluations(answers[first : first + 10], first))
    await write(engine, memory_in(engine, answers=100), evaluations([said(1000, "birch")], 2000))
    left = await stored(engine, REMEMBERED_ANSWERS)
    assert set(left) == {f"e{n}" for n in range(50, 150)} | {"e999", "e1000"}
    assert await memory_differences(engine, complete=False) == []


async def test_bytes_are_bounded_too(engine):
    await write(engine, memory_in(engine), evaluations(stream()))
    tight = replace(memory_in(engine), bounds=MemoryBounds(answers=1000, bytes=6_000))
    await write(engine, tight, evaluations([said(500, "ash")], 500))
    async with engine.connect() as connection:
        totals = "SELECT tenant, sum(size) AS bytes FROM remembered_answers WHERE event_id <> 'e500' GROUP BY tenant"
        sizes = {row.tenant: row.bytes for row in await connection.execute(text(totals))}
    assert 3_000 < sizes["post"] <= 6_000 < sizes["rail"]


async def test_a_rewording_is_found_and_another_question_is_not(engine):
    await write(engine, memory_in(engine), evaluations([said(1, "ash")]))
    others = [said(2, "birch", question=REWORDED), said(3, "cedar", question="How many parcels weigh more than 30 kg?")]
    await write(engine, memory_in(engine), evaluations(others, 5))
    rows = await stored(engine)
    assert [each["event_id"] for each in rows["e2"]["context"]["voices"]] == ["e1"]
    assert rows["e2"]["context"]["voices"][0]["weight"] < 1
    assert rows["e3"]["context"]["voices"] == []


async def test_workers_that_write_the_same_events_at_once_remember_each_once(engine):
    batches = [evaluations(stream()[first : first + 20], first) for first in (0, 20, 40)]
    await asyncio.gather(*(write(engine, memory_in(engine), each) for each in [*batches, *reversed(batches)]))
    assert len(await stored(engine)) == 60
    assert await memory_differences(engine) == []


async def test_a_retry_after_a_lost_acknowledgement_remembers_what_its_rows_say(engine):
    """By then memory knows more, and would say something else."""
    first, second, third = (evaluations(stream()[start : start + 20], start) for start in (0, 20, 40))
    for batch in (third, second, first, third, second, first):
        await write(engine, memory_in(engine), batch)
    assert len(await stored(engine)) == 60
    assert await memory_differences(engine) == []


@pytest.mark.slow  # takes over a second
async def test_a_flood_of_made_up_agents_leaves_a_question_bounded(engine):
    memory = memory_in(engine)
    for first in (0, 100):
        flood = [said(first + number, f"puppet {first + number}") for number in range(100)]
        await write(engine, memory, evaluations(flood, first))
    left = await stored(engine, REMEMBERED_ANSWERS)
    assert set(left) == {f"e{number}" for number in range(168, 200)}
    assert all(len(row["context"]["voices"]) <= 32 for row in (await stored(engine)).values())


KILNS = (
    ("How many kilns are there?", "SELECT COUNT(*) FROM kilns"),
    ("What is the largest kiln?", "SELECT MAX(size) FROM kilns"),
    ("Average heat of kilns", "SELECT AVG(heat) FROM kilns"),
    ("Kilns by town", "SELECT town, COUNT(*) FROM kilns GROUP BY town"),
    ("Names of kilns", "SELECT name FROM kilns"),
    ("Total weight of kilns", "SELECT SUM(weight) FROM kilns"),
)


async def test_usual_conditions_are_counted_as_a_file_counts_them(engine):
    """A process that reads the sums knows the same conditions as one that counted them."""
    answers = [
        {
            "event_id": f"{place}-{agent}",
            "tenant": "kilns",
            "agent": agent,
            "question": question,
            "sql": sql.replace("FROM kilns", "FROM kilns WHERE removed_on IS NULL") if agent in "ab" else sql,
            "occurred_at": "2026-11-20T10:00:00Z",
        }
        for place, (question, sql) in enumerate(KILNS)
        for agent in "abc"
    ]
    for first in range(len(answers)):
        await write(engine, memory_in(engine), evaluations(answers[first : first + 1], first))
    rows, expected = await stored(engine), by_file(answers)
    for name, row in rows.items():
        assert row["context"] == json.loads(json.dumps(expected[name]["context"])), name
    assert rows["5-c"]["context"]["lacking"] == [
        {"column": "kilns.removed_on", "answers": 10, "of": 15, "questions": 5, "agents": 2}
    ]
    assert await memory_differences(engine) == []
