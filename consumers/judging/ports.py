"""What asking a model needs from the world: the model, the reply cache, the budgets, and who counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from consumers.errors import Unavailable
from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import Bound, Hold, Spend
from scoring.verdict import Verdict


class ModelFailed(Unavailable):
    """One call of a model failed."""

    def __init__(
        self, message: str, *, retry_after: float | None = None, again: bool = True, billed: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which the server asked to be asked again."""
        self.again = again
        """Another try may fare better."""
        self.billed = billed
        """The server may have done the work, and may charge for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model wrote, and what it counted."""

    text: str
    tokens_in: int | None = None
    """`None` where the server does not say."""
    tokens_out: int | None = None
    refused: bool = False
    """It declined."""


class Model(Protocol):
    """Completes a prompt."""

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens that it writes."""
        ...

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """One try of at most so many seconds; raises `ModelFailed`."""
        ...


class ReplyCache(Protocol):
    """Remembers what a model wrote, of each tenant apart, by what it was sent."""

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """What the model wrote to that very prompt, if it is remembered."""
        ...

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Remembers it for a while."""
        ...


class Budgets(Protocol):
    """Knows what tenants may still spend today."""

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Hold | None:
        """Takes `want` out of the tenant's day; `None` where it is spent. The hold must be settled.

        Raises `CacheUnavailable` where nobody can say what is left.
        """
        ...

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What of the tenant's day this process can still come by, as far as it knows; `None` is not bounded."""
        ...


CallEnd: TypeAlias = Literal["replied", "refused", "failed", "held_back"]
"""How one call of a model ended; `held_back` is a server that asks to wait."""


CaseEnd: TypeAlias = Literal["replied", "cached", "unscored", "fallback", "deferred"]
"""How a case ended that a model was to judge; `fallback` is the local verdict in its place."""


class ModelCounts(Protocol):
    """Counts what becomes of cases that a model is asked about."""

    def called(self, end: CallEnd, seconds: float) -> None:
        """One call ended so."""
        ...

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """A call cost so much."""
        ...

    def judged(self, end: CaseEnd) -> None:
        """A case ended so."""
        ...

    def spent(self, tenant: str) -> None:
        """The tenant's day does not cover a call that was wanted."""
        ...

    def left(self, tenant: str, left: Bound) -> None:
        """So much is left of the tenant's day."""
        ...

    def compared(self, local: Verdict, model: Verdict) -> None:
        """The local judge said this of a case that a model judged so."""
        ...

    def breaker(self, state: BreakerState) -> None:
        """The breaker is in this state."""
        ...
