"""Asks a model about an answer beside its gold SQL: the prompt, a call within the limits, and its reply."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from consumers.judging.asking import NoReply, NoReplyReason, judge_named
from consumers.judging.budgets import Bound
from consumers.judging.calling import BudgetSpent, CallModel, PaidCompletion
from consumers.judging.comparing.gold_case import GoldCase
from consumers.judging.comparing.gold_judges import GoldJudge
from consumers.judging.comparing.gold_opinions import GoldOpinion, read_gold_opinion
from consumers.judging.comparing.gold_prompts import gold_prompt
from consumers.judging.ports import FailureCause, ModelFailed, ReplyCache
from consumers.judging.prompting import Prompt, Template
from scoring.query import Unscored, UnscoredReason


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAboutGold:
    """Asks one model by one judge's prompt."""

    call: CallModel
    judge: GoldJudge
    template: Template
    """The judge's prompt file, with learned rules where there are any."""
    masked: bool
    bound: Bound
    cache: ReplyCache | None = None
    """Remembers valid replies; `None` asks each time."""

    async def __call__(self, case: GoldCase, tenant: str) -> GoldOpinion | Unscored | NoReply:
        """The model's opinion; an invalid reply, asked for once more; or no reply."""
        prompt = await asyncio.to_thread(gold_prompt, case, self.judge, self.template, masked=self.masked)
        if isinstance(prompt, Unscored):
            return NoReply(NoReplyReason.NOT_SENT, prompt.detail, FailureCause.NOT_SENT)
        if (known := await self._remembered(prompt, tenant)) is not None:
            return known
        return await self._opinion(prompt, tenant)

    async def _opinion(self, prompt: Prompt, tenant: str) -> GoldOpinion | Unscored | NoReply:
        """The opinion that is asked for, and once more where the first reply is invalid."""
        first = await self._asked(prompt, tenant)
        if not isinstance(first, PaidCompletion):
            return first
        found = await self._read(first, prompt, tenant)
        if isinstance(found, GoldOpinion) or first.refused:
            return found
        second = await self._asked(prompt, tenant)
        if not isinstance(second, PaidCompletion):
            return found
        return await self._read(second, prompt, tenant, first)

    async def _remembered(self, prompt: Prompt, tenant: str) -> GoldOpinion | None:
        if self.cache is None:
            return None
        text = await self.cache.find(tenant, self.call.model.name, prompt.digest)
        found = read_gold_opinion(text, prompt, self.judge.form) if text is not None else None
        return self._named(found, prompt) if isinstance(found, GoldOpinion) else None

    async def _asked(self, prompt: Prompt, tenant: str) -> PaidCompletion | NoReply:
        try:
            return await self.call(prompt, self.bound, tenant)
        except BudgetSpent:
            detail = f"the budget of {tenant} for today does not cover another call"
            return NoReply(NoReplyReason.SPENT, detail, FailureCause.BUDGET)
        except ModelFailed as error:
            return NoReply(NoReplyReason.UNAVAILABLE, str(error), error.cause)
        except TimeoutError:
            detail = f"the model gave no reply within {self.call.policy.deadline:g} seconds"
            return NoReply(NoReplyReason.UNAVAILABLE, detail, FailureCause.TIMEOUT)

    async def _read(
        self, completion: PaidCompletion, prompt: Prompt, tenant: str, earlier: PaidCompletion | None = None
    ) -> GoldOpinion | Unscored:
        """The opinion in a reply, with the cost of an earlier one that was invalid."""
        if completion.refused:
            return Unscored(UnscoredReason.JUDGE_REFUSED, "the model declined to judge")
        found = read_gold_opinion(completion.text, prompt, self.judge.form)
        if isinstance(found, Unscored):
            return found
        if self.cache is not None:
            await self.cache.keep(tenant, self.call.model.name, prompt.digest, completion.text)
        paid = [each for each in (completion, earlier) if each is not None]
        return replace(
            self._named(found, prompt),
            tokens_in=sum(each.tokens_in for each in paid),
            tokens_out=sum(each.tokens_out for each in paid),
            cost=sum(each.cost for each in paid),
        )

    def _named(self, found: GoldOpinion, prompt: Prompt) -> GoldOpinion:
        judge = judge_named([self.template.version])
        return replace(found, judge=judge, model=self.call.model.name, prompt_hash=prompt.digest)
