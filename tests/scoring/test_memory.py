"""Memory: what other agents' answers and the tenant's joins say about an answer, and what they must not say."""

import json
from dataclasses import replace

import pytest

from scoring.evaluation import examine
from scoring.memory.agreement import agreement
from scoring.memory.asked import asked_question
from scoring.memory.context import NOTHING_KNOWN, JoinUse, MemoryContext, Voice, context_record
from scoring.memory.decision import LEAST_BY_OTHERS, weigh_context
from scoring.memory.facts import AnswerFacts, facts_of
from scoring.memory.memories import Memories
from scoring.memory.remembered import RememberedAnswer
from scoring.memory.tenant_memory import TenantMemory
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge
from tests.stored_contexts import read_context

OVER_20 = "SELECT COUNT(*) FROM parcels WHERE weight > 20"
QUESTION = "How many parcels weigh more than 20 kg?"


def cased(question: str, sql: str) -> Case:
    case = examine(Query(question=question, sql=sql), Rules())
    assert isinstance(case, Case)
    return case


def answered(agent: str, sql: str = OVER_20, question: str = QUESTION, event_id: str = "") -> RememberedAnswer:
    case = cased(question, sql)
    return RememberedAnswer(
        agent=agent, event_id=event_id or f"{agent}-{sql}", asked=asked_question(case.question), facts=facts_of(case)
    )


def alone(question: str = QUESTION, sql: str = OVER_20) -> Reply:
    return local_judge().judge(cased(question, sql))


def weighed(reply: Reply, context: MemoryContext) -> Reply:
    return weigh_context(reply, context, local_judge().weights.thresholds)


def taught(*answers: RememberedAnswer) -> TenantMemory:
    memory = TenantMemory()
    for each in answers:
        memory.learn(each, memory.recall(each))
    return memory


def voice(*, same: bool, weight: float = 1.0, reviewed: bool | None = None, agent: str = "birch") -> Voice:
    return Voice(
        agent=agent,
        event_id="e1",
        same=same,
        same_filters=same,
        same_tables=same,
        weight=weight,
        reviewed=reviewed,
    )


@pytest.mark.parametrize(
    "other",
    [
        "select count(*)  from parcels where weight>20",
        "SELECT COUNT(*) AS n FROM parcels p WHERE p.weight > 20",
        "SELECT COUNT(*) FROM parcels WHERE weight > 20 AND weight IS NOT NULL",
    ],
)
def test_spelling_aliases_and_guards_make_no_other_answer(other: str) -> None:
    assert facts_of(cased(QUESTION, other)) == facts_of(cased(QUESTION, OVER_20))


@pytest.mark.parametrize(
    "other",
    [
        "SELECT COUNT(*) FROM parcels WHERE weight > 21",
        "SELECT COUNT(*) FROM parcels WHERE weight >= 20",
        "SELECT COUNT(DISTINCT id) FROM parcels WHERE weight > 20",
        "SELECT id FROM parcels WHERE weight > 20",
        "SELECT COUNT(*) FROM parcels WHERE weight > 20 GROUP BY city",
        "SELECT COUNT(*) FROM letters WHERE weight > 20",
        "SELECT COUNT(*) FROM parcels WHERE weight > 20 LIMIT 5",
    ],
)
def test_another_condition_aggregate_output_group_table_or_limit_is_another_answer(other: str) -> None:
    assert facts_of(cased(QUESTION, other)).specification != facts_of(cased(QUESTION, OVER_20)).specification


def test_other_agents_with_the_same_answer_raise_it_and_are_named() -> None:
    memory = taught(answered("birch", event_id="e1"), answered("cedar", event_id="e2"))
    reply = weighed(alone(), memory.recall(answered("atlas")))
    assert reply.p_correct > alone().p_correct
    reason = next(each for each in reply.reasons if each.code is ReasonCode.AGREES_WITH_OTHERS)
    assert "2 of 2" in reason.detail
    assert "birch (e1)" in reason.detail
    assert "cedar (e2)" in reason.detail


def test_one_other_answer_lowers_nothing_and_two_do() -> None:
    other = "SELECT COUNT(*) FROM parcels WHERE height > 20"
    memory = taught(answered("birch", other))
    assert weighed(alone(), memory.recall(answered("atlas"))) == alone()
    second = answered("cedar", other)
    memory.learn(second, memory.recall(second))
    reply = weighed(alone(), memory.recall(answered("atlas")))
    assert reply.p_correct < alone().p_correct
    assert ReasonCode.DIFFERS_FROM_OTHERS in {each.code for each in reply.reasons}


def test_others_who_differ_make_no_answer_sure_to_be_wrong_and_a_person_does() -> None:
    others = tuple(voice(same=False, agent=f"agent-{number}") for number in range(20))
    doubted = weighed(replace(alone(), p_correct=0.2), MemoryContext(usual=2.4, voices=others))
    assert 0.15 < doubted.p_correct < 0.2
    rejected = (voice(same=True, reviewed=False), *others)
    assert weighed(replace(alone(), p_correct=0.2), MemoryContext(usual=2.4, voices=rejected)).p_correct < 0.05


def test_the_floor_of_others_is_that_of_the_packaged_weights() -> None:
    assert local_judge().weights.probability.least == LEAST_BY_OTHERS


def test_the_first_answer_alike_counts_most_and_others_that_differ_take_nothing_from_it() -> None:
    one, two, three = (agreement(tuple(voice(same=True) for _ in range(count))).raw for count in (1, 2, 3))
    assert one > two - one > three - two > 0
    assert agreement((voice(same=True), voice(same=False))).raw == one


@pytest.mark.parametrize("times", [1, 30])
def test_an_agent_is_no_evidence_for_itself(times: int) -> None:
    """Repeats, other blanks, aliases and letters, and made-up versions are all the same agent."""
    variants = [OVER_20, OVER_20.lower(), OVER_20.replace(" ", "  "), f"{OVER_20} AND weight IS NOT NULL"]
    names = ["atlas", "Atlas", "ATLAS", " atlas"]
    memory = taught(*[answered(names[i % 4], variants[i % 4], event_id=str(i)) for i in range(times)])
    context = memory.recall(answered("atlas", event_id="last"))
    assert context.voices == ()
    assert weighed(alone(), context) == alone()


def test_a_flood_of_one_agent_is_one_voice_for_others() -> None:
    once = taught(answered("birch", event_id="0")).recall(answered("atlas"))
    often = taught(*[answered("birch", event_id=str(i)) for i in range(40)]).recall(answered("atlas"))
    assert len(once.voices) == len(often.voices) == 1
    assert weighed(alone(), often).p_correct == weighed(alone(), once).p_correct


def test_rewordings_are_found_and_other_values_are_not() -> None:
    memory = taught(answered("birch"), answered("cedar"))
    reworded = answered("atlas", question="How many of the parcels weigh more than 20 kg?")
    assert {each.agent for each in memory.recall(reworded).voices} == {"birch", "cedar"}
    assert all(each.weight < 1 for each in memory.recall(reworded).voices)
    for other in ("How many parcels weigh more than 30 kg?", "How many parcels weigh less than 20 kg?", "List parcels"):
        assert memory.recall(answered("atlas", question=other)).voices == ()


def test_the_same_words_over_other_tables_are_not_compared() -> None:
    memory = taught(answered("birch", "SELECT COUNT(*) FROM shipments WHERE kg > 20"))
    assert memory.recall(answered("atlas")).voices == ()


@pytest.mark.slow  # a simulation
def test_traffic_in_which_all_agree_on_wrong_answers_lifts_none() -> None:
    """Ten agents, 120 questions, one wrong query each: what is usual says nothing."""
    memory, lifts = TenantMemory(), list[float]()
    for number in range(120):
        question, sql = f"How many parcels weigh more than {number} kg?", f"SELECT MIN(height) FROM parcels -- {number}"
        reply = alone(question, sql)
        for agent in range(10):
            answer = answered(f"agent-{agent}", sql, question, event_id=f"{number}-{agent}")
            context = memory.recall(answer)
            lifts.append(weighed(reply, context).p_correct - reply.p_correct)
            memory.learn(answer, context)
    assert sum(lifts) / len(lifts) < 0.05
    assert max(lifts[-100:]) < 0.02


def test_agents_that_always_give_the_same_query_are_one_voice() -> None:
    """Two names for one system, in a tenant where others answer in their own way."""
    memory = TenantMemory()
    for number in range(60):
        question = f"How many parcels weigh more than {number} kg?"
        shared = f"SELECT COUNT(*) FROM parcels WHERE weight > {number}"
        for agent, sql in (("one", shared), ("two", shared), ("other", f"{shared} AND height > {number % 7}")):
            answer = answered(agent, sql, question, event_id=f"{number}{agent}")
            memory.learn(answer, memory.recall(answer))
    found = {
        each.agent: each.weight
        for each in memory.recall(answered("one", question="How many parcels weigh more than 7 kg?")).voices
    }
    assert found["two"] < 0.3
    assert found["other"] == 1.0


def test_reviewed_answers_count_most() -> None:
    others = tuple(voice(same=False, agent=name) for name in ("birch", "cedar", "elm"))
    right = weighed(alone(), MemoryContext(answers=9, voices=(voice(same=True, reviewed=True), *others)))
    wrong = weighed(alone(), MemoryContext(answers=9, voices=(voice(same=True, reviewed=False),)))
    other = weighed(alone(), MemoryContext(answers=9, voices=(voice(same=False, reviewed=True),)))
    assert right.p_correct > alone().p_correct > other.p_correct > wrong.p_correct
    assert ReasonCode.MATCHES_REVIEWED in {each.code for each in right.reasons}
    assert ReasonCode.REPEATS_REJECTED in {each.code for each in wrong.reasons}
    assert ReasonCode.DIFFERS_FROM_REVIEWED in {each.code for each in other.reasons}


def test_reviews_stay_when_the_agent_answers_again_and_change_its_weight() -> None:
    reviewed = answered("birch", event_id="e1")
    memory = taught(reviewed)
    memory.review(reviewed, correct=False)
    again = answered("birch", "SELECT COUNT(id) FROM parcels", event_id="e2")
    memory.learn(again, memory.recall(again))
    voices = memory.recall(answered("atlas")).voices
    assert [each.reviewed for each in voices] == [False, None]
    assert voices[1].weight < 1


def test_a_join_that_is_usual_here_is_excused() -> None:
    sql = "SELECT p.name FROM parcels p JOIN ports q ON p.weight = q.berth"
    suspected = alone("List the names of the parcels with a port", sql)
    assert ReasonCode.JOIN_UNLIKE_KEYS in {each.code for each in suspected.reasons}
    usual = (JoinUse(columns=("parcels.weight", "ports.berth"), questions=5, of=6),)
    excused = weighed(suspected, MemoryContext(answers=60, joins=usual))
    assert excused.p_correct > suspected.p_correct
    assert weighed(suspected, MemoryContext(answers=49, joins=usual)) == suspected
    rare = (JoinUse(columns=("parcels.weight", "ports.berth"), questions=1, of=1),)
    assert weighed(suspected, MemoryContext(answers=60, joins=rare)) == suspected


def test_a_join_by_columns_that_no_other_question_uses_is_suspicious() -> None:
    memory = TenantMemory()
    for number in range(60):
        question = f"How many parcels of port {number} are late?"
        sql = f"SELECT COUNT(*) FROM parcels p JOIN ports q ON p.port_id = q.id WHERE q.number = {number}"
        answer = answered("birch", sql, question)
        memory.learn(answer, memory.recall(answer))
    question = "List the names of the ports with parcels"
    usual, odd = (
        f"SELECT q.name FROM parcels p JOIN ports q ON p.{column} = q.id" for column in ("port_id", "owner_id")
    )
    assert weighed(alone(question, usual), memory.recall(answered("birch", usual, question))) == alone(question, usual)
    reply = weighed(alone(question, odd), memory.recall(answered("birch", odd, question)))
    reason = next(each for each in reply.reasons if each.code is ReasonCode.JOIN_UNUSUAL_HERE)
    assert "parcels.owner_id = ports.id" in reason.detail
    assert reply.p_correct < alone(question, odd).p_correct


def test_a_forgery_is_not_lifted_by_others_who_send_it_too() -> None:
    forged = alone(QUESTION, f"{OVER_20} OR 1 = 1")
    assert ReasonCode.CONDITION_VOID in {each.code for each in forged.reasons}
    lifting = MemoryContext(answers=9, voices=tuple(voice(same=True, agent=str(i)) for i in range(9)))
    assert weighed(forged, lifting) == forged
    lowering = MemoryContext(answers=9, voices=tuple(voice(same=False, agent=str(i)) for i in range(9)))
    assert weighed(forged, lowering).p_correct <= forged.p_correct


def test_a_stored_context_reproduces_the_score() -> None:
    memory = taught(answered("birch"), answered("cedar", "SELECT COUNT(*) FROM parcels WHERE height > 20"))
    context = memory.recall(answered("atlas"))
    stored = json.dumps(context_record(context))
    assert read_context(json.loads(stored)) == context
    assert weighed(alone(), read_context(json.loads(stored))) == weighed(alone(), context)


def test_an_event_that_comes_again_teaches_nothing() -> None:
    answers = [answered(name, event_id=name) for name in ("birch", "cedar", "elm")]
    once, twice = taught(*answers), taught(*[each for each in answers for _ in range(2)])
    assert once == twice


def test_memory_is_bounded_and_equals_that_of_what_it_keeps() -> None:
    answers = [
        answered(
            f"agent-{n % 3}",
            f"SELECT COUNT(*) FROM a JOIN b ON a.x = b.y WHERE a.z > {n // 3}",
            f"How many over {n // 3}?",
        )
        for n in range(300)
    ]
    memory = TenantMemory(max_answers=60)
    for each in answers:
        memory.learn(each, NOTHING_KNOWN)
    kept = TenantMemory(max_answers=60)
    for each in answers[-60:]:
        kept.learn(each, NOTHING_KNOWN)
    assert memory.answers == kept.answers == 60
    assert memory.size == kept.size
    new = answered("new", "SELECT COUNT(*) FROM a JOIN b ON a.x = b.y WHERE a.z > 99", "How many over 99?")
    assert memory.recall(new).joins == kept.recall(new).joins
    assert memory.recall(answered("new", OVER_20, "How many over 3?")).voices == ()


def test_memory_is_bounded_in_bytes() -> None:
    long = AnswerFacts(specification="s", filters="f", tables=tuple(f"{'t' * 80}{i}" for i in range(40)))
    memory = TenantMemory(max_bytes=100_000)
    for number in range(200):
        answer = replace(answered("birch", question=f"How many parcels weigh {number}?"), facts=long)
        memory.learn(answer, memory.recall(answer))
        assert memory.size <= 100_000
    assert memory.answers > 5


def test_tenants_do_not_share_a_memory_and_are_bounded_together() -> None:
    memories = Memories(max_bytes=40_000)
    for tenant in range(100):
        memory = memories.of(f"tenant-{tenant}")
        before = memory.size
        answer = answered("birch")
        assert memory.recall(answer).answers == 0
        memory.learn(answer, NOTHING_KNOWN)
        memories.grew(memory.size - before)
    assert memories.of("tenant-99").answers == 1
    assert memories.of("tenant-0").answers == 0
