"""Labelled pairs of SQL without a question: how a model scores them under rules, and how a writer is shown them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consumers.judging.asking import NoReply, NoReplyReason
from consumers.judging.budgets import Bound
from consumers.judging.calling import CallModel
from consumers.judging.comparing.asking_about_gold import AskAboutGold
from consumers.judging.comparing.gold_case import GoldCase
from consumers.judging.comparing.gold_judges import PAIR_JUDGE
from consumers.judging.comparing.gold_opinions import GoldOpinion
from consumers.judging.comparing.gold_prompts import shown_gold
from consumers.judging.ports import ReplyCache
from consumers.judging.ruled_prompts import with_rules
from learning.rules.examples import JudgedExample, LabelledExample, LearningStopped, RuleSet
from learning.rules.together import together
from scoring.learned_rules import LearnedRules
from scoring.query import Unscored
from service.judges.configured_panel import RULES_SECTION, judge_template
from service.pipeline.rule_learning.written_replies import SPENT

PAIR_PROMPTS = ("extract-pairs-1", "refine-pairs-1", "consolidate-1")
"""The prompt files of the writer, in the order of their tasks."""


@dataclass(slots=True, kw_only=True)
class ModelPairJudge:
    """A `RuleJudge` of pairs: a score in [0, 1] for each, under the rules."""

    call: CallModel
    masked: bool
    cache: ReplyCache
    cases: Mapping[str, GoldCase]
    at_once: asyncio.Semaphore

    async def judge(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        """One judgement for each pair, in order; raises `LearningStopped`."""
        template = judge_template(PAIR_JUDGE.prompt)
        if rules:
            learned = LearnedRules(version=0, rules=tuple(each.rule for each in rules))
            template = with_rules(template, judge_template(RULES_SECTION), learned)
        ask = AskAboutGold(
            call=self.call, judge=PAIR_JUDGE, template=template, masked=self.masked, bound=Bound(), cache=self.cache
        )
        return await together([self._one(ask, each) for each in examples])

    async def _one(self, ask: AskAboutGold, example: LabelledExample) -> JudgedExample:
        async with self.at_once:
            found = await ask(self.cases[example.id], "learning")
        if isinstance(found, GoldOpinion):
            return JudgedExample(
                example=example,
                right=found.p_correct >= 0.5,
                applied=found.rules_applied,
                rationale=found.rationale,
                score=found.p_correct,
            )
        if isinstance(found, NoReply) and found.reason is NoReplyReason.SPENT:
            raise LearningStopped(SPENT)
        if isinstance(found, NoReply) and found.reason is NoReplyReason.UNAVAILABLE:
            raise LearningStopped(f"the judge's model {self.call.model.name} failed: {found.detail}", unavailable=True)
        return JudgedExample(example=example, right=None)


def shown_pair(
    case: GoldCase, example: LabelledExample, judged: JudgedExample | None, *, masked: bool
) -> dict[str, object] | None:
    """What a writer is shown of a labelled pair; `None` where it cannot be masked."""
    shown = shown_gold(case, PAIR_JUDGE, masked=masked)
    if isinstance(shown, Unscored):
        return None
    document: dict[str, object] = {"label": "right" if example.correct else "wrong", **shown.document}
    if judged is None:
        return document
    said = "no valid reply" if judged.right is None else "right" if judged.right else "wrong"
    document |= {"judged": said, "applied": list(judged.applied)}
    # the reply's stand-ins were read back
    why = judged.rationale if shown.masker is None else shown.masker.text(judged.rationale)
    hidden = shown.masker is not None and shown.masker.leaks(why)
    return document if hidden or not why else {**document, "rationale": why}
