"""`sqlassay learn calibrate`: fits the local judge's weights to labelled answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from learning.calibration import calibrate as fit_weights
from learning.calibration import weights_document
from learning.labelled import Labelled
from scoring.evaluation import examine
from scoring.rules import Rules
from scoring.signals import read_signals
from scoring.verdict import Case
from service.commands.exits import refuse
from service.commands.jsonl import answer_files, open_input, open_output, read_lines

FOLDS = 5
"""Parts of the cross-validation by each field."""


def calibrate(
    sources: Sequence[str],
    *,
    out: str,
    version: str,
    groups: Sequence[str],
    dataset_weights: Sequence[float],
    strict: Sequence[str] = (),
    strict_weights: Sequence[float] = (),
) -> None:
    """Reads labels (`label` 1 is correct, 0 is wrong), fits the weights, and writes the weights file.

    Each row has its file's `--weight`, so that a large noisy file need not outvote a small careful one. The correct
    and the wrong rows of a file get the same total weight, so that files of other shares agree. Files with a weight of
    at least 1 calibrate `p_correct`. Labels of `strict` files also punish form: they weigh forms and calibrate nothing.
    """
    rows: list[Labelled] = []
    for source, weight in _weighed(sources, dataset_weights, "--weight"):
        rows += read_labels(source, groups=groups, weight=weight)
    for source, weight in _weighed(strict, strict_weights, "--strict-weight"):
        rows += [replace(row, strict=True, trusted=False) for row in read_labels(source, groups=groups, weight=weight)]
    try:
        fit = fit_weights(rows, folds=[FOLDS] * len(groups))
    except ValueError as error:
        refuse(str(error))
    document = weights_document(fit, version=version)
    with open_output(out) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")
    held_out = " and ".join(groups)
    print(f"{len(rows)} labels: AUC {fit.auc:.3f}, accuracy {fit.accuracy:.3f} with {held_out} held out → {out}")


def _weighed(sources: Sequence[str], weights: Sequence[float], option: str) -> Iterable[tuple[str, float]]:
    """Each file with the weight of its rows, 1 where none is given."""
    if weights and len(weights) != len(sources):
        refuse(f"{len(sources)} label files and {len(weights)} weights: give one {option} for each file")
    return zip(sources, weights or [1.0] * len(sources), strict=True)


def read_labels(source: str, *, groups: Sequence[str], weight: float) -> Iterator[Labelled]:
    """Yields the labelled answers that can be scored, of a file or of every `answers.jsonl` in a folder and below.

    A line without a label or group ends the command.
    """
    for each in answer_files(source):
        yield from _read_file(each, source, groups=groups, weight=weight)


def _read_file(path: str, source: str, *, groups: Sequence[str], weight: float) -> Iterator[Labelled]:
    with open_input(path) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            try:
                row = parse_json(line.raw or b"")
                event = decode_event(row, require_id=False)
            except InvalidEvent as error:
                refuse(f"{path}, line {line.number}: {error}")
            fields = cast("Mapping[str, object]", row)
            if fields.get("label") not in (0, 1) or fields.get(groups[0]) is None:
                refuse(f"{path}, line {line.number}: needs `label` 0 or 1 and `{groups[0]}`")
            case = examine(event.query(), Rules())
            if isinstance(case, Case):
                values = tuple(_text(fields, name) for name in groups)
                yield labelled_row(case, fields, source=source, groups=values, weight=weight)


def labelled_row(
    case: Case, fields: Mapping[str, object], *, source: str, groups: tuple[str, ...], weight: float
) -> Labelled:
    """A labelled answer for the fit, from the case and the fields `label`, `agent` and `db_id` or `company` of its row.

    Rows that weigh less than 1 do not set how confident the judge may be.
    """
    return Labelled(
        strengths={code: finding.strength for code, finding in read_signals(case).items()},
        correct=fields["label"] == 1,
        groups=groups,
        question=case.query.question,
        database=_text(fields, "db_id") or _text(fields, "company"),
        agent=_text(fields, "agent"),
        source=source,
        weight=weight,
        trusted=weight >= 1,
    )


def _text(fields: Mapping[str, object], name: str) -> str:
    return str(fields.get(name) or "")
