"""`sqlassay eval estimate`: the share of right answers of each group, with its interval, from scores and labels."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from evals.estimate.groups import AnswerGroup, NotRandomError, agreed_right, estimate_groups
from evals.estimate.model_drift import ModelDrift
from evals.estimate.narrowing import narrowing
from evals.estimate.right_share import LabelledScore, ShareEstimate
from service.commands.eval.estimate_lines import (
    AnswerKey,
    LabelLine,
    ScoredAnswers,
    ScoredLine,
    key_of,
    read_labels,
    read_scored,
)
from service.commands.eval.estimate_options import EstimateOptions
from service.commands.eval.model_verdicts import ModelVerdicts, place_of, read_model_verdicts
from service.commands.exits import refuse
from service.commands.rendering.report_tables import estimate_table
from service.commands.rendering.terminal import print_to_terminal

FIELDS = ("agent", "tenant")
"""The fields by which answers may be grouped."""
ALL = "all"
"""The group of all answers."""


def estimate(options: EstimateOptions) -> None:
    """Prints a line for each group. Wrong input, and labels that cannot be a random draw, end the command."""
    if options.by is not None and options.by not in FIELDS:
        refuse(f"--by {options.by!r}: one of {', '.join(FIELDS)}")
    if not 0.5 <= options.level < 1:
        refuse(f"--level {options.level:g}: at least 0.5 and below 1, such as 0.9")
    scored = read_scored(options.scored)
    if not scored.answers:
        refuse(f"{options.scored} has no answers")
    labels = _labels_by_answer(scored, options)
    rows = _rows(scored, labels, read_model_verdicts(options.verdicts, scored), options)
    if options.as_json or not sys.stdout.isatty():
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    else:
        print_to_terminal(estimate_table(rows, options.level))


def _rows(
    scored: ScoredAnswers,
    labels: Mapping[AnswerKey, LabelledScore],
    verdicts: ModelVerdicts,
    options: EstimateOptions,
) -> list[dict[str, object]]:
    held: dict[str, list[ScoredLine]] = defaultdict(list)
    several = len({each.tenant for each in scored.answers}) > 1
    for answer in scored.answers:
        held[_group(answer, options.by, several_tenants=several)].append(answer)
    groups = {name: verdicts.group(answers, labels) for name, answers in sorted(held.items())}
    try:
        found = estimate_groups(groups, level=options.level, random=options.random)
    except NotRandomError as error:
        refuse(f"{options.labels}: {error}")
    drifts = {name: verdicts.drift(held[name], labels) for name in groups}
    _warn_of_drift(drifts)
    return [_row(held[name], group, found[name], drifts[name], name=name) for name, group in groups.items()]


def _group(answer: ScoredLine, by: str | None, *, several_tenants: bool) -> str:
    if by is None:
        return ALL
    if by == "tenant":
        return answer.tenant
    if answer.agent is None:
        refuse("--by agent: a scored line has no agent. Score the answers again, so that each line names its agent")
    return f"{answer.tenant}/{answer.agent}" if several_tenants else answer.agent


def _row(
    answers: Sequence[ScoredLine], group: AnswerGroup, found: ShareEstimate, drift: ModelDrift | None, *, name: str
) -> dict[str, object]:
    scores = [each.alone for each in answers if each.alone is not None]
    more = narrowing(found, len(answers), group.model)
    return {
        "group": name,
        "answers": len(answers),
        "labels": found.labels,
        "verdicts": found.verdicts,
        "raw": sum(scores) / len(scores) if scores else None,
        "estimate": found.share,
        "low": found.low,
        "high": found.high,
        "method": found.method.value,
        "more_labels": more.labels,
        "more_calls": more.calls,
        "model_before": drift and round(drift.before, 4),
        "model_after": drift and round(drift.after, 4),
        "model_worse": drift and drift.worse,
    }


def _warn_of_drift(drifts: Mapping[str, ModelDrift | None]) -> None:
    for name, drift in drifts.items():
        if drift is not None and drift.worse:
            print(
                f"sqlassay: group {name}: the model agrees with {drift.before:.0%} of the earlier labels and with"
                f" {drift.after:.0%} of the later ones: it became worse, or the answers did. The estimate holds all the"
                " same, since the labels are a random draw; a calibration of this model should be fitted anew",
                file=sys.stderr,
            )


def _labels_by_answer(scored: ScoredAnswers, options: EstimateOptions) -> dict[AnswerKey, LabelledScore]:
    """One label for each labelled answer: as the majority of its labels says."""
    votes: dict[AnswerKey, list[LabelLine]] = defaultdict(list)
    answers: dict[AnswerKey, ScoredLine] = {}
    counted: Counter[str] = Counter()
    for place, label in read_labels(options.labels):
        answer = scored.answer_of(label, place)
        if answer is None:
            counted["unknown"] += 1
            continue
        key = key_of(answer)
        if {each.probability for each in votes[key]} - {label.probability}:
            place.refuse(f"event_id {label.event_id!r} has a label with another probability: an answer has one")
        votes[key].append(label)
        answers[key] = answer
    if counted["unknown"] and not votes:
        refuse(f"{options.labels}: no label names an answer in {options.scored}: event_id and tenant must be the same")
    counted["tied"] = sum(_right(found) == 0.5 for found in votes.values())
    _warn(scored, counted, options)
    return {key: _labelled(answers[key], found) for key, found in votes.items()}


def _right(labels: Sequence[LabelLine]) -> float:
    right = sum(each.label for each in labels)
    return agreed_right(right, len(labels) - right)


def _labelled(answer: ScoredLine, labels: Sequence[LabelLine]) -> LabelledScore:
    return LabelledScore(
        right=_right(labels), p=answer.p_correct, place=place_of(answer), probability=labels[0].probability
    )


def _warn(scored: ScoredAnswers, counted: Mapping[str, int], options: EstimateOptions) -> None:
    messages = {
        f"{options.labels}: labels of answers that are not in {options.scored}, not used": counted["unknown"],
        f"{options.labels}: answers with as many labels 1 as 0, which count half": counted["tied"],
        f"{options.scored}: lines that were not events, not counted": scored.no_events,
        f"{options.scored}: answers without a score, which count as answers of the mean score": sum(
            each.p_correct is None for each in scored.answers
        ),
    }
    for message, count in messages.items():
        if count:
            print(f"sqlassay: {message}: {count}", file=sys.stderr)
