"""Opens the models of a run: the judge, the model that writes rules, and the one that compares questions."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import cast

import orjson
import stamina

from consumers.judging.asking import AskModel
from consumers.judging.budgets import WorkerBudgets
from consumers.judging.calling import BudgetSpent, CallModel
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.ports import Model, ModelFailed
from consumers.judging.prompting import Prompt
from learning.rules.examples import LearningStopped
from scoring.verdict import Case, Reply
from service.judges.configured_panel import ask_model, call_model, judge_template, open_model
from service.judges.embeddings import MAX_EMBEDDINGS, TEXTS_AT_ONCE, OpenAIEmbeddings, embeddings_url
from service.judges.openai import open_client
from service.pipeline.rule_learning.call_budget import BudgetedModel, CallBudget
from service.pipeline.rule_learning.journal import ReplyJournal
from service.pipeline.rule_learning.labelled_cases import LabelledCase, shown_example
from service.pipeline.rule_learning.model_rule_judge import ModelRuleJudge
from service.pipeline.rule_learning.model_writer import ModelWriter, ShowExample, WriterPrompts
from service.pipeline.rule_learning.written_replies import SPENT, written_reply
from service.settings import Settings
from service.settings.judge_settings import JudgeSettings

WRITER_PROMPTS = ("extract-1", "refine-1", "consolidate-1")
"""The current prompt files, in the order of their tasks."""
_DEADLINE = 1800.0
"""Seconds for one prompt of a run, retries and waits for the rate limit included."""


class NoModelError(Exception):
    """No model is configured; the message names the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """What a run may spend, and where it keeps replies."""

    budget: CallBudget
    journal: ReplyJournal


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningModels:
    """The opened models."""

    settings: Settings
    limits: RunLimits
    asking: AskModel
    writing: CallModel
    at_once: asyncio.Semaphore

    def judge(self, cases: Mapping[str, LabelledCase], local: Callable[[Case], Reply]) -> ModelRuleJudge:
        """The judge of these answers."""
        return ModelRuleJudge(ask=self.asking, local=local, cases=cases, at_once=self.at_once)

    def writer(self, cases: Mapping[str, LabelledCase]) -> ModelWriter:
        """The writer of rules about these answers."""
        masked = self.settings.judge.mask
        return self.writer_shown(lambda example, judged: shown_example(cases[example.id], masked=masked, judged=judged))

    def writer_shown(self, show: ShowExample, prompts: Sequence[str] = WRITER_PROMPTS) -> ModelWriter:
        """The writer that is shown labelled examples in this way, by the prompt files of the three tasks."""
        extract, refine, consolidate = (judge_template(name) for name in prompts)
        return ModelWriter(
            call=self.writing,
            prompts=WriterPrompts(extract=extract, refine=refine, consolidate=consolidate),
            show=show,
            journal=self.limits.journal,
            at_once=self.at_once,
        )

    async def written(self, prompt: Prompt) -> str:
        """What the model that writes rules replies to a prompt; raises `LearningStopped`."""
        return await written_reply(self.writing, prompt, self.limits.journal, self.at_once)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of texts by the embedding model; raises `LearningStopped`."""
        learn, writer = self.settings.learn, writer_settings(self.settings)
        seconds, model = learn.timeout, cast("str", learn.embedding_model)
        base_url = cast("str", writer.base_url)
        opened = open_client(
            base_url,
            writer.api_key,
            connections=4,
            seconds=seconds,
            max_body=MAX_EMBEDDINGS,
            proxy=writer.proxy,
        )
        found: list[list[float]] = []
        async with opened as client:
            server = OpenAIEmbeddings(client, embeddings_url(base_url), model, seconds)
            for start in range(0, len(texts), TEXTS_AT_ONCE):
                found += await self._embedded(server, texts[start : start + TEXTS_AT_ONCE])
        return found

    async def _embedded(self, server: OpenAIEmbeddings, texts: Sequence[str]) -> list[list[float]]:
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()
        known = await self.limits.journal.find("", server.model, digest)
        if known is not None:
            return orjson.loads(known)
        try:
            self.limits.budget.reserve(sum(map(len, texts)) // 3)
            vectors = await _with_retries(server, texts, self.settings.judge.tries)
        except BudgetSpent:
            raise LearningStopped(SPENT) from None
        except ModelFailed as error:
            why = f"the embedding model {server.model} failed: {error}"
            raise LearningStopped(why, unavailable=True) from error
        vectors = [[round(each, 6) for each in vector] for vector in vectors]
        await self.limits.journal.keep("", server.model, digest, orjson.dumps(vectors).decode())
        return vectors


async def _with_retries(server: OpenAIEmbeddings, texts: Sequence[str], tries: int) -> list[list[float]]:
    async for attempt in stamina.retry_context(
        on=lambda error: isinstance(error, ModelFailed) and error.retryable, attempts=tries, timeout=None
    ):
        with attempt:
            return await server.embed(texts)
    raise AssertionError("unreachable: the last attempt raises")


def writer_settings(settings: Settings) -> JudgeSettings:
    """The settings of the model that writes rules. A server gets no other server's key."""
    judge, learn = settings.judge, settings.learn
    own = learn.base_url is not None and learn.base_url != judge.base_url
    return judge.model_copy(
        update={
            "base_url": learn.base_url or judge.base_url,
            "api_key": learn.api_key if own else learn.api_key or judge.api_key,
            "model": learn.model or judge.model,
            "max_tokens": learn.max_tokens,
            "timeout": learn.timeout,
            "deadline": _DEADLINE,
        }
    )


@asynccontextmanager
async def open_learning_models(settings: Settings, limits: RunLimits) -> AsyncGenerator[LearningModels]:
    """Opens the judge and the writer; raises `NoModelError`."""
    stamina.instrumentation.set_on_retry_hooks([])
    judge = settings.judge.model_copy(update={"deadline": _DEADLINE, "budget": None, "tokens": None})
    writer = writer_settings(settings)
    if judge.base_url is None or judge.model is None:
        raise NoModelError(
            "rules are learned for a model judge, and none is set: set SQLASSAY_JUDGE__BASE_URL, SQLASSAY_JUDGE__MODEL"
            " and SQLASSAY_JUDGE__PRICES"
        )
    async with (
        open_model(judge, judge.base_url, judge.model) as judging,
        open_model(writer, cast("str", writer.base_url), cast("str", writer.model)) as writing,
    ):
        yield LearningModels(
            settings=settings,
            limits=limits,
            asking=ask_model(judge, _calls(judge, judging, limits), limits.journal),
            writing=_calls(writer, writing, limits),
            at_once=asyncio.Semaphore(min(judge.in_flight, judge.tenant_in_flight)),
        )


def _calls(settings: JudgeSettings, model: Model, limits: RunLimits) -> CallModel:
    budgets = WorkerBudgets(workers=1, today=_today)
    return call_model(settings, BudgetedModel(model, limits.budget), budgets, MemoryModelCounts())


def _today() -> date:
    return datetime.now(UTC).date()
