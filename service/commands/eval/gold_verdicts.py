"""What a model that is shown the reference says of labelled answers: asked now, or replayed from recorded replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from consumers.judging.comparing.gold_judges import GoldJudge
from consumers.judging.comparing.gold_opinions import GoldOpinion, read_gold_opinion
from consumers.judging.comparing.gold_prompts import gold_prompt
from consumers.judging.prompting import Prompt, Template
from evals.agreement import Judged
from scoring.learned_rules import LearnedRules
from scoring.query import Unscored
from scoring.rules import JudgePolicy
from service.commands.eval.gold_answers import GoldAnswer
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.stored_verdicts import read_stored
from service.commands.gold.gold_model import gold_template, open_gold_model
from service.commands.jsonl import open_output
from service.commands.rules.learned_file import learned_for

_AT_ONCE = 64
"""Answers that wait for a reply together; the settings allow fewer calls at once."""


def gold_verdicts(answers: Sequence[GoldAnswer], judge: GoldJudge, options: JudgeOptions) -> list[Judged]:
    """The answers of which the model said something, with its probability that they are right."""
    learned = learned_for(options.learned, JudgePolicy.LLM)
    if options.replies is not None:
        opinions = _replayed(answers, judge, read_stored(options.replies), gold_template(judge, learned))
    else:
        opinions = asyncio.run(_asked(answers, judge, learned))
    return [
        answer.judged(said.p_correct, options)
        for answer, said in zip(answers, opinions, strict=True)
        if isinstance(said, GoldOpinion)
    ]


def write_gold_prompts(answers: Sequence[GoldAnswer], judge: GoldJudge, options: JudgeOptions) -> None:
    """Writes the prompt of each answer to `--prompts`, masked and without its label."""
    template = gold_template(judge, learned_for(options.learned, JudgePolicy.LLM))
    with open_output(options.prompts or "-") as out:
        for answer in answers:
            prompt = _prompt(answer, judge, template)
            if isinstance(prompt, Prompt):
                row = {"id": answer.label.id, "prompt_hash": prompt.digest, "system": prompt.system}
                out.write(json.dumps({**row, "user": prompt.user}).encode() + b"\n")


async def _asked(
    answers: Sequence[GoldAnswer], judge: GoldJudge, learned: LearnedRules | None
) -> list[GoldOpinion | Mapping[str, str]]:
    at_once = asyncio.Semaphore(_AT_ONCE)
    async with open_gold_model(judge, learned) as model:

        async def one(answer: GoldAnswer) -> GoldOpinion | Mapping[str, str]:
            async with at_once:
                return await model(answer.case)

        return await asyncio.gather(*map(one, answers))


def _replayed(
    answers: Sequence[GoldAnswer], judge: GoldJudge, stored: Mapping[str, Mapping[str, object]], template: Template
) -> list[GoldOpinion | Unscored | None]:
    found: list[GoldOpinion | Unscored | None] = []
    for answer in answers:
        said = stored.get(answer.label.id, {}).get("reply")
        prompt = _prompt(answer, judge, template) if said is not None else None
        if not isinstance(prompt, Prompt):
            found.append(prompt)
            continue
        text = said if isinstance(said, str) else json.dumps(said)
        found.append(read_gold_opinion(text, prompt, judge.form))
    return found


def _prompt(answer: GoldAnswer, judge: GoldJudge, template: Template) -> Prompt | Unscored:
    return gold_prompt(answer.case, judge, template, masked=True)
