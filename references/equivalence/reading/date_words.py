"""The words that dialects have for units of time, and the calls that stand for date arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from references.date_functions import MONTHS, SECONDS

_UNITS: Mapping[str, str] = {
    "D": "DAY", "DD": "DAY", "DAYOFMONTH": "DAY", "DDD": "DAY", "J": "DAY",
    "MM": "MONTH", "M": "MONTH", "MON": "MONTH", "YY": "YEAR", "YYYY": "YEAR", "Y": "YEAR", "QQ": "QUARTER",
    "Q": "QUARTER", "WK": "WEEK", "WW": "WEEK", "HH": "HOUR", "MI": "MINUTE", "SS": "SECOND", "S": "SECOND",
}  # fmt: skip
"""Short names of units. A plural loses its S."""
WHOLE_DAYS = frozenset({"spark", "databricks", "hive"})
"""Dialects whose DATE_ADD and ADD_MONTHS return days, also of moments."""
_WRAPPERS = (exp.TsOrDsToDate, exp.TimeStrToTime, exp.TsOrDsToTimestamp, exp.TimeStrToDate, exp.Paren)


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


def plain(node: exp.Expr) -> exp.Expr:
    """The date itself, without the conversions that the parser puts around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def as_asked(node: exp.Expr) -> exp.Expr:
    """The date itself, or the day of a time where the query asks for that: no parser puts `DATE` around what is added.

    >>> from sqlglot import parse_one
    >>> [as_asked(parse_one(sql, dialect="mysql")).sql("sqlite") for sql in ("DATE(at)", "(at)", "DATE('2024-03-01')")]
    ['DATE(at)', 'at', "'2024-03-01'"]
    """
    date = plain(node)
    while isinstance(node, exp.Paren):
        node = node.this
    if not isinstance(node, exp.TsOrDsToDate) or isinstance(date, exp.Literal):
        return date
    return exp.Date(this=date.copy())


def day_of(node: exp.Expr) -> exp.Expr:
    """The day of a date, which a literal is already."""
    date = plain(node)
    return date if isinstance(date, exp.Literal | exp.Date) else exp.Date(this=date.copy())


def interval_of(node: exp.Expr) -> exp.Expr:
    """The interval that a text is made: `'1 day'::interval`."""
    made = isinstance(node, exp.Cast) and node.is_type(exp.DType.INTERVAL) and isinstance(node.this, exp.Literal)
    return exp.Interval(this=node.this.copy()) if made else node


def integer(date: exp.Expr, pattern: str) -> exp.Expr:
    """A field of a date as a whole number."""
    return exp.cast(exp.TimeToStr(this=date.copy(), format=exp.Literal.string(pattern)), "INTEGER")
