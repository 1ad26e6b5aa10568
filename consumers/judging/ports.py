"""Ports of model calls: the model, the reply cache, the budgets and the counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

from consumers.errors import Unavailable
from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import Bound, Reservation, Spend
from scoring.verdict import Verdict


class FailureCause(StrEnum):
    """Why a model gave no verdict."""

    KEY = "key"
    """The server refuses the key (401, 403, or 400 with words that say so)."""
    NOT_FOUND = "not_found"
    """The server knows no such address or model (404, or 400 with words that say so)."""
    REDIRECT = "redirect"
    QUOTA = "quota"
    """The account's quota or credit is used up."""
    RATE_LIMIT = "rate_limit"
    """The server asks to call later, or the configured rate allows no call before the deadline."""
    REQUEST = "request"
    """The server refuses the request."""
    SERVER = "server"
    """The server failed (5xx)."""
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    REPLY = "reply"
    """The server sent no completion."""
    BREAKER = "breaker"
    """Calls pause after failures in a row."""
    BUDGET = "budget"
    """The tenant's budget of the day is spent, or nobody knows what is left of it."""
    NOT_SENT = "not_sent"
    """The prompt is too long, or a name in it could not be masked."""


REFUSALS = frozenset({FailureCause.KEY, FailureCause.NOT_FOUND, FailureCause.REDIRECT, FailureCause.QUOTA})
"""Causes that stay until somebody corrects the settings or the account."""


CHOICES = frozenset({FailureCause.BUDGET, FailureCause.NOT_SENT})
"""Causes by which no server was asked, as the settings say."""


class ModelFailed(Unavailable):
    """A call of a model failed."""

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        retryable: bool = True,
        billed: bool = False,
        cause: FailureCause = FailureCause.SERVER,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.retry_after = retry_after
        """Seconds that the server asks to wait before the next call."""
        self.retryable = retryable
        """Whether another call may succeed."""
        self.billed = billed
        """Whether the server may charge for the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model wrote, and the tokens that its server counted."""

    text: str
    tokens_in: int | None = None
    """`None` where the server does not say."""
    tokens_out: int | None = None
    refused: bool = False
    """The model declined to reply."""
    cut_short: bool = False
    """The reply reached the limit of its tokens."""


class Model(Protocol):
    """Completes a prompt."""

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""
        ...

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """Calls the model once, for at most `seconds`; raises `ModelFailed`."""
        ...


class ReplyCache(Protocol):
    """Remembers what models wrote, by tenant, model and the digest of the prompt."""

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """Returns what the model wrote to this prompt, if it is remembered; raises `CacheUnavailable`."""
        ...

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Remembers what the model wrote; raises `CacheUnavailable`."""
        ...


class Budgets(Protocol):
    """Daily budgets of tenants."""

    async def reserve(self, tenant: str, want: Spend, bound: Bound) -> Reservation | None:
        """Reserves `want` of the tenant's day; `None` where the rest of the day does not cover it.

        The caller settles the reservation. Raises `CacheUnavailable` when the rest of the day is unknown.
        """
        ...

    def left(self, tenant: str, bound: Bound) -> Bound:
        """What is left of the tenant's day, as far as this process knows; `None` is unbounded."""
        ...


CallOutcome: TypeAlias = Literal["replied", "refused", "failed", "rate_limited"]
"""How a call of a model ended; `rate_limited`: the server asked to wait."""

CaseOutcome: TypeAlias = Literal["replied", "cached", "unscored", "fallback", "deferred"]
"""How a case for a model ended; `fallback`: the local verdict stands in."""


class ModelCounts(Protocol):
    """Counts model calls and the cases that need one."""

    def called(self, outcome: CallOutcome, seconds: float) -> None:
        """Counts a call."""
        ...

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Counts the cost of a call."""
        ...

    def judged(self, outcome: CaseOutcome) -> None:
        """Counts a case."""
        ...

    def no_reply(self, cause: FailureCause, detail: str) -> None:
        """Counts a case to which the model gave no reply; `detail` names the thing, the value and the fix."""
        ...

    def budget_spent(self, tenant: str) -> None:
        """Counts a call that the tenant's budget did not cover."""
        ...

    def budget_left(self, tenant: str, left: Bound) -> None:
        """Shows what is left of the tenant's day."""
        ...

    def compared(self, local: Verdict, model: Verdict) -> None:
        """Counts the verdicts of both judges on one case."""
        ...

    def breaker_state(self, state: BreakerState) -> None:
        """Shows the state of the breaker."""
        ...
