"""Times that keep the part of the earlier one: `and last year?` after January to May, `and April?` after 31 March."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from scoring.patterns import lazy
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.periods import is_part, spoken
from scoring.question.questions import read_question
from scoring.specification import SqlSpec
from scoring.values import Choices, DatePart, Grain, RelativeTime, TimeRange, Value, shift

_DAY = timedelta(days=1)
_SHORT = timedelta(days=300)
"""Longest part of a year whose part of another year is meant by that year's name."""


def in_the_same_part(time: str, meaning: Meaning) -> str:
    """The part of a new time that the SQL before took of the old one, where the question or the answer says so.

    A year after named months is those months of that year. A month after the last day of one is its last day, where
    the answer selects that.
    """
    old = _ranges(meaning.evidence.before, meaning.moment)
    if len(old) != 1:
        return time
    before, answered = old[0], _ranges(meaning.evidence.now, meaning.moment)
    for new in _news(time, before, meaning.moment):
        part = _same_months(before, new)
        named = any(is_part(each.span) for each in meaning.earlier.times())
        if part is None or not (named or part in answered):
            part = _same_day(before, new)
            named = False
        text = spoken(part) if part is not None and (named or part in answered) else None
        if text is not None:
            return text
    return time


def at_no_end(text: str) -> str:
    """A text without `end of` before a day.

    >>> at_no_end("loans at the end of on 2026-04-30")
    'loans on 2026-04-30'
    """
    return _END.sub("", text)


_END = lazy(
    r"\b(?:(?:at|as of|as at|by|from) )?(?:the )?(?:month[- ])?(?:end|start|beginning|close)(?: of)? (?=on \d{4}-)",
    re.IGNORECASE,
)


def _ranges(spec: SqlSpec | None, moment: datetime | None) -> list[TimeRange]:
    """The closed ranges of times that the SQL selects."""
    found: list[TimeRange] = []
    for each in spec.filters if spec is not None else ():
        for member in each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,):
            value = _range(member, moment)
            if value is not None and value not in found:
                found.append(value)
    return found


def _range(value: Value | None, moment: datetime | None) -> TimeRange | None:
    """A time as a closed range."""
    if isinstance(value, RelativeTime) and moment is not None:
        value = value.resolve(moment.replace(tzinfo=None))
    return value if isinstance(value, TimeRange) and value.start and value.end else None


def _news(time: str, before: TimeRange, moment: datetime | None) -> list[TimeRange]:
    """What the new time may be: a month without a year is one of the years around the old time."""
    for each in read_question(time).filters:
        value, known = each.rhs, _range(each.rhs, moment)
        if known is not None:
            return [known]
        if isinstance(value, DatePart) and value.part == "month" and value.last is None and before.start is not None:
            starts = [datetime(before.start.year + by, value.value, 1) for by in (0, 1, -1) if value.value > 0]
            return [TimeRange(start, shift(start, Grain.MONTH, 1)) for start in starts]
    return []


def _same_months(old: TimeRange, new: TimeRange) -> TimeRange | None:
    """The months of another year that are those of the old time."""
    if old.start is None or old.end is None or new.start is None or old.end - old.start > _SHORT:
        return None
    if (new.start.month, new.start.day) != (1, 1) or shift(new.start, Grain.YEAR, 1) != new.end:
        return None
    by = new.start.year - old.start.year
    return TimeRange(shift(old.start, Grain.YEAR, by), shift(old.end, Grain.YEAR, by)) if by else None


def _same_day(old: TimeRange, new: TimeRange) -> TimeRange | None:
    """The first or last day of a period, where the old time is the first or last day of one."""
    if old.start is None or old.end is None or new.start is None or new.end is None or old.end - old.start != _DAY:
        return None
    if old.end.day == 1:
        return TimeRange(new.end - _DAY, new.end)
    return TimeRange(new.start, new.start + _DAY) if old.start.day == 1 else None
