"""`sqlassay learn rules --pairs`: learns rules by which a model scores pairs of SQL that answer no question."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from learning.rules.clustering import cluster_alike, cluster_at_random, cluster_by_kind, tfidf
from learning.rules.examples import Cluster, LabelledExample
from learning.rules.learner import LearnedSet, LearningPolicy, LearningStep, LearnRules
from learning.rules.splitting import SplitLabels
from service.commands.background_file import read_backgrounds
from service.commands.exits import refuse
from service.commands.learn.pair_input import GROUP, LabelledPairs, read_pairs
from service.commands.learn.rule_options import LearnRulesOptions
from service.pipeline.rule_learning.labelled_pairs import PAIR_PROMPTS, ModelPairJudge, shown_pair
from service.pipeline.rule_learning.learning_models import LearningModels

_OF_QUESTIONS = "question"
"""The default of `--group`, which pairs do not have."""


def with_pair_group(options: LearnRulesOptions) -> LearnRulesOptions:
    """The options with the field that keeps pairs together. Ends the command when one is for answers alone."""
    if options.tenant is not None or options.references or options.rules_file is not None:
        refuse("--pairs reads files of pairs: leave out --tenant, --references and --rules")
    return replace(options, group=GROUP) if options.group == _OF_QUESTIONS else options


def labelled_pairs(options: LearnRulesOptions) -> LabelledPairs:
    """The pairs of the files. Ends the command without a file."""
    if not options.labels:
        refuse("name files of pairs: lines with `sql_a`, `sql_b` and `label`")
    return read_pairs(
        options.labels,
        group=options.group,
        cluster_by=options.cluster_by,
        backgrounds=read_backgrounds(options.background),
    )


async def learned_from_pairs(
    models: LearningModels,
    options: LearnRulesOptions,
    steps: frozenset[LearningStep],
    split: SplitLabels,
    pairs: LabelledPairs,
) -> tuple[LearnedSet, str]:
    """The learned set, and by what clusters were formed."""
    clusters, compared = _clusters(options, steps, split.train)
    masked = models.settings.judge.mask
    writer = models.writer_shown(
        lambda example, judged: shown_pair(pairs.cases[example.id], example, judged, masked=masked), PAIR_PROMPTS
    )
    learn = LearnRules(
        writer=writer,
        judge=ModelPairJudge(
            call=models.asking.call,
            masked=masked,
            cache=models.limits.journal,
            cases=pairs.cases,
            at_once=models.at_once,
        ),
        policy=LearningPolicy(
            threshold=options.threshold,
            rounds=0 if LearningStep.REFINEMENT in steps else options.rounds,
            least_support=options.least_support,
            consolidate=LearningStep.CONSOLIDATION not in steps,
        ),
        report=lambda step: print(f"sqlassay: {step}", file=sys.stderr),
    )
    return await learn(split, clusters), compared


def _clusters(
    options: LearnRulesOptions, steps: frozenset[LearningStep], train: Sequence[LabelledExample]
) -> tuple[list[Cluster], str]:
    size, seed = options.cluster_size, options.seed
    if LearningStep.CLUSTERS in steps:
        return cluster_at_random(train, size=size, seed=seed), "chance"
    if options.cluster_by is not None:
        return cluster_by_kind(train, size=size), options.cluster_by
    vectors = tfidf([each.question for each in train])
    return cluster_alike(train, vectors, size=size, seed=seed), "tfidf"
