"""Stored events scored again beside the rows that stand: same identity and time, seen only when asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from consumers.evaluation.event_evaluation import Claim, evaluate
from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.budgets import Price
from consumers.judging.panel import Panel
from consumers.wire.events import decode_event
from consumers.wire.rules_document import RulesDocument
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge
from service.pipeline.backfill_scores import Backfill, estimate
from service.storage.rule_store import PostgresRules
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page
from service.storage.scores.score_store import PostgresScores
from service.storage.scores.stored_events import TenantWorkload, WantedVersion, workloads
from tests.storage.conftest import NOW, evaluation

LATER = NOW + timedelta(days=1)
LOCAL = local_judge()


def event(id_: str, **fields):
    said = {
        "question": "How many loaves were sold last month?",
        "sql": "SELECT COUNT(*) FROM loaves",
        "tenant": "bakers",
    }
    return decode_event({"event_id": id_, **said, **fields}, require_id=True)


def scored(id_: str, rules: Rules = Rules(), **fields):  # noqa: B008 frozen
    each = event(id_, **fields)
    case = examine(each.query(), rules)
    assert isinstance(case, Case)
    reply = replace(LOCAL.judge(case), judge="local/older")
    return evaluate(each, conclude(case, reply), rules, NOW, timestamp=NOW - timedelta(hours=3))


@pytest.fixture
async def store(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([scored("timed", occurred_at="2026-10-05T08:00:00Z"), scored("timeless"), evaluation("blank")])
    return store


def backfill(engine, rules: Rules = Rules(version=2), panel: Panel | None = None, *, current: bool = False) -> Backfill:  # noqa: B008
    return Backfill(
        engine=engine,
        panel=panel or Panel(local=LOCAL.judge),
        rules={"bakers": rules},
        judges={JudgePolicy.LOCAL: [LOCAL.name], JudgePolicy.LLM: ["llm/test"], JudgePolicy.CASCADE: []},
        model=None,
        make_current=current,
        clock=lambda: LATER,
    )


async def rows(engine) -> list[dict[str, Any]]:
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT * FROM evaluations WHERE tenant = 'bakers' ORDER BY event_id, id")
        )
        return [dict(row) for row in found.mappings()]


def nothing(_: int) -> None:
    """Nobody watches."""


async def test_a_new_row_stands_beside_the_old_under_the_events_own_time(engine, store):
    before = (await evaluation_page(engine, EvaluationFilter(tenant="bakers"))).items
    done = await backfill(engine)(EvaluationFilter(tenant="bakers"), nothing)
    assert done.ended["scored"] == 2
    assert (await evaluation_page(engine, EvaluationFilter(tenant="bakers"))).items == before
    found = await rows(engine)
    assert {(row["event_id"], row["trigger"], row["current"], row["rules_version"]) for row in found} == {
        ("timed", "live", True, 0),
        ("timeless", "live", True, 0),
        ("timed", "backfill", False, 2),
        ("timeless", "backfill", False, 2),
    }
    assert len({(row["event_id"], row["occurred_at"], row["event"]) for row in found}) == 2


async def test_relative_dates_are_anchored_as_they_were(engine, store):
    await backfill(engine)(EvaluationFilter(tenant="bakers"), nothing)
    by_event: dict[object, list[object]] = {}
    for row in await rows(engine):
        record = row["record"]
        assert isinstance(record, dict)
        by_event.setdefault(row["event_id"], []).append(record["question_spec"])
    assert all(first == second for first, second in by_event.values())


async def test_a_second_backfill_scores_and_writes_nothing(engine, store):
    await backfill(engine)(EvaluationFilter(tenant="bakers"), nothing)
    asked: list[Case] = []

    def watched(case: Case) -> Reply:
        asked.append(case)
        return LOCAL.judge(case)

    done = await backfill(engine, panel=Panel(local=watched))(EvaluationFilter(tenant="bakers"), nothing)
    assert (done.ended["already"], done.ended["scored"], asked) == (2, 0, [])
    assert len(await rows(engine)) == 4


@pytest.mark.parametrize("interrupted", [False, True])
async def test_new_rows_become_current_when_asked_and_one_alone_is(engine, store, interrupted):
    if interrupted:
        await backfill(engine)(EvaluationFilter(tenant="bakers"), nothing)
    done = await backfill(engine, current=True)(EvaluationFilter(tenant="bakers"), nothing)
    assert done.ended["already" if interrupted else "scored"] == 2
    listed = (await evaluation_page(engine, EvaluationFilter(tenant="bakers"))).items
    assert {(row["event_id"], row["rules_version"]) for row in listed} == {("timed", 2), ("timeless", 2)}
    claims = await store.claims([scored("timed").key, scored("timeless").key])
    assert {claim.evaluation_id for claim in claims.values()} == {row["id"] for row in listed}
    assert set(await store.record([scored("timed")])) == {scored("timed").key}


async def test_a_late_score_makes_the_backfills_row_of_the_same_version_current(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    each = event("late", occurred_at="2026-10-05T08:00:00Z")
    failed = evaluate(each, Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "away"), Rules(), NOW)
    await store.record([failed])
    await backfill(engine, Rules())(EvaluationFilter(tenant="bakers"), nothing)
    [backfilled] = [row["id"] for row in await rows(engine) if row["trigger"] == "backfill"]
    claim = (await store.claims([failed.key]))[failed.key]
    case = examine(each.query(), Rules())
    assert isinstance(case, Case)
    again = evaluate(each, conclude(case, LOCAL.judge(case)), Rules(), LATER, claim=claim)
    stood = await store.record([again])
    assert stood == {failed.key: Claim(each.payload_hash, backfilled, failed.occurred_at)}
    assert await store.claims([failed.key]) == stood
    assert {row["id"] for row in await rows(engine) if row["current"]} == {backfilled}


async def test_other_tenants_other_times_and_withheld_texts_are_left_alone(engine, store):
    await store.record([scored("quiet", Rules(store_raw=False)), scored("millers", tenant="millers")])
    wanted = EvaluationFilter(tenant="bakers", since=NOW - timedelta(days=2))
    done = await backfill(engine)(wanted, nothing)
    assert done.ended["scored"] == 1
    assert [(each.tenant, each.events) for each in await workloads(engine, wanted, 0.85)] == [("bakers", 1)]


async def test_an_unavailable_judge_leaves_the_rows_unchanged(engine, store):
    class Absent(Panel):
        async def ask(self, case: Case, *, tenant: str) -> DeferredReason:
            return DeferredReason.JUDGE_UNAVAILABLE

    asking = Rules(version=2, judge=replace(Rules().judge, policy=JudgePolicy.LLM))
    done = await backfill(engine, asking, Absent(local=LOCAL.judge), current=True)(
        EvaluationFilter(tenant="bakers"), nothing
    )
    assert done.ended["not_judged"] == 2
    assert {row["trigger"] for row in await rows(engine)} == {"live"}


@pytest.mark.slow  # many rows
async def test_more_events_than_a_batch_are_each_scored_once(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([scored(str(number), occurred_at="2026-10-05T08:00:00Z") for number in range(210)])
    seen: list[int] = []
    done = await backfill(engine, current=True)(EvaluationFilter(), seen.append)
    assert (done.ended["scored"], done.ended["already"], sum(seen)) == (210, 0, 210)


@pytest.mark.slow  # many rows
async def test_going_back_to_the_rows_there_were_takes_each_event_once(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([scored(str(number), occurred_at="2026-10-05T08:00:00Z") for number in range(210)])
    await backfill(engine)(EvaluationFilter(), nothing)
    for version in (2, 0, 2):
        same = Rules(version=version)
        done = await backfill(engine, same, current=True)(EvaluationFilter(), nothing)
        assert done.ended.total() == 210, done.ended
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM evaluations WHERE current")) == 210


async def test_rules_of_a_version_are_those_that_stand_in_the_row(engine, store):
    stored = await PostgresRules(engine).put("bakers", RulesDocument(ignore_filters=["kind"]))
    rules = await PostgresRules(engine).parsed({"bakers": stored.version})
    await backfill(engine, rules["bakers"])(EvaluationFilter(tenant="bakers"), nothing)
    assert {row["rules_version"] for row in await rows(engine)} == {0, stored.version}


def share(tenant: str, events: int, unsure: int) -> TenantWorkload:
    return TenantWorkload(tenant=tenant, events=events, unsure=unsure, letters=events * 350)


@pytest.mark.parametrize(
    ("policy", "random_share", "calls"),
    [
        (JudgePolicy.LOCAL, 0.5, 0),
        (JudgePolicy.LLM, 0.5, 100),
        (JudgePolicy.CASCADE, 0.0, 30),
        (JudgePolicy.CASCADE, 0.1, 37),
    ],
)
def test_the_estimate_counts_the_calls_that_a_policy_makes(policy, random_share, calls):
    judge = JudgeRules(policy=policy, random_share=random_share)
    told = estimate([share("bakers", 100, 30)], {"bakers": judge}, Price(sent=1.0, received=10.0))
    assert (told.events, told.model_calls, told.tokens) == (100, calls, calls * 2900)
    assert told.cost == pytest.approx(calls * 0.0056)


async def test_the_estimate_leaves_out_what_the_run_would_not_score_again(engine, store):
    wanted = EvaluationFilter(tenant="bakers")
    version = WantedVersion(rules_version=2, judges=[LOCAL.name], model=None)
    [before] = await workloads(engine, wanted, 0.85, version)
    await backfill(engine)(EvaluationFilter(tenant="bakers", since=NOW - timedelta(days=2)), nothing)
    [after] = await workloads(engine, wanted, 0.85, version)
    assert (before.events, before.already, after.events, after.already) == (2, 0, 2, 1)
    assert 0 < after.letters < before.letters
    done = await backfill(engine)(wanted, nothing)
    assert done.ended["already"] == after.already
    asked = estimate([after], {"bakers": JudgeRules(policy=JudgePolicy.LLM)}, None)
    assert (asked.events, asked.already, asked.model_calls) == (2, 1, 1)
    [other] = await workloads(engine, wanted, 0.85, replace(version, judges=["llm/test"]))
    assert other.already == 0


def test_without_a_price_the_cost_is_unknown_but_only_where_a_model_is_asked():
    for policy, cost in ((JudgePolicy.LOCAL, 0.0), (JudgePolicy.LLM, None)):
        assert estimate([share("bakers", 10, 1)], {"bakers": JudgeRules(policy=policy)}, None).cost == cost


async def test_what_running_the_sql_gave_is_stored_and_scored_again(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    failed = {"executed": False, "error": "no such table: loaves, says Quillfeather", "columns": ["a"]}
    await store.record([scored("failed", result=failed, occurred_at="2026-10-05T08:00:00Z"), scored("ran")])
    await backfill(engine, current=True)(EvaluationFilter(tenant="bakers"), nothing)
    added = {row["event_id"]: row for row in await rows(engine) if row["rules_version"] == 2}
    assert added["failed"]["result"]["error"] == "no such table: loaves …"
    assert added["failed"]["reason_codes"][0] == "SQL_FAILED"
    assert (added["ran"]["result"], added["ran"]["verdict"] == added["failed"]["verdict"]) == (None, False)


async def test_a_follow_up_is_scored_again_after_its_earlier_turns(engine, store):
    turns = [
        {"question": "How many loaves were sold in Graz?", "sql": "SELECT COUNT(*) FROM loaves WHERE town = 'Graz'"}
    ]
    said = {"question": "and in Linz?", "sql": "SELECT COUNT(*) FROM loaves WHERE town = 'Linz'", "history": turns}
    await store.record([scored("follows", **said)])
    await backfill(engine)(EvaluationFilter(tenant="bakers"), nothing)
    both = [row for row in await rows(engine) if row["event_id"] == "follows"]
    assert len(both) == 2
    assert [row["history"] for row in both] == [turns, turns]
    assert {row["record"]["follow_up"]["meaning"] for row in both} == {"How many loaves were sold in Linz"}
