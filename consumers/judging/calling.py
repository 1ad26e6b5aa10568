"""Calls a model within its limits: slots, rate, budget, breaker, deadline and one layer of retries."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from consumers.errors import CacheUnavailable
from consumers.judging.breaker import Breaker, BreakerState
from consumers.judging.budgets import MICROS, NOTHING, Bound, Price, Reservation, Spend
from consumers.judging.ports import Budgets, Completion, FailureCause, Model, ModelCounts, ModelFailed
from consumers.judging.prompting import Prompt
from consumers.judging.rates import Rate
from consumers.judging.slots import Slots

_BYTES_PER_TOKEN = 3
"""Fewer than English has, so that a reservation is seldom too small."""
_OVERHEAD = 400
"""Tokens that a server adds for roles and the schema."""


class BudgetSpent(Exception):  # noqa: N818 it names a state
    """The tenant's budget does not cover the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """How long and how often a model is called for one case."""

    deadline: float = 45.0
    """Seconds for a case, waits and retries included."""
    timeout: float = 20.0
    """Seconds for one call."""
    tries: int = 4
    first_wait: float = 0.5
    """Seconds before the second call; doubled for each later one, plus a random part of up to the same length."""
    longest_wait: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCompletion:
    """A completion with its cost."""

    text: str
    refused: bool
    tokens_in: int
    """As the server counted them, else as estimated."""
    tokens_out: int
    cost: float
    cut_short: bool
    """The reply reached the limit of its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A prompt of a tenant, to be answered in time."""

    prompt: Prompt
    tenant: str
    bound: Bound
    deadline: float
    """On the timer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """Gets the completion of a prompt from one model."""

    model: Model
    price: Price
    budgets: Budgets
    slots: Slots
    rate: Rate
    breaker: Breaker
    policy: CallPolicy
    counts: ModelCounts
    timer: Callable[[], float]
    """Seconds, monotonic."""

    async def __call__(
        self, prompt: Prompt, bound: Bound, tenant: str, *, seconds: float | None = None
    ) -> PaidCompletion:
        """Returns the completion; raises `ModelFailed`, `BudgetSpent` or `TimeoutError`.

        `seconds` is what is left of the deadline where the case has had a call before.
        """
        seconds = self.policy.deadline if seconds is None else seconds
        async with asyncio.timeout(seconds):
            # a little early: a call that takes all the time fails before the timeout, and the breaker counts it
            deadline = self.timer() + 0.95 * seconds
            request = _Request(prompt=prompt, tenant=tenant, bound=bound, deadline=deadline)
            try:
                return await self._attempt(request)
            except ModelFailed as error:
                return await self._retry(request, error)

    async def _retry(self, request: _Request, failure: ModelFailed) -> PaidCompletion:
        """Attempts again after a first failure.

        The retrier is a cycle of references: one for every call would keep the garbage collector busy for a tenth of
        the time.
        """
        # a command that asks once seldom retries, and the library of retries loads slowly
        from consumers.judging.retries import attempts  # noqa: PLC0415 for the reason above

        policy = self.policy
        async for attempt in attempts(
            lambda error: self._retry_delay(error, request.deadline),
            tries=policy.tries,
            first_wait=policy.first_wait,
            longest_wait=policy.longest_wait,
        ):
            with attempt:
                if attempt.num == 1:
                    raise failure
                try:
                    return await self._attempt(request)
                except ModelFailed as error:
                    # that calls pause says less than what this call was told before
                    if error.cause is FailureCause.BREAKER:
                        raise ModelFailed(str(failure), retryable=False, cause=failure.cause) from error
                    failure = error
                    raise
        raise AssertionError("unreachable: the last attempt raises")

    def _retry_delay(self, error: Exception, deadline: float) -> bool | float:
        """Whether to try again; a number is the seconds that the server asks to wait."""
        if not isinstance(error, ModelFailed) or not error.retryable:
            return False
        if error.retry_after is None:
            return self.breaker.state(self.timer()) is BreakerState.CLOSED
        # calls that were told to wait must not all return at the same moment
        wait = error.retry_after + random.uniform(0, self.policy.first_wait)  # noqa: S311 it spreads load, no secret
        return wait if self.timer() + wait < deadline else False

    async def _attempt(self, request: _Request) -> PaidCompletion:
        self._fail_early(request.deadline)
        async with self.slots.slot(request.tenant):
            self._fail_early(request.deadline)
            await self._wait_for_rate(request.deadline)
            reservation = await self._reserve(request)
            if not self.breaker.admits(self.timer()):
                if reservation is not None:
                    reservation.settle(NOTHING)
                raise self._paused("another call is testing whether the model answers again")
            try:
                return await self._call(request, reservation)
            finally:
                self._show_budget(request)

    def _fail_early(self, deadline: float) -> None:
        """Raises `ModelFailed` where no call can be made before the deadline."""
        now = self.timer()
        if self.breaker.state(now) is BreakerState.OPEN:
            raise self._paused("the breaker is open after several failures of the model in a row")
        if now + self.rate.delay(now) >= deadline:
            raise ModelFailed(
                "the rate limit allows no call before the deadline", retryable=False, cause=FailureCause.RATE_LIMIT
            )

    def _paused(self, why: str) -> ModelFailed:
        last = f"; the last: {self.breaker.last}" if self.breaker.last else ""
        return ModelFailed(why + last, retryable=False, cause=FailureCause.BREAKER)

    async def _wait_for_rate(self, deadline: float) -> None:
        if wait := self.rate.reserve(self.timer()):
            await asyncio.sleep(wait)
        # while it waited, the server may have told another call to come later
        while wait := self.rate.held_for(self.timer()):
            self._fail_early(deadline)
            await asyncio.sleep(wait)

    async def _reserve(self, request: _Request) -> Reservation | None:
        """Reserves the estimated cost; `None` where nothing bounds the tenant."""
        if request.bound.is_unbounded:
            return None
        try:
            reservation = await self.budgets.reserve(request.tenant, self._estimate(request.prompt), request.bound)
        except CacheUnavailable as error:
            detail = f"the rest of the budget of {request.tenant} is unknown: {error}"
            raise ModelFailed(detail, retryable=False, cause=FailureCause.BUDGET) from error
        self._show_budget(request)
        if reservation is None:
            raise BudgetSpent
        return reservation

    def _show_budget(self, request: _Request) -> None:
        if not request.bound.is_unbounded:
            self.counts.budget_left(request.tenant, self.budgets.left(request.tenant, request.bound))

    async def _call(self, request: _Request, reservation: Reservation | None) -> PaidCompletion:
        began = self.timer()
        # nobody knows what a cancelled call cost: it counts as estimated
        spent = self._estimate(request.prompt)
        try:
            seconds = min(self.policy.timeout, request.deadline - began)
            completion = await self.model.complete(
                request.prompt.system, request.prompt.user, request.prompt.schema, seconds=seconds
            )
            paid, spent = self._pay(completion, request)
            self._count_success(paid, request.tenant, began)
            return paid
        except ModelFailed as error:
            spent = spent if error.billed else NOTHING
            self._count_failure(error, began)
            raise
        finally:
            if reservation is not None:
                reservation.settle(spent)
            self.counts.breaker_state(self.breaker.state(self.timer()))

    def _count_success(self, paid: PaidCompletion, tenant: str, began: float) -> None:
        self.breaker.succeeded()
        self.counts.called("refused" if paid.refused else "replied", self.timer() - began)
        self.counts.paid(tenant, paid.tokens_in, paid.tokens_out, paid.cost)

    def _count_failure(self, error: ModelFailed, began: float) -> None:
        now = self.timer()
        if error.retry_after is not None:
            self.counts.called("rate_limited", now - began)
            # calls that were under way together are told the same: they count as one failure
            if not self.rate.held_for(now):
                self.breaker.failed(now, str(error))
            self.rate.hold_until(now + error.retry_after)
            return
        self.counts.called("failed", now - began)
        if error.cause is FailureCause.QUOTA:
            self.breaker.trip(now, str(error))
        else:
            self.breaker.failed(now, str(error))

    def _estimate(self, prompt: Prompt) -> Spend:
        return self.price.of(_estimated_tokens(prompt), self.model.max_tokens)

    def _pay(self, completion: Completion, request: _Request) -> tuple[PaidCompletion, Spend]:
        tokens_in = _estimated_tokens(request.prompt) if completion.tokens_in is None else completion.tokens_in
        tokens_out = self.model.max_tokens if completion.tokens_out is None else completion.tokens_out
        spent = self.price.of(tokens_in, tokens_out)
        paid = PaidCompletion(
            text=completion.text,
            refused=completion.refused,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=spent.micros / MICROS,
            cut_short=completion.cut_short,
        )
        return paid, spent


def _estimated_tokens(prompt: Prompt) -> int:
    return prompt.size // _BYTES_PER_TOKEN + _OVERHEAD
