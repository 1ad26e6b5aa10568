"""Opens the judges that the settings configure."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, date, datetime
from importlib.resources import files
from typing import TYPE_CHECKING

import service
from consumers.judging.asking import AskModel, judge_named
from consumers.judging.breaker import Breaker
from consumers.judging.budgets import MICROS, Bound, Price, WorkerBudgets
from consumers.judging.calling import CallModel, CallPolicy
from consumers.judging.panel import Panel, uncounted
from consumers.judging.ports import Budgets, Model, ModelCounts, ReplyCache
from consumers.judging.prompting import Template
from consumers.judging.rates import Rate
from consumers.judging.slots import Slots
from scoring.judging.combination import UNCALIBRATED, ModelCalibration
from scoring.judging.local import LocalJudge
from service.settings.judge_settings import JudgeSettings, PriceSettings

if TYPE_CHECKING:
    from service.judges.openai import OpenAIJudge
    from service.redis.link import RedisLink

TEMPLATE = "judge-2"
"""The current prompt file. Another wording is another file; every score names the one it used."""

_WITHOUT_CONTEXT = frozenset({"judge-1", "prover-1", "refuter-1"})
"""Prompts of judges whose data has the answer, the rules and the record only."""
_FREE = PriceSettings(sent=0.0, received=0.0)
RULES_SECTION = "rules-1"
"""How learned rules stand in a prompt."""

METHODS: Mapping[str, tuple[str, ...]] = {"single": (TEMPLATE,), "prover_refuter": ("prover-1", "refuter-1")}
"""For each method its prompt files, in the order in which they are sent."""


def model_judge(settings: JudgeSettings) -> str:
    """The name of the model judge in stored scores."""
    return judge_named(METHODS[settings.method])


def calls_for_verdict(settings: JudgeSettings) -> int:
    """Most calls of a model for one verdict, retries aside."""
    return len(METHODS[settings.method])


def judge_template(version: str = TEMPLATE) -> Template:
    """Reads a prompt file of `service/prompts/`."""
    text = files(service).joinpath("prompts", f"{version}.md").read_text(encoding="utf-8")
    return Template(version=version, system=text, context=version not in _WITHOUT_CONTEXT)


@asynccontextmanager
async def open_panel(
    settings: JudgeSettings,
    local: LocalJudge,
    counts: ModelCounts,
    redis: RedisLink | None = None,
    failed: Callable[[str, Exception], None] = uncounted,
) -> AsyncGenerator[Panel]:
    """Opens the local judge, and the model if a server is configured.

    With `redis`, all workers share budgets and remember replies. Without it, each worker spends its part of a budget
    and no reply is remembered.
    """
    if settings.base_url is None or settings.model is None:
        yield Panel(local=local.judge, failed=failed)
        return
    async with (
        open_model(settings, settings.base_url, settings.model) as model,
        _open_budgets(settings, redis) as budgets,
    ):
        call = call_model(settings, model, budgets, counts)
        asking = ask_model(settings, call, _reply_cache(settings, redis))
        yield Panel(local=local.judge, model=asking, failed=failed)


def ask_model(settings: JudgeSettings, call: CallModel, cache: ReplyCache | None) -> AskModel:
    """The model judge by the configured method, with learned rules where a tenant has them."""
    prompts = METHODS[settings.method]
    return AskModel(
        call=call,
        template=judge_template(prompts[0]),
        refuter=judge_template(prompts[1]) if len(prompts) > 1 else None,
        masked=settings.mask,
        bound=bound_of(settings),
        cache=cache,
        calibration=_calibration(settings),
        rules_section=judge_template(RULES_SECTION),
    )


def open_model(settings: JudgeSettings, base_url: str, model: str) -> AbstractAsyncContextManager[Model]:
    """Opens one model of a server."""
    return open_judge(settings, base_url, model)


def open_judge(settings: JudgeSettings, base_url: str, model: str) -> AbstractAsyncContextManager[OpenAIJudge]:
    """Opens one model of a server, with what is known of the requests that it accepts."""
    # the client is a quarter of the time that a process takes to start, and most processes ask no model
    from service.judges.openai import open_openai_judge  # noqa: PLC0415 for the reason above

    return open_openai_judge(
        base_url=base_url,
        api_key=settings.api_key,
        model=model,
        max_tokens=settings.max_tokens,
        connections=settings.in_flight,
        seconds=settings.timeout,
        proxy=settings.proxy,
    )


@asynccontextmanager
async def _open_budgets(settings: JudgeSettings, redis: RedisLink | None) -> AsyncGenerator[Budgets]:
    if redis is None:
        yield WorkerBudgets(workers=settings.workers, today=_today)
        return
    # the client of Redis is a seventh of the time that a command takes to start, and most commands have no Redis
    from service.redis.shared_budgets import RedisBudgets, open_budgets  # noqa: PLC0415 for the reason above

    async with open_budgets(RedisBudgets(link=redis, workers=settings.workers, today=_today)) as budgets:
        yield budgets


def call_model(settings: JudgeSettings, model: Model, budgets: Budgets, counts: ModelCounts) -> CallModel:
    """The calls of a model within the limits of the settings; a model without a price is free."""
    price = settings.prices.get(model.name, _FREE)
    return CallModel(
        model=model,
        price=Price(sent=price.sent, received=price.received),
        budgets=budgets,
        slots=Slots(total=settings.in_flight, of_tenant=settings.tenant_in_flight),
        rate=Rate(per_minute=settings.per_minute),
        breaker=Breaker(failures=settings.breaker_failures, cool_down=settings.breaker_cool_down),
        policy=CallPolicy(deadline=settings.deadline, timeout=settings.timeout, tries=settings.tries),
        counts=counts,
        timer=time.monotonic,
    )


def _calibration(settings: JudgeSettings) -> ModelCalibration:
    found = settings.calibrations.get(settings.model or "")
    return UNCALIBRATED if found is None else ModelCalibration(slope=found.slope, offset=found.offset)


def bound_of(settings: JudgeSettings) -> Bound:
    """What a tenant may spend a day, where its rules do not say."""
    micros = None if settings.budget is None else round(settings.budget * MICROS)
    return Bound(tokens=settings.tokens, micros=micros)


def _reply_cache(settings: JudgeSettings, redis: RedisLink | None) -> ReplyCache | None:
    if redis is None or not settings.cache_seconds:
        return None
    from service.redis.reply_cache import RedisReplies  # noqa: PLC0415 the client of Redis loads slowly

    return RedisReplies(redis, settings.cache_seconds)


def _today() -> date:
    return datetime.now(UTC).date()
