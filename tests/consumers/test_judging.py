"""The panel by the tenant's policy, and the limits between it and a model."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pytest

from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.asking import AskModel
from consumers.judging.breaker import Breaker, BreakerState
from consumers.judging.budgets import Bound, Price, WorkerBudgets
from consumers.judging.calling import CallModel, CallPolicy
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.panel import Panel
from consumers.judging.ports import Completion, ModelFailed, ReplyCache
from consumers.judging.prompting import Template
from consumers.judging.rates import Rate
from consumers.judging.reply_schema import REPLY_SCHEMA
from consumers.judging.slots import Slots
from scoring.evaluation import conclude
from scoring.query import RunResult, Unscored, UnscoredReason
from scoring.reason_kinds import PROOFS
from scoring.reasons import ReasonCode
from scoring.record import score_record
from scoring.rules import JudgePolicy, JudgeRules, Rules, UnparseablePolicy, WhenSpent, WhenUnavailable
from scoring.verdict import Case, Reason, Reply, Verdict
from service.judges.weights import local_judge
from tests.examples import example_case
from tests.memory.judging import MemoryReplies, said

TEMPLATE = Template(version="test", system="Judge.")
LOCAL = local_judge()


@dataclass(slots=True)
class ScriptedModel:
    """A `Model` that says what it is given, in order, and the last for ever."""

    says: list[str | ModelFailed] = field(default_factory=lambda: [said()])
    asked: int = 0
    name: str = "scripted"
    max_tokens: int = 100

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        assert schema is REPLY_SCHEMA
        assert seconds > 0
        self.asked += 1
        await asyncio.sleep(0)
        answer = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(answer, ModelFailed):
            raise answer
        return Completion(text=answer, tokens_in=100, tokens_out=10)


def panel_of(model: ScriptedModel, *, cache: ReplyCache | None = None, **parts: Any) -> Panel:
    call = CallModel(
        **{
            "model": model,
            "price": Price(sent=1, received=1),
            "budgets": WorkerBudgets(today=lambda: date(2026, 5, 4)),
            "slots": Slots(total=4, of_tenant=4),
            "rate": Rate(),
            "breaker": Breaker(),
            "policy": CallPolicy(deadline=5, tries=3, first_wait=0.001, longest_wait=0.002),
            "counts": MemoryModelCounts(),
            "timer": asyncio.get_running_loop().time,
            **parts,
        }
    )
    asking = AskModel(call=call, template=TEMPLATE, masked=True, bound=Bound(), cache=cache)
    return Panel(local=LOCAL.judge, model=asking)


def case_of(policy: JudgePolicy, **judge: Any) -> Case:
    case = example_case("list the lighthouses", "SELECT name FROM lighthouses")
    return replace(case, rules=Rules(judge=JudgeRules(policy=policy, **judge)))


SURE = LOCAL.judge(case_of(JudgePolicy.LOCAL)).confidence


async def test_the_local_policy_never_asks() -> None:
    panel = panel_of(ScriptedModel())
    assert panel.at_once(case_of(JudgePolicy.LOCAL)) == LOCAL.judge(case_of(JudgePolicy.LOCAL))


async def test_a_cascade_asks_below_the_bar_only() -> None:
    panel = panel_of(ScriptedModel())
    assert panel.at_once(case_of(JudgePolicy.CASCADE, bar=SURE)) is not None
    assert panel.at_once(case_of(JudgePolicy.CASCADE, bar=SURE + 0.0001)) is None
    assert panel.at_once(case_of(JudgePolicy.LLM)) is None


async def test_a_cascade_asks_about_a_random_share_of_sure_answers_and_records_it() -> None:
    sure = case_of(JudgePolicy.CASCADE, bar=SURE, random_share=0.25)
    panel = panel_of(ScriptedModel())
    asked = sum(replace(panel, draw=lambda at=at: at / 100).at_once(sure) is None for at in range(100))
    assert asked == 25
    for case, probability in (
        (sure, 0.25),
        (case_of(JudgePolicy.CASCADE, bar=1.0), 1.0),
        (case_of(JudgePolicy.LLM), 1.0),
    ):
        reply = await panel_of(ScriptedModel()).ask(case, tenant="t")
        assert isinstance(reply, Reply)
        assert reply.asked_probability == probability
        assert score_record(conclude(case, reply))["asked_probability"] == probability


async def test_a_cascade_asks_about_watched_answers_up_to_a_second_bar() -> None:
    panel = panel_of(ScriptedModel())
    for watched_bar, bar, asks in ((SURE + 0.01, 0.5, True), (SURE, 0.5, False), (0.5, SURE + 0.01, True)):
        case = case_of(JudgePolicy.CASCADE, bar=bar, watched_bar=watched_bar)
        case = replace(case, query=replace(case.query, watched=True))
        assert (panel.at_once(case) is None) is asks
    reply = await panel.ask(case, tenant="t")
    assert isinstance(reply, Reply)
    assert reply.asked_probability == 1.0


async def test_a_verdict_in_a_models_place_has_no_probability() -> None:
    failed = ModelFailed("no answer", retryable=True)
    reply = await panel_of(ScriptedModel([failed])).ask(case_of(JudgePolicy.LLM), tenant="t")
    assert isinstance(reply, Reply)
    assert (reply.fallback, reply.asked_probability) == (True, None)


async def test_a_cascade_asks_about_no_fault_that_is_proved() -> None:
    case = example_case("list the lighthouses", "SELECT name FROM lighthouses WHERE 1 = 2 AND 2 = 3")
    proved = Reply(
        verdict=Verdict.INCORRECT,
        confidence=0.6,
        p_correct=0.4,
        reasons=(Reason(code=min(PROOFS), detail="proved"),),
        judge="local/4",
    )
    rules = Rules(judge=JudgeRules(policy=JudgePolicy.CASCADE, bar=0.9, random_share=1.0))
    panel = replace(panel_of(ScriptedModel()), local=lambda _: proved)
    assert panel.at_once(replace(case, rules=rules)) == proved
    unproved = replace(panel, local=lambda _: replace(proved, reasons=()))
    assert unproved.at_once(replace(case, rules=rules)) is None


async def test_sql_that_counts_as_wrong_because_it_does_not_parse_needs_no_model() -> None:
    case = replace(case_of(JudgePolicy.LLM, bar=1), unparseable="near FORM")
    case = replace(case, rules=replace(case.rules, unparseable=UnparseablePolicy.INCORRECT))
    reply = panel_of(ScriptedModel()).at_once(case)
    assert reply is not None
    assert reply.verdict is Verdict.INCORRECT


async def test_sql_that_the_database_did_not_run_needs_no_model() -> None:
    case = replace(case_of(JudgePolicy.LLM, bar=1), failed=True)
    case = replace(case, query=replace(case.query, result=RunResult(executed=False)))
    model = ScriptedModel()
    reply = panel_of(model).at_once(case)
    assert reply is not None
    assert (reply.verdict, reply.reasons[0].code, model.asked) == (Verdict.INCORRECT, ReasonCode.SQL_FAILED, 0)


async def test_a_failed_call_is_retried_up_to_the_configured_number_of_tries() -> None:
    failed = ModelFailed("no answer", retryable=True)
    down, back = ScriptedModel([failed]), ScriptedModel([failed, failed, said()])
    reply = await panel_of(down).ask(case_of(JudgePolicy.LLM), tenant="t")
    assert isinstance(reply, Reply)
    assert (down.asked, reply.fallback) == (3, True)
    reply = await panel_of(back).ask(case_of(JudgePolicy.LLM), tenant="t")
    assert isinstance(reply, Reply)
    assert (back.asked, reply.fallback) == (3, False)


async def test_calls_that_succeed_leave_the_collector_nothing_to_find() -> None:
    panel, case, calls = panel_of(ScriptedModel()), case_of(JudgePolicy.LLM), 50
    await panel.ask(case, tenant="t")
    gc.collect()
    gc.disable()
    try:
        for _ in range(calls):
            await panel.ask(case, tenant="t")
        assert gc.collect() < calls
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("when", "end"), [(WhenUnavailable.LOCAL, "fallback"), (WhenUnavailable.DEFER, DeferredReason.JUDGE_UNAVAILABLE)]
)
async def test_while_the_model_is_down_a_case_falls_back_or_is_deferred(when: WhenUnavailable, end: object) -> None:
    model = ScriptedModel([ModelFailed("down")])
    got = await panel_of(model).ask(case_of(JudgePolicy.LLM, when_unavailable=when), tenant="coast")
    assert model.asked == 3
    assert ("fallback" if isinstance(got, Reply) and got.fallback else got) == end


@pytest.mark.parametrize("when", list(WhenSpent))
async def test_with_a_spent_budget_a_case_falls_back_or_is_unscored(when: WhenSpent) -> None:
    model, counts = ScriptedModel(), MemoryModelCounts()
    case = case_of(JudgePolicy.LLM, tokens=5, when_spent=when)
    got = await panel_of(model, counts=counts).ask(case, tenant="coast")
    assert model.asked == 0
    assert counts.unpaid == {"coast": 1}
    if when is WhenSpent.LOCAL:
        assert isinstance(got, Reply)
        assert got.fallback
    else:
        assert isinstance(got, Unscored)
        assert got.reason is UnscoredReason.BUDGET_SPENT


async def test_a_prompt_that_may_not_be_sent_is_never_deferred() -> None:
    members = ", ".join(f"'lamp number {number}'" for number in range(5000))
    case = example_case("all lamps", f"SELECT id FROM lamps WHERE name IN ({members})")
    judge = JudgeRules(policy=JudgePolicy.LLM, when_unavailable=WhenUnavailable.DEFER)
    model = ScriptedModel()
    got = await panel_of(model).ask(replace(case, rules=Rules(judge=judge)), tenant="coast")
    assert isinstance(got, Unscored)
    assert (got.reason, model.asked) == (UnscoredReason.JUDGE_NOT_ASKED, 0)


async def test_the_same_prompt_of_the_same_tenant_is_asked_once() -> None:
    model, counts = ScriptedModel(), MemoryModelCounts()
    panel = panel_of(model, cache=MemoryReplies(), counts=counts)
    for tenant in ("coast", "coast", "inland"):
        await panel.ask(case_of(JudgePolicy.LLM), tenant=tenant)
    assert model.asked == 2
    assert counts.cases == {"replied": 2, "cached": 1}


async def test_an_invalid_reply_is_not_remembered() -> None:
    model = ScriptedModel(["nonsense", "nonsense", said()])
    panel = panel_of(model, cache=MemoryReplies())
    assert isinstance(await panel.ask(case_of(JudgePolicy.LLM), tenant="coast"), Unscored)
    assert isinstance(await panel.ask(case_of(JudgePolicy.LLM), tenant="coast"), Reply)


async def test_an_invalid_remembered_reply_is_asked_for_again() -> None:
    model, cache = ScriptedModel(), MemoryReplies()
    panel = panel_of(model, cache=cache)
    await panel.ask(case_of(JudgePolicy.LLM), tenant="coast")
    cache.kept = dict.fromkeys(cache.kept, '{"verdict": "Perfect"}')
    reply = await panel.ask(case_of(JudgePolicy.LLM), tenant="coast")
    assert isinstance(reply, Reply)
    assert (reply.cached, model.asked) == (False, 2)


async def test_a_bug_of_the_judge_is_counted_and_raises_nothing() -> None:
    seen: list[str] = []
    panel = replace(panel_of(ScriptedModel([said()])), failed=lambda where, _: seen.append(where))
    broken = replace(panel, local=lambda case: 1 / 0)  # pyright: ignore[reportArgumentType] that is the bug
    got = await broken.ask(case_of(JudgePolicy.LLM), tenant="coast")
    assert isinstance(got, Unscored)
    assert (got.reason, seen) == (UnscoredReason.SCORER_FAILED, ["judge"])


@pytest.mark.parametrize("billed", [True, False])
async def test_only_a_failed_call_that_may_be_billed_costs_its_estimate(billed: bool) -> None:
    failure = ModelFailed("cut off", billed=billed, retryable=False)
    panel = panel_of(ScriptedModel([failure]), breaker=Breaker(failures=99))
    case = case_of(JudgePolicy.LLM, tokens=1500, when_spent=WhenSpent.UNSCORED, when_unavailable=WhenUnavailable.DEFER)
    ends = [await panel.ask(case, tenant="coast") for _ in range(4)]
    assert ends[0] is DeferredReason.JUDGE_UNAVAILABLE
    assert isinstance(ends[-1], Unscored) is billed


async def test_a_waiting_call_respects_a_retry_after_that_another_call_received() -> None:
    loop = asyncio.get_running_loop()
    model, rate, told = ScriptedModel(), Rate(per_minute=600, burst=1), list[float]()
    rate.reserve(loop.time())
    panel = panel_of(model, rate=rate)
    waiting = asyncio.create_task(panel.ask(case_of(JudgePolicy.LLM), tenant="coast"))
    while rate.delay(loop.time()) <= 0.1:  # noqa: ASYNC110 the rate has no event: until the call has taken its turn
        await asyncio.sleep(0)
    told.append(loop.time() + 0.3)
    rate.hold_until(told[0])
    reply = await waiting
    assert isinstance(reply, Reply)
    assert loop.time() >= told[0]


class StuckModel(ScriptedModel):
    """It takes as long as it may, and then fails."""

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        self.asked += 1
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.Future()
        except TimeoutError as error:
            raise ModelFailed("no reply", billed=True) from error


@pytest.mark.slow  # takes over a second
async def test_a_model_that_hangs_until_the_deadline_opens_the_breaker() -> None:
    breaker = Breaker(failures=2, cool_down=60)
    policy = CallPolicy(deadline=0.8, timeout=9, tries=3, first_wait=0.001)
    panel = panel_of(StuckModel(), breaker=breaker, policy=policy)
    case = case_of(JudgePolicy.LLM, when_unavailable=WhenUnavailable.DEFER)
    ends = [await panel.ask(case, tenant="coast") for _ in range(3)]
    assert set(ends) == {DeferredReason.JUDGE_UNAVAILABLE}
    assert panel.breaker() is BreakerState.OPEN
    assert replace(panel, model=None).breaker() is BreakerState.CLOSED


async def test_what_is_left_of_a_tenant_s_day_is_shown_after_each_call_and_when_it_is_spent() -> None:
    model, counts = ScriptedModel(), MemoryModelCounts()
    panel = panel_of(model, counts=counts, budgets=WorkerBudgets(workers=2, today=lambda: date(2026, 5, 4)))
    judge = case_of(JudgePolicy.LLM, tokens=6000, when_spent=WhenSpent.UNSCORED)
    await panel.ask(judge, tenant="coast")
    assert counts.budgets == {"coast": Bound(tokens=3000 - 110)}
    while isinstance(await panel.ask(judge, tenant="coast"), Reply):
        pass
    assert counts.budgets["coast"].tokens == 3000 - 110 * model.asked
    await panel.ask(case_of(JudgePolicy.LLM), tenant="inland")
    assert set(counts.budgets) == {"coast"}


async def test_what_both_judges_say_of_a_case_is_compared_where_the_model_s_reply_counts() -> None:
    counts = MemoryModelCounts()
    wrong = said(verdict="Incorrect", confidence=0.9)
    for model in (ScriptedModel([said()]), ScriptedModel([wrong]), ScriptedModel(["nonsense"])):
        await panel_of(model, counts=counts).ask(case_of(JudgePolicy.LLM), tenant="coast")
    own = LOCAL.judge(case_of(JudgePolicy.LOCAL)).verdict
    assert [local for local, _ in counts.verdicts] == [own, own]
    assert counts.verdicts[1][1] is Verdict.INCORRECT
