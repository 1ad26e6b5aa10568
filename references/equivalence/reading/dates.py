"""Rewrites date arithmetic of other dialects as calls of the functions that the throw-away databases have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlglot import exp

from references.date_functions import END_MONTH, MONTHS, TIMES
from references.equivalence.reading.clocks import moment_of_day, time_of_day
from references.equivalence.reading.date_formats import abbreviated, formatted, styled, written_as
from references.equivalence.reading.date_parts import FROM_ZERO, of_clickhouse, part_of_date, quarter
from references.equivalence.reading.date_words import (
    WHOLE_DAYS,
    as_asked,
    call,
    day_of,
    integer,
    interval_of,
    plain,
    unit_of,
)
from references.equivalence.reading.periods import bucket, overlapping, start_of_minutes
from references.equivalence.reading.weeks import (
    MONDAYS,
    first_day,
    from_monday,
    iso_week,
    week_start,
    weeks_between,
    year_and_week,
)
from references.equivalence.reading.zones import floored, zoned

_BOUNDARIES = frozenset({"bigquery", "snowflake", "tsql", "fabric", "redshift", "duckdb"})
"""Dialects whose DATEDIFF counts the starts of units, not whole units."""
_MOMENTS = exp.DataType.TEMPORAL_TYPES - {exp.DType.DATE, exp.DType.DATE32, exp.DType.TIME, exp.DType.TIMETZ}
_YEAR_NOUGHT = "0000-01-01"
_WEEKDAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SA")
_SPELLED = re.compile(r"\s*([+-]?\s*\d+)\s*([A-Za-z]+)")


def dated(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """What stands for date arithmetic in SQLite; `None` for anything else, and for what has no equivalent.

    >>> from sqlglot import parse_one
    >>> dated(parse_one("DATE_SUB(d, INTERVAL 1 MONTH)", dialect="mysql"), "mysql").sql("sqlite")
    "DAY_PLUS(d, -1, 'MONTH')"
    """
    local = zoned(node, dialect)
    if local is not None:
        return dated(local, dialect) or local
    part = time_of_day(node) or moment_of_day(node, dialect) or part_of_date(node, dialect)
    if part is not None:
        return part
    reader = _READERS.get(type(node))
    return reader(node, dialect) if reader is not None else None


def _later(node: exp.Expr, dialect: str) -> exp.Expr | None:
    whole = dialect in WHOLE_DAYS and isinstance(node, exp.TsOrDsAdd)
    return _plus(day_of(node.this) if whole else node.this, node.expression, node.args.get("unit"), sign=1)


def _earlier(node: exp.Expr, _: str) -> exp.Expr | None:
    return _plus(node.this, node.expression, node.args.get("unit"), sign=-1)


def _plus(date: exp.Expr, count: exp.Expr, unit: exp.Expr | None, *, sign: int) -> exp.Expr | None:
    if isinstance(count, exp.Interval):
        return _with_interval(date, count, sign=sign)
    word, number, start = unit_of(unit), _number(count, sign), _day_numbered(as_asked(date))
    if word is None or number is None or start is None:
        return None
    return call("day_plus", start, number, word)


def _day_numbered(node: exp.Expr) -> exp.Expr | None:
    """The date, or for a number the day that T-SQL counts from 1900; no other dialect takes a number for a date."""
    if not isinstance(node, exp.Literal) or node.is_string:
        return node
    return exp.Literal.string("1900-01-01") if node.name == "0" else None


def _number(node: exp.Expr, sign: int) -> exp.Expr | None:
    """The number of units, with its sign; `None` for a fraction or a text that is no number."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        return _number(node.this, -sign)
    if not isinstance(node, exp.Literal):
        return node.copy() if sign > 0 else exp.Neg(this=exp.paren(node.copy()))
    text = node.name.strip()
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        return None
    value = sign * int(text)
    return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))


def _with_interval(date: exp.Expr, interval: exp.Interval, *, sign: int) -> exp.Expr | None:
    if interval.args.get("unit") is not None:
        return _plus(date, interval.this, interval.args["unit"], sign=sign)
    # PostgreSQL spells several units in one text: months count before days
    spelled = _SPELLED.findall(interval.name)
    if not spelled or _SPELLED.sub("", interval.name).strip():
        return None
    found = as_asked(date)
    for count, word in sorted(spelled, key=lambda each: unit_of(each[1]) not in MONTHS):
        later = _plus(found, exp.Literal.string(count.replace(" ", "")), exp.var(word), sign=sign)
        if later is None:
            return None
        found = later
    return found


def _sum(node: exp.Expr, _: str) -> exp.Expr | None:
    for date, spelled in ((node.this, node.expression), (node.expression, node.this)):
        interval = interval_of(spelled)
        if isinstance(interval, exp.Interval) and (isinstance(node, exp.Add) or spelled is node.expression):
            return _with_interval(date, interval, sign=1 if isinstance(node, exp.Add) else -1)
    return None


def _months_later(node: exp.Expr, dialect: str) -> exp.Expr | None:
    number = _number(node.expression, 1)
    unit = END_MONTH if node.args.get("preserve_end_of_month") else "MONTH"
    date = day_of(node.this) if dialect in WHOLE_DAYS else plain(node.this)
    return call("day_plus", date, number, unit) if number is not None else None


def _floor(node: exp.Expr, dialect: str) -> exp.Expr | None:
    if node.args.get("zone") is not None:
        return floored(node, lambda local: _start(local, node.args.get("unit"), dialect))
    return _start(plain(node.this), node.args.get("unit"), dialect)


def _start(date: exp.Expr, word: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """The first day of the unit."""
    name = word.name.upper() if word is not None else ""
    if name == "ISOYEAR":
        fourth = call("day_of", iso_week(name, date), exp.Literal.number(1), exp.Literal.number(4))
        return week_start(fourth, 1)
    first = first_day(word, dialect)
    if first is not None:
        return week_start(date, first)
    unit = unit_of(word)
    if unit == "MINUTE":
        return start_of_minutes(date, 1)
    return call("day_floor", date, unit) if unit is not None and unit != "SECOND" else None


def _difference(node: exp.Expr, dialect: str) -> exp.Expr | None:
    word = node.args.get("unit")
    late, early = plain(node.this), plain(node.expression)
    if early.name == _YEAR_NOUGHT and isinstance(early, exp.Literal) and unit_of(word) == "DAY":
        # MySQL's TO_DAYS, which counts from a year that no calendar has
        days = call("day_gap", late, "0001-01-01", "DAY")
        return exp.paren(exp.Add(this=days, expression=exp.Literal.number(365)))
    starts = dialect in _BOUNDARIES and isinstance(node, exp.DateDiff | exp.DatetimeDiff | exp.TsOrDsDiff)
    if first_day(word, dialect) is not None and dialect in _BOUNDARIES:
        return weeks_between(late, early, word, dialect) if starts else None
    unit = unit_of(word)
    if unit is None:
        return None
    if word is None or (starts and unit not in TIMES):
        return call("day_gap", late, early, unit)
    return call("day_gap" if starts else "day_span", as_asked(node.this), as_asked(node.expression), unit)


def _months_between(node: exp.Expr, _: str) -> exp.Expr | None:
    return call("month_span", plain(node.this), plain(node.expression), "MONTH")


def _days_of_epoch(node: exp.Expr, _: str) -> exp.Expr | None:
    return call("day_gap", plain(node.this), "1970-01-01", "DAY")


def _last(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """The last day of a period, which is a month if none is named. Oracle keeps the time of day."""
    word, date = node.args.get("unit"), plain(node.this)
    unit = "MONTH" if word is None else "WEEK" if first_day(word, dialect) is not None else unit_of(word)
    if unit in {"QUARTER", "YEAR"}:
        after = call("day_plus", call("day_floor", date, unit), exp.Literal.number(MONTHS[unit]), "MONTH")
        return exp.Date(this=call("day_plus", after, exp.Neg(this=exp.Literal.number(1)), "DAY"))
    if unit == "WEEK" and dialect in MONDAYS | {"bigquery"}:
        first = _start(date, word, dialect)
        return exp.Date(this=call("day_plus", first, exp.Literal.number(6), "DAY")) if first is not None else None
    if unit != "MONTH":
        return None
    last = call("day_last", date)
    return call("day_plus", date, call("day_gap", last, date, "DAY"), "DAY") if dialect == "oracle" else last


def _of_parts(node: exp.Expr, _: str) -> exp.Expr | None:
    parts = [node.args.get(each) for each in ("year", "month", "day")]
    return call("day_of", *(each for each in parts if each is not None)) if None not in parts else None


def _named(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """Functions that the parser does not know."""
    name = node.name.upper()
    if name.startswith("TO_TIMESTAMP_") and len(node.expressions) == 1:
        return call("datetime", plain(node.expressions[0]))
    if dialect == "clickhouse":
        return of_clickhouse(node)
    reader = _FUNCTIONS.get((name, len(node.expressions)), bucket)
    return reader(node, dialect)


def _weekday(node: exp.Expr, dialect: str) -> exp.Expr:
    number = integer(plain(node.expressions[0]), "%w")
    return number if dialect in FROM_ZERO else from_monday(number, 0)


def _whole_units(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """DuckDB's DATE_SUB, which counts whole units between two dates."""
    unit, early, late = node.expressions
    word = unit_of(unit) if dialect == "duckdb" else None
    return call("day_span", plain(late), plain(early), word) if word is not None else None


def _year_and_week(node: exp.Expr, dialect: str) -> exp.Expr | None:
    date, *mode = node.expressions
    return year_and_week(plain(date), next(iter(mode), None)) if dialect in {"mysql", "singlestore"} else None


def _days_later(node: exp.Expr, _: str) -> exp.Expr | None:
    date, count = node.expressions
    return _plus(date, count, None, sign=1 if node.name.upper() == "ADDDATE" else -1)


def _months_of_periods(node: exp.Expr, _: str) -> exp.Expr | None:
    """The months between two dates that MySQL has as numbers of a year and a month."""
    dates = [each.this if isinstance(each, exp.Cast) else each for each in node.expressions]
    if any(not isinstance(each, exp.TimeToStr) or each.args["format"].name != "%Y%m" for each in dates):
        return None
    return call("day_gap", *(plain(each.this) for each in dates), "MONTH")


_FUNCTIONS: Mapping[tuple[str, int], Callable[[exp.Expr, str], exp.Expr | None]] = {
    ("WEEKDAY", 1): _weekday,
    ("MAKE_DATE", 3): lambda node, _: call("day_of", *node.expressions),
    ("DATE_SUB", 3): _whole_units,
    ("DATESUB", 3): _whole_units,
    ("PERIOD_DIFF", 2): _months_of_periods,
    **dict.fromkeys((("YEARWEEK", 1), ("YEARWEEK", 2)), _year_and_week),
    ("ADDDATE", 2): _days_later,
    ("SUBDATE", 2): _days_later,
}
"""By name and number of arguments, what reads a function."""


def _next(node: exp.Expr, _: str) -> exp.Expr | None:
    """The first day after a date that is a weekday: one to seven days later."""
    name = node.expression.name.upper()[:2]
    if name not in _WEEKDAYS:
        return None
    date = plain(node.this)
    past = exp.Add(this=integer(date, "%w"), expression=exp.Literal.number(7 - _WEEKDAYS.index(name)))
    rest = exp.Mod(this=exp.paren(past), expression=exp.Literal.number(7))
    return call("day_plus", date, exp.Sub(this=exp.Literal.number(7), expression=exp.paren(rest)), "DAY")


def _parsed(node: exp.Expr, _: str) -> exp.Expr | None:
    """A literal in ISO form, which is the date."""
    iso = node.text("format") == "%Y-%m-%d" and isinstance(node.this, exp.Literal)
    return exp.Date(this=node.this.copy()) if iso else None


def _spelled(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """A date by a format of words or codes, without the mark that the parser adds for Spark."""
    if node.args.get("zone") is not None:
        return None
    format_ = node.args.get("format")
    if isinstance(format_, exp.Literal):
        format_ = exp.Literal.string(format_.name.removesuffix("strict"))
    worded = isinstance(node, exp.ToChar) or dialect in {"postgres", "redshift"}
    found = formatted(plain(node.this), (written_as(format_, dialect) if worded else None) or format_, dialect)
    if isinstance(node, exp.ToChar) and format_ is not None and format_.name.upper() == "Q":
        return exp.cast(quarter(plain(node.this)), "TEXT")
    # one that cannot be written is refused as TO_CHAR is
    return found or exp.ToChar(this=node.this.copy(), format=format_)


def _name(code: str) -> Callable[[exp.Expr, str], exp.Expr | None]:
    return lambda node, _: formatted(plain(node.this), abbreviated(node, code))


def _moment(node: exp.Expr, _: str) -> exp.Expr | None:
    """A conversion to a moment. SQLite would read the type as that of a number."""
    if isinstance(node, exp.Cast) and not node.is_type(*_MOMENTS):
        return None
    return call("datetime", plain(node.this)) if not node.args.get("zone") and not node.args.get("format") else None


def _compared(node: exp.Expr, _: str) -> exp.Expr | None:
    """The difference of two moments and an interval: the later moment and the earlier one with the interval."""
    for side, interval in ((node.this, node.expression), (node.expression, node.this)):
        gap = side.unnest()
        if not isinstance(gap, exp.Sub) or not isinstance(interval, exp.Interval):
            continue
        later = _with_interval(gap.expression, interval, sign=1)
        if later is None or _counts_months(later):
            return None
        sides = (gap.this.copy(), later) if interval is node.expression else (later, gap.this.copy())
        return type(node)(this=sides[0], expression=sides[1])
    return None


def _counts_months(node: exp.Expr) -> bool:
    return any(each.name in MONTHS for each in node.find_all(exp.Literal) if each.is_string)


_READERS: Mapping[type[exp.Expr], Callable[[exp.Expr, str], exp.Expr | None]] = {
    **dict.fromkeys((exp.DateAdd, exp.DatetimeAdd, exp.TimestampAdd, exp.TsOrDsAdd), _later),
    **dict.fromkeys((exp.DateSub, exp.DatetimeSub, exp.TimestampSub), _earlier),
    **dict.fromkeys((exp.Add, exp.Sub), _sum),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), _floor),
    **dict.fromkeys((exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff, exp.TsOrDsDiff), _difference),
    exp.AddMonths: _months_later,
    exp.LastDay: _last,
    exp.MonthsBetween: _months_between,
    exp.UnixDate: _days_of_epoch,
    exp.Convert: styled,
    exp.NextDay: _next,
    exp.DateFromParts: _of_parts,
    exp.Anonymous: _named,
    exp.Overlaps: overlapping,
    **dict.fromkeys((exp.DateBin, exp.TimeSlice), bucket),
    exp.StrToDate: _parsed,
    **dict.fromkeys((exp.ToChar, exp.TimeToStr), _spelled),
    exp.Dayname: _name("%A"),
    exp.Monthname: _name("%B"),
    **dict.fromkeys((exp.Cast, exp.TryCast, exp.Timestamp, exp.TsOrDsToDatetime), _moment),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), _compared),
}
