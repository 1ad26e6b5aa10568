"""A learned set as the document that is written."""

from __future__ import annotations

from pydantic import JsonValue

from consumers.judging.comparing.gold_judges import PAIR_JUDGE
from consumers.wire.learned_rules_document import (
    MOST_LABELS,
    AccuracyFigures,
    ChangeFigures,
    HeldOutFigures,
    LearnedRuleEntry,
    LearnedRulesDocument,
)
from learning.rules.figures import RuleAgreement, RuleChange
from learning.rules.learner import LearnedSet
from learning.rules.splitting import SplitLabels
from scoring import EVALUATOR_VERSION
from service.commands.command_context import settings
from service.commands.learn.rule_options import LearnRulesOptions
from service.judges.configured_panel import METHODS, RULES_SECTION, model_judge
from service.pipeline.rule_learning.labelled_pairs import PAIR_PROMPTS
from service.pipeline.rule_learning.learning_models import WRITER_PROMPTS, writer_settings


def document_of(
    learned: LearnedSet, split: SplitLabels, options: LearnRulesOptions, compared: str
) -> LearnedRulesDocument:
    """The document of a learned set."""
    seen = {each.group for each in (*split.train, *split.chosen_by)}
    return LearnedRulesDocument(
        rules=[
            LearnedRuleEntry(
                side=each.rule.side,
                text=each.rule.text,
                precision=each.precision,
                support=each.support,
                labels=list(each.labels[:MOST_LABELS]),
            )
            for each in learned.rules
        ],
        held_out=HeldOutFigures(
            labels=len(split.held_out),
            before=figures_of(learned.before),
            after=figures_of(learned.after),
            change=change_of(learned.change),
        ),
        made=_made(learned, split, options, compared),
        seen=sorted(seen),
    )


def _made(learned: LearnedSet, split: SplitLabels, options: LearnRulesOptions, compared: str) -> dict[str, JsonValue]:
    configured = settings()
    judge = configured.judge
    return {
        "writer": writer_settings(configured).model,
        "judge": f"llm/{PAIR_JUDGE.prompt}" if options.pairs else model_judge(judge),
        "judge_model": judge.model,
        "prompts": _prompts(options, judge.method),
        "evaluator_version": EVALUATOR_VERSION,
        "masked": judge.mask,
        "group": options.group,
        "clusters": len(learned.clusters),
        "clusters_by": compared,
        "threshold": options.threshold,
        "rounds": options.rounds,
        "without": [*(options.without or ())],
        "references": options.references,
        "seed": options.seed,
        "train": len(split.train),
        "chosen_by": len(split.chosen_by),
        "candidates": dict(learned.candidates),
    }


def _prompts(options: LearnRulesOptions, method: str) -> list[JsonValue]:
    if options.pairs:
        return [PAIR_JUDGE.prompt, RULES_SECTION, *PAIR_PROMPTS]
    return [*METHODS[method], RULES_SECTION, *WRITER_PROMPTS]


def change_of(found: RuleChange) -> ChangeFigures:
    """The paired test in a document."""
    return ChangeFigures(
        better=found.better,
        worse=found.worse,
        p_value=found.p_value,
        gain=found.gain,
        low=found.low,
        high=found.high,
    )


def figures_of(found: RuleAgreement) -> AccuracyFigures:
    """The figures in a document."""
    return AccuracyFigures(
        accuracy=found.accuracy,
        balanced_accuracy=found.balanced_accuracy,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        unjudged=found.unjudged,
        auc=found.auc,
    )
