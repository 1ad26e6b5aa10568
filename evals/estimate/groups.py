"""Estimates for groups of answers, such as those of each agent, with what labels may be used for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evals.estimate.layered_share import estimate_layers
from evals.estimate.model_sample import ModelSample
from evals.estimate.random_draw import Draw, has_unlikely_mean, unlikely_draws
from evals.estimate.right_share import (
    Heard,
    LabelledScore,
    Method,
    ShareEstimate,
    drawn_alike,
    estimate_share,
    label_weights,
)
from evals.estimate.score_counts import Probabilities, ScoreCounts

ENOUGH_RECORDED = 20
"""Labels with a recorded probability that are enough for an estimate of their own, however many others there are."""
LEFT_BY_SCORES, LEFT_BY_MODEL = 0.9, 0.4
"""Which share of the labels' variance local scores, and a model, usually leave: it decides which labels are used."""


class NotRandomError(ValueError):
    """The labels of a group were visibly not drawn at random, and their probabilities are not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """The answers of a group, and the labels of some of them."""

    scores: Probabilities
    """By the probability that goes best with labels: `p_correct`, with memory where it is on."""
    labels: Sequence[LabelledScore]
    """One for each labelled answer."""
    places: ScoreCounts | None = None
    """Shows `estimate_groups` which labelled answers are no random draw."""
    model: ModelSample | None = None
    """A model's verdicts on a random sample; labels of answers that it judged have `LabelledScore.model`."""
    asked: Sequence[int | None] = ()
    """`hundredth` of the local probability of each answer in that sample, where no probability is recorded."""
    heard: Heard | None = None
    """What users say of the answers; labels of such answers have `LabelledScore.heard`."""


def agreed_right(right: int, wrong: int) -> float:
    """What an answer counts by the labels of its reviewers: as the majority says, and half where there is none.

    >>> agreed_right(2, 1), agreed_right(0, 1), agreed_right(1, 1)
    (1.0, 0.0, 0.5)
    """
    return 0.5 if right == wrong else float(right > wrong)


def estimate_groups(groups: Mapping[str, AnswerGroup], *, level: float, random: bool) -> dict[str, ShareEstimate]:
    """Estimates the share of right answers of each group.

    Raises `NotRandomError` where some labels of a group have a probability and some have none, and, unless `random`
    says that labels without probabilities are a random draw, where they are visibly none.
    """
    for name, group in groups.items():
        with_probability = sum(each.probability is not None for each in group.labels)
        if 0 < with_probability < len(group.labels):
            without = len(group.labels) - with_probability
            raise NotRandomError(
                f"group {name}: {with_probability} labels have a probability and {without} have none. Record the"
                " probability with which each labelled answer was drawn, or leave out the labels that were not drawn"
            )
    unlikely = [] if random else _unlikely(groups, _labelled_places)
    if unlikely:
        raise NotRandomError(
            f"group {', '.join(unlikely)}: the labelled answers have other scores than a random draw would have, and"
            " no probability says how they were drawn. Record the probability of each label, or label answers drawn"
            " at random; --random says that they were"
        )
    asked = [] if random else _unlikely(groups, lambda group: group.asked)
    if asked:
        raise NotRandomError(
            f"group {', '.join(asked)}: the answers with a model's verdict have other scores than a random draw would"
            " have, and no probability says how they were drawn. Record the probability of each verdict, or ask about"
            " answers drawn at random; --random says that they were"
        )
    return {name: estimate_group(group, level=level) for name, group in groups.items()}


def estimate_group(group: AnswerGroup, *, level: float) -> ShareEstimate:
    """Estimates the share from the labels. Without labels nothing is known, whatever the scores are."""
    if group.labels:
        judged = [_drawn_together(each) for each in group.labels if each.model is not None]
        if group.model is not None and judged and _model_pays(group, group.model, judged):
            return estimate_layers(group.scores, judged, group.model, level=level)
        return estimate_share(group.scores, group.labels, level=level, heard=group.heard)
    return ShareEstimate(share=None, low=0.0, high=1.0, labels=0, method=Method.NO_LABELS)


def _drawn_together(label: LabelledScore) -> LabelledScore:
    return label if label.with_model is None else label._replace(probability=label.with_model)


def _model_pays(group: AnswerGroup, sample: ModelSample, judged: Sequence[LabelledScore]) -> bool:
    """Whether labels that a model judged too usually tell more with its verdicts than all labels do with the scores.

    It goes by numbers and probabilities alone: a choice by what the labels say would make the interval too short.
    """
    least, plain = 1 / group.scores.answers, label_weights(group.labels)
    weights = label_weights(judged)
    by_scores = LEFT_BY_SCORES * (float(plain @ plain) - least)
    return LEFT_BY_MODEL * (float(weights @ weights) - least) + (1 - LEFT_BY_MODEL) * sample.spread < by_scores


def usable_labels(group: AnswerGroup) -> Sequence[LabelledScore]:
    """The labels of a group that an estimate may use where nobody can be asked.

    Labels with a recorded probability once there are `ENOUGH_RECORDED` or as many as others; until then the others,
    unless they are visibly no random draw. So the first recorded label does not make an estimate from many useless.
    """
    recorded = [each for each in group.labels if each.probability is not None]
    others = [each for each in group.labels if each.probability is None]
    if len(recorded) >= min(ENOUGH_RECORDED, len(others)) or has_unlikely_mean(
        group.scores, [each.p for each in others]
    ):
        return recorded
    return others


def _unlikely(groups: Mapping[str, AnswerGroup], drawn: Callable[[AnswerGroup], Sequence[int | None]]) -> list[str]:
    """The groups in which these places are no random draw from the group's."""
    places = {name: (group.places, drawn(group)) for name, group in groups.items()}
    draws = {
        name: Draw(answers=answers, places=found) for name, (answers, found) in places.items() if answers and found
    }
    names = list(draws)
    return [names[place] for place in unlikely_draws(list(draws.values()))]


def _labelled_places(group: AnswerGroup) -> Sequence[int | None]:
    return [each.place for each in group.labels] if group.labels and drawn_alike(group.labels) else ()
