"""Where the verdicts to measure come from: the local judge, stored replies, a fit on other answers, or a live model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.agreement import Judged
from evals.cascade import cascaded
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer
from service.commands.eval.stored_verdicts import stored_verdicts
from service.commands.exits import refuse
from service.commands.files.formats import ScoredFiles
from service.commands.rules.learned_file import learned_for
from service.commands.score_lines import LocalScorer
from service.commands.score_models import with_models


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The answers of one file as a judge judged them."""

    rows: list[Judged]
    judge: str
    """The judge's name in the report."""
    asked: float | None = None
    """The share of answers that a cascade asked its model about."""


def verdicts_of(
    source: str,
    labels: Sequence[LabelledAnswer],
    options: JudgeOptions,
    judge: LocalJudge,
    held_out: list[Judged] | None,
) -> Verdicts:
    """Judges the answers of one file as the options say."""
    policy = JudgePolicy(options.judge)
    if policy is JudgePolicy.CASCADE and options.replies is not None:
        local = held_out or _local(labels, options, judge)
        rows, asked = cascaded(local, stored_verdicts(labels, options.replies, options, judge), bar=options.bar)
        return Verdicts(rows=rows, judge=f"cascade over {Path(options.replies).stem}, bar {options.bar:g}", asked=asked)
    if held_out is not None:
        return Verdicts(rows=held_out, judge=f"the local judge, held out by {' and '.join(options.held_out or ())}")
    if options.replies is not None:
        return Verdicts(rows=stored_verdicts(labels, options.replies, options, judge), judge=Path(options.replies).stem)
    if policy is JudgePolicy.LOCAL:
        return Verdicts(rows=_local(labels, options, judge), judge=judge.name)
    return _live(source, labels, options, judge)


def _local(labels: Sequence[LabelledAnswer], options: JudgeOptions, judge: LocalJudge) -> list[Judged]:
    found: list[Judged] = []
    for label in labels:
        case = examine(label.query, label.rules)
        if isinstance(case, Case):
            reply = judge.judge(case)
            found.append(label.judged(reply.p_correct, options, score=conclude(case, reply).composite.score))
    return found


def _live(source: str, labels: Sequence[LabelledAnswer], options: JudgeOptions, judge: LocalJudge) -> Verdicts:
    """Asks the configured model now. Answers that fell back to the local judge are left out: they are not its own."""
    if options.rules is not None:
        refuse("--rules needs the local judge or --replies: `sqlassay score --judge llm` takes rules too")
    if options.question_only:
        refuse("--question-only needs the local judge, or --replies of answers scored without the enriched question")
    policy = JudgePolicy(options.judge)
    rules = Rules(judge=JudgeRules(bar=options.bar), learned=learned_for(options.learned, policy))
    with tempfile.TemporaryDirectory() as folder:
        scores, replies = Path(folder) / "scores.jsonl", Path(folder) / "replies.jsonl"
        with_models(LocalScorer(rules, judge), policy).score_file(ScoredFiles(source, str(scores)))
        scored = [(line, json.loads(line)) for line in scores.read_bytes().splitlines()]
        own = [(line, row) for line, row in scored if not row.get("fallback")]
        replies.write_bytes(b"\n".join(line for line, _ in own))
        rows = stored_verdicts(labels, str(replies), options, judge)
    asked = sum(1 for _, row in own if row.get("model")) / max(1, len(own))
    return Verdicts(rows=rows, judge=policy.value, asked=asked if policy is JudgePolicy.CASCADE else None)
