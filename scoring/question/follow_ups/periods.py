"""Times of a fragment that depend on the time of the earlier question: `and April?`, `the week before`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from scoring.patterns import lazy
from scoring.specification import QuestionFilter
from scoring.values import DatePart, Grain, RelativeTime, TimeRange, shift

_YEAR = lazy(r"\b(?:19|20)\d\d\b|\b(?:this|last|next|previous) (?:fiscal )?(?:year|yr)\b", re.IGNORECASE)
_PART = lazy(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\b|\bq[1-4]\b|\bh[12]\b|\b\d(?:st|nd|rd"
    r"|th)? quarter\b|\bquarter\b",
    re.IGNORECASE,
)


def with_year(time: str, old: QuestionFilter, moment: datetime | None, *, narrows: bool) -> str:
    """A month or quarter with the year of the old time, where it has none of its own."""
    if _PART.search(time) is None or _YEAR.search(time) is not None:
        return time
    year = _YEAR.search(old.span)
    if year is not None:
        return f"{time} {year.group()}"
    if narrows and isinstance(old.rhs, TimeRange) and old.rhs.start is not None and moment is None:
        return f"{time} {old.rhs.start.year}"
    return time


def _latest(part: DatePart, now: datetime) -> TimeRange | None:
    """The last month of a name that has begun: March of this year, asked in April."""
    if part.part != "month" or part.last is not None or not 1 <= part.value <= _MONTHS:
        return None
    start = datetime(now.year - (part.value > now.month), part.value, 1)
    return TimeRange(start, shift(start, Grain.MONTH, 1))


_MONTHS = 12


def next_to(times: Sequence[QuestionFilter], unit: str | None, by: int, moment: datetime | None) -> str | None:
    """The period before or after the time of the earlier question, as a text; `None` where that cannot be told."""
    if not times:
        return None
    value = times[-1].rhs
    if isinstance(value, (RelativeTime, DatePart)):
        if moment is None:
            return None
        now = moment.replace(tzinfo=None)
        value = value.resolve(now) if isinstance(value, RelativeTime) else _latest(value, now)
    if not isinstance(value, TimeRange) or value.start is None or value.end is None:
        return None
    grain = Grain(unit) if unit in set(Grain) else _grain(value)
    if grain is None:
        return None
    return spoken(TimeRange(shift(value.start, grain, by), shift(value.end, grain, by)))


def _grain(value: TimeRange) -> Grain | None:
    """The unit that a range is one of."""
    if value.start is None:
        return None
    return next((each for each in Grain if shift(value.start, each, 1) == value.end), None)


def is_part(time: str) -> bool:
    """Whether words name months or a quarter."""
    return _PART.search(time) is not None


def spoken(value: TimeRange) -> str | None:
    """A range in words that are read back as the same range."""
    start, end = value.start, value.end
    if start is None or end is None:
        return None
    grain = _grain(value)
    if grain is Grain.YEAR and (start.month, start.day) == (1, 1):
        return f"in {start.year}"
    if grain is Grain.QUARTER and start.day == 1 and start.month % 3 == 1:
        return f"in Q{start.month // 3 + 1} {start.year}"
    if grain is Grain.MONTH and start.day == 1:
        return f"in {start:%B} {start.year}"
    if grain is Grain.DAY:
        return f"on {start:%Y-%m-%d}"
    return f"between {start:%Y-%m-%d} and {end - timedelta(days=1):%Y-%m-%d}"
