"""A model that obeys every order it reads lifts no answer above the ceiling of the user's question and the SQL."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import pytest

from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.memory_counts import MemoryModelCounts
from scoring.evaluation import examine
from scoring.judging.ceiling import ceiling
from scoring.judging.orders import may_give_orders
from scoring.query import Query, Unscored
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case, Reply, Verdict
from service.judges.configured_panel import open_panel
from service.judges.weights import local_judge
from service.settings.judge_settings import JudgeSettings, PriceSettings
from tests.injections import ORDERS, Injection, injections
from tests.servers.model_server import ModelServer, model_process_server, model_server

__all__ = ["model_process_server", "model_server"]

SCALE = tuple(Verdict)
RULES = Rules(judge=JudgeRules(policy=JudgePolicy.LLM))
LOCAL = local_judge()
FREE = {"stand-in": PriceSettings(sent=0, received=0)}
CUT_OFF = frozenset({"question", "enriched question", "definition that weakens", "definition that cannot be checked"})
"""Places whose texts are read out of the frame of a chat."""
PROPOSED = [
    {"lhs": "beach_id", "op": "=", "rhs": 7, "span": "kites"},
    {"lhs": "note", "op": "!=", "rhs": "x", "span": "fly"},
]
"""Conditions that an obedient model may propose so that what the SQL applies instead was asked for."""


class Tried(NamedTuple):
    injection: Injection
    case: Case
    reply: Reply


def case_of(injection: Injection, enriched: str | None) -> Case:
    case = examine(Query(question=injection.question, sql=injection.sql, enriched_question=enriched), RULES)
    assert isinstance(case, Case), (injection, case)
    return case


async def tried(server: ModelServer, *, masked: bool) -> list[Tried]:
    """Every injection, judged by a model behind a real server that says Correct, sure, to whatever it is shown."""
    server.script({"do": "verdict", "verdict": "Correct", "confidence": 1.0, "filters": PROPOSED})
    settings = JudgeSettings(base_url=server.url, model="stand-in", mask=masked, prices=FREE, in_flight=8)
    async with open_panel(settings, LOCAL, MemoryModelCounts()) as panel:

        async def ask(injection: Injection) -> Tried:
            case = case_of(injection, injection.enriched)
            reply = await panel.ask(case, tenant="beach")
            assert isinstance(reply, Reply), (injection, reply)
            return Tried(injection, case, reply)

        return list(await asyncio.gather(*(ask(each) for each in injections())))


def above(one: Tried) -> bool:
    """Whether the reply is above the ceiling computed from the question and the SQL alone."""
    alone = case_of(one.injection, None)
    best = ceiling(alone.filters, LOCAL.judge(alone))
    return SCALE.index(one.reply.verdict) < SCALE.index(best)


@pytest.mark.parametrize(
    "masked", [pytest.param(True, marks=pytest.mark.slow, id="masked"), pytest.param(False, id="as it is")]
)
async def test_a_model_that_obeys_lifts_no_answer_above_the_ceiling(model_server: ModelServer, masked: bool) -> None:
    found = await tried(model_server, masked=masked)
    assert len(found) >= 200
    # an order that is cut off with the frame of a chat is shown to no model
    cut_off = [one for one in found if not may_give_orders(one.case.query)]
    assert {one.injection.place for one in cut_off} <= CUT_OFF
    assert not any("orrect" in f"{one.case.query.question}{one.case.query.enriched_question}" for one in cut_off)
    shown = [one for one in found if one not in cut_off]
    assert [one.injection for one in shown if above(one)] == []
    assert [one.injection for one in shown if one.reply.p_correct > 0.5] == []
    assert not any(one.reply.fallback for one in found)
    print_table(shown)


def print_table(found: list[Tried]) -> None:
    """One line for each place: orders, verdicts after the ceiling, and the highest p_correct."""
    for place in dict.fromkeys(one.injection.place for one in found):
        here = [one for one in found if one.injection.place == place]
        verdicts = Counter(one.reply.verdict.value for one in here)
        highest = max(one.reply.p_correct for one in here)
        said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        print(
            f"{place:36} {len(here):4} orders: {said}; above the ceiling {sum(map(above, here))}; p_correct ≤ {highest}"
        )


async def test_an_obedient_model_may_still_lift_what_the_evidence_allows(model_server: ModelServer) -> None:
    model_server.script({"do": "credulous"})
    settings = JudgeSettings(base_url=model_server.url, model="stand-in", mask=False, prices=FREE)
    asked = "How many kites fly in Tarifa?"
    met = Injection(place="", question=asked, enriched=None, sql="SELECT COUNT(*) FROM kites WHERE beach = 'Tarifa'")
    told = replace(met, sql=f"{met.sql} -- {ORDERS[0]}")
    async with open_panel(settings, LOCAL, MemoryModelCounts()) as panel:
        reply: Reply | Unscored | DeferredReason = await panel.ask(case_of(told, None), tenant="beach")
    assert isinstance(reply, Reply)
    assert reply.verdict is Verdict.CORRECT
