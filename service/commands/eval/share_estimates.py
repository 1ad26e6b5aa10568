"""`sqlassay eval estimate`: the share of right answers of each group, with its interval, from scores and labels."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from evals.estimate.groups import AnswerGroup, NotRandomError, agreed_right, estimate_groups
from evals.estimate.right_share import LabelledScore, ShareEstimate
from evals.estimate.score_counts import Probabilities, ScoreCounts, hundredth
from service.commands.eval.estimate_lines import LabelLine, Place, ScoredAnswers, ScoredLine, read_labels, read_scored
from service.commands.eval.estimate_options import EstimateOptions
from service.commands.exits import refuse
from service.commands.rendering.report_tables import estimate_table
from service.commands.rendering.terminal import print_to_terminal

FIELDS = ("agent", "tenant")
"""The fields by which answers may be grouped."""
ALL = "all"
"""The group of all answers."""
_Key = tuple[str, str, str]


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
    rows = _rows(scored, labels, options)
    if options.as_json or not sys.stdout.isatty():
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    else:
        print_to_terminal(estimate_table(rows, options.level))


def _rows(
    scored: ScoredAnswers, labels: Mapping[_Key, LabelledScore], options: EstimateOptions
) -> list[dict[str, object]]:
    held: dict[str, list[ScoredLine]] = defaultdict(list)
    several = len({each.tenant for each in scored.answers}) > 1
    for answer in scored.answers:
        held[_group(answer, options.by, several_tenants=several)].append(answer)
    groups = {name: _answer_group(answers, labels) for name, answers in sorted(held.items())}
    try:
        found = estimate_groups(groups, level=options.level, random=options.random)
    except NotRandomError as error:
        refuse(f"{options.labels}: {error}")
    return [_row(name, held[name], found[name]) for name in groups]


def _group(answer: ScoredLine, by: str | None, *, several_tenants: bool) -> str:
    if by is None:
        return ALL
    if by == "tenant":
        return answer.tenant
    if answer.agent is None:
        refuse("--by agent: a scored line has no agent. Score the answers again, so that each line names its agent")
    return f"{answer.tenant}/{answer.agent}" if several_tenants else answer.agent


def _answer_group(answers: Sequence[ScoredLine], labels: Mapping[_Key, LabelledScore]) -> AnswerGroup:
    return AnswerGroup(
        scores=Probabilities.of(each.p_correct for each in answers),
        places=ScoreCounts.of(_place(each) for each in answers),
        labels=[labels[key] for each in answers if (key := _key(each)) in labels],
    )


def _key(answer: ScoredLine) -> _Key:
    return answer.tenant, answer.agent or "", answer.event_id or ""


def _row(name: str, answers: Sequence[ScoredLine], found: ShareEstimate) -> dict[str, object]:
    scores = [each.alone for each in answers if each.alone is not None]
    return {
        "group": name,
        "answers": len(answers),
        "labels": found.labels,
        "raw": sum(scores) / len(scores) if scores else None,
        "estimate": found.share,
        "low": found.low,
        "high": found.high,
        "method": found.method.value,
    }


def _labels_by_answer(scored: ScoredAnswers, options: EstimateOptions) -> dict[_Key, LabelledScore]:
    """One label for each labelled answer: as the majority of its labels says."""
    votes: dict[_Key, list[LabelLine]] = defaultdict(list)
    answers: dict[_Key, ScoredLine] = {}
    counted: Counter[str] = Counter()
    for place, label in read_labels(options.labels):
        agents = scored.named.get((label.tenant, label.event_id), {})
        answer = _labelled_answer(agents, label, place)
        if answer is None:
            counted["unknown"] += 1
            continue
        key = _key(answer)
        if {each.probability for each in votes[key]} - {label.probability}:
            place.refuse(f"event_id {label.event_id!r} has a label with another probability: an answer has one")
        votes[key].append(label)
        answers[key] = answer
    if counted["unknown"] and not votes:
        refuse(f"{options.labels}: no label names an answer in {options.scored}: event_id and tenant must be the same")
    counted["tied"] = sum(_right(found) == 0.5 for found in votes.values())
    _warn(scored, counted, options)
    return {key: _labelled(answers[key], found) for key, found in votes.items()}


def _labelled_answer(agents: Mapping[str, ScoredLine], label: LabelLine, place: Place) -> ScoredLine | None:
    if label.agent is not None:
        return agents.get(label.agent)
    if len(agents) > 1:
        names = ", ".join(sorted(agents))
        place.refuse(f"event_id {label.event_id!r} is that of several agents ({names}): add the key agent")
    return next(iter(agents.values()), None)


def _right(labels: Sequence[LabelLine]) -> float:
    right = sum(each.label for each in labels)
    return agreed_right(right, len(labels) - right)


def _labelled(answer: ScoredLine, labels: Sequence[LabelLine]) -> LabelledScore:
    return LabelledScore(
        right=_right(labels), p=answer.p_correct, place=_place(answer), probability=labels[0].probability
    )


def _place(answer: ScoredLine) -> int | None:
    return None if answer.p_correct is None else hundredth(answer.p_correct)


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
