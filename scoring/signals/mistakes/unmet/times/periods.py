"""Signals about periods: months of other years that are joined, stock of every day, what is past or cut off before."""

from __future__ import annotations

import re
from datetime import datetime

from scoring.patterns import lazy
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Column, GroupKey, Op, Operand, SqlFilter
from scoring.values import Choices, Number, RelativeTime, TimeRange, Value
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_SAME_PART = lazy(r"(month|quarter)\([^=]+\) = \1\(")
_YEAR_TOO = lazy(r"\byear|yyyy|%y", re.IGNORECASE)


def months_joined(case: Case) -> str | None:
    """Months of more than a year are joined by their number alone, so each meets that of every year.

    >>> months_joined(case("Fares and goals by month of 2019 and 2020", "SELECT f.day, g.goal FROM fares f JOIN goals g"
    ...     " ON MONTH(g.day) = MONTH(f.day) WHERE f.day >= '2019-01-01' AND f.day < '2021-01-01'"))
    'month(day) = month(day): of every year'
    """
    joined = next((each for each in case.sql.filters if _SAME_PART.match(each.text)), None)
    if joined is None or _YEAR_TOO.search(case.written) is not None or not any(map(_is_long, case.sql.filters)):
        return None
    return f"{joined.text}: of every year"


def _is_long(each: SqlFilter) -> bool:
    """Whether a condition keeps more than a year."""
    times = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    ranges = [time for time in times if isinstance(time, TimeRange) and time.start and time.end]
    starts, ends = [time.start for time in ranges if time.start], [time.end for time in ranges if time.end]
    return bool(ranges) and (max(ends) - min(starts)).days > _A_YEAR


_A_YEAR = 366


_AT_A_TIME = cue(
    "right rn current now end close stock hand of balance",
    r"\bright now\b|\brn\b|\bcurrent(?:ly)?\b|\bnow\b|\bas (?:of|at)\b|\bat (?:the )?(?:very )?(?:end|close|start)\b"
    r"|\bat (?:month|quarter|year)[- ]end\b|\bend of (?:the )?(?:day|week|month|quarter|year|jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec)",
)
_A_ROW_A_DAY = cue("day", r"\b(?:one|a) (?:row|count|value|entry|line)\b[^.;?]{0,40}\b(?:each|every|per|and) day\b")
_OVER_DAYS = cue(
    "average avg mean peak max highest lowest trend day daily time",
    r"\b(?:average|avg|mean|peak|max\w*|highest|lowest|trend|per day|by day|daily|each day|over time)\b",
)


def days_of_stock_added(case: Case) -> str | None:
    """What there was at one moment is asked for, and the values of many days are added.

    A table of snapshots, or one of which a text says that it has a row for each day, holds the same things every day.

    >>> days_of_stock_added(case("Parcels held per depot at the end of may", "SELECT depot, SUM(held) FROM "
    ...     "depot_snapshots WHERE taken_on BETWEEN '2020-05-01' AND '2020-05-31' GROUP BY depot"))
    'sum(held) of all days for at the end'
    """
    found = _AT_A_TIME.search(case.asked)
    if found is None or _OVER_DAYS.search(case.asked) is not None or not _has_row_a_day(case):
        return None
    added = next((each for each in case.sql.aggregations if each.func == "SUM" and not each.conditional), None)
    plain = len(case.sql.blocks) == 1 and not case.sql.windows and not case.sql.limits
    if added is None or not plain or any(map(_groups_by_time, case.sql.group_by)) or not _keeps_many_days(case):
        return None
    return f"sum({added.column}) of all days for {found.group()}"


def _keeps_many_days(case: Case) -> bool:
    """Whether no condition keeps a single day of a table that has several."""
    timed = [each for each in case.sql.filters if each.lhs is not None and _is_timed(each.lhs)]
    dated = any(is_time(column.name) for column in case.sql.columns) or _A_ROW_A_DAY.search(case.said) is not None
    return dated and all(map(_keeps_days, timed))


def _has_row_a_day(case: Case) -> bool:
    """Whether a table is one of snapshots by its name or a column's, or a text says that it has a row for each day."""
    names = [table for block in case.sql.blocks for table in block.tables]
    names += [column.name for column in case.sql.columns]
    taken = any(not _SNAPSHOTS.isdisjoint(words) or {*words} >= _DAILY for words in map(_singular, names))
    return taken or _A_ROW_A_DAY.search(case.said) is not None


_SNAPSHOTS = frozenset({"snapshot", "snap"})
_DAILY = frozenset({"daily", "balance"})


def _singular(name: str) -> frozenset[str]:
    return frozenset(map(stem, identifier_words(name)))


_COUNTERS = frozenset({"lifetime", "cumulative", "odometer", "counter"})
_READINGS = frozenset(map(stem, ("reading", "meter", "telemetry", "measurement", "snapshot", "log", "ping", "sample")))


def counter_added(case: Case) -> str | None:
    """The readings of a counter that only grows are added, so that what came before counts once for each reading.

    >>> counter_added(case("Distance per van in May",
    ...     "SELECT van_id, SUM(odometer_km) FROM van_readings GROUP BY van_id"))
    'sum(odometer_km) adds readings of a counter'
    """
    sums = (each for each in case.sql.aggregations if each.func == "SUM" and len(each.columns) == 1)
    odd = next(
        (each for each in sums if each.column == each.columns[0].name and _is_counter(each.columns[0], case)), None
    )
    return f"sum({odd.column}) adds readings of a counter" if odd is not None else None


def _is_counter(column: Column, case: Case) -> bool:
    """Whether a column of a table of readings is called a counter."""
    table = column.table or next((name for block in case.sql.blocks for name in block.tables), "")
    return not (_COUNTERS.isdisjoint(identifier_words(column.name)) or _READINGS.isdisjoint(_singular(table)))


def _is_timed(operand: Operand) -> bool:
    return any(is_time(column.name) for column in operand.columns)


def _groups_by_time(key: GroupKey) -> bool:
    return _is_timed(key.operand)


def _keeps_days(each: SqlFilter) -> bool:
    """Whether a condition keeps a time of more than two days, or all before a day."""
    rhs = each.rhs
    if isinstance(rhs, RelativeTime):
        return rhs.start is not None and (rhs.end or 0) - rhs.start > 1
    ranged = isinstance(rhs, TimeRange)
    return ranged and (rhs.start is None or (rhs.end is not None and (rhs.end - rhs.start).days > _TWO_DAYS))


_TWO_DAYS = 2


_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}


def days_kept(each: SqlFilter, now: datetime | None) -> int:
    """How long the period is that a filter keeps, up to now where it is open; 0 where that is unknown."""
    rhs = _span(each.rhs)
    if isinstance(rhs, TimeRange) and rhs.start is not None and rhs.end is None and now is not None:
        return max((now.replace(tzinfo=None) - rhs.start).days, 0)
    if isinstance(rhs, TimeRange) and rhs.start is not None and rhs.end is not None:
        return (rhs.end - rhs.start).days
    if isinstance(rhs, RelativeTime) and rhs.start is not None:
        return ((rhs.end or 0) - rhs.start) * _UNIT_DAYS.get(str(rhs.unit), 0)
    return 0


def _span(rhs: Value | None) -> Value | None:
    """The time from the first to the last of several: `YEAR(day) IN (2019, 2020)`."""
    times = [each for each in rhs.members if isinstance(each, TimeRange)] if isinstance(rhs, Choices) else []
    starts, ends = [each.start for each in times if each.start], [each.end for each in times if each.end]
    return TimeRange(min(starts), max(ends)) if starts and ends else rhs


_NOT_GONE = cue(
    "expired ended lapsed past over gone on",
    r"\b(?:not|no|without|excluding|except) (?:the )?(?:ones |those |anything )?(?:that |which |who )?"
    r"(?:have |has |are |is )?(?:already )?(?:expired|ended|lapsed)\b"
    r"|\balready (?:ended|expired|lapsed|over|gone)\b[^.?;]{0,20}\b(?:no use|out|not|don'?t)\b"
    r"|\bfrom (?:today|now) on\b",
)
_OF_NOW = lazy(r"current_|\bnow\b|getdate|sysdate|curdate|today")


def gone_kept(case: Case) -> str | None:
    """What is over already is to be left out, and all that ends before a time to come is kept.

    >>> gone_kept(case("Cards that end in the next 9 days, not those that have ended", "SELECT id FROM cards WHERE "
    ...     "end_date <= CURRENT_DATE + INTERVAL '9' DAY"))
    'not those that have ended: end_date within now[None, 9) day'
    """
    found = _NOT_GONE.search(case.asked)
    now = case.query.occurred_at.replace(tzinfo=None) if case.query.occurred_at is not None else None
    for each in case.sql.filters if found is not None else ():
        alone = each.clause is Clause.WHERE and not any(_bounds_it_too(other, each) for other in case.sql.filters)
        if found is not None and alone and _ends_to_come(each, now):
            return f"{found.group()}: {each.text}"
    return None


def _bounds_it_too(other: SqlFilter, each: SqlFilter) -> bool:
    if other is each or other.lhs is None or each.lhs is None:
        return False
    return not set(other.lhs.columns).isdisjoint(each.lhs.columns)


def _ends_to_come(each: SqlFilter, now: datetime | None) -> bool:
    """Whether a condition keeps all before a time to come, be it by its distance from now."""
    rhs, lhs = each.rhs, each.lhs
    if isinstance(rhs, RelativeTime):
        return rhs.start is None and (rhs.end or 0) > 1
    if isinstance(rhs, TimeRange):
        return rhs.start is None and rhs.end is not None and now is not None and rhs.end > now
    of_now = lhs is not None and len(lhs.columns) == 1 and _OF_NOW.search(lhs.name) is not None
    return of_now and isinstance(rhs, Number) and rhs.value > 0 and each.op in (Op.LE, Op.LT)


_FROM_THE_START = cue(
    "running cumulative",
    r"\b(?:running|cumulative)\b[^.;?]{0,60}?\b(?:since (?:the )?(?:launch|beginning|start|inception|day one"
    r"|very first)|from (?:the )?(?:very )?(?:first|beginning|start))\b(?! of)|\ball[- ]time (?:running|cumulative)\b",
)


def runs_from_cut(case: Case) -> str | None:
    """A running total since the beginning is asked for, and WHERE drops the rows before the ones that are shown.

    >>> runs_from_cut(case("All-time running total of fares, list only 2020", "SELECT day, SUM(fare) OVER (ORDER BY "
    ...     "day) FROM fares WHERE day >= '2020-01-01'"))
    'day within [2020-01-01, ) before the sum runs'
    """
    if _FROM_THE_START.search(case.asked) is None:
        return None
    running = [window.block for window in case.sql.windows if window.func == "SUM"]
    for each in case.sql.filters:
        if _starts(each) and each.clause is Clause.WHERE and any(each.block.startswith(block) for block in running):
            return f"{each.text} before the sum runs"
    return None


def _starts(each: SqlFilter) -> bool:
    return isinstance(each.rhs, TimeRange | RelativeTime) and each.rhs.start is not None
