"""Writes parts of dates in SQLite's words: years, weeks, weekdays, and parts of the time between two dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from references.equivalence.reading.date_words import call, integer, plain, unit_of
from references.equivalence.reading.weeks import ISO_WEEKS, ISO_YEARS, WEEKS, from_monday, week_number
from references.stopped_clocks import NOW

_PARTS: Mapping[str, str] = {
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S", "DOY": "%j",
    "DAYOFYEAR": "%j", "YEAR_MONTH": "%Y%m",
}  # fmt: skip
_PART_CALLS: Mapping[type[exp.Expr], str] = {
    exp.Year: "YEAR",
    exp.Month: "MONTH",
    exp.Day: "DAY",
    exp.DayOfMonth: "DAY",
    exp.DayOfYear: "DOY",
    exp.Quarter: "QUARTER",
    exp.DayOfWeek: "WEEKDAY",
    exp.DayOfWeekIso: "ISODOW",
    exp.Hour: "HOUR",
    exp.Minute: "MINUTE",
    exp.Second: "SECOND",
    exp.Week: "WEEK",
    exp.WeekOfYear: "ISOWEEK",
    exp.YearOfWeek: "ISOYEAR",
    exp.YearOfWeekIso: "ISOYEAR",
}
_FROM_ONE = frozenset(
    {"mysql", "bigquery", "singlestore", "doris", "starrocks", "spark", "databricks", "tsql", "fabric"}
)
"""Dialects whose DAYOFWEEK is 1 on Sunday."""
FROM_ZERO = frozenset({"postgres", "redshift", "duckdb", "snowflake"})
"""Dialects in which a Sunday is 0."""
_REST: Mapping[str, int] = {"HOUR": 24, "MINUTE": 60}
"""How many of a unit make the next one."""
_CLICKHOUSE: Mapping[str, str] = {
    "TOYEAR": "%Y", "TOMONTH": "%m", "TODAYOFMONTH": "%d", "TODAYOFYEAR": "%j", "TOHOUR": "%H", "TOMINUTE": "%M",
    "TOSECOND": "%S", "TOYYYYMM": "%Y%m", "TOYYYYMMDD": "%Y%m%d",
}  # fmt: skip
"""ClickHouse's functions for parts of dates, which the parser takes for a user's."""
_NAMED_PARTS = frozenset({"DATE_PART", "DATEPART"})


def _part_of_gap(part: str, gap: exp.Expr) -> exp.Expr | None:
    """The seconds or whole days between two moments, the hours or minutes that are left, or the years of AGE."""
    gap = gap.unnest()
    if isinstance(gap, exp.Anonymous) and gap.name.upper() == "AGE":
        return _part_of_age(part, [plain(each) for each in gap.expressions])
    if not isinstance(gap, exp.Sub) or part not in {"DAY", "EPOCH", *_REST}:
        return None
    dates = plain(gap.this), plain(gap.expression)
    if part in _REST:
        left = exp.Mod(this=call("day_span", *dates, part), expression=exp.Literal.number(_REST[part]))
        return exp.paren(left)
    return call("day_span", *dates, "DAY") if part == "DAY" else call("second_span", *dates, "SECOND")


def _part_of_age(part: str, dates: Sequence[exp.Expr]) -> exp.Expr | None:
    """The whole years of AGE, or the whole months that are left; with one date, its age today."""
    if len(dates) == 1:
        dates = [exp.Literal.string(NOW[:10]), *dates]
    if part == "YEAR":
        return call("day_span", *dates, "YEAR")
    months = call("day_span", *dates, "MONTH")
    return exp.paren(exp.Mod(this=months, expression=exp.Literal.number(12))) if part == "MONTH" else None


def part_of_date(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """An extracted year, quarter, month, day, weekday or time, as a whole number."""
    part, date = _asked(node)
    if part is None:
        return None
    if part in {"DOW", "WEEKDAY", "DAYOFWEEK", "DW", "ISODOW", "DAYOFWEEKISO"}:
        return _weekday(part, plain(date), dialect)
    if part in WEEKS | ISO_WEEKS | ISO_YEARS or isinstance(node.this, exp.WeekStart):
        return week_number(part, node.this, node.args.get("mode"), plain(date), dialect)
    if part == "EPOCH" or isinstance(date, exp.Sub | exp.Paren | exp.Anonymous):
        found = (_since_1970(date) if part == "EPOCH" else None) or _part_of_gap(part, date)
        if found is not None or part == "EPOCH":
            return found
    return _field(part, plain(date))


def _since_1970(date: exp.Expr) -> exp.Expr | None:
    """The seconds of a moment since the epoch, in UTC."""
    computed = isinstance(date, exp.Anonymous) and date.name.upper() in {"DATETIME", "DAY_PLUS", "DAY_FLOOR"}
    known = computed or isinstance(date, exp.Column | exp.Literal)
    return call("second_span", date, "1970-01-01", "SECOND") if known else None


def _field(part: str, date: exp.Expr) -> exp.Expr | None:
    if part == "DATE":
        return exp.Date(this=date.copy())
    if unit_of(part) == "QUARTER":
        return quarter(date)
    pattern = _PARTS.get(part) or _PARTS.get(unit_of(part) or "")
    return integer(date, pattern) if pattern is not None else None


def quarter(date: exp.Expr) -> exp.Expr:
    """The number of a date's quarter."""
    third = exp.paren(exp.Add(this=integer(date, "%m"), expression=exp.Literal.number(2)))
    return exp.Div(this=third, expression=exp.Literal.number(3), typed=True)


def _asked(node: exp.Expr) -> tuple[str | None, exp.Expr]:
    """The part of a date that a node takes, and the date."""
    if isinstance(node, exp.Extract):
        return node.this.name.upper(), node.expression
    if isinstance(node, exp.Anonymous) and node.name.upper() in _NAMED_PARTS and len(node.expressions) == 2:
        return node.expressions[0].name.upper(), node.expressions[1]
    if isinstance(node, exp.Anonymous) and node.name.upper() == "ISOYEAR" and len(node.expressions) == 1:
        return "ISOYEAR", node.expressions[0]
    if isinstance(node, exp.UnixSeconds) or (isinstance(node, exp.TimeToUnix) and isinstance(node.this, exp.Sub)):
        return "EPOCH", plain(node.this)
    return _PART_CALLS.get(type(node)), node.this


def _weekday(part: str, date: exp.Expr, dialect: str) -> exp.Expr | None:
    number = integer(date, "%w")
    if part in {"ISODOW", "DAYOFWEEKISO"}:
        return from_monday(number, 1)
    if dialect in FROM_ZERO:
        return number
    counted = part in {"WEEKDAY", "DAYOFWEEK", "DW"} and dialect in _FROM_ONE
    return exp.paren(exp.Add(this=number, expression=exp.Literal.number(1))) if counted else None


def of_clickhouse(node: exp.Expr) -> exp.Expr | None:
    """What stands for a function of dates of ClickHouse; `None` for any other.

    >>> from sqlglot import parse_one
    >>> [of_clickhouse(parse_one(sql)).sql("sqlite") for sql in ("toDate(at)", "toYYYYMM(at)", "subtractDays(at, 7)")]
    ['DATE(at)', "CAST(STRFTIME('%Y%m', at) AS INTEGER)", "DAY_PLUS(at, -7, 'DAY')"]
    """
    name, given = node.name.upper(), node.expressions
    if len(given) == 1 and name in {"TODATE", "TODATE32"}:
        return exp.Date(this=plain(given[0]).copy())
    if len(given) == 1 and name == "TODATETIME":
        return call("datetime", plain(given[0]))
    if len(given) == 1 and name in _CLICKHOUSE:
        return integer(plain(given[0]), _CLICKHOUSE[name])
    return _moved(name, *given) if len(given) == 2 else None


def _moved(name: str, date: exp.Expr, count: exp.Expr) -> exp.Expr | None:
    """The date so many units later or earlier."""
    for word, sign in (("ADD", 1), ("SUBTRACT", -1)):
        unit = unit_of(name.removeprefix(word)) if name.startswith(word) and name.endswith("S") else None
        if unit is not None and isinstance(count, exp.Literal) and count.is_int:
            number = count.copy() if sign > 0 else exp.Neg(this=count.copy())
            return call("day_plus", plain(date), number, unit)
    return None
