"""Times of a follow-up and of the SQL before it: whether words name one, and which columns are tested."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import stems
from scoring.specification import Column, SqlFilter, SqlSpec
from scoring.values import Choices, DatePart, RelativeTime, TimeRange

TIMES = (TimeRange, RelativeTime, DatePart)


def is_time(each: SqlFilter) -> bool:
    """Whether a condition compares with times."""
    if isinstance(each.rhs, Choices):
        return all(isinstance(member, TIMES) for member in each.rhs.members)
    return isinstance(each.rhs, TIMES)


def names_time(fragment: str) -> bool:
    """Whether words name a time and not only a group, as `by month` does."""
    return _OF_TIME.search(_GROUPED.sub("", fragment)) is not None


_GROUPED = lazy(
    r"\b(?:by|per|each|every|into) (?:the )?\w+|\b(?:dai|week|month|quarter|year)ly\b"
    r"|\bin (?:hours|days|weeks|months|years)\b",
    re.IGNORECASE,
)
_OF_TIME = lazy(
    r"\b(?:days?|weeks?|weekends?|months?|quarters?|years?|q[1-4]|h[12]|ytd|today|yesterday|since|until|(?:19|20)\d\d"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|spring|summer|autumn|fall|winter|season|so far"
    r"|mornings?|afternoons?|evenings?|nights?|noon|rush hours?)\b",
    re.IGNORECASE,
)


def moved_times(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The columns of times by which the answer selects in place of those of the SQL before, which nothing asks for."""
    before = asked.before
    if before is None or ChangeKind.AGGREGATE in asked.free:
        return []
    new = {column.name for column in _time_columns(sql)}
    denied = _DENIED.search(asked.fragment)
    if denied is not None:
        return sorted(name for name in new if stems(denied["what"]) & stems(name))
    named = any(stems(asked.fragment) & stems(name) for name in new)
    return sorted(new) if not named and _might_stay(_time_columns(before), new, sql) else []


def _might_stay(old: set[Column], new: set[str], sql: SqlSpec) -> bool:
    """Whether the answer reads the tables of the old columns of times, and selects by none of these."""
    tables = {table for block in sql.blocks for table in block.tables}
    return bool(old) and all(column.table in tables and column.name not in new for column in old)


_DENIED = lazy(r", not (?:the |by )?(?P<what>\w+)(?: date)?$", re.IGNORECASE)
"""What was not meant: `shipped in April, not ordered`."""


def _time_columns(sql: SqlSpec) -> set[Column]:
    timed = [each.lhs for each in sql.filters if each.lhs is not None and is_time(each)]
    return {column for lhs in timed for column in lhs.columns}
