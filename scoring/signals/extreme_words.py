"""Words of extremes and of columns that say which way an order runs."""

from __future__ import annotations

from scoring.linking import operand_words
from scoring.patterns import lazy
from scoring.specification import Operand
from scoring.words import identifier_words

YOUNG_OLD = frozenset(
    {"youngest", "oldest", "eldest", "earliest", "latest", "newest", "fastest", "slowest", "best", "longest"}
) | {f"longest{sign}{word}" for sign in "- " for word in ("standing", "serving", "running")}
"""Words whose direction depends on the measure: an age or a birthday, a speed or a time, a score or a rank."""
SPEEDS = frozenset({"fastest", "slowest", "quickest"})
LENGTHS = frozenset(
    "duration ms second sec minute min hour day latency delay elapsed lead wait took time length".split()
)
INVERTED = frozenset("date birth birthday dob born year yr time rank position place millisecond on at dt".split())
AGED = frozenset({"oldest", "eldest", "youngest"})
TIMES = frozenset("date birth birthday dob born year yr on at dt built".split())
SINCE = ("from", "since", "start", "started", "begin", "date", "joined", "hired", "opened")
"""Endings of columns of when something began."""
_TIME = lazy(r"(?:_at|_on|_date|_ts|_time|_since|_day|date|_dt)(?: as \w+)?\)?")
_DIFFERENCE = lazy(r"(?:date|timestamp|datetime|time)_?diff\(|julianday\(|\bepoch\b|unix_timestamp\(|\bage\(")
_NO_LENGTH = frozenset("per rate share pct percent speed velocity score on count".split())
_BEGUN = frozenset(
    "created create joined join opened open started start began begin hired hire registered placed reported received "
    "submitted admitted issued signed since raised logged arrived arrive arrival entered".split()
)


def is_length_of_time(operand: Operand) -> bool:
    """Whether an operand is how long something takes, by its words or as the difference of two times.

    >>> from scoring.specification import Column
    >>> times = (Column("sent_on"), Column("made_on"))
    >>> is_length_of_time(Operand(name="avg(sent_on - made_on)", columns=times))
    True
    >>> is_length_of_time(Operand(name="stops_per_hour", columns=(Column("stops_per_hour"),)))
    False
    """
    subtracts = " - " in operand.name and len(operand.columns) == 2
    if subtracts and all(_TIME.search(column.name) is not None for column in operand.columns):
        return True
    words = set(operand_words(operand))
    if words & _NO_LENGTH or "/" in operand.name.replace("/ 60", "").replace("/ 3600", "") or "count(" in operand.name:
        return False
    return _DIFFERENCE.search(operand.name) is not None or any(_is_length(column.name) for column in operand.columns)


def _is_length(column: str) -> bool:
    """Whether a column is named like a length of time: `load_ms`, `wait_minutes`, `delay_total`, but no `day_sales`."""
    words = identifier_words(column)
    return bool(words) and (words[-1] in LENGTHS or not _SURE_LENGTHS.isdisjoint(words))


_SURE_LENGTHS = frozenset("duration latency delay elapsed lead wait took".split())


def is_beginning(column: str) -> bool:
    """Whether a column holds when something began.

    >>> is_beginning("joined_on"), is_beginning("left_on")
    (True, False)
    """
    words = column.casefold().split("_")
    return not _BEGUN.isdisjoint(words) and (_TIME.search(column.casefold()) is not None or words[-1] in _BEGUN)
