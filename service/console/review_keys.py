"""The keys of the review page: templates, the help on the page and the documentation take them from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from consumers.wire.labels import ErrorType, LabelValue


@dataclass(frozen=True, slots=True)
class ReviewKey:
    """One key, and what it does on the page."""

    key: str
    """As the browser names it."""
    words: str


LABEL_KEYS: Mapping[LabelValue, ReviewKey] = {
    LabelValue.RIGHT: ReviewKey("r", "right: the SQL answers the question"),
    LabelValue.WRONG: ReviewKey("w", "wrong: it does not"),
    LabelValue.UNSURE: ReviewKey("u", "unsure: you cannot decide"),
}
_ERRORS: Mapping[ErrorType, str] = {
    ErrorType.FILTER: "a condition is missing, or there is one too many",
    ErrorType.VALUE: "a condition has the wrong value or operator",
    ErrorType.TIME: "the wrong time, or the wrong grain of time",
    ErrorType.COLUMN: "the wrong columns",
    ErrorType.AGGREGATION: "a sum, count or average is wrong, missing or not asked for",
    ErrorType.GROUPING: "grouped by the wrong columns, or not at all",
    ErrorType.JOIN: "the wrong tables, or tables joined wrongly",
    ErrorType.ORDER: "the wrong order, or the wrong number of rows",
    ErrorType.QUESTION: "it answers another question",
    ErrorType.OTHER: "something else: say it in the note",
}
ERROR_KEYS: Mapping[ErrorType, ReviewKey] = {
    kind: ReviewKey(str(place % 10), words) for place, (kind, words) in enumerate(_ERRORS.items(), start=1)
}
"""1 to 9, then 0."""
ACTION_KEYS: Mapping[str, ReviewKey] = {
    "note": ReviewKey("n", "write a note"),
    "correction": ReviewKey("c", "write the corrected SQL"),
    "leave": ReviewKey("Escape", "leave the text field"),
    "save": ReviewKey("Enter", "save the label; in a text field with Ctrl or ⌘. After the label: next answer"),
    "skip": ReviewKey("s", "skip the answer"),
    "undo": ReviewKey("z", "undo the label"),
    "help": ReviewKey("?", "show or hide the keys"),
}


def all_keys() -> list[ReviewKey]:
    """Every key, in the order of the help."""
    return [*LABEL_KEYS.values(), *ERROR_KEYS.values(), *ACTION_KEYS.values()]
