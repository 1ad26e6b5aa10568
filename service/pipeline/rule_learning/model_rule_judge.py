"""The model judge of the stream as a judge of labelled answers: the same prompt, ceiling and reading of replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from consumers.judging.asking import AskModel, NoReply, NoReplyReason
from learning.rules.examples import JudgedExample, LabelledExample, LearningStopped, RuleSet
from learning.rules.together import together
from scoring.judging.combination import RIGHT
from scoring.learned_rules import LearnedRules
from scoring.verdict import Case, Reply
from service.pipeline.rule_learning.labelled_cases import LabelledCase
from service.pipeline.rule_learning.written_replies import SPENT


@dataclass(slots=True, kw_only=True)
class ModelRuleJudge:
    """A `RuleJudge`: asks the configured judge, with the rules in its prompt."""

    ask: AskModel
    local: Callable[[Case], Reply]
    cases: Mapping[str, LabelledCase]
    at_once: asyncio.Semaphore
    version: int = 0
    """The version that rules are given in prompts."""

    async def judge(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        """One judgement for each answer, in order; raises `LearningStopped`."""
        learned = LearnedRules(version=self.version, rules=tuple(each.rule for each in rules)) if rules else None
        return await self.judge_by(learned, examples)

    async def judge_by(self, learned: LearnedRules | None, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        """One judgement for each answer by a set, or by none."""
        return await together([self._one(learned, each) for each in examples])

    async def _one(self, learned: LearnedRules | None, example: LabelledExample) -> JudgedExample:
        case = self.cases[example.id].case
        async with self.at_once:
            case = replace(case, rules=replace(case.rules, learned=learned))
            _, reply = await self.ask(case, "learning", self.local)
        if isinstance(reply, Reply):
            return JudgedExample(
                example=example,
                right=reply.verdict in RIGHT,
                applied=reply.rules_applied,
                rationale=reply.rationale,
            )
        if isinstance(reply, NoReply) and reply.reason is NoReplyReason.SPENT:
            raise LearningStopped(SPENT)
        if isinstance(reply, NoReply) and reply.reason is NoReplyReason.UNAVAILABLE:
            raise LearningStopped(f"the judge's model {self.ask.model_name} failed: {reply.detail}", unavailable=True)
        return JudgedExample(example=example, right=None)
