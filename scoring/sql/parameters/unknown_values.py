"""Values that the text does not tell: a placeholder, alone or with what drivers and agents put around it."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.scopes import Scope
from scoring.sql.terms import Node

PLACES = frozenset({exp.Parameter, exp.Placeholder, exp.SessionParameter})
"""Kinds of node of a placeholder."""
_WRAPPING = frozenset(
    {exp.Cast, exp.TryCast, exp.DataType, exp.Paren, exp.Lower, exp.Upper, exp.Trim, exp.Var, exp.Identifier}
    | {exp.DPipe, exp.Concat, exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Timestamp}
    | {exp.StrToDate, exp.StrToTime, exp.Coalesce, exp.DateTrunc, exp.TimestampTrunc}
)
"""Kinds of node that leave any value possible."""
_MOVING = frozenset(
    {
        exp.Add,
        exp.Sub,
        exp.Interval,
        exp.DateAdd,
        exp.DateSub,
        exp.CurrentDate,
        exp.CurrentTimestamp,
        exp.CurrentDatetime,
    }
)
_WILD = frozenset("%_* ")
_MOST = 30


def noted_parameter(scope: Scope, node: Node) -> str:
    """The canonical text of a placeholder, which the specification counts."""
    scope.spec.parameters.add(node.name or "?")
    return "?"


def is_parameter(node: Node) -> bool:
    """Whether a parameter makes a value any value: `:x`, `'%' || ? || '%'`, `$1::date + INTERVAL '1 day'`.

    A parameter beside a text of its own, as in `? || 'x'`, is none: what it can be is no longer any value.
    """
    waiting, found, seen = [node], False, 0
    while waiting:
        each = waiting.pop()
        kind = type(each)
        seen += 1
        if seen > _MOST:
            return False
        if kind in PLACES:
            found = True
            continue
        if kind is exp.Literal:
            if each.args["is_string"] and not _WILD.issuperset(each.name) and not _is_format(each):
                return False
        elif kind not in _WRAPPING and kind not in _MOVING:
            return False
        waiting.extend(each.iter_expressions())
    return found


def _is_format(literal: Node) -> bool:
    """Whether a text is the format of a date, its unit, or an interval's length."""
    return type(literal.parent) not in (exp.DPipe, exp.Concat, exp.Coalesce)
