"""Scores one answer with the configured model server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.panel import Panel
from consumers.judging.ports import CHOICES, REFUSALS
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored, UnscoredReason
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Reply, Score
from service.commands.command_context import model_settings
from service.commands.exits import Exit, refuse
from service.commands.one_answer.answer_scorer import LocalAnswerScorer
from service.judges.configured_panel import open_panel
from service.settings.model_settings import ModelSettings
from service.settings.storage_settings import RedisSettings

if TYPE_CHECKING:
    from service.redis.link import RedisLink


@dataclass(frozen=True, slots=True)
class ModelAnswerScorer:
    """Scores with one tenant's rules and the configured judges."""

    settings: ModelSettings
    rules: Rules
    local: LocalJudge
    counts: MemoryModelCounts = field(default_factory=MemoryModelCounts)

    def finish(self) -> None:
        """Says which causes kept the model from judging.

        Ends the command where the server refuses all calls, and where the model failed at every answer.
        """
        for cause, cases in self.counts.causes.items():
            answers = "1 answer" if cases == 1 else f"{cases} answers"
            print(f"sqlassay: the model did not judge {answers}: {self.counts.details[cause]}", file=sys.stderr)
        failed = self.counts.causes.keys() - CHOICES
        if failed & REFUSALS or (failed and not self.counts.verdicts):
            raise SystemExit(int(Exit.UNAVAILABLE))

    def __call__(self, query: Query) -> Score | Unscored:
        async def one() -> Score | Unscored:
            async with self.asking() as ask:
                return await ask(query)

        return asyncio.run(one())

    @asynccontextmanager
    async def asking(self) -> AsyncGenerator[Callable[[Query], Awaitable[Score | Unscored]]]:
        """Opens the judges; yields a function that asks them about one answer."""
        async with self.panel() as panel:
            yield lambda query: self.result(panel, query, "default")

    @asynccontextmanager
    async def panel(self) -> AsyncGenerator[Panel]:
        """Opens the judges."""
        async with (
            _open_redis(self.settings.redis) as redis,
            open_panel(self.settings.judge, self.local, self.counts, redis) as panel,
        ):
            yield panel

    async def result(self, panel: Panel, query: Query, tenant: str) -> Score | Unscored:
        """The score that the judges give an answer."""
        case = await asyncio.to_thread(examine, query, self.rules)
        if isinstance(case, Unscored):
            return case
        reply = panel.at_once(case) or await panel.ask(case, tenant=tenant)
        if isinstance(reply, Reply):
            return conclude(case, reply)
        if isinstance(reply, Unscored):
            return reply
        return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "the model does not answer: run this again later")


def _open_redis(settings: RedisSettings) -> AbstractAsyncContextManager[RedisLink | None]:
    if settings.url is None:
        return nullcontext()
    from service.redis.link import open_redis  # noqa: PLC0415 the client of Redis loads slowly

    return open_redis(settings)


def with_model(scorer: LocalAnswerScorer, policy: JudgePolicy) -> ModelAnswerScorer:
    """Returns a scorer that asks the configured model. Ends the command when no model is configured."""
    configured = model_settings()
    if configured.judge.base_url is None:
        refuse(
            f"--judge {policy.value} asks a model server, and none is set: set SQLASSAY_JUDGE__BASE_URL,"
            " SQLASSAY_JUDGE__MODEL and SQLASSAY_JUDGE__PRICES, or use --judge local"
        )
    rules = replace(scorer.rules, judge=replace(scorer.rules.judge, policy=policy))
    return ModelAnswerScorer(configured, rules, scorer.judge)
