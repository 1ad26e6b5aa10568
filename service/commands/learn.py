"""`sqlassay learn calibrate`: labelled answers to a weights file for the local judge."""

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
    """Reads labels (`label` 1 answers the question, 0 does not), fits, and writes the weights file.

    Each row of a file weighs the file's `--weight`, so that a large noisy set need not outvote a small careful one,
    and the right and the wrong rows of a file weigh the same together: `p_correct` is told from even odds. How sure
    it may be is told by the files that weigh most.
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
    """The rows with weights such that both labels weigh half of the whole."""
    right = sum(row.weight for row in rows if row.correct)
    whole = sum(row.weight for row in rows)
    if not 0 < right < whole:
        return list(rows)
    factors = {True: whole / (2 * right), False: whole / (2 * (whole - right))}
    return [replace(row, weight=row.weight * factors[row.correct]) for row in rows]


def read_labels(source: str, *, group: str, weight: float, trusted: bool = True) -> Iterator[Labelled]:
    """The labelled answers of a file that can be scored; a line without a label or a group ends the command."""
    with open_input(source) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            try:
                row = parse_json(line.raw or b"")
                event = decode_event(row, require_id=False)
            except InvalidEvent as error:
                refuse(f"{source}, line {line.number}: {error}")
            label, held_together = (cast("Mapping[str, object]", row).get(key) for key in ("label", group))
            if label not in (0, 1) or held_together is None:
                refuse(f"{source}, line {line.number}: needs `label` 0 or 1 and `{group}`")
            case = examine(event.query(), Rules())
            if isinstance(case, Case):
                strengths = {code: finding.strength for code, finding in read_signals(case).items()}
                correct, held = label == 1, str(held_together)
                yield Labelled(strengths=strengths, correct=correct, group=held, weight=weight, trusted=trusted)
