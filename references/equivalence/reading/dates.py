"""Rewrites date arithmetic of other dialects as calls of the functions that the throw-away databases have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlglot import exp

from references.date_functions import END_MONTH, MONTHS, SECONDS

_UNITS: Mapping[str, str] = {
    "D": "DAY", "DD": "DAY", "DAYOFMONTH": "DAY", "DDD": "DAY", "J": "DAY",
    "MM": "MONTH", "M": "MONTH", "MON": "MONTH", "YY": "YEAR", "YYYY": "YEAR", "Y": "YEAR", "QQ": "QUARTER",
    "Q": "QUARTER", "WK": "WEEK", "WW": "WEEK", "HH": "HOUR", "MI": "MINUTE", "SS": "SECOND", "S": "SECOND",
}  # fmt: skip
"""Short names of units. A plural loses its S."""
_MONDAYS = frozenset(
    {"postgres", "redshift", "duckdb", "snowflake", "spark", "databricks", "trino", "presto", "athena"}
)
"""Dialects in which a truncated week begins on Monday."""
_BOUNDARIES = frozenset({"bigquery", "snowflake", "tsql", "fabric", "redshift", "duckdb"})
"""Dialects whose DATEDIFF counts the starts of units, not whole units."""
_PARTS: Mapping[str, str] = {
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S", "DOY": "%j",
    "DAYOFYEAR": "%j",
}  # fmt: skip
_PART_CALLS: Mapping[type[exp.Expr], str] = {
    exp.Year: "YEAR",
    exp.Month: "MONTH",
    exp.Day: "DAY",
    exp.DayOfMonth: "DAY",
    exp.DayOfYear: "DOY",
    exp.Quarter: "QUARTER",
    exp.DayOfWeek: "WEEKDAY",
}
_FROM_ONE = frozenset({"mysql", "bigquery", "singlestore", "doris", "starrocks", "spark", "databricks"})
"""Dialects whose DAYOFWEEK is 1 on Sunday."""
_WRAPPERS = (exp.TsOrDsToDate, exp.TimeStrToTime, exp.TsOrDsToTimestamp, exp.TimeStrToDate, exp.Paren)
_SPELLED = re.compile(r"\s*([+-]?\d+)\s*([A-Za-z]+)")
_TOKENS = (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH24", "%H"), ("MI", "%M"), ("SS", "%S"))
"""What formats of Oracle and Snowflake are made of."""


def unit_of(node: exp.Expr | str | None, default: str = "DAY") -> str | None:
    """The unit that a word names; `None` for another.

    >>> unit_of("days"), unit_of("mm"), unit_of("fortnight")
    ('DAY', 'MONTH', None)
    """
    word = (default if node is None else node if isinstance(node, str) else node.name).upper()
    word = _UNITS.get(word, word)
    word = word if word in MONTHS or word in SECONDS else word.removesuffix("S")
    return word if word in MONTHS or word in SECONDS else None


def call(name: str, *arguments: exp.Expr | str) -> exp.Expr:
    """A call of one of the date functions; texts are literals."""
    given = [exp.Literal.string(each) if isinstance(each, str) else each.copy() for each in arguments]
    return exp.Anonymous(this=name.upper(), expressions=given)


def dated(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """What stands for date arithmetic in SQLite; `None` for anything else, and for what has no equivalent.

    >>> from sqlglot import parse_one
    >>> dated(parse_one("DATE_SUB(d, INTERVAL 1 MONTH)", dialect="mysql"), "mysql").sql("sqlite")
    "DAY_PLUS(d, -1, 'MONTH')"
    """
    part = _part(node, dialect)
    if part is not None:
        return part
    reader = _READERS.get(type(node))
    return reader(node, dialect) if reader is not None else None


def plain(node: exp.Expr) -> exp.Expr:
    """The date itself, without the conversions that the parser puts around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def _later(node: exp.Expr, _: str) -> exp.Expr | None:
    return _plus(node.this, node.expression, node.args.get("unit"), sign=1)


def _earlier(node: exp.Expr, _: str) -> exp.Expr | None:
    return _plus(node.this, node.expression, node.args.get("unit"), sign=-1)


def _plus(date: exp.Expr, count: exp.Expr, unit: exp.Expr | None, *, sign: int) -> exp.Expr | None:
    if isinstance(count, exp.Interval):
        return _with_interval(date, count, sign=sign)
    word, number = unit_of(unit), _number(count, sign)
    return call("day_plus", plain(date), number, word) if word is not None and number is not None else None


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
    found = plain(date)
    for count, word in sorted(spelled, key=lambda each: unit_of(each[1]) not in MONTHS):
        later = _plus(found, exp.Literal.string(count), exp.var(word), sign=sign)
        if later is None:
            return None
        found = later
    return found


def _sum(node: exp.Expr, _: str) -> exp.Expr | None:
    for date, interval in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(interval, exp.Interval) and (isinstance(node, exp.Add) or interval is node.expression):
            return _with_interval(date, interval, sign=1 if isinstance(node, exp.Add) else -1)
    return None


def _months_later(node: exp.Expr, _: str) -> exp.Expr | None:
    number = _number(node.expression, 1)
    unit = END_MONTH if node.args.get("preserve_end_of_month") else "MONTH"
    return call("day_plus", plain(node.this), number, unit) if number is not None else None


def _floor(node: exp.Expr, dialect: str) -> exp.Expr | None:
    word = node.args.get("unit")
    unit = "WEEK" if word is not None and word.name.upper() in {"ISOWEEK", "IW"} else unit_of(word)
    sunday = unit == "WEEK" and unit_of(word) == "WEEK" and dialect not in _MONDAYS
    if unit is None or sunday or unit in {"MINUTE", "SECOND"}:
        return None
    return call("day_floor", plain(node.this), unit)


def _difference(node: exp.Expr, dialect: str) -> exp.Expr | None:
    unit = unit_of(node.args.get("unit"))
    if unit is None or (unit == "WEEK" and dialect in _BOUNDARIES):
        return None
    days = node.args.get("unit") is None
    name = "day_gap" if days or (dialect in _BOUNDARIES and isinstance(node, exp.DateDiff)) else "day_span"
    return call(name, plain(node.this), plain(node.expression), unit)


def _last(node: exp.Expr, _: str) -> exp.Expr | None:
    return call("day_last", plain(node.this)) if unit_of(node.args.get("unit"), "MONTH") == "MONTH" else None


def _of_parts(node: exp.Expr, _: str) -> exp.Expr | None:
    parts = [node.args.get(each) for each in ("year", "month", "day")]
    return call("day_of", *(each for each in parts if each is not None)) if None not in parts else None


def _named(node: exp.Expr, _: str) -> exp.Expr | None:
    """Functions that the parser does not know."""
    name, given = node.name.upper(), node.expressions
    if name == "MAKE_DATE" and len(given) == 3:
        return call("day_of", *given)
    if name in {"ADDDATE", "SUBDATE"} and len(given) == 2:
        return _plus(given[0], given[1], None, sign=1 if name == "ADDDATE" else -1)
    return None


def _parsed(node: exp.Expr, _: str) -> exp.Expr | None:
    """A literal in ISO form, which is the date."""
    iso = node.args["format"].name == "%Y-%m-%d" and isinstance(node.this, exp.Literal)
    return exp.Date(this=node.this.copy()) if iso else None


def _spelled(node: exp.Expr, _: str) -> exp.Expr | None:
    """TO_CHAR of a date, by a format of known words alone."""
    format_ = node.args.get("format")
    if not isinstance(format_, exp.Literal):
        return None
    text = format_.name.upper()
    for word, code in _TOKENS:
        text = text.replace(word, code)
    if re.search(r"[A-Z]", re.sub(r"%[YmdHMS]", "", text)) or "%" not in text:
        return None
    return exp.TimeToStr(this=plain(node.this).copy(), format=exp.Literal.string(text))


def _formatted(node: exp.Expr, _: str) -> exp.Expr | None:
    """A format without the mark that the parser adds for Spark."""
    format_ = node.args.get("format")
    if not isinstance(format_, exp.Literal) or not format_.name.endswith("strict"):
        return None
    return exp.TimeToStr(this=plain(node.this).copy(), format=exp.Literal.string(format_.name.removesuffix("strict")))


_READERS: Mapping[type[exp.Expr], Callable[[exp.Expr, str], exp.Expr | None]] = {
    **dict.fromkeys((exp.DateAdd, exp.DatetimeAdd, exp.TimestampAdd, exp.TsOrDsAdd), _later),
    **dict.fromkeys((exp.DateSub, exp.DatetimeSub, exp.TimestampSub), _earlier),
    **dict.fromkeys((exp.Add, exp.Sub), _sum),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), _floor),
    **dict.fromkeys((exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff), _difference),
    exp.AddMonths: _months_later,
    exp.LastDay: _last,
    exp.DateFromParts: _of_parts,
    exp.Anonymous: _named,
    exp.StrToDate: _parsed,
    exp.ToChar: _spelled,
    exp.TimeToStr: _formatted,
}


def _part(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """An extracted year, quarter, month, day, weekday or time, as a whole number."""
    part = _PART_CALLS.get(type(node))
    date = node.this
    if isinstance(node, exp.Extract):
        part, date = node.name.upper(), node.expression
    if part is None:
        return None
    if part in {"DOW", "WEEKDAY", "DAYOFWEEK", "DW"}:
        return _weekday(part, plain(date), dialect)
    if unit_of(part) == "QUARTER":
        third = exp.paren(exp.Add(this=_integer(plain(date), "%m"), expression=exp.Literal.number(2)))
        return exp.Div(this=third, expression=exp.Literal.number(3), typed=True)
    pattern = _PARTS.get(part) or _PARTS.get(unit_of(part) or "")
    return _integer(plain(date), pattern) if pattern is not None else None


def _weekday(part: str, date: exp.Expr, dialect: str) -> exp.Expr | None:
    number = _integer(date, "%w")
    if part == "DOW" and dialect in {"postgres", "redshift", "duckdb"}:
        return number
    counted = part in {"WEEKDAY", "DAYOFWEEK"} and dialect in _FROM_ONE
    return exp.paren(exp.Add(this=number, expression=exp.Literal.number(1))) if counted else None


def _integer(date: exp.Expr, pattern: str) -> exp.Expr:
    return exp.cast(exp.TimeToStr(this=date.copy(), format=exp.Literal.string(pattern)), "INTEGER")
