"""Fits the local judge so that no answer is judged by weights that saw answers like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evals.agreement import Judged
from learning.calibration import calibrate
from learning.labelled import Labelled
from scoring.evaluation import examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer, read_labelled_answers
from service.commands.exits import refuse
from service.commands.jsonl import same_file
from service.commands.learn.calibrate import labelled_row

FOLDS = 5
"""Parts of the cross-validation by each field. A single field with few groups has twice as many."""
MANY_GROUPS = 100

Examined = tuple[LabelledAnswer, Labelled]
"""An answer that can be scored, and its row for fitting."""


def held_out_judgements(
    files: Mapping[str, Sequence[LabelledAnswer]], fields: Sequence[str], options: JudgeOptions
) -> dict[str, list[Judged]]:
    """Judges each file's answers by weights fitted to answers that differ in all `fields`. One fit uses all files."""
    judged = {source: _examined(source, labels, fields, 1.0) for source, labels in files.items()}
    rows = [row for examined in judged.values() for _, row in examined]
    rows += _training_rows(judged, fields, options)
    try:
        fit = calibrate(rows, folds=[_folds(rows, place, alone=len(fields) == 1) for place in range(len(fields))])
    except ValueError as error:
        refuse(f"--held-out {' '.join(fields)}: {error}")
    p_correct = iter(fit.held_out)  # in the order of `rows`, those judged first
    return {
        source: [label.judged(float(next(p_correct)), options) for label, _ in examined]
        for source, examined in judged.items()
    }


def _folds(rows: Sequence[Labelled], place: int, *, alone: bool) -> int:
    groups = len({row.groups[place] for row in rows} - {""})
    return max(2, min(2 * FOLDS if alone and groups <= MANY_GROUPS else FOLDS, groups))


def _training_rows(judged: Iterable[str], fields: Sequence[str], options: JudgeOptions) -> list[Labelled]:
    """The rows of the `--train` files that are not judged themselves."""
    rows: list[Labelled] = []
    for source, weight in training_files(options):
        if not any(same_file(source, other) for other in judged):
            labels = read_labelled_answers(source, with_enriched=not options.question_only)
            rows += [row for _, row in _examined(source, labels, fields, weight)]
    return rows


def training_files(options: JudgeOptions) -> Iterator[tuple[str, float]]:
    """Each `--train` file with the weight of its rows: as given, once for all, or 1."""
    files, weights = options.train or [], options.train_weight or [1.0]
    if len(weights) not in {1, len(files)}:
        refuse(f"{len(files)} --train and {len(weights)} --train-weight: give one for each, or one for all")
    return zip(files, weights * len(files) if len(weights) == 1 else weights, strict=True)


def _examined(source: str, labels: Iterable[LabelledAnswer], fields: Sequence[str], weight: float) -> list[Examined]:
    """The answers that can be scored."""
    found: list[Examined] = []
    for label in labels:
        case = examine(label.query, Rules())
        if isinstance(case, Case):
            row = labelled_row(case, label.row, source=source, groups=label.groups(fields), weight=weight)
            found.append((label, row))
    return found
