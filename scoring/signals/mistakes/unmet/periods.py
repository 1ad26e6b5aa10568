"""Signals about periods that are joined or counted: months of other years, and the stock of every day."""

from __future__ import annotations

import re

from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import cue
from scoring.specification import GroupKey, Operand, SqlFilter
from scoring.values import Choices, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_SAME_PART = re.compile(r"(month|quarter)\([^=]+\) = \1\(")
_YEAR_TOO = re.compile(r"\byear|yyyy|%y", re.IGNORECASE)


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
_A_ROW_A_DAY = re.compile(r"\b(?:one|a) (?:row|count|value|entry|line)\b[^.;?]{0,40}\b(?:each|every|per|and) day\b")
_OVER_DAYS = re.compile(
    r"\b(?:average|avg|mean|peak|max\w*|highest|lowest|trend|per day|by day|daily|each day|over time)\b"
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
    taken = any(not _SNAPSHOTS.isdisjoint(identifier_words(name)) for name in names)
    return taken or _A_ROW_A_DAY.search(case.said) is not None


_SNAPSHOTS = frozenset({"snapshot", "snap"})


def _is_timed(operand: Operand) -> bool:
    return any(is_time(column.name) for column in operand.columns)


def _groups_by_time(key: GroupKey) -> bool:
    return _is_timed(key.operand)


def _keeps_days(each: SqlFilter) -> bool:
    """Whether a condition keeps a time of more than two days, or has no end."""
    rhs = each.rhs
    if isinstance(rhs, RelativeTime):
        return rhs.start is not None and (rhs.end or 0) - rhs.start > 1
    ranged = isinstance(rhs, TimeRange)
    return ranged and (rhs.start is None or rhs.end is None or (rhs.end - rhs.start).days > _TWO_DAYS)


_TWO_DAYS = 2
