"""Opens the configured model as a judge that is shown gold SQL."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from consumers.judging.asking import NoReply
from consumers.judging.budgets import WorkerBudgets
from consumers.judging.comparing.asking_about_gold import AskAboutGold
from consumers.judging.comparing.gold_case import GoldCase
from consumers.judging.comparing.gold_judges import GoldJudge
from consumers.judging.comparing.gold_opinions import GoldOpinion
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.prompting import Template
from consumers.judging.ruled_prompts import with_rules
from scoring.learned_rules import LearnedRules
from service.commands.command_context import settings
from service.commands.exits import refuse
from service.judges.configured_panel import RULES_SECTION, bound_of, call_model, judge_template, open_model
from service.settings.judge_settings import JudgeSettings

TENANT = "eval"
"""Whose budget the calls of `sqlassay eval` count against."""


@dataclass(frozen=True, slots=True)
class GoldModel:
    """A model that is asked about one answer at a time."""

    ask: AskAboutGold
    failures: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The details of the answers without an opinion, by their cause."""

    async def __call__(self, case: GoldCase, tenant: str = TENANT) -> GoldOpinion | Mapping[str, str]:
        """The opinion; or the `cause` and `detail` for which there is none."""
        found = await self.ask(case, tenant)
        if isinstance(found, GoldOpinion):
            return found
        cause = found.cause.value if isinstance(found, NoReply) else found.reason.value
        self.failures.setdefault(cause, []).append(found.detail)
        return {"cause": cause, "detail": found.detail}

    def say_failures(self) -> None:
        """Says on stderr how many answers have no opinion, by cause, with the first detail of each."""
        for details in self.failures.values():
            answers = "1 answer" if len(details) == 1 else f"{len(details)} answers"
            print(f"sqlassay: the model gave no opinion on {answers}: {details[0]}", file=sys.stderr)


def configured_judge() -> JudgeSettings:
    """The settings of the model. Ends the command where none is configured."""
    judge = settings().judge
    if judge.base_url is None or judge.model is None:
        refuse(
            "a judge that compares with gold SQL asks a model, and none is set: set SQLASSAY_JUDGE__BASE_URL,"
            " SQLASSAY_JUDGE__MODEL and SQLASSAY_JUDGE__PRICES"
        )
    return judge


def gold_template(judge: GoldJudge, learned: LearnedRules | None = None) -> Template:
    """The judge's prompt file, with learned rules at its end where there are any."""
    template = judge_template(judge.prompt)
    return template if learned is None else with_rules(template, judge_template(RULES_SECTION), learned)


@asynccontextmanager
async def open_gold_model(judge: GoldJudge, learned: LearnedRules | None = None) -> AsyncGenerator[GoldModel]:
    """Opens the configured model."""
    configured = configured_judge()
    async with open_model(configured, configured.base_url or "", configured.model or "") as model:
        budgets = WorkerBudgets(workers=configured.workers, today=_today)
        asked = GoldModel(
            AskAboutGold(
                call=call_model(configured, model, budgets, MemoryModelCounts()),
                judge=judge,
                template=gold_template(judge, learned),
                masked=configured.mask,
                bound=bound_of(configured),
            )
        )
        yield asked
        asked.say_failures()


def _today() -> date:
    return datetime.now(UTC).date()
