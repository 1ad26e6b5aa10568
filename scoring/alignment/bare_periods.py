"""Do a month, quarter or weekday without a year and a dated range mean the same?"""

from __future__ import annotations

from datetime import datetime, timedelta

from scoring.values import MONTHS, DatePart, Grain, RelativeTime, TimeRange, floor, period, shift

_DAY = timedelta(days=1)


def same_bare_period(part: DatePart, there: TimeRange | RelativeTime, now: datetime | None) -> bool:
    """Whether a dated range is the period that a question names without its year.

    It is the latest that has begun or the next one; of any year where it is not known when the question was asked.

    >>> october, asked = DatePart("month", 10), datetime(2026, 11, 20)
    >>> [same_bare_period(october, TimeRange(datetime(year, 10, 1), datetime(year, 11, 1)), asked)
    ...     for year in (2025, 2026)]
    [False, True]
    """
    if isinstance(there, RelativeTime):
        if now is None:
            return False
        there = there.resolve(now)
    if part.part == "weekday":
        return _is_since(part.value, there, now) if part.last is not None else _is_weekday(part.value, there, now)
    if part.part == "quarter" and _is_of_the_books(part, there, now):
        return True
    edge = there.start or (there.end - _DAY if there.end is not None else None)
    return edge is not None and any(
        _is_run(run, there, part, now)
        for year in (edge.year - 1, edge.year)
        if (run := run_of(part, year)) is not None and _is_near(run, now, part)
    )


def _is_of_the_books(part: DatePart, there: TimeRange, now: datetime | None) -> bool:
    """Whether a range is a whole quarter that has begun within the last year: the books may begin in another month.

    Nobody takes April to June for a first quarter who does not know that it is one.
    """
    start, end = there.start, there.end
    if start is None or end is None or now is None or part.last is not None or part.year is not None:
        return False
    whole = start.day == 1 and start.month % 3 == 1 and end == shift(start, Grain.MONTH, 3)
    return whole and shift(now, Grain.YEAR, -1) < start <= now


def run_of(part: DatePart, year: int) -> TimeRange | None:
    """The months that a month, a quarter or several of them are in a year.

    >>> str(run_of(DatePart("quarter", 3), 2026)), str(run_of(DatePart("month", 11, 2), 2026))
    ('[2026-07-01, 2026-10-01)', '[2026-11-01, 2027-03-01)')
    """
    if part.part == "date":
        return _days_of(part, year)
    if part.part not in ("month", "quarter") or part.value < 1 or not 1 < year < 9990:
        return None
    size, last = MONTHS[Grain(part.part)], part.last or part.value
    if not all(1 <= each <= 12 // size for each in (part.value, last)):
        return None
    first, end = datetime(year, (part.value - 1) * size + 1, 1), datetime(year, (last - 1) * size + 1, 1)
    after = shift(end, Grain.MONTH, size + (12 if last < part.value else 0))
    return TimeRange(first, after)


def _days_of(part: DatePart, year: int) -> TimeRange | None:
    """The day, or days, of a year: 3 November is (date, 1103)."""
    first = period(Grain.DAY, year=year, month=part.value // 100, day=part.value % 100)
    last = part.last or part.value
    final = period(Grain.DAY, year=year + (last < part.value), month=last // 100, day=last % 100)
    return TimeRange(first.start, final.end) if first is not None and final is not None else None


def _is_near(run: TimeRange, now: datetime | None, part: DatePart) -> bool:
    """Whether a period begins in the year that is named, or else less than a year before or after now.

    One over the turn of a year, such as September to August, may have begun earlier, and ends in that time.
    """
    if now is None or run.start is None or run.end is None:
        return True
    if part.year is not None:
        return run.start.year == now.year + part.year
    turns = part.last is not None and part.last < part.value
    return shift(now, Grain.YEAR, -1) < (run.end if turns else run.start) and run.start <= shift(now, Grain.YEAR, 1)


def _is_run(run: TimeRange, there: TimeRange, part: DatePart, now: datetime | None) -> bool:
    """Whether the ends agree. A run to or from an end of the year may be open there, and any may be from now on."""
    if run.start is None or run.end is None:
        return False
    several = part.last is not None
    from_first, to_last = several and part.value in (1, 101), several and part.last == _LAST.get(part.part)
    starts = abs(there.start - run.start) < _DAY if there.start is not None else from_first
    if from_first and now is not None and there.start == floor(now, Grain.DAY):
        starts = True  # what is still to come, from today
    goes_on = now is not None and run.start <= now < run.end
    return starts and _ends_alike(run.end, there.end, now, may_be_open=to_last or goes_on)


def _ends_alike(wanted: datetime, there: datetime | None, now: datetime | None, *, may_be_open: bool) -> bool:
    if there is None or abs(there - wanted) <= timedelta(seconds=1):
        return there is not None or may_be_open
    return may_be_open and now is not None and now - _DAY <= there


_LAST = {"month": 12, "quarter": 4, "date": 1231}
"""The last of each part in a year."""


def _is_weekday(number: int, there: TimeRange, now: datetime | None) -> bool:
    """Whether a range is one day of the week, within a fortnight of now."""
    if there.start is None or there.end is None or there.end - there.start > _DAY:
        return False
    near = now is None or abs(there.start - now) <= timedelta(days=15)
    return near and there.start.isoweekday() % 7 == number


def _is_since(number: int, there: TimeRange, now: datetime | None) -> bool:
    """Whether a range goes on from the latest such day of the week, or from the one before, until now."""
    if there.start is None or there.start.isoweekday() % 7 != number or now is None:
        return False
    return timedelta(0) <= now - there.start <= timedelta(days=8) and (there.end is None or there.end >= now - _DAY)


def same_month_yearly(wanted: RelativeTime, part: DatePart, now: datetime | None) -> bool:
    """Whether a recurring month is that of a period around now: a birthday `this month`."""
    if part.part != "month" or wanted.unit is not Grain.MONTH or wanted.start is None or not wanted.whole:
        return False
    if part.value <= 0:
        return part.value == wanted.start
    start = None if now is None else wanted.resolve(now).start
    return start is None or start.month == part.value
