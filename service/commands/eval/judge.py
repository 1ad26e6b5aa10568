"""`sqlassay eval judge`: how far a judge agrees with labels, by cross-validation, by its replies, or asked live."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from evals.agreement import Judged, intervals, measure, slices
from evals.cascade import cascaded, expected
from evals.paired import Paired, pair
from evals.report import Report
from learning.calibration import Labelled, calibrate
from scoring.evaluation import examine
from scoring.judging.local import LocalJudge
from scoring.query import Query
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.signals import read_signals
from scoring.verdict import Case
from service.commands.exits import refuse
from service.commands.jsonl import open_input, read_lines, same_file
from service.commands.learn import balanced
from service.commands.score import Scorer
from service.commands.score_models import with_models

GROUPS = 5
"""Parts into which groups are split when the judge is fitted to the others; twice as many where groups are few."""
MANY = 100
"""Groups from which there are many: a part of few databases would leave out too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the options ask for."""

    judge: JudgePolicy
    local: LocalJudge
    bar: float
    """Least γ with which the local judge answers alone in a cascade."""
    replies: str | None
    """Lines of `sqlassay score` to take as the model's (or the whole judge's) verdicts."""
    group: str
    by: Sequence[str]
    enriched: bool
    """Whether the judge sees the enriched question."""
    held_out: str | None
    """Fit on answers that differ in this field from those judged, instead of taking the weights as they are."""
    training: Sequence[tuple[str, float]]
    """More files to fit on, and what a row of each weighs; the file judged is passed over among them."""


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled answer that is read."""

    row: Mapping[str, object]
    query: Query
    id: str
    correct: bool

    def judged(self, p_correct: float, wanted: Wanted) -> Judged:
        fields = {name: _values(self.row.get(name)) for name in wanted.by}
        group = str(self.row.get(wanted.group, self.id))
        return Judged(id=self.id, correct=self.correct, p_correct=p_correct, group=group, fields=fields)


def _values(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(str(each) for each in cast("list[object]", value)))
    return () if value is None else (str(value),)


def read(source: str, *, enriched: bool) -> Iterator[Label]:
    """The labelled answers of a file; a line without a label ends the command."""
    with open_input(source) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            try:
                row = cast("Mapping[str, object]", parse_json(line.raw or b""))
                event = decode_event(row, require_id=False)
            except InvalidEvent as error:
                refuse(f"{source}, line {line.number}: {error}")
            if row.get("label") not in (0, 1):
                refuse(f"{source}, line {line.number}: needs `label` 0 or 1")
            query = event.query()
            if not enriched:
                query = replace(query, enriched_question=None)
            identity = str(row.get("id", row.get("event_id", line.number)))
            yield Label(row, query, identity, row["label"] == 1)


def reports(
    sources: Sequence[str], wanted: Wanted, *, against: str | None, model_accuracy: float | None
) -> list[tuple[Report, list[Judged]]]:
    """The report on each file of labels, and the rows it rests on."""
    files = [(source, list(read(source, enriched=wanted.enriched))) for source in sources]
    fitted = _held_out(files, wanted) if wanted.held_out is not None else {}
    made: list[tuple[Report, list[Judged]]] = []
    for source, labels in files:
        rows, name, asked = _judge(source, labels, wanted, fitted.get(source))
        if not rows:
            refuse(f"{source}: no answer could be judged")
        other = _replayed(labels, against, wanted) if against is not None else None
        report = Report(
            judge=name,
            labels=Path(source).stem,
            unscored=len(labels) - len(rows),
            measures=measure(rows),
            intervals=intervals(rows),
            slices={field: slices(rows, field) for field in wanted.by},
            cascade=expected(rows, model_accuracy=model_accuracy) if model_accuracy is not None else (),
            asked=asked,
            against=_paired(rows, other) if other is not None else None,
            other=Path(against).stem if against is not None else "",
        )
        made.append((report, rows))
    return made


def _paired(rows: list[Judged], other: list[Judged]) -> Paired:
    try:
        return pair(rows, other)
    except ValueError as error:
        refuse(f"--against: {error}")


def _judge(
    source: str, labels: list[Label], wanted: Wanted, fitted: list[Judged] | None
) -> tuple[list[Judged], str, float | None]:
    """The rows as judged, the judge's name, and the share a cascade asked of its model."""
    if wanted.judge is JudgePolicy.CASCADE and wanted.replies is not None:
        local = fitted or _local(labels, wanted)
        rows, asked = cascaded(local, _replayed(labels, wanted.replies, wanted), bar=wanted.bar)
        return rows, f"cascade over {Path(wanted.replies).stem}, bar {wanted.bar:g}", asked
    if fitted is not None:
        return fitted, f"the local judge, held out by {wanted.held_out}", None
    if wanted.replies is not None:
        return _replayed(labels, wanted.replies, wanted), Path(wanted.replies).stem, None
    if wanted.judge is JudgePolicy.LOCAL:
        return _local(labels, wanted), wanted.local.name, None
    rows, asked = _live(source, labels, wanted)
    return rows, wanted.judge.value, asked if wanted.judge is JudgePolicy.CASCADE else None


def _local(labels: list[Label], wanted: Wanted) -> list[Judged]:
    cases = ((label, examine(label.query, Rules())) for label in labels)
    return [label.judged(wanted.local.judge(case).p_correct, wanted) for label, case in cases if isinstance(case, Case)]


def _held_out(files: Sequence[tuple[str, list[Label]]], wanted: Wanted) -> dict[str, list[Judged]]:
    """Each file's rows judged by weights that saw no answer equal to theirs in the held-out field; fitted once."""
    field = wanted.held_out or wanted.group
    own = {source: _labelled(labels, field, 1.0) for source, labels in files}
    rows = [row for labelled in own.values() for row in balanced([row for _, row in labelled])]
    for source, weight in wanted.training:
        if not any(same_file(source, judged) for judged in own):
            rows += balanced([row for _, row in _labelled(read(source, enriched=wanted.enriched), field, weight)])
    groups = len({row.group for row in rows})
    try:
        fit = calibrate(rows, folds=min(GROUPS if groups > MANY else 2 * GROUPS, groups))
    except ValueError as error:
        refuse(f"--held-out {field}: {error}")
    said = iter(fit.held_out)
    return {source: [label.judged(float(next(said)), wanted) for label, _ in each] for source, each in own.items()}


def _labelled(labels: Iterable[Label], field: str, weight: float) -> list[tuple[Label, Labelled]]:
    """The labels that can be scored; those that weigh less than the ones judged do not tell how sure to be."""
    found: list[tuple[Label, Labelled]] = []
    for label in labels:
        case = examine(label.query, Rules())
        if isinstance(case, Case):
            strengths = {code: finding.strength for code, finding in read_signals(case).items()}
            group = str(label.row.get(field, label.id))
            correct, trusted = label.correct, weight >= 1
            row = Labelled(strengths=strengths, correct=correct, group=group, weight=weight, trusted=trusted)
            found.append((label, row))
    return found


def _replayed(labels: list[Label], source: str | None, wanted: Wanted) -> list[Judged]:
    """The rows as the lines of a file of scores judged them; lines without a score are left out."""
    given: dict[str, float] = {}
    with open_input(source or "-") as stream:
        for line in read_lines(stream):
            try:
                row = json.loads(line.raw or b"")
                if row["p_correct"] is not None:
                    given[str(row.get("event_id", row.get("id")))] = float(row["p_correct"])
            except (ValueError, TypeError, KeyError):
                refuse(
                    f"{source}, line {line.number}: needs `event_id` and `p_correct`, as `sqlassay score` writes them"
                )
    return [label.judged(given[label.id], wanted) for label in labels if label.id in given]


def _live(source: str, labels: list[Label], wanted: Wanted) -> tuple[list[Judged], float]:
    """The rows as the model of the settings judges them now, and the share that it was asked.

    What a model was asked and left to the local judge is no verdict of its own, and is left out.
    """
    if not wanted.enriched:
        refuse("--question-only needs the local judge, or --replies of answers scored without the enriched question")
    rules = Rules(judge=JudgeRules(bar=wanted.bar))
    with tempfile.TemporaryDirectory() as folder:
        scored, replies = Path(folder) / "scores.jsonl", Path(folder) / "replies.jsonl"
        with_models(Scorer(rules, wanted.local), wanted.judge).score_file(source, str(scored))
        lines = scored.read_bytes().splitlines()
        given = [(line, row) for line in lines if not (row := json.loads(line)).get("fallback")]
        replies.write_bytes(b"\n".join(line for line, _ in given))
        rows = _replayed(labels, str(replies), wanted)
    own = sum(1 for _, row in given if row.get("model"))
    return rows, own / max(1, len(given))
