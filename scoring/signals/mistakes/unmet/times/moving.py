"""Signals about moving averages and trailing years, where the SQL takes the periods of the calendar."""

from __future__ import annotations

from datetime import datetime

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.ratios.averages import is_calendar
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, SqlFilter
from scoring.values import Grain, RelativeTime, TimeRange
from scoring.verdict import Case

_MOVING_MEAN = cue(
    "rolling moving trailing",
    r"\b(?:rolling|moving|trailing)\b[^.;?]{0,25}\b(?:avg|average|mean)\b"
    r"|\b(?:avg|average|mean),? (?:rolling|moving)\b",
)
_SPINE = frozenset({"cross", "comma"})


def moving_by_calendar(case: Case) -> str | None:
    """A moving average is asked for, and each group of the calendar has its own: no row reaches back.

    >>> moving_by_calendar(case("rolling 7 day avg of fares for each day", "SELECT date_trunc('week', day), AVG(fare) "
    ...     "FROM trips GROUP BY 1"))
    "rolling 7 day avg by date_trunc('week', day)"
    """
    found = _MOVING_MEAN.search(case.asked)
    if found is None or _reaches_back(case):
        return None
    keys = [key.operand for key in case.sql.group_by if key.block in case.sql.outputs]
    timed = next(filter(is_calendar, keys), None)
    return f"{found.group()} by {timed.name}" if timed is not None else None


def _reaches_back(case: Case) -> bool:
    """Whether a window, a subquery of each row, or a table joined to itself may reach rows before."""
    sql = case.sql
    if sql.windows or sql.set_operations or any(each.correlated for each in sql.subqueries):
        return True
    if any(each.bound or each.kind in _SPINE for each in sql.joins):
        return True
    tables = [table for block in sql.blocks for table in block.tables]
    return len(tables) > len(set(tables))


_TRAILING_YEAR = cue(
    "ttm ltm trailing rolling",
    r"\b(?:ttm|ltm)\b|\b(?:trailing|rolling) (?:twelve|12)[- ]?(?:months?|mths?|mo)\b|\btrailing year\b",
)
_AS_OF = lazy(r"\b(?:as of|as at|ending|ended|end of|to end|through|thru|up to|until|dec\w*|year[- ]end|20\d\d|fy)\b")


def trailing_by_calendar(case: Case) -> str | None:
    """The twelve months before a day are asked for, and those of a calendar year come.

    >>> trailing_by_calendar(case("ttm fares as of 30 june", "SELECT SUM(fare) FROM trips WHERE YEAR(day) = 2026 AND "
    ...     "day <= '2026-06-30'"))
    'ttm: day within [2026-01-01, 2027-01-01)'
    """
    found = _TRAILING_YEAR.search(case.said)
    years = [each for each in case.sql.filters if found is not None and _is_calendar_year(each.rhs)]
    if found is None or len(years) != 1 or years[0].clause is not Clause.WHERE or years[0].alternative is not None:
        return None
    cut = any(_ends_within(each, years[0]) for each in case.sql.filters)
    day = case.query.occurred_at
    midway = day is not None and day.month not in (1, 12) and _AS_OF.search(case.said) is None
    return f"{found.group()}: {years[0].text}" if cut or midway else None


def _is_calendar_year(value: object) -> bool:
    if isinstance(value, RelativeTime):
        return (
            value.unit is Grain.YEAR and value.whole and value.end is not None and value.end - (value.start or 0) == 1
        )
    if not isinstance(value, TimeRange) or value.start is None or value.end is None:
        return False
    return value.start == datetime(value.start.year, 1, 1) and value.end == datetime(value.start.year + 1, 1, 1)


def _ends_within(each: SqlFilter, year: SqlFilter) -> bool:
    """Whether another bound of the same time ends in the middle of the year."""
    one, whole = each.rhs, year.rhs
    if not isinstance(one, TimeRange) or not isinstance(whole, TimeRange) or each is year or each.lhs != year.lhs:
        return False
    return one.end is not None and whole.end is not None and one.start is None and one.end < whole.end


def by_calendar(case: Case) -> str | None:
    """Whichever of the two is wrong."""
    return moving_by_calendar(case) or trailing_by_calendar(case)
