"""The judges that the settings set up, opened and closed together."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from importlib.resources import files

import stamina

from consumers.judging.asking import AskModel, Patience, Slots
from consumers.judging.breaker import Breaker
from consumers.judging.budgets import MICROS, Bound, Price, WorkerBudgets
from consumers.judging.panel import Panel, uncounted
from consumers.judging.ports import Budgets, ModelCounts
from consumers.judging.prompting import Template
from consumers.judging.rates import Rate
from scoring.judging.local import LocalJudge
from service.judges.openai import open_openai_judge
from service.redis.judging import RedisBudgets, RedisReplies, open_budgets
from service.redis.link import RedisLink
from service.settings.judge_settings import JudgeSettings

TEMPLATE = "judge-1"
"""The prompt file in force; another wording is another file, and another name in every score it gives."""


def judge_template(version: str = TEMPLATE) -> Template:
    """A prompt file of `service/prompts/`."""
    text = files("service").joinpath("prompts", f"{version}.md").read_text(encoding="utf-8")
    return Template(version=version, system=text)


@asynccontextmanager
async def open_panel(
    settings: JudgeSettings,
    local: LocalJudge,
    counts: ModelCounts,
    redis: RedisLink | None = None,
    failed: Callable[[str, Exception], None] = uncounted,
) -> AsyncGenerator[Panel]:
    """The panel of the settings: the local judge, and the model where a server is set.

    With `redis`, budgets are shared by all workers and replies are remembered; without, each worker holds its part of
    a budget and every case is asked anew.
    """
    # each retry is counted; a line in the log for each would bury the others when a model is down
    stamina.instrumentation.set_on_retry_hooks([])
    if settings.base_url is None or settings.model is None:
        yield Panel(local=local.judge, failed=failed)
        return
    async with (
        open_openai_judge(
            base_url=settings.base_url,
            api_key=settings.api_key,
            model=settings.model,
            max_tokens=settings.max_tokens,
            connections=settings.in_flight,
            seconds=settings.timeout,
        ) as model,
        _open_budgets(settings, redis) as budgets,
    ):
        price = settings.prices[settings.model]
        asking = AskModel(
            model=model,
            template=judge_template(),
            price=Price(sent=price.sent, received=price.received),
            masked=settings.mask,
            bound=Bound(
                tokens=settings.tokens, micros=None if settings.budget is None else round(settings.budget * MICROS)
            ),
            budgets=budgets,
            cache=RedisReplies(redis, settings.cache_seconds) if redis is not None and settings.cache_seconds else None,
            slots=Slots(total=settings.in_flight, of_tenant=settings.tenant_in_flight),
            rate=Rate(per_minute=settings.per_minute),
            breaker=Breaker(failures=settings.breaker_failures, rest=settings.breaker_rest),
            patience=Patience(deadline=settings.deadline, call=settings.timeout, tries=settings.tries),
            counts=counts,
            timer=time.monotonic,
        )
        yield Panel(local=local.judge, model=asking, failed=failed)


@asynccontextmanager
async def _open_budgets(settings: JudgeSettings, redis: RedisLink | None) -> AsyncGenerator[Budgets]:
    if redis is None:
        yield WorkerBudgets(workers=settings.workers, today=_today)
        return
    async with open_budgets(RedisBudgets(link=redis, workers=settings.workers, today=_today)) as budgets:
        yield budgets


def _today() -> date:
    return datetime.now(UTC).date()
