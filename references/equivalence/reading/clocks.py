"""Reads times of day: that of a moment, one that is written out, and a day together with one."""

from __future__ import annotations

import re

from sqlglot import exp

from references.date_functions import PART
from references.equivalence.reading.date_words import call, plain

_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.0+)?)?")
_WHEN = re.compile(
    r"(\d{4})-?(\d{1,2})-?(\d{1,2})"
    r"(?:[ T](\d\d):(\d\d)(?::(\d\d(?:\.\d*[1-9])?)\.?0*)?(?: ?(?:UTC|Z|[+-]00(?::?00)?))?)?"
)
"""A day and a time of day, which may say that it is in UTC."""
MIDNIGHT = "00:00:00"
_LAST_INSTANT = "23:59:59.999999"
"""The last one of a day where moments have microseconds."""
_LAST_SECOND = 59
_TIMES = (exp.Cast, exp.TsOrDsToTime, exp.Time)


def clock(text: str) -> str | None:
    """A time of day in hours, minutes and whole seconds; `None` for another text.

    The last second of a minute is refused: `> '16:59:59'` is not `>= '17:00:00'` for moments with fractions, which a
    proof in whole seconds does not see.

    >>> clock("9:00"), clock("17:30:00.000"), clock("17:30:00.5"), clock("24:00"), clock("16:59:59")
    ('09:00:00', '17:30:00', None, None, None)
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    hour, minute, second = (int(each) for each in found.groups(default="0"))
    return f"{hour:02d}:{minute:02d}:{second:02d}" if hour < 24 and minute < 60 and second < _LAST_SECOND else None


def time_of_day(node: exp.Expr) -> exp.Expr | None:
    """The call for the time of day that a node takes of a moment or of a text; `None` for any other node.

    >>> from sqlglot import parse_one
    >>> time_of_day(parse_one("x::time", dialect="postgres")).sql("sqlite")
    'TIME(x)'
    """
    if isinstance(node, exp.Extract) and node.this.name.upper() == "TIME":
        return call("time", plain(node.expression))
    if not isinstance(node, _TIMES) or (isinstance(node, exp.Cast) and not node.is_type(exp.DType.TIME)):
        return None
    extra = [name for name, value in node.args.items() if value and name not in {"this", "to"}]
    return call("time", plain(node.this)) if not extra else None


def moment_of_day(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """BigQuery's DATETIME of a day and a time of day, in whole seconds or the last instant as an upper bound."""
    time = node.args.get("expression")
    if dialect != "bigquery" or not isinstance(node, exp.Datetime) or not isinstance(time, exp.Anonymous):
        return None
    text = time.expressions[0].name if time.name.upper() == "TIME" else ""
    day = call("datetime", exp.Date(this=plain(node.this).copy()))
    if text == _LAST_INSTANT and _is_upper_bound(node):
        return call("day_plus", day, exp.Literal.number(863_999_999), PART)
    found = clock(text)
    if found is None:
        return None
    hour, minute, second = map(int, found.split(":"))
    return call("day_plus", day, exp.Literal.number(3_600 * hour + 60 * minute + second), "SECOND")


def _is_upper_bound(node: exp.Expr) -> bool:
    """Whether a node is what another is at most, or is above."""
    parent = node.parent
    if isinstance(parent, exp.Between):
        return parent.args["high"] is node
    if isinstance(parent, exp.LTE | exp.GT):
        return parent.expression is node
    return isinstance(parent, exp.GTE | exp.LT) and parent.this is node


def moment(text: str) -> tuple[str, str] | None:
    """The day and the time of day that a text spells.

    >>> moment("2024-3-1"), moment("2024-03-01T10:00"), moment("soon")
    (('2024-03-01', '00:00:00'), ('2024-03-01', '10:00:00'), None)
    """
    found = _WHEN.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, *time = found.groups(default="00")
    return f"{year}-{month:>02}-{day:>02}", ":".join(time)
