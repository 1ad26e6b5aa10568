"""What the workers share about models: replies already given, and what each tenant may still spend today."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import cast
from uuid import uuid4

from consumers.errors import CacheUnavailable
from consumers.judging.budgets import NOTHING, Bound, Hold, Ledger, Ledgers, Spend
from service.redis.link import RedisLink

KEPT_SECONDS = 3 * 86_400
"""How long a day's account is kept: longer than any two clocks differ."""
PORTIONS = 4
"""A worker is granted this part of its equal share of what is left: small near the end, so little lies idle."""
ENTERING_SECONDS = 2.0
"""How often a worker says again what it was granted, for a Redis that forgot."""

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
"""Notes what a worker holds of a day, grants what it lacks and some more, if so much is left; says what others hold."""


@dataclass(frozen=True, slots=True)
class RedisReplies:
    """A `ReplyCache`. It holds stand-ins where texts are masked, and each tenant's keys begin alike."""

    link: RedisLink
    seconds: int

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """What the model wrote to that very prompt; raises `CacheUnavailable`."""
        with self.link.use("replies") as client:
            found = await client.get(self._key(tenant, model, digest))
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else found

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Remembers it; raises `CacheUnavailable`."""
        with self.link.use("replies") as client:
            await client.set(self._key(tenant, model, digest), text, ex=self.seconds)

    async def forget(self, tenant: str) -> int:
        """Removes all replies of a tenant and says how many there were; raises `CacheUnavailable`."""
        removed = 0
        with self.link.use("forget") as client:
            pattern = _literally(self.link.key("reply", tenant)) + ":*"
            # the library leaves the type of its keys open
            scan = cast("Callable[..., AsyncIterator[bytes]]", client.scan_iter)  # pyright: ignore[reportUnknownMemberType]
            async for key in scan(match=pattern, count=1000):
                removed += await client.unlink(key)
        return removed

    def _key(self, tenant: str, model: str, digest: str) -> str:
        return self.link.key("reply", tenant, model, digest)


def _literally(name: str) -> str:
    """The name as a pattern that only it matches."""
    return "".join(f"\\{each}" if each in r"*?[]\^" else each for each in name)


@dataclass(slots=True, kw_only=True)
class RedisBudgets:
    """`Budgets` shared by all workers: each is granted portions of a tenant's day, and spends those by itself.

    A day's account holds what each worker was granted, which that worker says anew with every wish: so nothing is
    entered twice, whatever answer was lost, and a Redis that forgot is told again. With Redis down a worker spends
    what it was granted and no more.
    """

    link: RedisLink
    workers: int
    today: Callable[[], date]
    worker: str = field(default_factory=lambda: uuid4().hex)
    """This worker's name in the accounts."""
    _ledgers: Ledgers = field(default_factory=Ledgers)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Hold | None:
        """Takes `want` out of the tenant's day; `None` where it is spent.

        Raises `CacheUnavailable` where more would have to be granted and Redis does not answer.
        """
        day = self.today()
        ledger = self._ledgers.open(tenant, day)
        if ledger.reserve(want):
            return Hold(ledger, want)
        # many calls that come at once must not be granted a portion each
        async with self._asking:
            if not ledger.left.covers(want):
                granted = await self._ask(tenant, day, ledger, ledger.lacks(want), bound)
                ledger.grant(granted)
            return Hold(ledger, want) if ledger.reserve(want) else None

    async def _ask(self, tenant: str, day: date, ledger: Ledger, want: Spend, bound: Bound) -> Spend:
        """What is granted, nothing where the day has not that much left; raises `CacheUnavailable`."""
        most = (-1 if bound.tokens is None else bound.tokens, -1 if bound.micros is None else bound.micros)
        parts = self.workers * PORTIONS
        arguments = [self.worker, *ledger.granted, *want, *most, parts, KEPT_SECONDS]
        with self.link.use("budgets") as client:
            reply = client.eval(_GRANT, 1, self.link.key("budget", tenant, day.isoformat()), *map(str, arguments))
            tokens, micros, *elsewhere = map(int, await cast("Awaitable[list[bytes]]", reply))
        ledger.elsewhere = Spend(*elsewhere)
        return Spend(tokens, micros)

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What nobody was granted of the tenant's day when Redis was last asked, and what is left of our own."""
        return self._ledgers.open(tenant, self.today()).left_of(bound)

    async def enter(self) -> None:
        """Says again what this worker was granted today; raises `CacheUnavailable`."""
        for tenant, ledger in list(self._ledgers.of.items()):
            # one by one, so that no call waits for those of all tenants
            async with self._asking:
                if ledger.granted != NOTHING:
                    await self._ask(tenant, self._ledgers.day or self.today(), ledger, NOTHING, Bound())

    async def give_back(self) -> None:
        """Returns what was granted and is neither spent nor reserved; raises `CacheUnavailable`."""
        for ledger in self._ledgers.of.values():
            ledger.give_back()
        await self.enter()


@asynccontextmanager
async def open_budgets(budgets: RedisBudgets) -> AsyncGenerator[RedisBudgets]:
    """Keeps the shared accounts true, and on leaving gives back what is left over."""
    entering = asyncio.create_task(_enter_for_ever(budgets), name="enter-budgets")
    try:
        yield budgets
    finally:
        entering.cancel()
        with suppress(asyncio.CancelledError):
            await entering
        with suppress(CacheUnavailable):
            await budgets.give_back()


async def _enter_for_ever(budgets: RedisBudgets) -> None:
    while True:
        await asyncio.sleep(ENTERING_SECONDS)
        with suppress(CacheUnavailable):
            await budgets.enter()
