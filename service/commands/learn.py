"""`sqlassay learn calibrate`: fits the local judge's weights to labelled answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from learning.calibration import Labelled, weights_document
from learning.calibration import calibrate as fit_weights
from scoring.evaluation import examine
from scoring.rules import Rules
from scoring.signals import read_signals
from scoring.verdict import Case
from service.commands.exits import refuse
from service.commands.jsonl import open_input, open_output, read_lines


def calibrate(sources: Sequence[str], *, out: str, version: str, group: str, dataset_weights: Sequence[float]) -> None:
    """Reads labels (`label` 1 is correct, 0 is wrong), fits the weights, and writes the weights file.

    Each row has its file's `--weight`, so that a large noisy file need not outvote a small careful one. The correct
    and the wrong rows of a file get the same total weight: `p_correct` is calibrated to a 50 % prior. The files with
    the highest weight calibrate the slope.
    """
    if dataset_weights and len(dataset_weights) != len(sources):
        refuse(f"{len(sources)} label files and {len(dataset_weights)} weights: give one --weight for each file")
    rows: list[Labelled] = []
    weights = dataset_weights or [1.0] * len(sources)
    for source, weight in zip(sources, weights, strict=True):
        trusted = weight == max(weights)
        rows += balanced(list(read_labels(source, group=group, weight=weight, trusted=trusted)))
    try:
        fit = fit_weights(rows)
    except ValueError as error:
        refuse(str(error))
    document = weights_document(fit, version=version)
    with open_output(out) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")
    print(f"{len(rows)} labels: AUC {fit.auc:.3f}, accuracy {fit.accuracy:.3f} on {group}s held out → {out}")


def balanced(rows: Sequence[Labelled]) -> list[Labelled]:
    """Returns the rows with weights changed so that both labels have half of the total weight."""
    right = sum(row.weight for row in rows if row.correct)
    whole = sum(row.weight for row in rows)
    if not 0 < right < whole:
        return list(rows)
    factors = {True: whole / (2 * right), False: whole / (2 * (whole - right))}
    return [replace(row, weight=row.weight * factors[row.correct]) for row in rows]


def read_labels(source: str, *, group: str, weight: float, trusted: bool = True) -> Iterator[Labelled]:
    """Yields the labelled answers of a file that can be scored. A line without a label or group ends the command."""
    with open_input(source) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            try:
                row = parse_json(line.raw or b"")
                event = decode_event(row, require_id=False)
            except InvalidEvent as error:
                refuse(f"{source}, line {line.number}: {error}")
            label, group_value = (cast("Mapping[str, object]", row).get(key) for key in ("label", group))
            if label not in (0, 1) or group_value is None:
                refuse(f"{source}, line {line.number}: needs `label` 0 or 1 and `{group}`")
            case = examine(event.query(), Rules())
            if isinstance(case, Case):
                strengths = {code: finding.strength for code, finding in read_signals(case).items()}
                correct, groups = label == 1, (str(group_value),)
                yield Labelled(strengths=strengths, correct=correct, groups=groups, weight=weight, trusted=trusted)
