"""Writes periods of time in SQLite's words: whether two overlap, and the start of one of some minutes or hours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from references.equivalence.reading.date_words import call, integer, plain, unit_of

_MINUTES: Mapping[str, int] = {"MINUTE": 1, "HOUR": 60, "DAY": 1_440}
_DAY = 1_440
_SPELLED = re.compile(r"\s*(\d{1,4})\s*([A-Za-z]+)\s*")
_BUCKETS = frozenset({"TIMESTAMP_BUCKET", "DATETIME_BUCKET"})


def overlapping(node: exp.Expr, _: str) -> exp.Expr | None:
    """OVERLAPS: of each period, which may be written the other way round, the start counts and the end does not.

    >>> from sqlglot import parse_one
    >>> found = overlapping(parse_one("(a, b) OVERLAPS (c, d)", dialect="postgres"), "postgres")
    >>> [each.this.key for each in found.this.args["ifs"]]
    ['gt', 'lt', 'eq']
    """
    periods = [each.unnest() for each in (node.this, node.expression)]
    if any(not isinstance(each, exp.Tuple) or len(each.expressions) != 2 for each in periods):
        return None
    if any(each.find(exp.Interval) is not None for each in periods):
        return None
    (one, end), (other, its) = (_ends(*map(_moment, each.expressions)) for each in periods)
    both = exp.and_(exp.EQ(this=end.copy(), expression=end.copy()), exp.EQ(this=its.copy(), expression=its.copy()))
    found = exp.Case(
        ifs=[
            exp.If(this=exp.GT(this=one.copy(), expression=other.copy()), true=_before(one, its, end)),
            exp.If(this=exp.LT(this=one.copy(), expression=other.copy()), true=_before(other, end, its)),
            exp.If(this=exp.EQ(this=one.copy(), expression=other.copy()), true=both),
        ]
    )
    return exp.paren(found)


def _moment(node: exp.Expr) -> exp.Expr:
    """A moment: the other ends may be days."""
    return call("datetime", plain(node))


def _ends(one: exp.Expr, other: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """The start of a period, which is the other end where one is unknown, and its end, which then is unknown."""
    unknown, later = exp.Is(this=one.copy(), expression=exp.Null()), exp.GT(this=one.copy(), expression=other.copy())
    start = exp.Case(
        ifs=[exp.If(this=unknown.copy(), true=other.copy()), exp.If(this=later.copy(), true=other.copy())],
        default=one.copy(),
    )
    end = exp.Case(
        ifs=[exp.If(this=unknown, true=exp.Null()), exp.If(this=later, true=one.copy())], default=other.copy()
    )
    return start, end


def _before(start: exp.Expr, end: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Whether a start lies before an end; unknown rather than false where the other end is unknown."""
    known = exp.NEQ(this=other.copy(), expression=other.copy())
    return exp.paren(exp.or_(exp.LT(this=start.copy(), expression=end.copy()), known))


def bucket(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """The start of the period of a fixed length in which a moment lies, for lengths that divide a day."""
    if isinstance(node, exp.TimeSlice):
        start = node.args.get("kind")
        ends = start is not None and start.name.upper() != "START"
        return None if ends else _started(node.this, node.expression.name, node.args["unit"])
    if isinstance(node, exp.DateBin):
        # the start of the first one is that of a day, unless the query names another one
        day = dialect == "duckdb" and not node.args.get("unit") and not node.args.get("zone")
        return _length(node.this, node.expression) if day else None
    named = isinstance(node, exp.Anonymous) and node.name.upper() in _BUCKETS and len(node.expressions) == 2
    return _length(node.expressions[1], node.expressions[0]) if named else None


def _length(length: exp.Expr, date: exp.Expr) -> exp.Expr | None:
    if not isinstance(length, exp.Interval):
        return None
    if length.args.get("unit") is not None:
        return _started(date, length.this.name, length.args["unit"])
    found = _SPELLED.fullmatch(length.name)
    return _started(date, found[1], exp.var(found[2])) if found is not None else None


def _started(date: exp.Expr, count: str, unit: exp.Expr) -> exp.Expr | None:
    minutes = _MINUTES.get(unit_of(unit) or "", 0) * (int(count) if count.isdigit() else 0)
    return start_of_minutes(plain(date), minutes) if minutes and not _DAY % minutes else None


def start_of_minutes(date: exp.Expr, length: int) -> exp.Expr:
    """The start of the period of so many minutes, counted from midnight, in which a moment lies.

    >>> start_of_minutes(exp.column("t"), 1_440).sql("sqlite")
    "DAY_FLOOR(t, 'DAY')"
    """
    midnight = call("day_floor", date, "DAY")
    if length == _DAY:
        return midnight
    hours = exp.Mul(this=integer(date, "%H"), expression=exp.Literal.number(60))
    passed = exp.paren(exp.Add(this=hours, expression=integer(date, "%M")))
    whole = exp.paren(exp.Div(this=passed, expression=exp.Literal.number(length), typed=True))
    return call("day_plus", midnight, exp.Mul(this=whole, expression=exp.Literal.number(length)), "MINUTE")
