"""A tenant's daily budget for model calls, in tokens and money: reserved before a call, settled after it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

MICROS = 1_000_000
"""Money is counted in millionths of the price list's currency: sums of whole numbers are exact."""


class Spend(NamedTuple):
    """Tokens, and money in millionths."""

    tokens: int = 0
    micros: int = 0

    def plus(self, other: Spend) -> Spend:
        """The sum of both."""
        return Spend(self.tokens + other.tokens, self.micros + other.micros)

    def minus(self, other: Spend) -> Spend:
        """The difference; below zero where the other is larger."""
        return Spend(self.tokens - other.tokens, self.micros - other.micros)

    def covers(self, other: Spend) -> bool:
        """Whether both amounts are at least the other's."""
        return self.tokens >= other.tokens and self.micros >= other.micros


NOTHING = Spend()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price of a million tokens."""

    sent: float
    received: float

    def of(self, tokens_in: int, tokens_out: int) -> Spend:
        """The cost of a call.

        >>> Price(sent=2.5, received=10).of(1000, 100)
        Spend(tokens=1100, micros=3500)
        """
        return Spend(tokens_in + tokens_out, round(tokens_in * self.sent + tokens_out * self.received))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Most that a tenant may spend in a day; `None` is no bound."""

    tokens: int | None = None
    micros: int | None = None

    @property
    def is_unbounded(self) -> bool:
        """Whether neither tokens nor money are bounded."""
        return self.tokens is None and self.micros is None

    def share(self, workers: int) -> Spend:
        """One worker's equal part, for workers that share no account."""
        return Spend(_part(self.tokens, workers), _part(self.micros, workers))


_DAYS_KEPT = 3
NO_BOUND = 2**62
"""A number in place of no bound."""


def _part(bound: int | None, workers: int) -> int:
    return NO_BOUND if bound is None else bound // workers


@dataclass(slots=True)
class Ledger:
    """One tenant's day in one process: what was granted, and what of it is spent or reserved.

    >>> ledger = Ledger(granted=Spend(100, 100))
    >>> ledger.reserve(Spend(60, 60)), ledger.reserve(Spend(60, 60)), ledger.lacks(Spend(60, 60))
    (True, False, Spend(tokens=20, micros=20))
    >>> ledger.settle(Spend(60, 60), Spend(30, 30)); ledger.reserve(Spend(60, 60))
    True
    """

    granted: Spend = NOTHING
    used: Spend = NOTHING
    elsewhere: Spend = NOTHING
    """What other workers hold of the day, as last reported."""

    @property
    def left(self) -> Spend:
        """Granted and neither spent nor reserved; below zero where calls cost more than was estimated."""
        return self.granted.minus(self.used)

    def reserve(self, want: Spend) -> bool:
        """Reserves `want` if enough is left; returns whether it did."""
        if not self.left.covers(want):
            return False
        self.used = self.used.plus(want)
        return True

    def lacks(self, want: Spend) -> Spend:
        """What must be granted before `want` can be reserved."""
        short = want.minus(self.left)
        return Spend(max(0, short.tokens), max(0, short.micros))

    def grant(self, more: Spend) -> None:
        """Adds what the shared account granted."""
        self.granted = self.granted.plus(more)

    def give_back(self) -> None:
        """Drops what is neither spent nor reserved."""
        self.granted = self.used

    def settle(self, reserved: Spend, spent: Spend) -> None:
        """Replaces a reservation by what the call cost."""
        self.used = self.used.plus(spent.minus(reserved))

    def left_of(self, bound: Bound) -> Bound:
        """What of the day is neither spent, reserved nor held by other workers.

        >>> Ledger(used=Spend(30, 5), elsewhere=Spend(50, 0)).left_of(Bound(tokens=100))
        Bound(tokens=20, micros=None)
        """
        gone = self.used.plus(self.elsewhere)
        return Bound(
            tokens=None if bound.tokens is None else max(0, bound.tokens - gone.tokens),
            micros=None if bound.micros is None else max(0, bound.micros - gone.micros),
        )


@dataclass(frozen=True, slots=True)
class Reservation:
    """A part of a ledger that waits for the cost of its call."""

    ledger: Ledger
    reserved: Spend

    def settle(self, spent: Spend) -> None:
        """Replaces the reservation by what the call cost. Called once."""
        self.ledger.settle(self.reserved, spent)


@dataclass(slots=True)
class Ledgers:
    """The ledgers of the last days by tenant. A clock that is set forth and back finds its day as it left it.

    >>> ledgers, first = Ledgers(), date(2026, 11, 21)
    >>> ledgers.open("bakers", first).grant(Spend(10, 10)); ledgers.open("bakers", date(2026, 11, 24)).granted.tokens
    0
    >>> ledgers.open("bakers", first).granted.tokens
    10
    """

    _days: OrderedDict[date, dict[str, Ledger]] = field(default_factory=OrderedDict[date, dict[str, Ledger]])
    """Last used last."""

    def open(self, tenant: str, day: date) -> Ledger:
        """The tenant's ledger of that day."""
        ledgers = self._days.setdefault(day, {})
        self._days.move_to_end(day)
        while len(self._days) > _DAYS_KEPT:
            self._days.popitem(last=False)
        return ledgers.setdefault(tenant, Ledger())

    def all(self) -> list[tuple[date, str, Ledger]]:
        """Every ledger with its day and tenant."""
        return [(day, tenant, ledger) for day, ledgers in self._days.items() for tenant, ledger in ledgers.items()]


@dataclass(slots=True, kw_only=True)
class WorkerBudgets:
    """`Budgets` of a process that shares no account: it may spend its part of each day's bound."""

    workers: int = 1
    today: Callable[[], date]
    _ledgers: Ledgers = field(default_factory=Ledgers)

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Reservation | None:
        """Reserves `want` of the tenant's day; `None` where the rest of the day does not cover it."""
        ledger = self._ledgers.open(tenant, self.today())
        ledger.granted = bound.share(self.workers)
        ledger.elsewhere = bound.share(1).minus(ledger.granted)
        return Reservation(ledger, want) if ledger.reserve(want) else None

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What is left of this worker's part of the tenant's day, tokens and money apart."""
        return self._ledgers.open(tenant, self.today()).left_of(bound)
