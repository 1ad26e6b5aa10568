"""Asks a model about a case: the prompt, the remembered reply or a call, and the ceiling on the verdict."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from consumers.errors import CacheUnavailable
from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import MICROS, Bound
from consumers.judging.calling import BudgetSpent, CallModel, PaidCompletion
from consumers.judging.opinions import Opinion, read_opinion
from consumers.judging.ports import FailureCause, ModelCounts, ModelFailed, ReplyCache
from consumers.judging.prompting import Prompt, Template, prompt_for
from consumers.judging.ruled_prompts import with_rules
from scoring.judging.ceiling import Evidence, evidence, hold
from scoring.judging.combination import RIGHT, UNCALIBRATED, ModelCalibration
from scoring.judging.local import MOST_REASONS
from scoring.query import ModelUnscored, Unscored, UnscoredReason
from scoring.verdict import Case, Reply, Verdict

Result = TypeVar("Result")
Readings = Sequence[Evidence]
"""The answer as it was read, first; then other readings that limit the verdict."""


class NoReplyReason(StrEnum):
    """Why a model gave no reply, neither a valid one nor an invalid one."""

    UNAVAILABLE = "unavailable"
    """It failed, missed the deadline, or its breaker is open."""
    SPENT = "spent"
    """The tenant's daily budget does not cover a call."""
    NOT_SENT = "not_sent"
    """The prompt is too long, or a name in it could not be masked."""


def judge_named(versions: Sequence[str]) -> str:
    """The judge that uses prompts of these versions.

    >>> judge_named(["prover-1", "refuter-1"])
    'llm/prover-1+refuter-1'
    """
    return f"llm/{'+'.join(versions)}"


@dataclass(frozen=True, slots=True)
class NoReply:
    """A model gave no reply."""

    reason: NoReplyReason
    detail: str
    cause: FailureCause


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Asks one model about a case."""

    call: CallModel
    template: Template
    masked: bool
    bound: Bound
    """A tenant's daily budget where its rules name none."""
    cache: ReplyCache | None
    refuter: Template | None = None
    """The prompt of a second call, made only where the first reply says right; `None` asks once."""
    calibration: ModelCalibration = UNCALIBRATED
    """How sure the model is where it says how sure it is."""
    rules_section: Template | None = None
    """How learned rules stand in a prompt; `None` leaves them out."""
    _thread: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="prompt"))
    """One thread: several that write prompts would keep the interpreter's lock from the event loop."""

    async def __call__(
        self, case: Case, tenant: str, local: Callable[[Case], Reply]
    ) -> tuple[Reply, Reply | Unscored | NoReply]:
        """Returns the local judge's reply, and the model's: under the ceiling, invalid, or none."""
        readings = await self._run(lambda: evidence(case, local))
        own, began = readings[0].local, self.call.timer()
        first = await self._reply(self.template, tenant, readings)
        if self.refuter is None or not isinstance(first, Reply) or first.verdict not in RIGHT:
            return own, first
        left = self.call.policy.deadline - (self.call.timer() - began)
        second = await self._reply(self.refuter, tenant, readings, max(left, 0.0))
        return both(own, first, second)

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _reply(
        self, template: Template, tenant: str, readings: Readings, seconds: float | None = None
    ) -> Reply | Unscored | NoReply:
        """The reply to one prompt: remembered, or asked for."""
        case = readings[0].case
        learned = case.rules.learned
        if learned is not None and self.rules_section is not None:
            template = with_rules(template, self.rules_section, learned)
        prompt = await self._run(
            lambda: prompt_for(case, template, masked=self.masked, doubts=readings[0].local.reasons)
        )
        if isinstance(prompt, Unscored):
            return NoReply(NoReplyReason.NOT_SENT, prompt.detail, FailureCause.NOT_SENT)
        remembered = await self._find_remembered(prompt, tenant, readings)
        return remembered if remembered is not None else await self._ask(prompt, tenant, readings, seconds)

    @property
    def name(self) -> str:
        """The judge named in a stored score: the prompts' versions; learned rules add theirs, such as `+r3`."""
        return judge_named([each.version for each in (self.template, self.refuter) if each is not None])

    @property
    def model_name(self) -> str:
        """The model as its server knows it."""
        return self.call.model.name

    @property
    def counts(self) -> ModelCounts:
        """What calls and cases are counted in."""
        return self.call.counts

    def breaker_state(self) -> BreakerState:
        """The state of the model's breaker now."""
        return self.call.breaker.state(self.call.timer())

    async def _ask(
        self, prompt: Prompt, tenant: str, readings: Readings, seconds: float | None
    ) -> Reply | Unscored | NoReply:
        """The reply that is asked for, and once more where the first one is invalid. Its cost is that of both calls."""
        began, seconds = self.call.timer(), self.call.policy.deadline if seconds is None else seconds
        first = await self._ask_once(prompt, tenant, readings, seconds)
        if not isinstance(first, ModelUnscored) or first.reason is not UnscoredReason.JUDGE_REPLY_INVALID:
            return first
        left = seconds - (self.call.timer() - began)
        second = await self._ask_once(prompt, tenant, readings, left) if left > 0 else first
        if second is first or isinstance(second, NoReply):
            return first
        return with_cost(second, first)

    async def _ask_once(
        self, prompt: Prompt, tenant: str, readings: Readings, seconds: float
    ) -> Reply | ModelUnscored | NoReply:
        try:
            completion = await self.call(prompt, self._bound(readings[0].case), tenant, seconds=seconds)
        except BudgetSpent:
            self.counts.budget_spent(tenant)
            detail = f"the budget of {tenant} for today does not cover another call"
            return NoReply(NoReplyReason.SPENT, detail, FailureCause.BUDGET)
        except ModelFailed as error:
            return NoReply(NoReplyReason.UNAVAILABLE, str(error), error.cause)
        except TimeoutError:
            last = f"; the last failure: {self.call.breaker.last}" if self.call.breaker.last else ""
            detail = f"the model gave no reply within {self.call.policy.deadline:g} seconds{last}"
            return NoReply(NoReplyReason.UNAVAILABLE, detail, FailureCause.TIMEOUT)
        if completion.refused:
            reply = Unscored(UnscoredReason.JUDGE_REFUSED, "the model declined to judge")
        else:
            reply = self._read(completion.text, prompt, readings)
        if isinstance(reply, Unscored):
            cut = f": it is cut short at {completion.tokens_out} tokens; raise SQLASSAY_JUDGE__MAX_TOKENS"
            detail = reply.detail + (cut if completion.cut_short else "")
            no_score = ModelUnscored(reply.reason, detail, model=self.model_name, prompt_hash=prompt.digest)
            return _paid(no_score, completion)
        await self._remember(tenant, prompt, completion.text)
        return _paid(reply, completion)

    def _read(self, text: str, prompt: Prompt, readings: Readings) -> Reply | Unscored:
        learned = readings[0].case.rules.learned
        name = self.name + learned.suffix if learned is not None and prompt.rules else self.name
        opinion = read_opinion(text, prompt, readings[0].local, name)
        if not isinstance(opinion, Opinion):
            return opinion
        reply = hold(readings, opinion.reply, opinion.proposals, self.calibration)
        return replace(reply, model=self.model_name, prompt_hash=prompt.digest)

    async def _find_remembered(self, prompt: Prompt, tenant: str, readings: Readings) -> Reply | None:
        if self.cache is None:
            return None
        try:
            text = await self.cache.find(tenant, self.model_name, prompt.digest)
        except CacheUnavailable:
            return None
        reply = self._read(text, prompt, readings) if text is not None else None
        return replace(reply, cached=True) if isinstance(reply, Reply) else None

    async def _remember(self, tenant: str, prompt: Prompt, text: str) -> None:
        if self.cache is None:
            return
        try:
            await self.cache.keep(tenant, self.model_name, prompt.digest, text)
        except CacheUnavailable:
            return

    def _bound(self, case: Case) -> Bound:
        rules = case.rules.judge
        micros = self.bound.micros if rules.budget is None else round(rules.budget * MICROS)
        return Bound(tokens=self.bound.tokens if rules.tokens is None else rules.tokens, micros=micros)


Paid = TypeVar("Paid", bound=Reply | ModelUnscored)


def _paid(end: Paid, completion: PaidCompletion) -> Paid:
    return replace(end, tokens_in=completion.tokens_in, tokens_out=completion.tokens_out, cost=completion.cost)


def with_cost(end: Paid, earlier: Reply | ModelUnscored) -> Paid:
    """The end of a case with the tokens and the cost of an earlier call for it."""
    return replace(
        end,
        tokens_in=end.tokens_in + earlier.tokens_in,
        tokens_out=end.tokens_out + earlier.tokens_out,
        cost=end.cost + earlier.cost,
    )


def both(own: Reply, first: Reply, second: Reply | Unscored | NoReply) -> tuple[Reply, Reply | Unscored | NoReply]:
    """The local reply, and the reply of a prover that says right with what the refuter said.

    A counterexample decides; without one the worse of both verdicts holds, with the mean of both probabilities. An
    answer that only the prover judged is not called right: what the refuter's silence means, the tenant's rules say.
    """
    if isinstance(second, ModelUnscored):
        return own, with_cost(second, first)
    if not isinstance(second, Reply):
        return replace(own, tokens_in=first.tokens_in, tokens_out=first.tokens_out, cost=first.cost), second
    paid = replace(
        with_cost(second, first),
        cached=first.cached and second.cached,
        prompt_hash=hashlib.sha256(f"{first.prompt_hash} {second.prompt_hash}".encode()).hexdigest(),
        rules_applied=tuple(dict.fromkeys((*first.rules_applied, *second.rules_applied))),
    )
    if second.verdict not in RIGHT:
        return own, paid
    mean = round((first.p_correct + second.p_correct) / 2, 4)
    worse = max(first.verdict, second.verdict, key=tuple(Verdict).index)
    reasons = (*second.reasons, *(each for each in first.reasons if each not in second.reasons))
    return own, replace(
        paid, verdict=worse, p_correct=mean, confidence=mean, proposed=first.proposed, reasons=reasons[:MOST_REASONS]
    )
