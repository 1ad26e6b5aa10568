"""`sqlassay judges check`: asks the configured model about one sample, and says what works, costs and is wrong."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from consumers.judging.asking import NoReply
from consumers.judging.budgets import WorkerBudgets
from consumers.judging.memory_counts import MemoryModelCounts
from scoring.evaluation import examine
from scoring.judging.combination import RIGHT
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Reply
from service.commands.command_context import settings
from service.commands.exits import answer_no, give_up, refuse
from service.judges.configured_panel import ask_model, call_model, open_judge
from service.judges.openai import OpenAIJudge
from service.judges.weights import local_judge
from service.settings.judge_settings import JudgeSettings

SAMPLE = Query(question="How many boats are moored in Kotor?", sql="SELECT COUNT(*) FROM boats WHERE harbour = 'Kotor'")
"""An answer that is right, so that a model which calls it wrong is not fit to judge."""
_ANSWERS = 1000
"""Answers of which the cost is told."""


def check_judges() -> None:
    """Prints what the model said and cost; ends with 1 where it cannot judge, and with 3 where it gave no reply."""
    judge = settings().judge
    if judge.base_url is None or judge.model is None:
        refuse("no model is set: set SQLASSAY_JUDGE__BASE_URL, SQLASSAY_JUDGE__MODEL and SQLASSAY_JUDGE__PRICES")
    asyncio.run(_check(judge, judge.base_url, judge.model))


async def _check(judge: JudgeSettings, base_url: str, name: str) -> None:
    case = examine(SAMPLE, Rules())
    if isinstance(case, Unscored):
        raise AssertionError(f"the sample is not read: {case.detail}")
    async with open_judge(judge, base_url, name) as model:
        _say("server", model.url)
        _say("model", f"{name}, asked by {judge.method}")
        budgets = WorkerBudgets(workers=1, today=lambda: datetime.now(UTC).date())
        call = call_model(judge.model_copy(update={"tries": 1}), model, budgets, MemoryModelCounts())
        ask, form = ask_model(judge, call, None), model.form
        began = time.monotonic()
        _, reply = await ask(case, "check", local_judge().judge)
        if isinstance(reply, Reply) and model.form != form:
            # what later answers take and cost, without the requests that the server refused
            began = time.monotonic()
            _, reply = await ask(case, "check", local_judge().judge)
        _conclude(reply, model, time.monotonic() - began)


def _conclude(reply: Reply | Unscored | NoReply, model: OpenAIJudge, seconds: float) -> None:
    for note in model.form.notes():
        _say("note", note)
    if isinstance(reply, NoReply):
        give_up(f"the model gave no verdict: {reply.detail}")
    if not isinstance(reply, Reply):
        answer_no(f"the model cannot judge: {reply.detail}")
    _say("verdict", f"{reply.verdict.value} with confidence {reply.confidence:g}, in {seconds:.1f} s")
    cost = f"{_ANSWERS * reply.cost:.4g} for {_ANSWERS} answers" if reply.cost else "none, by the configured prices"
    _say("cost", f"{cost}; this one took {reply.tokens_in} tokens sent and {reply.tokens_out} received")
    if reply.verdict not in RIGHT:
        answer_no(f"the sample is right, and the model calls it {reply.verdict.value}: {reply.rationale}")


def _say(what: str, text: str) -> None:
    print(f"{what:<8} {text}")
