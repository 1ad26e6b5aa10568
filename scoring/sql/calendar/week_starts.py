"""Reads the days since Monday, by which a date is moved to the first day of its week."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.terms import Node, bare

_CALLS = frozenset({"weekday"})
_ISO_CALLS = frozenset({"dayofweekiso", "dayofweek_iso", "todayofweek"})
_WEEK = 7


def weeks_back(amount: Node, sign: int) -> int | None:
    """How many whole weeks before the Monday of its week a date comes that is moved by so many days; `None` if never.

    >>> from sqlglot import parse_one
    >>> def read(sql, sign=-1): return weeks_back(parse_one(sql, dialect="mysql"), sign)
    >>> read("WEEKDAY(CURDATE())"), read("WEEKDAY(CURDATE()) + 14"), read("WEEKDAY(CURDATE()) + 1"), read("7")
    (0, 2, None, None)
    >>> read("1 - DAYOFWEEK_ISO(d)", sign=1)
    0
    """
    total, weekdays = _sum(amount, sign)
    if weekdays == "-weekday":
        start = total
    elif weekdays == "-iso":
        start = total - 1
    else:
        return None
    return -start // _WEEK if start <= 0 and start % _WEEK == 0 else None


def moves_to_monday(node: Node) -> bool:
    """Whether a date, or a difference, is moved by the number of its weekday."""
    amount = node.args.get("expression")
    if not isinstance(amount, exp.Expr):
        return False
    inner = amount.this if isinstance(amount, exp.Interval) else amount
    sign = 1 if isinstance(node, (exp.DateAdd, exp.TsOrDsAdd, exp.Add)) else -1
    return isinstance(inner, exp.Expr) and bool(_sum(inner, sign)[1])


def _sum(node: Node, sign: int, depth: int = 0) -> tuple[int, str]:
    """A sum of numbers and one weekday: the numbers, and the weekday with its sign."""
    node = bare(node)
    if isinstance(node, exp.Cast):
        node = bare(node.this)
    if depth < _DEEPEST and isinstance(node, (exp.Add, exp.Sub)):
        left, right = (
            _sum(node.this, sign, depth + 1),
            _sum(node.expression, sign if isinstance(node, exp.Add) else -sign, depth + 1),
        )
        return left[0] + right[0], left[1] + right[1]
    if isinstance(node, exp.Literal) and node.name.isdecimal():
        return sign * int(node.name[:6]), ""
    kind = _weekday(node)
    return (0, f"{'-' if sign < 0 else '+'}{kind}") if kind else (0, "")


_DEEPEST = 4


def _weekday(node: Node) -> str:
    """`weekday` counts from 0, `iso` from 1; both begin on Monday."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return "weekday" if name in _CALLS else "iso" if name in _ISO_CALLS else ""
    if isinstance(node, exp.Extract):
        return "iso" if node.this.name.lower() == "isodow" else ""
    return "iso" if isinstance(node, exp.DayOfWeekIso) else ""
