"""`sqlassay rules promote`: measures a set of learned rules on held-out labels, and puts it in force."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RulesUnavailable
from consumers.wire.learned_rules_document import (
    HeldOutFigures,
    LearnedRulesDocument,
)
from learning.rules.examples import LabelledExample
from learning.rules.figures import agreement, is_worse, rule_change
from scoring.rules import JudgePolicy, Rules
from service.commands.command_context import check_tenant, settings, with_database
from service.commands.exits import answer_no, refuse
from service.commands.judges.model_runs import run_with_models
from service.commands.learn.labelled_input import (
    LabelFields,
    LabelledLine,
    ReadLabels,
    examined,
    read_files,
    read_tenant,
)
from service.commands.learn.learned_rule_versions import put_learned_in_force
from service.commands.learn.rule_options import PromoteRulesOptions
from service.commands.learn.rule_set_document import change_of, figures_of
from service.commands.learn.rule_texts import comparison_lines
from service.commands.rules.learned_file import load_learned
from service.commands.score import read_judge
from service.pipeline.rule_learning.learning_models import LearningModels
from service.storage.reviewing.learned_rule_store import (
    MeasuredPromotion,
    add_learned,
    learned_sets,
)
from service.storage.rule_store import PostgresRules, StoredRules

LEAST_LABELS = 20
"""Fewest held-out labels by which a set is judged better or worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionInput:
    """What is promoted, beside what."""

    document: LearnedRulesDocument
    rules: Rules
    """In force now, with the learned rules if there are any."""
    lines: Sequence[LabelledLine]


def promote_rules(options: PromoteRulesOptions) -> None:
    """Measures a set beside what is in force, and puts it in force. Exit code 1 when it is worse and not forced."""
    tenant = options.tenant
    check_tenant(tenant)
    if (options.source is None) == (options.version is None):
        refuse("name a document of rules, or a stored set with --version")
    given = None if options.source is None else load_learned(options.source)
    lines = None if options.labels is None else list(read_files(options.labels))
    found = with_database(lambda engine: _input(engine, options, given, lines))
    held_out = _held_out(found, options.group or _group_of(found.document))
    measured = _measured(options, found, held_out) if len(held_out.cases) >= LEAST_LABELS else None
    _decide(options, measured, len(held_out.cases))
    promotion = MeasuredPromotion(
        labels=measured.labels if measured is not None else 0,
        accuracy_before=measured.before.accuracy if measured is not None else None,
        accuracy_after=measured.after.accuracy if measured is not None else None,
        forced=measured is None or is_worse(measured.after, measured.before),
    )
    version, stored = with_database(lambda engine: _store(engine, options, found.document, promotion))
    print(f"{tenant}: learned rules {version} are in force with version {stored.version} of the rules")
    if found.rules.judge.policy is JudgePolicy.LOCAL:
        print("sqlassay: only a model reads them, and the tenant's judge.policy is local", file=sys.stderr)


async def _input(
    engine: AsyncEngine,
    options: PromoteRulesOptions,
    given: LearnedRulesDocument | None,
    lines: Sequence[LabelledLine] | None,
) -> PromotionInput:
    tenant = options.tenant
    rules = (await PostgresRules(engine).rules([tenant])).get(tenant)
    if rules is None:
        raise RulesUnavailable(f"the rules of tenant {tenant!r} cannot be read: store them again")
    if given is None:
        stored = next((each for each in await learned_sets(engine, tenant) if each.version == options.version), None)
        if stored is None:
            answer_no(
                f"tenant {tenant!r} has no learned rules {options.version}: sqlassay rules learned {tenant} lists them"
            )
        if stored.in_force:
            answer_no(f"learned rules {stored.version} of tenant {tenant!r} are in force already")
        given = LearnedRulesDocument.model_validate(stored.document)
    return PromotionInput(
        document=given, rules=rules, lines=await read_tenant(engine, tenant) if lines is None else lines
    )


def _held_out(found: PromotionInput, group: str) -> ReadLabels:
    """The labels that neither gave nor chose the rules."""
    labels = examined(found.lines, found.rules, LabelFields(group=group))
    seen = frozenset(found.document.seen)
    cases = {name: each for name, each in labels.cases.items() if each.example.group not in seen}
    return ReadLabels(cases=cases, left_out=labels.left_out)


def _group_of(document: LearnedRulesDocument) -> str:
    """The field by which the labels were split that gave the rules: `seen` names its values."""
    group = (document.made or {}).get("group")
    return group if isinstance(group, str) else "question"


def _measured(options: PromoteRulesOptions, found: PromotionInput, labels: ReadLabels) -> HeldOutFigures:
    weights = settings().judge.weights
    local = read_judge(str(weights) if weights is not None else None)
    examples: list[LabelledExample] = labels.examples

    async def work(models: LearningModels) -> HeldOutFigures:
        judge = models.judge(labels.cases, local.judge)
        before = await judge.judge_by(found.rules.learned, examples)
        after = await judge.judge_by(found.document.learned(0), examples)
        return HeldOutFigures(
            labels=len(examples),
            before=figures_of(agreement(before)),
            after=figures_of(agreement(after)),
            change=change_of(rule_change(before, after)),
        )

    return run_with_models(options, Path(options.journal) if options.journal is not None else None, work)


def _decide(options: PromoteRulesOptions, measured: HeldOutFigures | None, labels: int) -> None:
    """Prints before and after. Ends the command when the set may not be put in force."""
    if measured is None:
        if not options.force:
            answer_no(
                f"{labels} held-out labels: a promotion is measured on {LEAST_LABELS} or more that neither gave nor"
                " chose the rules. Label more answers, name --labels, or use --force"
            )
        return
    print(measured.model_dump_json() if options.as_json else "\n".join(comparison_lines(measured)))
    if is_worse(measured.after, measured.before) and not options.force:
        answer_no(
            "not put in force: accuracy or balanced accuracy is lower on held-out labels. Use --force to do it all the"
            " same"
        )


async def _store(
    engine: AsyncEngine, options: PromoteRulesOptions, document: LearnedRulesDocument, promotion: MeasuredPromotion
) -> tuple[int, StoredRules]:
    version = options.version
    if version is None:
        version = await add_learned(engine, options.tenant, document.model_dump(mode="json"), promotion, options.author)
    return version, await put_learned_in_force(engine, options.tenant, version, options.author)
