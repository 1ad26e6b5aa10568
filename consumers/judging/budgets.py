"""What a tenant may spend on models in a day: reserved before a call, settled after, in tokens and in money."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

MICROS = 1_000_000
"""Money is counted in millionths of the price list's currency: whole numbers add up alike everywhere."""


class Spend(NamedTuple):
    """Tokens, and money in millionths."""

    tokens: int = 0
    micros: int = 0

    def plus(self, other: Spend) -> Spend:
        """Both together."""
        return Spend(self.tokens + other.tokens, self.micros + other.micros)

    def less(self, other: Spend) -> Spend:
        """What is left when the other is taken away; below zero where it is more."""
        return Spend(self.tokens - other.tokens, self.micros - other.micros)

    def covers(self, other: Spend) -> bool:
        """Whether the other fits in."""
        return self.tokens >= other.tokens and self.micros >= other.micros


NOTHING = Spend()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money for a million tokens."""

    sent: float
    received: float

    def of(self, tokens_in: int, tokens_out: int) -> Spend:
        """What a call of so many tokens costs.

        >>> Price(sent=2.5, received=10).of(1000, 100)
        Spend(tokens=1100, micros=3500)
        """
        return Spend(tokens_in + tokens_out, round(tokens_in * self.sent + tokens_out * self.received))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A tenant's day; `None` is no bound."""

    tokens: int | None = None
    micros: int | None = None

    @property
    def is_none(self) -> bool:
        """Nothing is bounded."""
        return self.tokens is None and self.micros is None

    def share(self, workers: int) -> Spend:
        """One worker's part of the day, when workers cannot ask each other."""
        return Spend(_part(self.tokens, workers), _part(self.micros, workers))


NO_BOUND = 2**62
"""Stands for no bound where a number is needed."""


def _part(bound: int | None, workers: int) -> int:
    return NO_BOUND if bound is None else bound // workers


@dataclass(slots=True)
class Ledger:
    """One tenant's day in one process: what was granted to it, and what of that is spent or reserved.

    >>> ledger = Ledger(granted=Spend(100, 100))
    >>> ledger.reserve(Spend(60, 60)), ledger.reserve(Spend(60, 60)), ledger.lacks(Spend(60, 60))
    (True, False, Spend(tokens=20, micros=20))
    >>> ledger.settle(Spend(60, 60), Spend(30, 30)); ledger.reserve(Spend(60, 60))
    True
    """

    granted: Spend = NOTHING
    used: Spend = NOTHING
    elsewhere: Spend = NOTHING
    """What of the day others hold, as far as is known."""

    @property
    def left(self) -> Spend:
        """Granted and neither spent nor reserved; below zero where calls cost more than was foreseen."""
        return self.granted.less(self.used)

    def reserve(self, want: Spend) -> bool:
        """Takes `want` out of what is left, if it fits."""
        if not self.left.covers(want):
            return False
        self.used = self.used.plus(want)
        return True

    def lacks(self, want: Spend) -> Spend:
        """What must be granted before `want` fits."""
        short = want.less(self.left)
        return Spend(max(0, short.tokens), max(0, short.micros))

    def grant(self, more: Spend) -> None:
        """The shared account gave more."""
        self.granted = self.granted.plus(more)

    def give_back(self) -> None:
        """Keeps nothing that is neither spent nor reserved."""
        self.granted = self.used

    def settle(self, reserved: Spend, spent: Spend) -> None:
        """A call ended: what it cost in place of what was reserved."""
        self.used = self.used.plus(spent.less(reserved))

    def left_of(self, bound: Bound) -> Bound:
        """What of the day is neither spent nor reserved nor held by others.

        >>> Ledger(used=Spend(30, 5), elsewhere=Spend(50, 0)).left_of(Bound(tokens=100))
        Bound(tokens=20, micros=None)
        """
        gone = self.used.plus(self.elsewhere)
        return Bound(
            tokens=None if bound.tokens is None else max(0, bound.tokens - gone.tokens),
            micros=None if bound.micros is None else max(0, bound.micros - gone.micros),
        )


@dataclass(frozen=True, slots=True)
class Hold:
    """A reservation, to be settled once."""

    ledger: Ledger
    reserved: Spend

    def settle(self, spent: Spend) -> None:
        """The call cost this."""
        self.ledger.settle(self.reserved, spent)


@dataclass(slots=True)
class Ledgers:
    """The ledgers of the day; yesterday's are dropped when a new day is asked for."""

    day: date | None = None
    of: dict[str, Ledger] = field(default_factory=dict[str, Ledger])

    def open(self, tenant: str, day: date) -> Ledger:
        """The tenant's ledger of that day."""
        if day != self.day:
            self.day, self.of = day, {}
        return self.of.setdefault(tenant, Ledger())


@dataclass(slots=True, kw_only=True)
class WorkerBudgets:
    """Budgets of a process that shares none: of each day's bound it holds the part of one worker."""

    workers: int = 1
    today: Callable[[], date]
    _ledgers: Ledgers = field(default_factory=Ledgers)

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Hold | None:
        """Takes `want` out of the tenant's day; `None` where it is spent."""
        ledger = self._ledgers.open(tenant, self.today())
        ledger.granted = bound.share(self.workers)
        ledger.elsewhere = bound.share(1).less(ledger.granted)
        return Hold(ledger, want) if ledger.reserve(want) else None

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What is left of this worker's part of the tenant's day."""
        return self._ledgers.open(tenant, self.today()).left_of(bound)
