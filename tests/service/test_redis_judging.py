"""Three workers share a day's budget and the replies already given, and the budget holds with Redis gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias

import pytest
from redis.asyncio import Redis

from consumers.errors import CacheUnavailable
from consumers.judging.budgets import MICROS, Bound, Spend
from consumers.judging.memory_counts import MemoryModelCounts
from consumers.judging.panel import Panel
from scoring.rules import JudgePolicy, JudgeRules, Rules, WhenSpent
from scoring.verdict import Case, Reply
from service.judges.configured_panel import open_panel
from service.judges.weights import local_judge
from service.redis.link import RedisLink, open_redis
from service.redis.reply_cache import RedisReplies
from service.redis.shared_budgets import RedisBudgets, open_budgets
from service.settings.judge_settings import JudgeSettings, PriceSettings
from service.settings.storage_settings import RedisSettings
from tests.examples import example_case
from tests.servers.fixtures import RedisSpace
from tests.servers.model_server import VERDICT, ModelServer, model_process_server, model_server
from tests.servers.redis_server import RedisServer

__all__ = ["model_process_server", "model_server"]

DAY = date(2026, 5, 4)
WORKERS = 3
RULES = Rules(judge=JudgeRules(policy=JudgePolicy.LLM, when_spent=WhenSpent.UNSCORED))
Fleet: TypeAlias = list[tuple[Panel, MemoryModelCounts]]


def linked(url: str, prefix: str = "assay") -> AbstractAsyncContextManager[RedisLink | None]:
    return open_redis(RedisSettings(url=url, prefix=prefix, timeout=0.5))  # pyright: ignore[reportArgumentType]


@asynccontextmanager
async def budgets_of(url: str, prefix: str, workers: int = WORKERS) -> AsyncIterator[RedisBudgets]:
    async with linked(url, prefix) as link:
        assert link is not None
        link.cool_down.seconds = 0.0
        async with open_budgets(RedisBudgets(link=link, workers=workers, today=lambda: DAY)) as budgets:
            yield budgets


async def spend_all(budgets: RedisBudgets, bound: Bound, want: Spend, most: int = 10_000) -> Spend:
    """Spends until the day is spent, and says how much that was."""
    spent = Spend()
    for _ in range(most):
        held = await budgets.reserve("t", want, bound)
        if held is None:
            return spent
        held.settle(want)
        spent = spent.plus(want)
    raise AssertionError("nothing bounded it")


async def test_three_workers_spend_one_day_and_not_a_token_more(redis: RedisSpace) -> None:
    bound, want = Bound(tokens=1000, micros=5000), Spend(7, 11)
    async with (
        budgets_of(redis.url, redis.prefix) as one,
        budgets_of(redis.url, redis.prefix) as two,
        budgets_of(redis.url, redis.prefix) as three,
    ):
        spent = await asyncio.gather(*(spend_all(each, bound, want) for each in (one, two, three)))
    total = sum(each.tokens for each in spent)
    assert total <= 1000
    assert total >= 900


async def test_what_is_left_of_a_day_counts_what_others_were_granted(redis: RedisSpace) -> None:
    bound, want = Bound(tokens=1000, micros=5000), Spend(10, 50)
    async with budgets_of(redis.url, redis.prefix) as one, budgets_of(redis.url, redis.prefix) as two:
        await spend_some(one, bound, want, 5)
        assert one.left("t", bound) == Bound(tokens=950, micros=4750)
        spent = await spend_all(two, bound, want)
        await one.restate()
        left = one.left("t", bound)
        assert left.tokens == 1000 - 50 - spent.tokens
        assert left.micros == 5000 - 250 - spent.micros
        assert two.left("t", Bound(micros=5000)).tokens is None


async def test_with_redis_gone_a_worker_that_was_granted_nothing_spends_nothing(own_redis: RedisServer) -> None:
    own_redis.kill()
    async with budgets_of(own_redis.url, "assay") as one:
        for _ in range(2):
            with pytest.raises(CacheUnavailable):
                await one.reserve("t", Spend(10), Bound(tokens=900))
        own_redis.start()
        assert await one.reserve("t", Spend(10), Bound(tokens=900)) is not None


@pytest.mark.slow  # restarts Redis
async def test_workers_restate_their_grants_after_redis_lost_its_data(
    own_redis: RedisServer, wait_until: Callable[..., Any]
) -> None:
    bound, want = Bound(tokens=900), Spend(10, 0)
    async with budgets_of(own_redis.url, "assay") as one, budgets_of(own_redis.url, "assay") as two:
        spent = await spend_some(one, bound, want, 50) + await spend_some(two, bound, want, 20)
        own_redis.kill()
        own_redis.start()
        async with Redis.from_url(own_redis.url) as client:

            async def is_entered() -> bool:
                return len(await client.hgetall("assay:budget:t:2026-05-04")) == 2

            await wait_until(is_entered)
        async with budgets_of(own_redis.url, "assay") as three:
            spent += sum([(await spend_all(each, bound, want)).tokens for each in (three, one, two)])
    assert 800 <= spent <= 900


async def test_a_grant_whose_reply_was_lost_is_not_granted_twice_and_returns_to_the_others(redis: RedisSpace) -> None:
    bound, want = Bound(tokens=1000), Spend(10, 0)
    async with budgets_of(redis.url, redis.prefix) as one, budgets_of(redis.url, redis.prefix) as two:
        await spend_some(one, bound, want, 1)
        async with Redis.from_url(redis.url) as client:
            # a grant that was made, and whose answer never came
            await client.hset(f"{redis.prefix}:budget:t:2026-05-04", one.worker, "900:0")
        assert (await spend_all(two, bound, want)).tokens <= 100
        await one.restate()
        total = 10 + (await spend_all(one, bound, want)).tokens
        assert total + (await spend_all(two, bound, want)).tokens >= 800


async def test_when_redis_fails_workers_spend_only_what_they_were_granted(own_redis: RedisServer) -> None:
    bound, want = Bound(tokens=1000), Spend(10, 0)
    async with budgets_of(own_redis.url, "assay") as one, budgets_of(own_redis.url, "assay") as two:
        spent = await spend_some(one, bound, want, 60)
        spent += await spend_some(two, bound, want, 20)
        own_redis.kill()
        async with budgets_of(own_redis.url, "assay") as three:
            spent += sum([await spend_granted(each, bound, want) for each in (one, two, three)])
    assert 800 < spent <= 1000


async def spend_granted(budgets: RedisBudgets, bound: Bound, want: Spend) -> int:
    """Spends what a worker has of the day while nobody can be asked for more."""
    spent = 0
    with contextlib.suppress(CacheUnavailable):
        while (held := await budgets.reserve("t", want, bound)) is not None:
            held.settle(want)
            spent += want.tokens
    return spent


async def spend_some(budgets: RedisBudgets, bound: Bound, want: Spend, calls: int) -> int:
    for _ in range(calls):
        held = await budgets.reserve("t", want, bound)
        assert held is not None
        held.settle(want)
    return calls * want.tokens


async def test_another_worker_can_spend_what_a_worker_gave_back(redis: RedisSpace) -> None:
    bound, want = Bound(tokens=1000), Spend(10, 0)
    async with budgets_of(redis.url, redis.prefix) as one:
        await spend_some(one, bound, want, 3)
    async with budgets_of(redis.url, redis.prefix) as two:
        assert (await spend_all(two, bound, want)).tokens == 970


async def test_a_call_above_its_estimate_is_paid_from_what_is_left(redis: RedisSpace) -> None:
    bound = Bound(tokens=100)
    async with budgets_of(redis.url, redis.prefix, workers=1) as one:
        held = await one.reserve("t", Spend(60), bound)
        assert held is not None
        held.settle(Spend(95))
        assert await one.reserve("t", Spend(10), bound) is None
        assert await one.reserve("t", Spend(5), bound) is not None


async def test_replies_are_remembered_for_each_tenant_apart_and_forgotten_together(redis: RedisSpace) -> None:
    async with linked(redis.url, redis.prefix) as link:
        assert link is not None
        replies = RedisReplies(link, seconds=60)
        for tenant in ("a", "a*", "b:c"):
            await replies.keep(tenant, "m:1", "d1", f"said to {tenant} ü")
        assert await replies.find("a*", "m:1", "d1") == "said to a* ü"
        assert await replies.find("a", "m", "1:d1") is None
        assert await replies.forget("a") == 1
        assert await replies.find("a", "m:1", "d1") is None
        assert await replies.find("a*", "m:1", "d1") is not None
        assert await replies.forget("b:c") == 1


@asynccontextmanager
async def fleet(model: ModelServer, url: str, **settings: Any) -> AsyncIterator[Fleet]:
    """Three workers, each with its own clients of the model server and of Redis."""
    prices = {"stand-in": PriceSettings(sent=1.0, received=10.0)}
    given = {"base_url": model.url, "model": "stand-in", "prices": prices, "workers": WORKERS, **settings}
    async with linked(url) as one, linked(url) as two, linked(url) as three:
        counts = [MemoryModelCounts() for _ in range(WORKERS)]
        panels = [
            open_panel(JudgeSettings(**given), local_judge(), told, link)
            for told, link in zip(counts, (one, two, three), strict=True)
        ]
        async with panels[0] as first, panels[1] as second, panels[2] as third:
            yield list(zip((first, second, third), counts, strict=True))


def cases(count: int) -> list[Case]:
    """Distinct prompts, also when they are masked: each selects some other columns."""
    return [
        replace(example_case("list the hives", f"SELECT {', '.join(['name'] * (number + 1))} FROM hives"), rules=RULES)
        for number in range(count)
    ]


USAGE = {**VERDICT, "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}}
BOUNDS = {"budget": 0.12, "in_flight": 3, "tenant_in_flight": 3}


@pytest.mark.slow  # takes over a second
async def test_the_days_money_holds_over_three_workers(model_server: ModelServer, own_redis: RedisServer) -> None:
    model_server.script(USAGE)
    async with fleet(model_server, own_redis.url, **BOUNDS) as workers:
        asked = [panel.ask(case, tenant="apiary") for case in cases(40) for panel, _ in workers]
        ends = await asyncio.gather(*asked)
        spent = sum(counts.cost for _, counts in workers)
    assert 0.12 * 0.4 <= spent <= 0.12
    # where Redis was slow to answer, the local verdict stands in
    paid = [end for end in ends if isinstance(end, Reply) and not end.cached and not end.fallback]
    assert len(paid) == round(spent * MICROS) // 3000


@pytest.mark.slow  # takes over a second
async def test_the_days_money_holds_when_redis_goes_in_mid_day_and_workers_come_and_go(
    model_server: ModelServer, own_redis: RedisServer
) -> None:
    model_server.script(USAGE)
    async with fleet(model_server, own_redis.url, **BOUNDS) as workers:
        first = [panel.ask(case, tenant="apiary") for case in cases(14) for panel, _ in workers[:2]]
        await asyncio.gather(*first)
        own_redis.kill()
        later = [panel.ask(case, tenant="apiary") for case in cases(40) for panel, _ in workers]
        ends = await asyncio.gather(*later)
        spent = sum(counts.cost for _, counts in workers)
        for _ in range(2):
            async with fleet(model_server, own_redis.url, **BOUNDS) as anew:
                ends += await asyncio.gather(
                    *(panel.ask(case, tenant="apiary") for case in cases(9) for panel, _ in anew)
                )
                spent += sum(counts.cost for _, counts in anew)
    assert 0 < spent <= 0.12
    assert all(isinstance(end, Reply) for end in ends)
    assert sum(isinstance(end, Reply) and end.fallback for end in ends) >= 50


async def test_a_reply_given_to_one_worker_costs_the_others_nothing(
    model_server: ModelServer, own_redis: RedisServer
) -> None:
    [case] = cases(1)
    async with fleet(model_server, own_redis.url, budget=1.0) as workers:
        first, *others = [await panel.ask(case, tenant="apiary") for panel, _ in workers]
        other_tenant = await workers[0][0].ask(case, tenant="orchard")
    assert isinstance(first, Reply)
    assert isinstance(other_tenant, Reply)
    assert not first.cached
    assert not other_tenant.cached
    for each in others:
        assert each == replace(first, cached=True, cost=0.0, tokens_in=0, tokens_out=0)
    assert len(model_server.seen()) == 2


async def test_with_redis_down_every_case_is_asked_anew(model_server: ModelServer, own_redis: RedisServer) -> None:
    [case] = cases(1)
    own_redis.kill()
    async with fleet(model_server, own_redis.url) as workers:
        ends = [await panel.ask(case, tenant="apiary") for panel, _ in workers]
    assert all(isinstance(end, Reply) and not end.cached for end in ends)
    assert len(model_server.seen()) == 3
