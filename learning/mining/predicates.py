"""Writes a condition as SQL that a rule can hold."""

from __future__ import annotations

import re

from learning.mining.observing import ObservedFilter
from scoring.query import Unscored
from scoring.specification import Op, SqlFilter
from scoring.sql import read_predicate
from scoring.values import Boolean, Choices, Number, Text, Value

_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*")
_COMPARING = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE})


def written(found: ObservedFilter) -> tuple[str, SqlFilter] | None:
    """The condition as SQL, with what the reader reads from it; `None` if it would be read as another condition."""
    text = _text(found)
    if text is None:
        return None
    terms = read_predicate(text, None)
    if isinstance(terms, Unscored) or len(terms) != 1 or terms[0].lhs is None:
        return None
    same = (terms[0].lhs.name, terms[0].op, terms[0].rhs) == (found.column, found.op, found.rhs)
    return (text, terms[0]) if same else None


def _text(found: ObservedFilter) -> str | None:
    column = found.column if _PLAIN.fullmatch(found.column) else '"' + found.column.replace('"', '""') + '"'
    if found.op is Op.IS_NULL:
        return f"{column} IS NULL"
    if found.op is Op.NOT_NULL:
        return f"{column} IS NOT NULL"
    if found.op in _COMPARING:
        value = literal(found.rhs)
        return None if value is None else f"{column} {found.op.value} {value}"
    if found.op in (Op.IN, Op.NOT_IN) and isinstance(found.rhs, Choices):
        members = sorted(filter(None, map(literal, found.rhs.members)))
        if members and len(members) == len(found.rhs.members):
            return f"{column} {found.op.value.upper()} ({', '.join(members)})"
    return None


def literal(value: Value | None) -> str | None:
    """A literal as SQL; `None` for what is no plain literal.

    >>> literal(Number(3.0)), literal(Text("o'hara")), literal(Boolean(value=False))
    ('3', "'o''hara'", 'FALSE')
    """
    match value:
        case Number():
            return str(value)
        case Text():
            return "'" + value.folded.replace("'", "''") + "'"
        case Boolean():
            return str(value).upper()
        case _:
            return None
