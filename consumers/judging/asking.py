"""Asks a model about a case: prompt, reply cache, slots, rate, budget, breaker, one layer of retries, the ceiling."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

import stamina

from consumers.errors import CacheUnavailable
from consumers.judging.breaker import Breaker, BreakerState
from consumers.judging.budgets import MICROS, NOTHING, Bound, Hold, Price, Spend
from consumers.judging.ports import Budgets, Completion, Model, ModelCounts, ModelFailed, ReplyCache
from consumers.judging.prompting import Prompt, Template, prompt_for
from consumers.judging.rates import Rate
from consumers.judging.replies import REPLY_SCHEMA, Opinion, read_opinion
from scoring.judging.ceiling import hold
from scoring.query import Unscored, UnscoredReason
from scoring.verdict import Case, Reply

_BYTES_PER_TOKEN = 3
"""Fewer than English has, so that a reservation is seldom too small."""
_OVERHEAD = 400
"""Tokens that a server adds for roles and the schema."""


class NotAsked(StrEnum):
    """Why a model gave no reply that counts or not."""

    UNAVAILABLE = "unavailable"
    """It did not answer within the deadline, or is left alone."""
    SPENT = "spent"
    """The tenant's day is spent."""
    NOT_SENT = "not_sent"
    """The prompt must not leave the machine."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """No reply, and why."""

    why: NotAsked
    detail: str


class _Spent(Exception):  # noqa: N818 it names a state
    """The tenant's budget does not cover the call."""


@dataclass(slots=True, kw_only=True)
class Slots:
    """At most so many calls at once, and of each tenant."""

    total: int
    of_tenant: int
    _all: asyncio.Semaphore = field(init=False)
    _tenants: dict[str, tuple[asyncio.Semaphore, int]] = field(default_factory=dict[str, tuple[asyncio.Semaphore, int]])
    """Of each tenant with calls: its bound and how many hold or await a slot."""

    def __post_init__(self) -> None:
        self._all = asyncio.Semaphore(self.total)

    @asynccontextmanager
    async def taken(self, tenant: str) -> AsyncGenerator[None]:
        """Waits for a slot of the tenant, then for one of all."""
        own, users = self._tenants.get(tenant, (asyncio.Semaphore(self.of_tenant), 0))
        self._tenants[tenant] = own, users + 1
        try:
            async with own, self._all:
                yield
        finally:
            own, users = self._tenants.pop(tenant)
            if users > 1:
                self._tenants[tenant] = own, users - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long and how often a model is asked about one case."""

    deadline: float = 45.0
    """Seconds for a case, waits and retries included."""
    call: float = 20.0
    """Seconds for one try."""
    tries: int = 4
    first_wait: float = 0.5
    """Seconds before the second try; doubled for each later one, and up to as much again by chance."""
    longest_wait: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """One model with everything that stands between it and a case."""

    model: Model
    template: Template
    price: Price
    masked: bool
    bound: Bound
    """A tenant's day where its rules do not say."""
    budgets: Budgets
    cache: ReplyCache | None
    slots: Slots
    rate: Rate
    breaker: Breaker
    patience: Patience
    counts: ModelCounts
    timer: Callable[[], float]
    """Seconds, monotonic."""
    _thread: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="prompt"))
    """One: several that write prompts would keep the interpreter's lock from the loop, and slots waiting for it."""

    @property
    def name(self) -> str:
        """What a stored score names as its judge: the prompt's version; the model is named beside."""
        return f"llm/{self.template.version}"

    async def __call__(
        self, case: Case, tenant: str, local: Callable[[Case], Reply]
    ) -> tuple[Reply, Reply | Unscored | Unasked]:
        """The local judge's reply, and the model's: under the ceiling, not one that counts, or none at all."""
        own, prompt = await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: (local(case), prompt_for(case, self.template, masked=self.masked))
        )
        if isinstance(prompt, Unscored):
            return own, Unasked(NotAsked.NOT_SENT, prompt.detail)
        found = await self._remembered(prompt, case, tenant, own)
        return own, found if found is not None else await self._ask(prompt, case, tenant, own)

    async def _remembered(self, prompt: Prompt, case: Case, tenant: str, own: Reply) -> Reply | None:
        if self.cache is None:
            return None
        try:
            text = await self.cache.find(tenant, self.model.name, prompt.digest)
        except CacheUnavailable:
            return None
        reply = self._read(text, prompt, case, own) if text is not None else None
        return replace(reply, cached=True) if isinstance(reply, Reply) else None

    async def _ask(self, prompt: Prompt, case: Case, tenant: str, own: Reply) -> Reply | Unscored | Unasked:
        try:
            async with asyncio.timeout(self.patience.deadline):
                said = await self._completion(prompt, self._bound(case), tenant)
        except _Spent:
            self.counts.spent(tenant)
            return Unasked(NotAsked.SPENT, f"the budget of {tenant} for today does not cover another call")
        except ModelFailed as error:
            return Unasked(NotAsked.UNAVAILABLE, str(error))
        except TimeoutError:
            return Unasked(NotAsked.UNAVAILABLE, f"no reply within {self.patience.deadline:g} seconds")
        if said.refused:
            return Unscored(UnscoredReason.JUDGE_REFUSED, "the model declined to judge")
        reply = self._read(said.text, prompt, case, own)
        if isinstance(reply, Unscored):
            return reply
        await self._remember(tenant, prompt, said.text)
        paid = self._paid(prompt, said)
        return replace(reply, tokens_in=paid[0], tokens_out=paid[1], cost=self.price.of(*paid).micros / MICROS)

    def _read(self, text: str, prompt: Prompt, case: Case, own: Reply) -> Reply | Unscored:
        opinion = read_opinion(text, prompt, own, self.name)
        if not isinstance(opinion, Opinion):
            return opinion
        reply = hold(case, own, opinion.reply, opinion.proposals)
        return replace(reply, model=self.model.name, prompt_hash=prompt.digest)

    async def _remember(self, tenant: str, prompt: Prompt, text: str) -> None:
        if self.cache is None:
            return
        try:
            await self.cache.keep(tenant, self.model.name, prompt.digest, text)
        except CacheUnavailable:
            return

    def _bound(self, case: Case) -> Bound:
        rules = case.rules.judge
        micros = self.bound.micros if rules.budget is None else round(rules.budget * MICROS)
        return Bound(tokens=self.bound.tokens if rules.tokens is None else rules.tokens, micros=micros)

    async def _completion(self, prompt: Prompt, bound: Bound, tenant: str) -> Completion:
        # a little before the deadline, so that a try that takes all of it fails and the breaker hears of it
        ends = self.timer() + 0.95 * self.patience.deadline
        try:
            return await self._try(prompt, bound, tenant, ends)
        except ModelFailed as error:
            return await self._retried(error, lambda: self._try(prompt, bound, tenant, ends), ends)

    async def _retried(
        self, failed: ModelFailed, again: Callable[[], Awaitable[Completion]], ends: float
    ) -> Completion:
        """Goes on after a first try that failed.

        A retrier is a circle of references: one for each call would keep the collector busy for a tenth of the time.
        """
        patience = self.patience
        async for attempt in stamina.retry_context(
            on=lambda error: self._again(error, ends),
            attempts=patience.tries,
            timeout=None,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait,
            wait_jitter=patience.first_wait,
        ):
            with attempt:
                if attempt.num == 1:
                    raise failed
                return await again()
        raise AssertionError("unreachable: the last attempt raises")

    def _again(self, error: Exception, ends: float) -> bool | float:
        """Whether to try again, or after how many seconds where the server says so."""
        if not isinstance(error, ModelFailed) or not error.again:
            return False
        if error.retry_after is None:
            return self.breaker.state(self.timer()) is BreakerState.CLOSED
        # those told to wait must not all come at the same moment
        wait = error.retry_after + random.uniform(0, self.patience.first_wait)  # noqa: S311 it spreads load, no secret
        return wait if self.timer() + wait < ends else False

    async def _try(self, prompt: Prompt, bound: Bound, tenant: str, ends: float) -> Completion:
        self._refuse_in_vain(ends)
        async with self.slots.taken(tenant):
            self._refuse_in_vain(ends)
            await self._wait_for_turn(ends)
            held = await self._reserve(prompt, bound, tenant)
            if not self.breaker.admits(self.timer()):
                if held is not None:
                    held.settle(NOTHING)
                raise ModelFailed("another call finds out whether the model answers again", again=False)
            try:
                return await self._call(prompt, tenant, held, ends)
            finally:
                self._show_left(tenant, bound)

    async def _wait_for_turn(self, ends: float) -> None:
        if wait := self.rate.wait(self.timer()):
            await asyncio.sleep(wait)
        # while it waited, another call may have been told to come later
        while held := self.rate.held(self.timer()):
            self._refuse_in_vain(ends)
            await asyncio.sleep(held)

    def _refuse_in_vain(self, ends: float) -> None:
        """Nothing is waited for that cannot come before the deadline."""
        now = self.timer()
        if self.breaker.state(now) is BreakerState.OPEN:
            raise ModelFailed("the model failed several times in a row and is left alone for a while", again=False)
        if now + self.rate.delay(now) >= ends:
            raise ModelFailed("the model may not be asked before the deadline", again=False)

    async def _reserve(self, prompt: Prompt, bound: Bound, tenant: str) -> Hold | None:
        if bound.is_none:
            return None
        try:
            held = await self.budgets.reserve(tenant, self._foreseen(prompt), bound)
        except CacheUnavailable as error:
            detail = f"what {tenant} may still spend today cannot be asked for: {error}"
            raise ModelFailed(detail, again=False) from error
        self._show_left(tenant, bound)
        if held is None:
            raise _Spent
        return held

    def _show_left(self, tenant: str, bound: Bound) -> None:
        if not bound.is_none:
            self.counts.left(tenant, self.budgets.left(tenant, bound))

    def _foreseen(self, prompt: Prompt) -> Spend:
        return self.price.of(self._estimate(prompt), self.model.max_tokens)

    def _estimate(self, prompt: Prompt) -> int:
        return prompt.size // _BYTES_PER_TOKEN + _OVERHEAD

    async def _call(self, prompt: Prompt, tenant: str, held: Hold | None, ends: float) -> Completion:
        began = self.timer()
        # what a call cost that was cut off nobody knows: it counts as foreseen
        spent = self._foreseen(prompt)
        try:
            seconds = min(self.patience.call, ends - began)
            said = await self.model.complete(prompt.system, prompt.user, REPLY_SCHEMA, seconds=seconds)
            spent = self._succeeded(said, prompt, tenant, began)
            return said
        except ModelFailed as error:
            spent = spent if error.billed else NOTHING
            self._failed(error, began)
            raise
        finally:
            if held is not None:
                held.settle(spent)
            self.counts.breaker(self.breaker.state(self.timer()))

    def _succeeded(self, said: Completion, prompt: Prompt, tenant: str, began: float) -> Spend:
        self.breaker.succeeded()
        self.counts.called("refused" if said.refused else "replied", self.timer() - began)
        tokens_in, tokens_out = self._paid(prompt, said)
        spent = self.price.of(tokens_in, tokens_out)
        self.counts.paid(tenant, tokens_in, tokens_out, spent.micros / MICROS)
        return spent

    def _failed(self, error: ModelFailed, began: float) -> None:
        now = self.timer()
        if error.retry_after is not None:
            self.counts.called("held_back", now - began)
            self.rate.hold(now + error.retry_after)
            return
        self.counts.called("failed", now - began)
        self.breaker.failed(now)

    def _paid(self, prompt: Prompt, said: Completion) -> tuple[int, int]:
        """Tokens in and out as the server counts them, else as foreseen."""
        tokens_in = self._estimate(prompt) if said.tokens_in is None else said.tokens_in
        return tokens_in, self.model.max_tokens if said.tokens_out is None else said.tokens_out
