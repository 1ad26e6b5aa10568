"""Memory: a condition that most answers have on a table is missed where an answer has none on the column."""

from __future__ import annotations

import json

import pytest

from scoring.evaluation import examine
from scoring.judging.local import LocalJudge
from scoring.memory.asked import asked_question
from scoring.memory.catalogue import MOST_MISSING
from scoring.memory.context import ConditionUse, MemoryContext, context_record
from scoring.memory.decision import weigh_context
from scoring.memory.facts import facts_of
from scoring.memory.remembered import RememberedAnswer
from scoring.memory.tenant_memory import TenantMemory
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge
from tests.stored_contexts import read_context

JUDGE: LocalJudge = local_judge()
QUESTIONS = (
    ("How many kilns are there?", "SELECT COUNT(*) FROM kilns"),
    ("What is the largest kiln?", "SELECT MAX(size) FROM kilns"),
    ("Average heat of kilns", "SELECT AVG(heat) FROM kilns"),
    ("Kilns by town", "SELECT town, COUNT(*) FROM kilns GROUP BY town"),
    ("Names of kilns", "SELECT name FROM kilns"),
    ("Which towns have kilns?", "SELECT DISTINCT town FROM kilns"),
)
NEW = ("What is the total weight of kilns?", "SELECT SUM(weight) FROM kilns")


def with_condition(sql: str, condition: str) -> str:
    return sql.replace("FROM kilns", f"FROM kilns WHERE {condition}")


def cased(question: str, sql: str) -> Case:
    case = examine(Query(question=question, sql=sql), Rules())
    assert isinstance(case, Case)
    return case


def answered(agent: str, question: str, sql: str) -> RememberedAnswer:
    case = cased(question, sql)
    return RememberedAnswer(
        agent=agent, event_id=f"{agent} {sql}", asked=asked_question(case.question), facts=facts_of(case)
    )


def taught(condition: str, *, having: str = "ab", lacking: str = "c", questions: int = 6) -> TenantMemory:
    memory = TenantMemory()
    for question, sql in QUESTIONS[:questions]:
        for agent in having + lacking:
            answer = answered(agent, question, with_condition(sql, condition) if agent in having else sql)
            memory.learn(answer, memory.recall(answer))
    return memory


def said(memory: TenantMemory, question: str, sql: str, agent: str = "c") -> tuple[MemoryContext, Reply, Reply]:
    alone = JUDGE.judge(cased(question, sql))
    context = memory.recall(answered(agent, question, sql))
    return context, alone, weigh_context(alone, context, JUDGE.weights.thresholds)


def missing(reply: Reply) -> list[str]:
    return [each.detail for each in reply.reasons if each.code is ReasonCode.CONVENTION_MISSING]


@pytest.mark.parametrize("condition", ["removed_on IS NULL", "is_demo = FALSE", "flow <> 'shut'", "house = 4"])
def test_a_usual_condition_is_missed(condition: str) -> None:
    column = condition.split(maxsplit=1)[0]
    context, alone, reply = said(taught(condition), *NEW)
    assert context.lacking == (ConditionUse(column=f"kilns.{column}", answers=12, of=18, questions=6, agents=2),)
    assert reply.p_correct < alone.p_correct
    counts = "12 of 18 answers to other questions have one, of 2 agents"
    assert missing(reply) == [f"kilns without a condition on {column}: {counts}"]


def test_any_condition_on_the_column_counts_as_having_it() -> None:
    context, _, _ = said(taught("is_demo = FALSE"), NEW[0], with_condition(NEW[1], "is_demo = TRUE"))
    assert context.lacking == ()


def test_a_question_that_speaks_of_it_needs_none() -> None:
    context, _, _ = said(taught("is_demo = FALSE"), "What is the total weight of kilns, demo ones too?", NEW[1])
    assert context.lacking == ()


def test_the_values_of_texts_are_not_kept() -> None:
    (condition,) = answered("a", NEW[0], with_condition(NEW[1], "flow <> 'secret'")).facts.conditions
    assert condition.startswith("kilns.flow != ")
    assert "secret" not in condition


@pytest.mark.parametrize(
    "memory",
    [
        taught("is_demo = FALSE", having="a", lacking="bc"),
        taught("is_demo = FALSE", having="a", lacking=""),
        taught("is_demo = FALSE", questions=4),
    ],
    ids=["a third of the answers", "one agent", "four questions"],
)
def test_what_few_have_is_not_usual(memory: TenantMemory) -> None:
    assert said(memory, *NEW)[0].lacking == ()


def test_answers_to_the_question_itself_do_not_count() -> None:
    context, _, _ = said(taught("is_demo = FALSE", questions=5), *QUESTIONS[0])
    assert context.lacking == ()


def test_forgetting_questions_forgets_their_conditions() -> None:
    memory = taught("is_demo = FALSE")
    memory.max_answers = 0
    answer = answered("z", "How many pots?", "SELECT COUNT(*) FROM pots")
    memory.learn(answer, memory.recall(answer))
    assert (memory.answers, memory.habits.conditions, memory.habits.read.total()) == (0, {}, 0)


def test_the_weight_is_bounded_and_the_rules_come_first() -> None:
    use = ConditionUse(column="kilns.a", answers=99, of=99, questions=99, agents=9)
    context = MemoryContext(lacking=(use,) * 8)
    alone = JUDGE.judge(cased(*NEW))
    reply = weigh_context(alone, context, JUDGE.weights.thresholds)
    (reason,) = [each for each in reply.reasons if each.code is ReasonCode.CONVENTION_MISSING]
    assert reason.weight == MOST_MISSING
    assert len(missing(weigh_context(reply, context, JUDGE.weights.thresholds))) == 1


def test_the_context_is_stored_and_older_ones_can_be_read() -> None:
    context = said(taught("is_demo = FALSE"), *NEW)[0]
    record = json.loads(json.dumps(context_record(context)))
    assert read_context(record) == context
    del record["lacking"]
    assert read_context(record).lacking == ()
