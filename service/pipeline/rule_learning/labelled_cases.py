"""Labelled answers that were examined, and how a model that writes rules is shown them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from consumers.judging.prompting import ShownReference, shown_case
from learning.rules.examples import JudgedExample, LabelledExample
from scoring.query import Unscored
from scoring.verdict import Case

MOST_ROWS, MOST_CELLS = 5, 8
"""Rows and columns of a result that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCase:
    """A labelled answer with its case."""

    example: LabelledExample
    case: Case
    reference: ShownReference | None = None
    """Its reference and both results, where rules are read from them too."""


def first_rows(rows: object) -> list[list[object]] | None:
    """The first rows and columns of a result; `None` where it is no list of rows.

    >>> first_rows([[1, "a"], [2, "b"]]), first_rows({"rows": 2})
    ([[1, 'a'], [2, 'b']], None)
    """
    if not isinstance(rows, list) or not all(isinstance(each, list) for each in cast("list[object]", rows)):
        return None
    found = cast("Sequence[Sequence[object]]", rows)
    return [[_scalar(cell) for cell in row[:MOST_CELLS]] for row in found[:MOST_ROWS]]


def _scalar(cell: object) -> object:
    return cell if cell is None or isinstance(cell, bool | int | float) else str(cell)[:200]


def shown_example(
    labelled: LabelledCase, *, masked: bool, judged: JudgedExample | None = None
) -> dict[str, object] | None:
    """What is shown of a labelled answer, without empty lists; `None` where it cannot be masked."""
    shown = shown_case(labelled.case, masked=masked, reference=labelled.reference)
    if isinstance(shown, Unscored):
        return None
    label = "right" if labelled.example.correct else "wrong"
    document: dict[str, object] = {"label": label, **_without_empty(shown.document)}
    if judged is None:
        return document
    said = "no valid reply" if judged.right is None else "right" if judged.right else "wrong"
    document |= {"judged": said, "applied": list(judged.applied)}
    # the reply's stand-ins were read back
    why = judged.rationale if shown.masker is None else shown.masker.text(judged.rationale)
    hidden = shown.masker is not None and shown.masker.leaks(why)
    return document if hidden or not why else {**document, "rationale": why}


def _without_empty(document: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in document.items():
        kept = _without_empty(cast("Mapping[str, object]", value)) if isinstance(value, dict) else value
        if kept not in (None, [], {}, ""):
            found[name] = kept
    return found
