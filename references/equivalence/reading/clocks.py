"""Reads times of day: that of a moment, one that is written out, and a day together with one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from references.date_functions import PART
from references.equivalence.reading.date_words import call, plain

_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.0+)?)?")
_SPELLED = re.compile(r"(\d{1,2}):(\d\d)(?::([0-5]\d)(\.\d{1,4})?)?")
_WHEN = re.compile(
    r"(\d{4})-?(\d{1,2})-?(\d{1,2})"
    r"(?:[ T](\d\d):(\d\d)(?::(\d\d(?:\.\d*[1-9])?)\.?0*)?(?: ?(?:UTC|Z|[+-]00(?::?00)?))?)?"
)
"""A day and a time of day, which may say that it is in UTC."""
MIDNIGHT = "00:00:00"
_LAST_INSTANT = "23:59:59.999999"
"""The last one of a day where moments have microseconds."""
_LAST_SECOND = 59
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
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


def in_seconds(node: exp.Expr) -> None:
    """Compares a time of day by its seconds where a fraction of one decides: `<= '17:00'` is not `< '17:00:01'`.

    >>> from sqlglot import parse_one
    >>> texts = ("<= '17:00'", "< '17:00'")
    >>> found = [parse_one(f"x {each}").transform(lambda one: call("time", one) if isinstance(one, exp.Column) else one)
    ...          for each in texts]
    >>> for each in found:
    ...     in_seconds(each)
    >>> [each.sql("sqlite") for each in found]
    ["SECOND_SPAN(x, DATE(x), 'SECOND') <= 61200", "TIME(x) < '17:00'"]
    """
    if isinstance(node, exp.Between):
        _write_seconds(node.this, node.args["low"], node.args["high"])
    elif isinstance(node, exp.EQ | exp.NEQ | exp.GT | exp.LTE | exp.GTE | exp.LT):
        one, other = node.this, node.expression
        if not isinstance(node, exp.GTE | exp.LT):
            _write_seconds(one, other)
        if not isinstance(node, exp.LTE | exp.GT):
            _write_seconds(other, one)


def _write_seconds(time: exp.Expr, *texts: exp.Expr) -> None:
    """Writes the time of day of a moment, and those that are spelled, as numbers of seconds."""
    seconds = [_seconds(_argument(each) or each) for each in texts]
    when = _argument(time)
    if when is None or isinstance(when, exp.Literal) or None in seconds:
        return
    time.replace(call("second_span", when, exp.Date(this=when.copy()), "SECOND"))
    for text, number in zip(texts, seconds, strict=True):
        text.replace(exp.Literal.number(number or "0"))


def _argument(node: exp.Expr) -> exp.Expr | None:
    """What a call takes the time of day of."""
    return node.expressions[0] if isinstance(node, exp.Anonymous) and node.name.upper() == "TIME" else None


def _seconds(node: exp.Expr) -> str | None:
    """The seconds since midnight of a time of day that is spelled."""
    found = _SPELLED.fullmatch(node.name.strip()) if isinstance(node, exp.Literal) and node.is_string else None
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        return None
    whole = 3_600 * int(found[1]) + 60 * int(found[2]) + int(found[3] or 0)
    fraction = (found[4] or "").rstrip("0").removesuffix(".")
    return f"{whole}{fraction}"


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


def compared(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """The pairs of operands that a node compares."""
    if isinstance(node, COMPARISONS):
        yield node.this, node.expression
    elif isinstance(node, exp.Between):
        yield node.this, node.args["low"]
        yield node.this, node.args["high"]
    elif isinstance(node, exp.In):
        query = node.args.get("query")
        for each in (*node.expressions, *([query] if query is not None else [])):
            yield node.this, each
