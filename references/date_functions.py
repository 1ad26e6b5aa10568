"""Functions on dates that SQLite lacks. The throw-away databases have them, and translated queries call them.

A date is a text, `2024-02-29`, `2024-02-29 10:30:00` or `2024-02-29 10:30:00.25`. What is no date gives NULL, as does a
result outside the years from 1 to 9999.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from references.dated_texts import moment, written
from references.time_zones import zone_time

MONTHS: Mapping[str, int] = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
"""Units of whole months."""
SECONDS: Mapping[str, int] = {"SECOND": 1, "MINUTE": 60, "HOUR": 3_600, "DAY": 86_400, "WEEK": 604_800}
"""Units of one length."""
PART = "PART"
"""The unit of a ten-thousandth of a second."""
TIMES = frozenset({"HOUR", "MINUTE", "SECOND", PART})
"""Units that add a time to a day."""
END_MONTH = "END_MONTH"
"""The unit of months that keeps the last day of a month the last day."""


def day_plus(text: object, count: object, unit: str) -> str | None:
    """The date so many units later; a day that the month does not have becomes its last.

    >>> day_plus("2024-01-31", 1, "MONTH"), day_plus("2024-01-31", -12, "HOUR")
    ('2024-02-29', '2024-01-30 12:00:00')
    """
    when = moment(text)
    if when is None or not isinstance(count, int):
        return None
    try:
        if unit == PART:
            later = when + timedelta(microseconds=100 * count)
        elif unit in SECONDS:
            later = when + timedelta(seconds=count * SECONDS[unit])
        else:
            later = _months_later(when, count * MONTHS.get(unit, 1), keep_end=unit == END_MONTH)
    except (OverflowError, ValueError):
        return None
    return written(later, whole=len(str(text)) == 10 and unit not in TIMES)


def _months_later(when: datetime, months: int, *, keep_end: bool) -> datetime:
    index = 12 * when.year + when.month - 1 + months
    last = last_day(index // 12, index % 12 + 1)
    ends = keep_end and when.day == last_day(when.year, when.month)
    return when.replace(year=index // 12, month=index % 12 + 1, day=last if ends else min(when.day, last))


def last_day(year: int, month: int) -> int:
    """The number of days of a month.

    >>> last_day(2024, 2), last_day(1900, 2), last_day(2023, 12)
    (29, 28, 31)
    """
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def day_floor(text: object, unit: str) -> str | None:
    """The first day of the unit, at midnight if the date has a time.

    >>> day_floor("2024-05-17", "QUARTER"), day_floor("2024-05-17 10:00:00", "WEEK"), day_floor("2024-05-17", "DAY")
    ('2024-04-01', '2024-05-13 00:00:00', '2024-05-17')
    """
    when = moment(text)
    if when is None:
        return None
    start = when.replace(minute=0, second=0, microsecond=0)
    if unit != "HOUR":
        start = start.replace(hour=0)
    if unit in MONTHS:
        start = start.replace(day=1, month=start.month - (start.month - 1) % MONTHS[unit])
    try:
        start -= timedelta(days=start.weekday() if unit == "WEEK" else 0)
    except OverflowError:
        return None
    return written(start, whole=len(str(text)) == 10 and unit != "HOUR")


def day_gap(late: object, early: object, unit: str) -> int | None:
    """How many starts of a unit lie between two dates.

    >>> day_gap("2024-03-01", "2024-02-29", "MONTH"), day_gap("2024-03-01 01:00:00", "2024-02-29 23:00:00", "DAY")
    (1, 1)
    """
    one, other = moment(late), moment(early)
    if one is None or other is None:
        return None
    if unit in MONTHS:
        return _months(one) // MONTHS[unit] - _months(other) // MONTHS[unit]
    if unit == "DAY":
        return one.toordinal() - other.toordinal()
    size = SECONDS[unit]
    return _seconds(one) // size - _seconds(other) // size


def day_span(late: object, early: object, unit: str) -> int | None:
    """How many whole units lie between two dates.

    >>> day_span("2024-03-01", "2024-02-02", "MONTH"), day_span("2024-02-02", "2024-03-02", "MONTH")
    (0, -1)
    """
    one, other = moment(late), moment(early)
    if one is None or other is None:
        return None
    if one < other:
        back = day_span(early, late, unit)
        return None if back is None else -back
    if unit in MONTHS:
        rest_one, rest_other = (one.day, one.time()), (other.day, other.time())
        return (_months(one) - _months(other) - int(rest_one < rest_other)) // MONTHS[unit]
    return (one - other) // timedelta(seconds=SECONDS[unit])


def month_span(late: object, early: object, _unit: str) -> float | None:
    """The months between two dates: whole where the days are the same or both the last, else with 31sts of a month.

    >>> month_span("2024-03-31", "2024-02-29", "MONTH"), month_span("2024-03-30", "2024-02-29", "MONTH")
    (1.0, 1.032258064516129)
    """
    one, other = moment(late), moment(early)
    if one is None or other is None:
        return None
    months = float(_months(one) - _months(other))
    ends = all(each.day == last_day(each.year, each.month) for each in (one, other))
    if one.day == other.day or ends:
        return months
    seconds = 86_400 * (one.day - other.day) + _seconds(one) % 86_400 - _seconds(other) % 86_400
    return months + seconds / (31 * 86_400)


def second_span(late: object, early: object, _unit: str) -> float | None:
    """The seconds between two dates, with their fractions.

    >>> second_span("2024-03-01 00:00:00.5", "2024-02-29", "SECOND")
    86400.5
    """
    one, other = moment(late), moment(early)
    return None if one is None or other is None else (one - other).total_seconds()


def day_last(text: object) -> str | None:
    """The last day of the month.

    >>> day_last("2024-02-03 10:00:00")
    '2024-02-29'
    """
    when = moment(text)
    return None if when is None else when.replace(day=last_day(when.year, when.month)).date().isoformat()


def day_of(year: object, month: object, day: object) -> str | None:
    """The date of a year, a month and a day.

    >>> day_of(2024, 2, 29), day_of(2023, 2, 29)
    ('2024-02-29', None)
    """
    if not isinstance(year, int) or not isinstance(month, int) or not isinstance(day, int):
        return None
    try:
        return date(year, month, day).isoformat()
    except (ValueError, OverflowError):
        return None


DATE_FUNCTIONS: Mapping[str, tuple[int, Callable[..., str | float | None]]] = {
    "day_plus": (3, day_plus),
    "day_floor": (2, day_floor),
    "day_gap": (3, day_gap),
    "day_span": (3, day_span),
    "month_span": (3, month_span),
    "second_span": (3, second_span),
    "day_last": (1, day_last),
    "day_of": (3, day_of),
    "zone_time": (3, zone_time),
}
"""By name, how many arguments a function takes, and the function."""


def _months(when: datetime) -> int:
    return 12 * when.year + when.month - 1


def _seconds(when: datetime) -> int:
    return when.toordinal() * 86_400 + when.hour * 3_600 + when.minute * 60 + when.second
