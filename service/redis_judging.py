"""What the workers share about models: replies already given, and what each tenant may still spend today."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import cast

from consumers.budgets import NOTHING, Bound, Hold, Ledger, Ledgers, Spend
from consumers.ports import CacheUnavailable
from service.redis import RedisLink

KEPT_SECONDS = 3 * 86_400
"""How long a day's account is kept: longer than any two clocks differ."""
PORTIONS = 4
"""A worker is granted this part of its equal share of what is left: small near the end, so little lies idle."""
BOOKING_SECONDS = 0.5
"""How often a worker that helped itself tries to enter that in the shared account."""

_GRANT = """
local t = tonumber(redis.call('HGET', KEYS[1], 't') or '0')
local m = tonumber(redis.call('HGET', KEYS[1], 'm') or '0')
local want_t, want_m = tonumber(ARGV[1]), tonumber(ARGV[2])
local most_t, most_m = tonumber(ARGV[3]), tonumber(ARGV[4])
local parts = tonumber(ARGV[5])
t, m = t + tonumber(ARGV[6]), m + tonumber(ARGV[7])
local give_t, give_m, given = 0, 0, 0
if (most_t < 0 or t + want_t <= most_t) and (most_m < 0 or m + want_m <= most_m) then
  given = 1
  give_t, give_m = want_t, want_m
  if most_t >= 0 then give_t = math.max(want_t, math.floor((most_t - t) / parts)) end
  if most_m >= 0 then give_m = math.max(want_m, math.floor((most_m - m) / parts)) end
end
redis.call('HSET', KEYS[1], 't', string.format('%.0f', t + give_t), 'm', string.format('%.0f', m + give_m))
redis.call('EXPIRE', KEYS[1], ARGV[8])
return {given, string.format('%.0f', give_t), string.format('%.0f', give_m)}
"""
"""Enters what a worker took for itself, then grants what it lacks and some more, if the day has that much left."""


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

    With Redis down a worker spends what it was granted, and, if it was granted nothing that day, the part of the day
    that is one worker's; that is entered in the shared account as soon as Redis answers.
    """

    link: RedisLink
    workers: int
    today: Callable[[], date]
    _ledgers: Ledgers = field(default_factory=Ledgers)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Hold | None:
        """Takes `want` out of the tenant's day; `None` where it is spent."""
        ledger = self._ledgers.open(tenant, self.today())
        if ledger.reserve(want):
            return Hold(ledger, want)
        # many calls that come at once must not be granted a portion each
        async with self._asking:
            if not ledger.left.covers(want):
                await self._ask_or_help_itself(tenant, ledger, want, bound)
            return Hold(ledger, want) if ledger.reserve(want) else None

    async def _ask_or_help_itself(self, tenant: str, ledger: Ledger, want: Spend, bound: Bound) -> None:
        try:
            await self._grant(tenant, ledger, ledger.lacks(want), bound)
        except CacheUnavailable:
            _help_itself(ledger, bound, self.workers)

    async def _grant(self, tenant: str, ledger: Ledger, lacks: Spend, bound: Bound) -> None:
        unbooked, ledger.unbooked = ledger.unbooked, NOTHING
        parts = self.workers * PORTIONS
        try:
            given, tokens, micros = await self._ask(tenant, lacks, bound, parts, unbooked)
        except BaseException:
            # whether it was entered is not known: twice is safer than never
            ledger.unbooked = ledger.unbooked.plus(unbooked)
            raise
        ledger.is_known = True
        if given:
            ledger.grant(Spend(tokens, micros))

    async def _ask(self, tenant: str, want: Spend, bound: Bound, parts: int, unbooked: Spend) -> tuple[bool, int, int]:
        most = (-1 if bound.tokens is None else bound.tokens, -1 if bound.micros is None else bound.micros)
        arguments = [*want, *most, parts, *unbooked, KEPT_SECONDS]
        day = self._ledgers.day or self.today()
        with self.link.use("budgets") as client:
            reply = client.eval(_GRANT, 1, self.link.key("budget", tenant, day.isoformat()), *map(str, arguments))
            given, tokens, micros = await cast("Awaitable[list[bytes | int]]", reply)
        return bool(int(given)), int(tokens), int(micros)

    async def book(self) -> None:
        """Enters what this worker took for itself while Redis was down."""
        for tenant, ledger in list(self._ledgers.of.items()):
            if ledger.unbooked != NOTHING:
                await self._grant(tenant, ledger, NOTHING, Bound())

    async def give_back(self) -> None:
        """Returns what was granted and is neither spent nor reserved, for others to spend."""
        for tenant, ledger in list(self._ledgers.of.items()):
            left = Spend(max(0, ledger.left.tokens), max(0, ledger.left.micros))
            if ledger.is_known and left != NOTHING:
                ledger.granted = ledger.granted.less(left)
                ledger.unbooked = ledger.unbooked.less(left)
                await self._grant(tenant, ledger, NOTHING, Bound())


def _help_itself(ledger: Ledger, bound: Bound, workers: int) -> None:
    """One worker's part of the day, once, to a worker that nothing was granted to."""
    if not ledger.is_known and ledger.unbooked == NOTHING:
        share = bound.share(workers)
        ledger.granted = share
        ledger.unbooked = Spend(
            share.tokens if bound.tokens is not None else 0, share.micros if bound.micros is not None else 0
        )


@asynccontextmanager
async def open_budgets(budgets: RedisBudgets) -> AsyncGenerator[RedisBudgets]:
    """Keeps the shared account true: enters what was taken while Redis was down, and gives back what is left over."""
    booking = asyncio.create_task(_book_for_ever(budgets), name="book-budgets")
    try:
        yield budgets
    finally:
        booking.cancel()
        with suppress(asyncio.CancelledError):
            await booking
        with suppress(CacheUnavailable):
            await budgets.give_back()


async def _book_for_ever(budgets: RedisBudgets) -> None:
    while True:
        await asyncio.sleep(BOOKING_SECONDS)
        with suppress(CacheUnavailable):
            await budgets.book()
