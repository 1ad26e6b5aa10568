"""Writes weeks in SQLite's words: their numbers in the year, their first days, and how many begin between two dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from references.equivalence.reading.date_words import call, integer

_COUNTS_ISO_WEEKS = frozenset(
    {"postgres", "redshift", "duckdb", "snowflake", "spark", "databricks", "trino", "presto", "athena"}
)
"""Dialects whose WEEK is that of ISO 8601: it begins on Monday, and the first one holds 4 January."""
MONDAYS = _COUNTS_ISO_WEEKS | {"clickhouse"}
"""Dialects in which a truncated week begins on Monday."""
_SUNDAYS = frozenset({"bigquery", "tsql", "fabric"})
"""Dialects in which the weeks between two dates begin on Sunday; in T-SQL whatever DATEFIRST says."""
_FIRST_DAYS: Mapping[str, int] = {
    "ISOWEEK": 1, "ISO_WEEK": 1, "IW": 1, "SUNDAY": 0, "MONDAY": 1, "TUESDAY": 2, "WEDNESDAY": 3, "THURSDAY": 4,
    "FRIDAY": 5, "SATURDAY": 6,
}  # fmt: skip
"""Words for a week by the day on which it begins, counted from Sunday."""
ISO_WEEKS = frozenset({"ISOWEEK", "ISO_WEEK", "WEEKISO", "WEEK_ISO", "IW"})
ISO_YEARS = frozenset({"ISOYEAR", "YEAROFWEEK", "YEAROFWEEKISO"})
WEEKS = frozenset({"WEEK", "WK", "WW", "WEEKOFYEAR", "WEEKS"})
_FIRST_WEEKS: Mapping[str, int] = {"bigquery": 0, "tsql": 1, "fabric": 1}
"""Dialects whose weeks begin on Sunday: the number of the week in which a year begins, unless on a Sunday."""
_WITH_MODES = frozenset({"mysql", "singlestore"})


@dataclass(frozen=True, slots=True)
class _Mode:
    """One of MySQL's ways to number weeks."""

    first: int
    """The day on which a week begins, counted from Sunday."""
    whole: bool
    """Whether the days before the first week are in the last one of the year before, not in week 0."""
    most: bool
    """Whether a year's first week is the first with four days in it, not the first that begins in it."""

    @classmethod
    def of(cls, node: exp.Expr | None) -> _Mode | None:
        """The mode of a number from 0 to 7; 0 if none is given."""
        name = "0" if node is None else node.name if isinstance(node, exp.Literal) else ""
        if name not in set("01234567"):
            return None
        number = int(name)
        return cls(first=number & 1, whole=bool(number & 2), most=bool(number & 1) != bool(number & 4))

    def day(self, date: exp.Expr) -> exp.Expr:
        """The day whose year is that of the week."""
        start = week_start(date, self.first)
        return call("day_plus", start, exp.Literal.number(3), "DAY") if self.most else start

    def number(self, date: exp.Expr) -> exp.Expr:
        """The number of a date's week."""
        if self.whole:
            return _sevenths(integer(self.day(date), "%j"), 6)
        return _counted(date, self.first, 9 if self.most else 6)


def week_start(date: exp.Expr, first: int) -> exp.Expr:
    """The day on which a date's week began, for weeks that begin on a weekday counted from Sunday.

    >>> week_start(exp.column("d"), 1).sql("sqlite")
    "DAY_FLOOR(d, 'WEEK')"
    """
    ahead = (8 - first) % 7
    if not ahead:
        return call("day_floor", date, "WEEK")
    later = call("day_plus", date, exp.Literal.number(ahead), "DAY")
    return call("day_plus", call("day_floor", later, "WEEK"), exp.Neg(this=exp.Literal.number(ahead)), "DAY")


def first_day(word: exp.Expr | None, dialect: str) -> int | None:
    """The day on which a week begins by its name, or else in the dialect; `None` for a word that is no week."""
    name = word.name.upper() if word is not None else ""
    return _FIRST_DAYS.get(name, int(dialect in MONDAYS) if name in WEEKS else None)


def weeks_between(late: exp.Expr, early: exp.Expr, word: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """How many weeks begin between two dates, where the dialect has one day for that."""
    first = first_day(word, dialect)
    if first is None or dialect not in MONDAYS | _SUNDAYS:
        return None
    days = call("day_gap", *(week_start(each, first) for each in (late, early)), "DAY")
    return exp.Div(this=days, expression=exp.Literal.number(7), typed=True)


def week_number(part: str, word: exp.Expr, mode: exp.Expr | None, date: exp.Expr, dialect: str) -> exp.Expr | None:
    """The number of a week in its year, or the year that ISO 8601 counts it in."""
    if part in ISO_WEEKS | ISO_YEARS or dialect in _COUNTS_ISO_WEEKS:
        return iso_week(part, date)
    if isinstance(word, exp.WeekStart):
        first = _FIRST_DAYS.get(word.name.upper())
        return _counted(date, first, 6) if first is not None else None
    if dialect in _WITH_MODES:
        found = _Mode.of(mode)
        return found.number(date) if found is not None else None
    number = _FIRST_WEEKS.get(dialect)
    return _counted(date, 0, 6 + 6 * number) if number is not None and mode is None else None


def year_and_week(date: exp.Expr, mode: exp.Expr | None) -> exp.Expr | None:
    """MySQL's YEARWEEK, in which no week has the number 0."""
    found = _Mode.of(mode)
    if found is None:
        return None
    whole = _Mode(first=found.first, whole=True, most=found.most)
    hundreds = exp.Mul(this=integer(whole.day(date), "%Y"), expression=exp.Literal.number(100))
    return exp.paren(exp.Add(this=hundreds, expression=whole.number(date)))


def iso_week(part: str, date: exp.Expr) -> exp.Expr:
    """The number or the year of the Thursday's week."""
    thursday = call("day_plus", week_start(date, 1), exp.Literal.number(3), "DAY")
    return integer(thursday, "%Y") if part in ISO_YEARS else _sevenths(integer(thursday, "%j"), 6)


def _counted(date: exp.Expr, first: int, more: int) -> exp.Expr:
    """The number of a week that begins on the day `first`: the days until its start and some more, by seven."""
    weekday = integer(date, "%w")
    if first == 1:
        weekday = exp.paren(from_monday(weekday, 0))
    elif first:
        days = exp.paren(exp.Add(this=weekday, expression=exp.Literal.number(7 - first)))
        weekday = exp.paren(exp.Mod(this=days, expression=exp.Literal.number(7)))
    return _sevenths(exp.Sub(this=integer(date, "%j"), expression=weekday), more)


def _sevenths(days: exp.Expr, more: int) -> exp.Expr:
    total = exp.paren(exp.Add(this=days, expression=exp.Literal.number(more)))
    return exp.paren(exp.Div(this=total, expression=exp.Literal.number(7), typed=True))


def from_monday(number: exp.Expr, first: int) -> exp.Expr:
    """The number of a weekday, counted from Monday."""
    less = exp.Sub(this=number.copy(), expression=exp.Literal.number(1))
    sunday = exp.EQ(this=number.copy(), expression=exp.Literal.number(0))
    return exp.Case(
        ifs=[exp.If(this=sunday, true=exp.Literal.number(6 + first))], default=number if first else exp.paren(less)
    )
