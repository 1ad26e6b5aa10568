"""Budgets for model calls that all workers share through Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import cast
from uuid import uuid4

from consumers.errors import CacheUnavailable
from consumers.judging.budgets import NOTHING, Bound, Ledger, Ledgers, Reservation, Spend
from service.redis.link import RedisLink

KEPT_SECONDS = 3 * 86_400
"""Seconds an account is kept: a day and more than the clocks of two workers differ by."""
PORTIONS = 4
"""A worker's equal share of what is left is granted in this many portions: they shrink, so that little lies idle."""
RESTATE_SECONDS = 2.0
"""How often a worker restates what it was granted, in case Redis lost its data."""

_GRANT = """
local key, worker = KEYS[1], ARGV[1]
local held_t, held_m = tonumber(ARGV[2]), tonumber(ARGV[3])
local want_t, want_m = tonumber(ARGV[4]), tonumber(ARGV[5])
local most_t, most_m = tonumber(ARGV[6]), tonumber(ARGV[7])
local parts = tonumber(ARGV[8])
local t, m = held_t, held_m
local account = redis.call('HGETALL', key)
for place = 1, #account, 2 do
  if account[place] ~= worker then
    local other_t, other_m = string.match(account[place + 1], '^(%d+):(%d+)$')
    t, m = t + tonumber(other_t), m + tonumber(other_m)
  end
end
local give_t, give_m = 0, 0
if (most_t < 0 or t + want_t <= most_t) and (most_m < 0 or m + want_m <= most_m) then
  give_t, give_m = want_t, want_m
  if most_t >= 0 then give_t = math.max(want_t, math.floor((most_t - t) / parts)) end
  if most_m >= 0 then give_m = math.max(want_m, math.floor((most_m - m) / parts)) end
end
redis.call('HSET', key, worker, string.format('%.0f:%.0f', held_t + give_t, held_m + give_m))
redis.call('EXPIRE', key, ARGV[9])
local said = {}
for place, number in ipairs({give_t, give_m, t - held_t, m - held_m}) do said[place] = string.format('%.0f', number) end
return said
"""
"""Notes what a worker was granted of a day, grants a portion of at least what it wants if the day has that much left,
and returns the portion with what the other workers hold."""


@dataclass(slots=True, kw_only=True)
class RedisBudgets:
    """`Budgets` shared by all workers: each worker is granted portions of a tenant's day and spends them by itself.

    An account in Redis holds, per worker, the total granted to that worker. Every request restates this total, so a
    request whose reply was lost changes nothing and a Redis that lost its data is filled again. While Redis is down, a
    worker spends what it was granted and no more.
    """

    link: RedisLink
    workers: int
    today: Callable[[], date]
    worker: str = field(default_factory=lambda: uuid4().hex)
    """This worker's name in the accounts."""
    _ledgers: Ledgers = field(default_factory=Ledgers)
    _granting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Reservation | None:
        """Reserves `want` of the tenant's day; `None` where the rest of the day does not cover it.

        Raises `CacheUnavailable` when the worker needs another portion and Redis does not answer.
        """
        day = self.today()
        ledger = self._ledgers.open(tenant, day)
        if ledger.reserve(want):
            return Reservation(ledger, want)
        # calls that come together share one portion
        async with self._granting:
            if not ledger.left.covers(want):
                granted = await self._request_grant(tenant, day, ledger, ledger.lacks(want), bound)
                ledger.grant(granted)
            return Reservation(ledger, want) if ledger.reserve(want) else None

    async def _request_grant(self, tenant: str, day: date, ledger: Ledger, want: Spend, bound: Bound) -> Spend:
        """Returns what Redis grants: nothing where the day does not cover `want`. Raises `CacheUnavailable`."""
        most = (-1 if bound.tokens is None else bound.tokens, -1 if bound.micros is None else bound.micros)
        parts = self.workers * PORTIONS
        arguments = [self.worker, *ledger.granted, *want, *most, parts, KEPT_SECONDS]
        with self.link.use("budgets") as client:
            reply = client.eval(_GRANT, 1, self.link.key("budget", tenant, day.isoformat()), *map(str, arguments))
            tokens, micros, *elsewhere = map(int, await cast("Awaitable[list[bytes]]", reply))
        ledger.elsewhere = Spend(*elsewhere)
        return Spend(tokens, micros)

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What no worker held of the tenant's day at the last reply of Redis, plus what this worker has left."""
        return self._ledgers.open(tenant, self.today()).left_of(bound)

    async def restate(self) -> None:
        """Writes to Redis what this worker was granted in the last days; raises `CacheUnavailable`."""
        for day, tenant, ledger in self._ledgers.all():
            # one tenant at a time, so that no call waits for all of them
            async with self._granting:
                if ledger.granted != NOTHING:
                    await self._request_grant(tenant, day, ledger, NOTHING, Bound())

    async def give_back(self) -> None:
        """Returns to the accounts what is neither spent nor reserved; raises `CacheUnavailable`."""
        for _, _, ledger in self._ledgers.all():
            ledger.give_back()
        await self.restate()


@asynccontextmanager
async def open_budgets(budgets: RedisBudgets) -> AsyncGenerator[RedisBudgets]:
    """Restates the worker's grants while open; gives back what is left over on leaving."""
    restating = asyncio.create_task(_restate_for_ever(budgets), name="restate-budgets")
    try:
        yield budgets
    finally:
        restating.cancel()
        with suppress(asyncio.CancelledError):
            await restating
        with suppress(CacheUnavailable):
            await budgets.give_back()


async def _restate_for_ever(budgets: RedisBudgets) -> None:
    while True:
        await asyncio.sleep(RESTATE_SECONDS)
        with suppress(CacheUnavailable):
            await budgets.restate()
