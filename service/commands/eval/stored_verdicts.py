"""Verdicts that were stored before: scores of `sqlassay score`, or the recorded replies of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from consumers.judging.replays import masked_prompt, replayed
from evals.agreement import Judged
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Unscored
from scoring.verdict import Case
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer
from service.commands.exits import refuse
from service.commands.jsonl import open_input, open_output, read_lines
from service.judges.configured_panel import judge_template

_NEEDS = "needs `event_id` and `p_correct`, as `sqlassay score` writes them, or `id` and a model's `reply`"


def stored_verdicts(
    labels: Sequence[LabelledAnswer], source: str, options: JudgeOptions, judge: LocalJudge
) -> list[Judged]:
    """Judges the answers by a file of scores or replies. Answers that have neither, or no verdict, are left out."""
    stored = read_stored(source)
    found: list[Judged] = []
    for label in labels:
        row = stored.get(label.id)
        if row is None:
            continue
        judged = _replayed(label, row["reply"], options, judge) if "reply" in row else _scored(label, row, options)
        if judged is not None:
            found.append(judged)
    return found


def write_prompts(labels: Sequence[LabelledAnswer], path: str, judge: LocalJudge) -> None:
    """Writes the prompt of each answer that a model would be asked about, without its label."""
    template = judge_template()
    with open_output(path) as out:
        for label in labels:
            case = examine(label.query, label.rules)
            prompt = masked_prompt(case, template, judge.judge) if isinstance(case, Case) else case
            if not isinstance(prompt, Unscored):
                row = {"id": label.id, "prompt_hash": prompt.digest, "system": prompt.system, "user": prompt.user}
                out.write(json.dumps(row).encode() + b"\n")


def _scored(label: LabelledAnswer, row: Mapping[str, object], options: JudgeOptions) -> Judged | None:
    p_correct = _number(row["p_correct"])
    return None if p_correct is None else label.judged(p_correct, options, score=_number(row.get("score")))


def _number(value: object) -> float | None:
    return None if value is None else float(cast("float", value))


def _replayed(label: LabelledAnswer, said: object, options: JudgeOptions, judge: LocalJudge) -> Judged | None:
    case = examine(label.query, label.rules)
    if not isinstance(case, Case):
        return None
    text = said if isinstance(said, str) else json.dumps(said)
    reply = replayed(case, text, judge_template(), judge.judge, alone=options.alone)
    if isinstance(reply, Unscored):
        return None
    return label.judged(reply.p_correct, options, score=conclude(case, reply).composite.score)


def read_stored(source: str) -> dict[str, Mapping[str, object]]:
    """The stored line of each answer, by its id. A line that is neither a score nor a reply ends the command."""
    stored: dict[str, Mapping[str, object]] = {}
    with open_input(source) as stream:
        for line in read_lines(stream):
            try:
                row = cast("Mapping[str, object]", json.loads(line.raw or b""))
                if "reply" not in row and _number(row["p_correct"]) is not None:
                    _number(row.get("score"))
                stored[str(row["event_id"] if "event_id" in row else row["id"])] = row
            except (ValueError, TypeError, KeyError):
                refuse(f"{source}, line {line.number}: {_NEEDS}")
    return stored
