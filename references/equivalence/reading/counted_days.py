"""Counts days: those computed of constants alone, which are constants, and numbers of days added to a date."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from references.date_functions import DATE_FUNCTIONS
from references.equivalence.reading.date_words import call

_SHARES: Mapping[str, str] = {"24": "HOUR", "1440": "MINUTE", "86400": "SECOND"}
"""The units of which so many make a day."""


def days_later(date: exp.Expr, count: exp.Expr, *, less: bool) -> exp.Expr | None:
    """The date so many days later, or earlier; `None` for a part of a day that is no whole hour, minute or second.

    >>> from sqlglot import parse_one
    >>> days = parse_one("d")
    >>> [days_later(days, parse_one(sql), less=True).sql("sqlite") for sql in ("n + 1", "CAST(5 AS REAL) / 1440")]
    ["DAY_PLUS(d, -(n + 1), 'DAY')", "DAY_PLUS(d, -5, 'MINUTE')"]
    >>> [days_later(days, parse_one(sql), less=False) for sql in ("0.5", "n / 7")]
    [None, None]
    """
    count, unit = count.unnest(), "DAY"
    if isinstance(count, exp.Div):
        unit = _SHARES.get(count.expression.name, "")
        count = count.this.this if isinstance(count.this, exp.Cast) else count.this.unnest()
    if not unit or (isinstance(count, exp.Literal) and not count.is_int):
        return None
    if less:
        count = exp.Neg(this=count.copy() if isinstance(count, exp.Literal) else exp.paren(count.copy()))
    return call("day_plus", date, count, unit)


def compute(node: exp.Expr) -> None:
    """Writes a day that is computed of constants. One with a time of day stays what it is."""
    given = [_constant(each) for each in node.expressions]
    called = DATE_FUNCTIONS.get(node.name.lower())
    value = called[1](*given) if called is not None and None not in given else None
    if isinstance(value, str) and len(value) == len("2024-03-01"):
        node.replace(exp.Literal.string(value))


def _constant(node: exp.Expr) -> str | int | None:
    if isinstance(node, exp.Neg):
        number = _constant(node.this)
        return -number if isinstance(number, int) else None
    if not isinstance(node, exp.Literal):
        return None
    return node.name if node.is_string else int(node.name) if node.name.isdigit() else None
