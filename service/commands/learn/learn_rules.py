"""`sqlassay learn rules`: learns rules for the model judge from labels, and writes them as a document."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RulesUnavailable
from learning.rules.examples import LabelledExample
from learning.rules.figures import is_worse
from learning.rules.learner import LearnedSet, LearningPolicy, LearningStep, LearnRules
from learning.rules.splitting import SplitLabels, split_labels
from scoring.rules import Rules
from service.commands.command_context import check_tenant, settings, with_database
from service.commands.exits import answer_no, refuse
from service.commands.judges.model_runs import run_with_models
from service.commands.learn.clusters import clusters_of
from service.commands.learn.labelled_input import (
    LabelFields,
    LabelledLine,
    ReadLabels,
    examined,
    read_files,
    read_tenant,
)
from service.commands.learn.learn_from_pairs import labelled_pairs, learned_from_pairs, with_pair_group
from service.commands.learn.rule_options import LearnRulesOptions
from service.commands.learn.rule_set_document import document_of
from service.commands.learn.rule_texts import learned_text
from service.commands.learn.size_curve import CurvePoint, curve_splits, curve_text, learned_curve
from service.commands.score import read_judge, read_rules
from service.pipeline.rule_learning.learning_models import LearningModels
from service.storage.rule_store import PostgresRules


def learn_rules(options: LearnRulesOptions) -> None:
    """Learns, prints before and after, and writes the document. Exit code 1 when the rules are not better."""
    steps = _without(options)
    if options.pairs:
        options = with_pair_group(options)
        pairs = labelled_pairs(options)
        split = _split(pairs.examples, options, left_out=0)
        points = _run(options, split, lambda models, part: learned_from_pairs(models, options, steps, part, pairs))
    else:
        _refuse_background(options)
        labels = _labels(options)
        split = _split(labels.examples, options, left_out=labels.left_out)
        points = _run(options, split, lambda models, part: _learned(models, options, steps, part, labels))
    _conclude(options, points)


def _refuse_background(options: LearnRulesOptions) -> None:
    if options.background is not None:
        refuse("--background is for --pairs: the judge of answers is the stream's, which has none")


def _split(examples: Sequence[LabelledExample], options: LearnRulesOptions, *, left_out: int) -> SplitLabels:
    try:
        split = split_labels(examples, learn_from=options.learn_from, seed=options.seed)
    except ValueError as error:
        refuse(str(error))
    without = f"; {left_out} answers left out, which no model judges" if left_out else ""
    parts = f"{len(split.train)} labels give rules, {len(split.chosen_by)} choose the set, {len(split.held_out)}"
    print(f"sqlassay: {parts} are held out{without}", file=sys.stderr)
    return split


def _run(
    options: LearnRulesOptions,
    split: SplitLabels,
    learn: Callable[[LearningModels, SplitLabels], Awaitable[tuple[LearnedSet, str]]],
) -> list[CurvePoint]:
    """Learns from the split, before it from the fewer labels of `--curve`."""
    splits = curve_splits(split, options.curve)
    journal = Path(options.journal or f"{options.out}.journal")
    return run_with_models(options, journal, lambda models: learned_curve(splits, partial(learn, models)))


def _conclude(options: LearnRulesOptions, points: Sequence[CurvePoint]) -> None:
    """Writes the document and says what was gained; ends the command where nothing was."""
    learned = points[-1].learned
    if not learned.rules:
        answer_no("no rules could be read from these labels")
    document = document_of(learned, points[-1].split, options, points[-1].compared)
    if options.curve is not None and document.made is not None:
        document.made["curve"] = [each.as_json() for each in points]
    try:
        Path(options.out).write_text(document.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        refuse(f"cannot write {options.out}: {error.strerror or error}")
    print(document.model_dump_json() if options.as_json else learned_text(document, options.out))
    if options.curve is not None:
        print(curve_text(points), file=sys.stderr if options.as_json else sys.stdout)
    if learned.after.accuracy <= learned.before.accuracy or is_worse(learned.after, learned.before):
        answer_no("the rules are no better than none on held-out labels")


def _without(options: LearnRulesOptions) -> frozenset[LearningStep]:
    unknown = sorted(set(options.without or ()) - set(LearningStep))
    if unknown:
        refuse(f"--without is {', '.join(LearningStep)}, not {unknown[0]!r}")
    if LearningStep.CLUSTERS in (options.without or ()) and options.cluster_by is not None:
        refuse("--without clusters and --cluster-by contradict each other: leave out one of them")
    return frozenset(LearningStep(each) for each in options.without or ())


def _labels(options: LearnRulesOptions) -> ReadLabels:
    """The examined labels. Ends the command when the options name none, or two places."""
    if bool(options.labels) == (options.tenant is not None):
        refuse("name files of labels, or a tenant whose stored labels are read with --tenant")
    wanted = LabelFields(group=options.group, cluster_by=options.cluster_by, references=options.references)
    if options.tenant is not None:
        lines, rules = _stored(options, options.tenant)
    else:
        lines, rules = list(read_files(options.labels or ())), read_rules(options.rules_file, None)
    found = examined(lines, rules, wanted)
    if options.references and not any(each.reference for each in found.cases.values()):
        refuse("--references needs lines with `reference_sql`, and no line has one")
    return found


def _stored(options: LearnRulesOptions, tenant: str) -> tuple[list[LabelledLine], Rules]:
    check_tenant(tenant)
    if options.references or options.rules_file is not None:
        refuse(
            "--references and --rules are for files: stored labels come without references, under the rules in force"
        )

    async def read(engine: AsyncEngine) -> tuple[list[LabelledLine], Rules]:
        rules = (await PostgresRules(engine).rules([tenant])).get(tenant)
        if rules is None:
            raise RulesUnavailable(f"the rules of tenant {tenant!r} cannot be read: store them again")
        return await read_tenant(engine, tenant), rules

    return with_database(read)


async def _learned(
    models: LearningModels,
    options: LearnRulesOptions,
    steps: frozenset[LearningStep],
    split: SplitLabels,
    labels: ReadLabels,
) -> tuple[LearnedSet, str]:
    clusters, compared = await clusters_of(models, options, steps, split.train, labels)
    configured = settings().judge.weights
    local = await asyncio.to_thread(read_judge, str(configured) if configured is not None else None)
    writer = models.writer(labels.cases)
    learn = LearnRules(
        writer=writer,
        judge=models.judge(labels.cases, local.judge),
        policy=LearningPolicy(
            threshold=options.threshold,
            rounds=0 if LearningStep.REFINEMENT in steps else options.rounds,
            least_support=options.least_support,
            consolidate=LearningStep.CONSOLIDATION not in steps,
        ),
        report=lambda step: print(f"sqlassay: {step}", file=sys.stderr),
    )
    learned = await learn(split, clusters)
    if writer.invalid:
        print(f"sqlassay: {writer.invalid} replies of the writing model were no list of rules", file=sys.stderr)
    return learned, compared
