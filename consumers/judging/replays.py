"""Judges a case with a model's reply that was recorded: no server is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from consumers.judging.asking import judge_named
from consumers.judging.opinions import Opinion, read_opinion
from consumers.judging.prompting import Prompt, Template, prompt_for
from scoring.judging.ceiling import evidence, hold
from scoring.judging.combination import UNCALIBRATED, ModelCalibration
from scoring.query import Unscored
from scoring.verdict import Case, Reply

RECORDED = "recorded"
"""The model of a recorded reply: Φ counts it as a model's."""


def masked_prompt(case: Case, template: Template, local: Callable[[Case], Reply]) -> Prompt | Unscored:
    """The prompt that the service sends for this case; `Unscored` where it would send none."""
    return prompt_for(case, template, masked=True, doubts=local(case).reasons)


def replayed(
    case: Case,
    text: str,
    template: Template,
    local: Callable[[Case], Reply],
    calibration: ModelCalibration = UNCALIBRATED,
    *,
    alone: bool = False,
) -> Reply | Unscored:
    """What the service makes of this reply; `alone`: what the model itself says in it, without the record.

    `Unscored` where the prompt cannot be written or the reply cannot be read.
    """
    readings = evidence(case, local)
    prompt = masked_prompt(case, template, lambda _: readings[0].local)
    if isinstance(prompt, Unscored):
        return prompt
    opinion = read_opinion(text, prompt, readings[0].local, judge_named([template.version]))
    if not isinstance(opinion, Opinion):
        return opinion
    said = replace(opinion.reply, model=RECORDED)
    return said if alone else hold(readings, said, opinion.proposals, calibration)
