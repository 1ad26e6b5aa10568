"""The columns of a file of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Double, Integer

from consumers.wire.labels import LabelValue, agreed_label
from service.console.answer_files.plain_sentence import faults_of, plain_sentence
from service.storage.feedback.feedback_reading import FeedbackCount
from service.storage.tables import EVALUATIONS
from service.storage.tables.columns import Use, columns_for

_STORED = columns_for(EVALUATIONS, Use.FILE)
COLUMNS = [
    "id",
    *(column.name for column in _STORED if column.name != "id"),
    *"reference_verdict reference_level sentence faults label error_type corrected_sql comment users_satisfied".split(),
    "users_dissatisfied",
    "link",
]
NUMBERS = frozenset(column.name for column in _STORED if isinstance(column.type, Double))
COUNTS = frozenset(column.name for column in _STORED if isinstance(column.type, Integer)) | {
    "users_satisfied",
    "users_dissatisfied",
}
_WORDS = {True: LabelValue.RIGHT.value, False: LabelValue.WRONG.value}


def answer_lines(rows: Sequence[Mapping[str, Any]], address: str) -> list[dict[str, Any]]:
    """The rows as `exported_answers` reads them, by column; `address` is that of the service, for the links."""
    return [_line(row, address) for row in rows]


def _line(row: Mapping[str, Any], address: str) -> dict[str, Any]:
    labels: Sequence[Mapping[str, Any]] = row["labels"]
    feedback: FeedbackCount = row["feedback"]
    said = {
        "sentence": plain_sentence(row, row["reasons"]),
        "faults": "\n".join(map(_fault, faults_of(row["reasons"]))) or None,
        "label": _agreed(labels),
        "error_type": next((each["error_type"] for each in labels if each["error_type"]), None),
        "corrected_sql": next((each["correction"] for each in labels if each["correction"]), None),
        "comment": "\n".join(each["note"] for each in labels if each["note"]) or None,
        "users_satisfied": feedback.satisfied,
        "users_dissatisfied": feedback.dissatisfied,
        "link": f"{address}/console/evaluations/{row['id']}",
    }
    return {name: said[name] if name in said else row[name] for name in COLUMNS}


def _fault(reason: Mapping[str, Any]) -> str:
    return f"{reason['code']}: {reason['detail']}".removesuffix(": ")


def _agreed(labels: Sequence[Mapping[str, Any]]) -> str | None:
    """What most reviewers say; `divided` where as many say right as wrong, and `None` without labels that decide."""
    votes = [each["label"] for each in labels]
    right, wrong = votes.count(LabelValue.RIGHT.value), votes.count(LabelValue.WRONG.value)
    agreed = agreed_label(right, wrong)
    if agreed is None:
        return "divided" if right else None
    return _WORDS[agreed]
