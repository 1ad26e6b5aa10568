"""The clusters from which rules are read: by questions, by a field, or by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consumers.judging.prompting import shown_case
from learning.rules.clustering import cluster_alike, cluster_at_random, cluster_by_kind, tfidf
from learning.rules.examples import Cluster, LabelledExample
from learning.rules.learner import LearningStep
from scoring.query import Unscored
from service.commands.learn.labelled_input import ReadLabels
from service.commands.learn.rule_options import LearnRulesOptions
from service.pipeline.rule_learning.learning_models import LearningModels


async def clusters_of(
    models: LearningModels,
    options: LearnRulesOptions,
    steps: frozenset[LearningStep],
    train: Sequence[LabelledExample],
    labels: ReadLabels,
) -> tuple[list[Cluster], str]:
    """The clusters, and by what they were formed."""
    size, seed = options.cluster_size, options.seed
    if LearningStep.CLUSTERS in steps:
        return cluster_at_random(train, size=size, seed=seed), "chance"
    if options.cluster_by is not None:
        return cluster_by_kind(train, size=size), options.cluster_by
    model = models.settings.learn.embedding_model
    if model is None:
        vectors = tfidf([each.question for each in train])
        return cluster_alike(train, vectors, size=size, seed=seed), "tfidf"
    masked = models.settings.judge.mask
    found = await models.embed([_sent_question(labels, each, masked=masked) for each in train])
    return cluster_alike(train, np.array(found, dtype=np.float64), size=size, seed=seed), model


def _sent_question(labels: ReadLabels, example: LabelledExample, *, masked: bool) -> str:
    """The question as models are sent it."""
    shown = shown_case(labels.cases[example.id].case, masked=masked)
    # servers refuse empty texts
    return "?" if isinstance(shown, Unscored) else str(shown.document["question"]) or "?"
