"""Answers to canaries: in a table of their own, compared once, read back by case, expired and forgotten."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import evaluate
from consumers.judge_references import JudgeReferences
from consumers.references import ReferencePolicy
from consumers.score_events import left_out
from consumers.wire.events import InvalidEvent, decode_event
from evals.canary_results import CanaryResult, by_agent
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from service.judges.weights import local_judge
from service.metrics.canary_metrics import UncountedReferences
from service.storage.canaries.canary_rows import PostgresCanaries
from service.storage.canaries.latest_canaries import CanaryScope, canary_answer, latest_canaries
from service.storage.forgetting import Subject, count_rows, delete_rows, forget_rows
from service.storage.retention import do_housekeeping
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import CANARY_ANSWERS, METADATA
from tests.memory.stores import MemoryOutcomes, MemoryRules
from tests.storage.conftest import NOW
from tests.storage.test_stored_references import LOW, TALL, Here

QUESTION = "Which shelves are higher than 3?"


def asked(id_: str, sql: str = LOW, case: str = "tall", minutes: int = 0, rules: Rules = Rules(), **fields: Any):  # noqa: B008 frozen
    """A canary as the pool evaluates it."""
    document = {"event_id": id_, "agent": "crumb", "question": QUESTION, "sql": sql, "reference_sql": TALL, **fields}
    event = decode_event({"canary": {"case_id": case}, **document}, require_id=True)
    result = left_out(event, None, rules)
    assert isinstance(result, Unscored)
    assert result.reason is UnscoredReason.CANARY
    return evaluate(event, result, rules, NOW + timedelta(minutes=minutes))


def live(id_: str, sql: str = TALL):
    document = {"event_id": id_, "agent": "crumb", "question": QUESTION, "sql": sql, "reference_sql": TALL}
    event = decode_event(document, require_id=True)
    case = examine(event.query(), Rules())
    assert not isinstance(case, Unscored)
    return evaluate(event, conclude(case, local_judge().judge(case)), Rules(), NOW)


@dataclass
class CanaryDesk:
    """Compares what waits in the canaries' table, in this process."""

    engine: AsyncEngine
    now: datetime = NOW + timedelta(minutes=1)

    def __post_init__(self) -> None:
        self.store = PostgresScores(self.engine, clock=lambda: NOW)
        self.waiting = PostgresCanaries(self.engine)

    async def work(self) -> int:
        return await JudgeReferences(
            awaited=self.waiting,
            judge=Here(),
            rules=MemoryRules(),
            policy=ReferencePolicy(),
            counts=UncountedReferences(),
            outcomes=MemoryOutcomes(),
            clock=lambda: self.now,
        )()


@pytest.fixture
def desk(engine) -> CanaryDesk:
    return CanaryDesk(engine)


async def held(engine) -> dict[str, Counter[str]]:
    """Every row of every table but the canaries' own."""
    found: dict[str, Counter[str]] = {}
    async with engine.connect() as connection:
        for table in METADATA.sorted_tables:
            if table is not CANARY_ANSWERS:
                found[table.name] = Counter(str(tuple(row)) for row in await connection.execute(select(table)))
    return found


async def latest(engine, **scope: Any) -> dict[str, dict[str, Any]]:
    wanted = CanaryScope(since=NOW - timedelta(days=1), **scope)
    return {row["case_id"]: row for row in await latest_canaries(engine, wanted, limit=100)}


async def test_a_canary_changes_no_table_but_its_own(desk, engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    await store.record([live("1"), live("2", LOW)])
    before = await held(engine)
    assert before["evaluations"].total() == before["event_keys"].total() == before["watched_answers"].total() == 2
    canaries = [
        asked("3"),
        asked("4", TALL, "same"),
        asked("5", "", "down", canary={"case_id": "down", "failure": "timeout"}),
    ]
    assert await store.record([*canaries, asked("1")]) == {}
    await desk.work()
    assert await held(engine) == before
    assert len(await latest(engine)) == 3


async def test_answers_are_compared_once_and_the_latest_compared_one_of_a_case_counts(desk, engine):
    await desk.store.record([asked("1"), asked("2", TALL, "same")])
    assert {case: row["result"] for case, row in (await latest(engine)).items()} == {
        "tall": "pending",
        "same": "pending",
    }
    assert await desk.work() == 2
    rows = await latest(engine)
    assert {case: row["result"] for case, row in rows.items()} == {"tall": "wrong", "same": "right"}
    assert rows["tall"]["reference"]["counterexample"]["tables"]
    await desk.store.record([asked("3", TALL, minutes=5)])
    waiting = (await latest(engine))["tall"]
    assert (waiting["result"], waiting["event_id"]) == ("wrong", "1")
    assert waiting["last_received_at"] == NOW + timedelta(minutes=5)
    desk.now += timedelta(minutes=10)
    assert (await desk.work(), await desk.work(), await desk.waiting.waiting()) == (1, 0, 0)
    assert (await latest(engine))["tall"]["result"] == "right"


async def test_a_failure_and_nonsense_are_failures_and_an_agents_own_report_is_not_kept(desk, engine):
    down = asked("1", "", "down", canary={"case_id": "down", "failure": "unreachable"}, reference_sql=None)
    prose = asked("2", "I cannot answer that.", "prose")
    echo = asked("3", TALL, "echo", reference_sql=None, canary="echo")
    await desk.store.record([down, prose, echo])
    await desk.work()
    rows = await latest(engine)
    assert {case: row["result"] for case, row in rows.items()} == {"down": "failed", "prose": "failed"}
    [agent] = by_agent(canary_answer(row) for row in rows.values())
    assert (agent.share_right, dict(agent.failures)) == (None, {"unreachable": 1, "unreadable": 1})


async def test_a_resent_canary_and_one_of_the_same_key_change_nothing(desk, engine):
    await desk.store.record([asked("1")])
    await desk.work()
    before = await latest(engine)
    await desk.store.record([asked("1", minutes=3), asked("1", TALL, "other")])
    assert await latest(engine) == before


async def test_where_no_texts_are_stored_nothing_is_compared(desk, engine):
    await desk.store.record([asked("1", rules=replace(Rules(), store_raw=False))])
    await desk.work()
    row = (await latest(engine))["tall"]
    assert (row["question"], row["sql"], row["reference_sql"], row["result"]) == ("", "", None, "undecided")


async def test_tenants_and_agents_are_told_apart(desk, engine):
    await desk.store.record([asked("1", tenant="bakers"), asked("2", tenant="millers"), asked("3", agent="rye")])
    assert {row["tenant"] for row in (await latest(engine, tenant="bakers")).values()} == {"bakers"}
    assert {row["agent"] for row in (await latest(engine, agent="rye")).values()} == {"rye"}


async def test_canaries_expire_with_their_tenants_other_answers(desk, engine):
    await desk.store.record([asked("1")])
    await do_housekeeping(engine, 30, NOW + timedelta(days=20))
    assert len(await latest(engine)) == 1
    await do_housekeeping(engine, 30, NOW + timedelta(days=40))
    assert await latest(engine) == {}


@pytest.mark.parametrize("forget", [forget_rows, delete_rows])
async def test_forgetting_deletes_canaries(desk, engine, forget):
    await desk.store.record([asked("1"), asked("2", tenant="millers")])
    counted = await count_rows(engine, Subject("default"), whole=forget is delete_rows)
    done = await forget(engine, Subject("default"))
    assert counted.canaries == done.canaries == 1
    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT tenant FROM canary_answers"))).scalars().all() == ["millers"]


def test_a_canary_that_was_not_asked_for_two_days_does_not_count():
    row = {"tenant": "t", "agent": "a", "failure": None, "level": "S0", "reference": None}
    gone = canary_answer({**row, "verdict": "different", "received_at": NOW - timedelta(days=3)})
    here = canary_answer({**row, "verdict": "not_refuted", "received_at": NOW})
    [agent] = by_agent([gone, here])
    assert (agent.share_right, agent.results[CanaryResult.WRONG]) == (1.0, 0)


@pytest.mark.parametrize(
    ("verdict", "level", "reason", "result"),
    [
        ("equivalent_up_to_bound", None, None, "right"),
        ("not_refuted", None, None, "right"),
        ("different", "S0", None, "wrong"),
        ("different", "S6", None, "right"),
        ("different", "S5", "the rows come in another order", "wrong"),
        ("error", None, None, "failed"),
        ("unsupported", None, None, "undecided"),
        ("unfit_reference", None, None, "undecided"),
        ("not_judged", None, "OFF", "undecided"),
        ("pending", None, None, "pending"),
    ],
)
def test_what_each_reference_verdict_says_of_a_canary(verdict, level, reason, result):
    row = {"tenant": "t", "agent": "a", "received_at": NOW, "failure": None, "verdict": verdict, "level": level}
    assert canary_answer({**row, "reference": {"reason": reason}}).result == result


@pytest.mark.parametrize(
    "canary",
    [7, [], {}, {"case_id": ""}, {"case_id": 7}, {"case_id": "x" * 257}, {"case_id": "a", "failure": "tired"}, ""],
)
def test_a_canary_that_names_no_case_is_refused(canary):
    with pytest.raises(InvalidEvent, match="canary"):
        decode_event({"event_id": "1", "question": "q", "sql": "s", "canary": canary}, require_id=True)


def test_events_without_the_mark_keep_their_content_hash():
    bare = {"event_id": "1", "question": "q", "sql": "s"}
    plain, marked = (
        decode_event({**bare, "canary": None}, require_id=True),
        decode_event({**bare, "canary": "a"}, require_id=True),
    )
    assert b"canary" not in plain.payload
    assert plain.payload_hash == decode_event(bare, require_id=True).payload_hash != marked.payload_hash
