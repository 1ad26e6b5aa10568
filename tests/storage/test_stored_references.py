"""Answers that wait for their references: kept with their rows, judged once, found again after a crash."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore, TooLargeForBroker
from consumers.evaluation.event_evaluation import evaluate
from consumers.evaluation.outcomes import Trigger
from consumers.judge_references import JudgeReferences
from consumers.references import ReferencePolicy
from consumers.wire.events import decode_event
from consumers.wire.rules_document import RulesDocument
from references.judging import judge_answer
from references.reference_verdict import AnswerPair, ReferenceFinding, ReferenceVerdict
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from service.storage.forgetting import Subject, forget_rows
from service.storage.reference_store import PostgresReferences
from service.storage.retention import do_housekeeping
from service.storage.rule_store import PostgresRules
from service.storage.scores.evaluation_pages import EvaluationFilter, evaluation_page, find_evaluation
from service.storage.scores.evaluation_rows import copy_rows
from service.storage.scores.score_store import PostgresScores
from tests.memory.stores import MemoryOutcomes, MemoryRules
from tests.memory.stream import MemoryPublisher
from tests.storage.conftest import NOW

pytestmark = pytest.mark.slow  # each on a database of its own, of PostgreSQL 15 and 18

TALL = "SELECT id FROM shelf WHERE height > 3"
LOW = "SELECT id FROM shelf WHERE height <= 3"


def answered(id_: str, sql: str = LOW, reference: str | None = TALL, rules: Rules = Rules(), **fields):  # noqa: B008 frozen
    document = {"event_id": id_, "question": "Which shelves?", "sql": sql, "reference_sql": reference, **fields}
    event = decode_event(document, require_id=True)
    received_at = NOW + timedelta(seconds=int(id_)) if id_.isdigit() else NOW
    return evaluate(event, Unscored(UnscoredReason.SCORER_FAILED, "blank"), rules, received_at)


@dataclass
class Here:
    """A `ReferenceJudge` in this process."""

    asked: list[AnswerPair] = field(default_factory=list)
    fails: bool = False

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        self.asked.append(pair)
        if self.fails:
            raise LookupError("a bug")
        return judge_answer(pair, bound=1)


@dataclass
class Counted:
    """A `ReferenceCounts`."""

    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    waiting: int | None = None

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        self.verdicts.append((tenant, agent, verdict.value))

    def waits(self, count: int) -> None:
        self.waiting = count


@dataclass
class Desk:
    """The use case over a real store, with what it asks and tells within reach."""

    engine: AsyncEngine
    judge: Here = field(default_factory=Here)
    rules: MemoryRules = field(default_factory=MemoryRules)
    counts: Counted = field(default_factory=Counted)
    outcomes: MemoryOutcomes = field(default_factory=MemoryOutcomes)
    publisher: MemoryPublisher = field(default_factory=MemoryPublisher)
    now: datetime = NOW + timedelta(minutes=1)

    def __post_init__(self) -> None:
        self.store = PostgresScores(self.engine, clock=lambda: NOW)
        self.waiting = PostgresReferences(self.engine)

    async def work(self, **policy: Any) -> int:
        return await JudgeReferences(
            awaited=self.waiting,
            judge=self.judge,
            rules=self.rules,
            policy=ReferencePolicy(**policy),
            counts=self.counts,
            outcomes=self.outcomes,
            clock=lambda: self.now,
            publisher=self.publisher,
            topic="query-scores",
        )()

    async def said(self) -> dict[str, tuple[str | None, str | None]]:
        """Verdict and level of each event."""
        rows = (await evaluation_page(self.engine, EvaluationFilter())).items
        return {row["event_id"]: (row["reference_verdict"], row["reference_level"]) for row in rows}


@pytest.fixture
def desk(engine) -> Desk:
    return Desk(engine)


async def test_an_answer_waits_from_the_moment_its_row_stands_and_is_judged_once(desk):
    await desk.store.record([answered("1"), answered("2", TALL), answered("3", reference=None)])
    assert await desk.said() == {"1": ("pending", None), "2": ("pending", None), "3": (None, None)}
    assert await desk.waiting.waiting() == 2
    assert await desk.work() == 2
    assert await desk.said() == {"1": ("different", "S0"), "2": ("equivalent_up_to_bound", None), "3": (None, None)}
    assert (await desk.work(), await desk.waiting.waiting()) == (0, 0)
    assert len(desk.judge.asked) == 2


async def test_the_evaluation_shows_the_database_and_counts_and_results_say_it_too(desk):
    one = answered("1", agent="crumb")
    await desk.store.record([one])
    await desk.work()
    found = await find_evaluation(desk.engine, one.id)
    assert found["reference"]["counterexample"]["tables"]
    assert desk.counts.verdicts == [("default", "crumb", "different")]
    [message] = desk.publisher.messages
    told = orjson.loads(message.value)
    assert (told["event_id"], told["evaluation_id"]) == ("1", str(one.id))
    assert told["reference"] == found["reference"]
    assert dict(message.headers)["ce_type"] == b"sqlassay.reference.v1"


async def test_a_verdict_that_the_broker_refuses_for_its_size_is_neither_written_nor_dropped(desk):
    await desk.store.record([answered("1"), answered("2", TALL)])
    desk.publisher.largest = 0
    with pytest.raises(TooLargeForBroker, match="refuses 2 messages on query-scores"):
        await desk.work(lease=60)
    assert {verdict for verdict, _ in (await desk.said()).values()} == {"pending"}
    desk.now, desk.publisher.largest = desk.now + timedelta(minutes=2), 1_000_000
    assert (await desk.work(), len(desk.publisher.messages)) == (2, 2)
    assert {verdict for verdict, _ in (await desk.said()).values()} == {"different", "equivalent_up_to_bound"}


async def test_answers_leased_by_a_dead_worker_wait_again_when_the_lease_ends(desk):
    await desk.store.record([answered("1")])
    assert len(await desk.waiting.lease(desk.now, 10, 300)) == 1
    assert await desk.work() == 0
    desk.now += timedelta(seconds=301)
    assert await desk.work() == 1
    assert (await desk.said())["1"] == ("different", "S0")


async def test_an_answer_that_kills_every_worker_is_given_up(desk):
    await desk.store.record([answered("1")])
    for _ in range(3):
        await desk.waiting.lease(desk.now, 10, 300)
        desk.now += timedelta(seconds=301)
    await desk.work()
    assert (await desk.said())["1"] == ("not_judged", None)
    assert desk.judge.asked == []


async def test_the_newest_are_judged_first_and_what_waited_too_long_is_not(desk):
    await desk.store.record([answered(str(number)) for number in range(1, 5)])
    assert [each.event_id for each in await desk.waiting.lease(desk.now, 2, 300)] in (["3", "4"], ["4", "3"])
    desk.now += timedelta(hours=2)
    await desk.work(patience=3600)
    assert set(desk.counts.verdicts) == {("default", "default", "not_judged")}


async def test_two_workers_never_lease_the_same_answer(desk):
    await desk.store.record([answered(str(number)) for number in range(1, 7)])
    one = await desk.waiting.lease(desk.now, 4, 300)
    other = await desk.waiting.lease(desk.now, 4, 300)
    assert (len(one), len(other)) == (4, 2)
    assert not {each.event for each in one} & {each.event for each in other}


async def test_nothing_is_looked_at_where_the_settings_say_so_or_texts_are_withheld(desk):
    await desk.store.record([answered("1"), answered("2", rules=Rules(store_raw=False))])
    await desk.work(judge=False)
    assert {each for each, _ in (await desk.said()).values()} == {"not_judged"}
    assert desk.judge.asked == []


async def test_withheld_texts_are_the_reason_where_they_are(desk):
    withheld = answered("1", rules=Rules(store_raw=False))
    await desk.store.record([withheld])
    await desk.work()
    assert (await find_evaluation(desk.engine, withheld.id))["reference"]["reason"] == "TEXTS_WITHHELD"


async def test_the_tenants_dialect_holds_where_the_event_names_none(desk):
    await desk.store.record([answered("1"), answered("2", dialect="duckdb")])
    desk.rules.known["default"] = Rules(dialect="mysql")
    await desk.work()
    assert {each.dialect for each in desk.judge.asked} == {"mysql", "duckdb"}


async def test_a_bug_costs_one_answer_its_verdict_and_is_told(desk):
    desk.judge.fails = True
    await desk.store.record([answered("1")])
    await desk.work()
    assert (await desk.said())["1"] == ("not_judged", None)
    assert len(desk.outcomes.faults) == 1


async def test_a_later_score_and_a_backfill_leave_what_the_reference_said_alone(desk):
    first = answered("1")
    await desk.store.record([first])
    await desk.work()
    async with desk.engine.begin() as connection:
        await connection.execute(text("UPDATE evaluations SET current = false"))
    again = replace(first, id=answered("1").id, trigger=Trigger.BACKFILL, rules_version=7)
    async with desk.engine.begin() as connection:
        await copy_rows(connection, [again])
    assert (await find_evaluation(desk.engine, again.id))["reference_verdict"] == "different"
    assert await desk.waiting.waiting() == 0


async def test_what_was_forgotten_while_it_was_judged_stays_forgotten(desk):
    one = answered("1")
    await desk.store.record([one, answered("2", tenant="millers")])
    [*taken] = await desk.waiting.lease(desk.now, 10, 300)
    await forget_rows(desk.engine, Subject("default"))
    desk.now += timedelta(seconds=301)
    assert await desk.work() == 1
    found = await find_evaluation(desk.engine, one.id)
    assert (found["reference_verdict"], found["reference"]["reason"]) == ("not_judged", "TEXTS_WITHHELD")
    assert len(taken) == 2


async def test_what_was_said_is_forgotten_but_for_verdict_and_level(desk):
    one = answered("1")
    await desk.store.record([one])
    await desk.work()
    await forget_rows(desk.engine, Subject("default", "1"))
    found = await find_evaluation(desk.engine, one.id)
    assert (found["reference_verdict"], found["reference_level"], found["reference"]) == ("different", "S0", None)


async def test_an_answer_waits_no_longer_once_its_row_has_expired(desk):
    old = str(NOW - timedelta(days=40))
    await desk.store.record([answered("1", occurred_at=old), answered("2")])
    await PostgresRules(desk.engine).put("default", RulesDocument(retention_days=30))
    await do_housekeeping(desk.engine, None, NOW)
    assert await desk.waiting.waiting() == 1


async def test_an_answer_whose_row_is_gone_waits_for_nothing(desk):
    await desk.store.record([answered("1")])
    async with desk.engine.begin() as connection:
        await connection.execute(text("DELETE FROM evaluations"))
    assert await desk.work() == 0
    assert await desk.waiting.waiting() == 0


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_answers_of_the_first_and_the_last_moment_are_judged_too(desk, moment):
    await desk.store.record([answered("1", occurred_at=moment)])
    assert await desk.work() == 1
    assert (await desk.said())["1"] == ("different", "S0")


async def test_a_refused_row_leaves_nobody_waiting(desk):
    with pytest.raises(RefusedByStore):
        await desk.store.record([replace(answered("1"), rules_version=2**70)])
    assert await desk.waiting.waiting() == 0


async def test_a_list_shows_only_those_of_which_the_reference_says_so(desk):
    await desk.store.record([answered("1"), answered("2", TALL), answered("3", reference=None)])
    await desk.work()
    page = await evaluation_page(desk.engine, EvaluationFilter(reference="different"))
    assert [row["event_id"] for row in page.items] == ["1"]
