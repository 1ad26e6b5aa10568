"""Processes that score: what a thread gives, whatever becomes of them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from consumers.decoding import Known, Record
from consumers.evaluation.event_evaluation import Evaluation, Scored
from consumers.judging.panel import Panel
from consumers.judging.prompting import Template, prompt_for
from consumers.pool.scorers import ThreadScorer, Unfinished
from consumers.queueing.allowances import Allowances
from consumers.score_events import LookedUp, ScoreEvents
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import conclude
from scoring.query import Unscored, UnscoredReason
from scoring.record import score_record
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.metrics.outcome_metrics import Metrics
from service.processes.scoring_processes import ProcessScorer
from service.samples import sample_events, sample_rules
from service.settings.observability_settings import MetricSettings
from tests.costly import COSTLY, cpu_budget
from tests.memory.stores import MemoryOutcomes, MemoryRules, MemoryScores

pytestmark = pytest.mark.slow  # starts and kills processes

TEMPLATE = Template(version="judge-test", system="Say whether it answers.")
RULES = {
    "garden": decode_rules({"column_mappings": {"plot": "bed_id"}, "benign_filters": ["active = 1"]}).rules(version=3),
    "orchard": decode_rules({"judge": {"policy": "llm"}}).rules(version=1),
    "meadow": decode_rules({"judge": {"policy": "cascade", "bar": 1.0}}).rules(version=1),
    "silent": decode_rules({"store_raw": False}).rules(version=2),
    "plain": Rules(),
}


@pytest.fixture
def outcomes() -> MemoryOutcomes:
    return MemoryOutcomes()


@pytest.fixture
def score(outcomes: MemoryOutcomes) -> ScoreEvents:
    return ScoreEvents(
        panel=Panel(local=local_judge().judge),
        rules=MemoryRules(),
        store=MemoryScores(),
        outcomes=outcomes,
        clock=lambda: datetime(2026, 11, 2, tzinfo=UTC),
        timer=time.monotonic,
    )


@pytest.fixture
async def processes(score: ScoreEvents) -> AsyncGenerator[ProcessScorer]:
    scorer = ProcessScorer(score, processes=2)
    yield scorer
    scorer.close()


@pytest.fixture
async def strict(score: ScoreEvents) -> AsyncGenerator[ProcessScorer]:
    """A process whose budget for an event is less than a tenant's allowance."""
    scorer = ProcessScorer(score, processes=1, cpu_seconds=cpu_budget(), allowances=Allowances(most=5.0))
    yield scorer
    scorer.close()


def events(
    score: ScoreEvents, tenant: str, count: int, sql: str = "SELECT name FROM beds WHERE id = {}"
) -> list[Known]:
    """Events of a tenant, each with SQL of its own."""
    payloads = [
        {"tenant": tenant, "event_id": f"{tenant}-{n}", "question": f"names of plot {n}", "sql": sql.format(n)}
        for n in range(count)
    ]
    known = [score.decode(Record(payload=each, require_id=True)) for each in payloads]
    return [each for each in known if isinstance(each, Known)]


def said(judged: Sequence[Evaluation | Case | Unfinished]) -> list[object]:
    """What they say, but for ids, which are new each time."""
    return [
        (each.record, each.payload_hash, each.withheld, each.rules_version) if isinstance(each, Evaluation) else "case"
        for each in judged
    ]


async def test_they_say_what_a_thread_says(score: ScoreEvents, processes: ProcessScorer) -> None:
    batch = [each for tenant in ("plain", "garden", "silent") for each in events(score, tenant, 3)]
    batch += events(score, "meadow", 2, "SELECT (((") + events(score, "plain", 1, "")
    thread, found = ThreadScorer(score), LookedUp({}, RULES)
    assert said(await processes.judge(batch, found)) == said(await thread.judge(batch, found))
    thread.close()


async def test_what_needs_a_model_comes_back_as_a_case_in_its_place(
    score: ScoreEvents, processes: ProcessScorer
) -> None:
    batch = [*events(score, "plain", 1), *events(score, "orchard", 1), *events(score, "meadow", 1)]
    judged = await processes.judge(batch, LookedUp({}, RULES))
    assert [type(each) for each in judged] == [Evaluation, Case, Case]
    assert all(each.query.sql for each in judged if isinstance(each, Case))


async def test_watched_answers_are_known_in_threads_and_processes(score: ScoreEvents) -> None:
    score = replace(score, watched=lambda event: event.event_id.endswith("1"))
    batch = events(score, "plain", 2, "SELECT name FROM plots WHERE id = {}")
    rules = {"plain": decode_rules({"judge": {"policy": "cascade", "bar": 0.5, "watched_bar": 1.0}}).rules(version=1)}
    scorers = ThreadScorer(score), ProcessScorer(score, processes=1)
    for scorer in scorers:
        judged = await scorer.judge(batch, LookedUp({}, rules))
        assert [type(each) for each in judged] == [Evaluation, Case]
        assert isinstance(await scorer.judge_alone(batch[1], LookedUp({}, rules)), Case)
        scorer.close()


async def test_a_case_that_came_back_is_judged_as_one_that_was_examined_here(
    score: ScoreEvents, processes: ProcessScorer
) -> None:
    thread = ThreadScorer(score)
    rules = {name: decode_rules({**document, "judge": {"policy": "llm"}}) for name, document in sample_rules().items()}
    found = LookedUp({}, {name: each.rules(version=1) for name, each in rules.items()})
    batch = [score.decode(Record(payload=each)) for each in sample_events()]
    known = [each for each in batch if isinstance(each, Known)]
    away, here = await processes.judge(known, found), await thread.judge(known, found)
    thread.close()
    cases = [(a, b) for a, b in zip(away, here, strict=True) if isinstance(a, Case) and isinstance(b, Case)]
    assert len(cases) > 50
    for a, b in cases:
        assert a == b
        assert prompt_for(a, TEMPLATE, masked=True) == prompt_for(b, TEMPLATE, masked=True)
        said, again = (score_record(conclude(each, local_judge().judge(each))) for each in (a, b))
        assert said == again


async def test_scores_of_processes_and_threads_are_equal(score: ScoreEvents, processes: ProcessScorer) -> None:
    thread, found, batch = ThreadScorer(score), LookedUp({}, RULES), events(score, "garden", 1)
    (away,), (here,) = await processes.judge(batch, found), await thread.judge(batch, found)
    thread.close()
    assert isinstance(away, Evaluation)
    assert isinstance(here, Evaluation)
    assert isinstance(away.result, Scored)
    assert away.result == here.result


async def test_a_process_that_dies_during_a_chunk_costs_no_event_its_score(
    score: ScoreEvents, processes: ProcessScorer
) -> None:
    found = LookedUp({}, RULES)
    await processes.judge(events(score, "plain", 1), found)
    left = events(score, "garden", 400)
    judging = asyncio.create_task(processes.judge(left, found))
    await asyncio.sleep(0)
    kill_all()
    judged = list(await judging)
    while again := [known for known, each in zip(left, judged, strict=True) if isinstance(each, Unfinished)]:
        left, judged = again, list(await processes.judge(again[1:], found))
        judged.insert(0, await processes.judge_alone(again[0], found))
        assert all(isinstance(each, Unfinished) or scored(each) for each in judged)


async def test_an_idle_process_that_dies_is_replaced(score: ScoreEvents, processes: ProcessScorer) -> None:
    found = LookedUp({}, RULES)
    await processes.judge(events(score, "plain", 1), found)
    kill_all()
    (judged,) = await processes.judge(events(score, "garden", 1), found)
    assert isinstance(judged, Evaluation)
    assert not isinstance(judged.result, Unscored)


async def test_attributes_are_not_sent(score: ScoreEvents, processes: ProcessScorer, outcomes: MemoryOutcomes) -> None:
    class Local(dict[str, str]):
        """Pickle finds no way to it."""

    first, second = events(score, "garden", 2)
    odd = replace(first, event=first.event.model_copy(update={"attributes": Local(shed="north")}))
    judged = await processes.judge([odd, second], LookedUp({}, RULES))
    assert [isinstance(each, Evaluation) and isinstance(each.result, Scored) for each in judged] == [True, True]
    assert not outcomes.faults


async def test_a_costly_event_is_set_aside_and_only_its_own_tenant_waits(
    score: ScoreEvents, strict: ProcessScorer
) -> None:
    found = LookedUp({}, RULES)
    own, other = events(score, "plain", 3), events(score, "garden", 3)
    batch = [own[0], other[0], costly(own[1]), other[1], own[2], other[2]]
    judged = await strict.judge(batch, found)
    assert [each if isinstance(each, Unfinished) else type(each) for each in judged] == [
        *(Evaluation, Evaluation, Unfinished.SET_ASIDE, Evaluation, Unfinished.NOT_REACHED, Evaluation)
    ]


async def test_what_takes_longer_than_the_budget_ends_as_too_costly(score: ScoreEvents, strict: ProcessScorer) -> None:
    (plain,) = events(score, "plain", 1)
    ended = await strict.judge_alone(costly(plain), LookedUp({}, RULES))
    ordinary = await strict.judge_alone(plain, LookedUp({}, RULES))
    assert isinstance(ended, Evaluation)
    assert isinstance(ended.result, Unscored)
    assert ended.result.reason is UnscoredReason.TOO_COSTLY
    assert f"{cpu_budget():g} s of CPU" in ended.result.detail
    assert isinstance(ordinary, Evaluation)
    assert isinstance(ordinary.result, Scored)


async def test_why_a_process_ended_is_counted(score: ScoreEvents) -> None:
    metrics = Metrics(MetricSettings(), "local/1")
    scorer = ProcessScorer(score, processes=1, cpu_seconds=cpu_budget(), on_end=metrics.process_ended)
    (plain,), found = events(score, "plain", 1), LookedUp({}, RULES)
    assert counted(metrics) == {}
    await scorer.judge_alone(costly(plain), found)
    assert counted(metrics) == {"cpu": 1}
    await scorer.judge_alone(plain, found)
    kill_all()
    assert scored(await scorer.judge_alone(plain, found))
    assert counted(metrics) == {"cpu": 1, "killed": 1}
    scorer.close()


def counted(metrics: Metrics) -> dict[str, float]:
    """The processes that ended, by reason."""
    return {
        sample.labels["reason"]: sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "sqlassay_scoring_processes_ended_total" and sample.value
    }


async def test_an_event_that_ends_its_process_alone_is_held_to_blame(
    score: ScoreEvents, processes: ProcessScorer, outcomes: MemoryOutcomes
) -> None:
    (known,) = events(score, "plain", 1)
    killing = asyncio.create_task(kill_again_and_again())
    judged = await processes.judge_alone(costly(known), LookedUp({}, RULES))
    killing.cancel()
    assert isinstance(judged, Evaluation)
    assert isinstance(judged.result, Unscored)
    assert judged.result.reason is UnscoredReason.SCORER_FAILED
    assert len(outcomes.faults) == 1


async def test_they_end_with_their_scorer(score: ScoreEvents) -> None:
    scorer = ProcessScorer(score, processes=1)
    await scorer.judge(events(score, "plain", 1), LookedUp({}, RULES))
    scorer.close()
    assert not multiprocessing.active_children()


def scored(each: object) -> bool:
    return isinstance(each, Evaluation) and isinstance(each.result, Scored)


def costly(known: Known) -> Known:
    """The event with an answer that is costly to read."""
    return replace(known, event=known.event.model_copy(update={"sql": COSTLY}))


async def kill_again_and_again() -> None:
    while True:
        kill_all()
        await asyncio.sleep(0.01)


def kill_all() -> None:
    """Kills the processes that score."""
    for each in multiprocessing.active_children():
        assert each.pid is not None
        os.kill(each.pid, signal.SIGKILL)
