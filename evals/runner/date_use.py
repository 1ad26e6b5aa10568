"""Whether a query computes with dates: what of its tree speaks of them."""

from __future__ import annotations

import re

from sqlglot import exp

_CLOCKS = (
    *(exp.CurrentDate, exp.CurrentDatetime, exp.CurrentTime, exp.CurrentTimestamp, exp.CurrentTimestampLTZ),
    *(exp.UtcDate, exp.UtcTime, exp.UtcTimestamp),
)
_STEPS = (
    *(exp.AddMonths, exp.DateAdd, exp.DateSub, exp.DateDiff, exp.DatetimeAdd, exp.DatetimeSub, exp.DatetimeDiff),
    *(exp.TimeAdd, exp.TimeSub, exp.TimeDiff, exp.TimestampAdd, exp.TimestampSub, exp.TimestampDiff, exp.Interval),
    *(exp.MonthsBetween, exp.LastDay, exp.NextDay, exp.PreviousDay, exp.GenerateDateArray, exp.TsOrDsAdd),
    *(exp.TsOrDsDiff, exp.DateBin, exp.AtTimeZone),
)
_PARTS = (
    *(exp.DateTrunc, exp.DatetimeTrunc, exp.TimestampTrunc, exp.TimeTrunc, exp.Extract, exp.Year, exp.Quarter),
    *(exp.Month, exp.Monthname, exp.Week, exp.WeekOfYear, exp.Day, exp.Dayname, exp.DayOfMonth, exp.DayOfWeek),
    *(exp.DayOfWeekIso, exp.DayOfYear, exp.Hour, exp.Minute, exp.Second, exp.ToDays, exp.UnixSeconds, exp.UnixDate),
)
_READINGS = (
    *(exp.Date, exp.Datetime, exp.Timestamp, exp.DateFromParts, exp.TimestampFromParts, exp.ParseDatetime),
    *(exp.StrToDate, exp.StrToTime, exp.StrToUnix, exp.TimeToStr, exp.TimeToUnix, exp.UnixToTime, exp.UnixToStr),
    *(exp.TsOrDsToDate, exp.TsOrDsToDatetime, exp.TsOrDsToTimestamp, exp.TsOrDsToTime, exp.DateToDi, exp.DiToDate),
)
_DATES = (*_CLOCKS, *_STEPS, *_PARTS, *_READINGS)
_CALLS = frozenset(
    "strftime strptime julianday unixepoch date datetime time to_char date_part age make_date make_timestamp now "
    "sysdate getdate getutcdate curdate localtimestamp unix_timestamp from_unixtime to_date to_timestamp str_to_date "
    "date_add date_sub dateadd datediff date_diff timediff timestampdiff date_trunc date_format months_between "
    "period_diff datepart datename eomonth year month hour weekday dayofweek".split()
)
_TEXT = re.compile(r"\d{4}-\d{2}(-\d{2})?([ T].*)?|now", re.IGNORECASE)
_TYPES = frozenset({*exp.DataType.TEMPORAL_TYPES, exp.DType.INTERVAL})
_NAMED = re.compile(r"(?:^|_)(?:at|dt|day|time|on)$|(?:date|datetime|timestamp)$|[a-z](?:At|Day|Time)$")
_THROUGH = (exp.Paren, exp.Min, exp.Max, exp.Coalesce)


def speaks_of_dates(node: exp.Expr, dated: frozenset[str]) -> bool:
    """Whether a node is a date, or computes one. `dated` are columns that the schema declares as dates, in lower case.

    >>> from sqlglot import parse_one
    >>> [speaks_of_dates(parse_one(each), frozenset({"e"})) for each in ("sent_at - made_at", "e - 7", "price - 7")]
    [True, True, False]
    """
    if isinstance(node, exp.Literal):
        return node.is_string and _TEXT.fullmatch(node.name) is not None
    if isinstance(node, exp.Cast):
        return node.to.this in _TYPES
    if isinstance(node, exp.Sub | exp.Add):
        return _shifts_a_date(node, dated)
    return isinstance(node, _DATES) or (isinstance(node, exp.Anonymous) and node.name.lower() in _CALLS)


def _shifts_a_date(node: exp.Sub | exp.Add, dated: frozenset[str]) -> bool:
    """Whether days are added to a date by its type, or one date is taken from another."""
    sides = [_column(node.this), _column(node.expression)]
    if any(each is not None and each.lower() in dated for each in sides):
        return True
    return isinstance(node, exp.Sub) and all(each is not None and _named_as_date(each) for each in sides)


def _named_as_date(name: str) -> bool:
    return _NAMED.search(name) is not None or _NAMED.search(name.lower()) is not None


def _column(node: exp.Expr) -> str | None:
    while isinstance(node, _THROUGH) and isinstance(node.this, exp.Expr):
        node = node.this
    return node.name if isinstance(node, exp.Column) else None
