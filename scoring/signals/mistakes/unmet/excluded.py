"""Signals about rows that are to be left out, and that no condition leaves out."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.specification import Op, SqlFilter, SubqueryRole
from scoring.values import Boolean, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_LEFT_OUT = cue(
    "excl exc. excluding not counting ignoring leaving",
    r"\b(?:excl\.?|exc\.|excluding|not counting|not including|ignoring|leaving out)(?: (?:the|any|all|those|our"
    r"|anything|ones?))* ([a-z]{4,}(?:ed|en|ing|ll|ft|te))\b(?! (?:vat|tax|by|in|on|at|price|value|amount|cost)\b)",
)
"""States of rows: `excl. disputed`."""
_NOT_STATES = frozenset(
    "shipping handling postage packing parking training billing cleaning everything wedding".split()
)
_HOUSE_MARKS = frozenset(map(stem, "void voided deleted del test demo internal reversed spam bot dummy".split()))
_CODED = frozenset(
    map(stem, "status state stage phase type kind class category code cd flag reason outcome result".split())
)
_EXCLUDING = frozenset({Op.NE, Op.NOT_IN, Op.NOT_EXISTS, Op.IS_NULL, Op.NOT_NULL})
_CASE_ELSE = lazy(r"\bcase\b|\bexcept\b|\bminus\b|\bnot\s+(?:in|exists|like|ilike)\b|\bfilter\s*\(|if\(")


def left_out_untested(case: Case) -> str | None:
    """Rows in a state are to be left out, and no name, value or condition of the SQL can tell them.

    >>> left_out_untested(case("Claims over 60 days old excl. disputed", "SELECT id FROM claims WHERE age_days > 60"))
    'excl. disputed'
    """
    found, sql = _LEFT_OUT.search(case.asked), case.sql
    if found is None or found[1] in _NOT_STATES or sql.set_operations or sql.having:
        return None
    written = case.written.casefold()
    if found[1][:4] in written or _CASE_ELSE.search(written) is not None or any(map(_may_tell, sql.filters)):
        return None
    inner = any(each.role is not SubqueryRole.DERIVED for each in sql.subqueries)
    return None if inner else found.group()


def _may_tell(each: SqlFilter) -> bool:
    """Whether a condition may tell a state: one on a code or a text, or on a flag that is no mark of the house."""
    words = {
        word for column in (each.lhs.columns if each.lhs is not None else ()) for word in identifier_words(column.name)
    }
    if not words.isdisjoint(_HOUSE_MARKS):
        return False
    flagged = isinstance(each.rhs, Boolean) or (isinstance(each.rhs, Number) and each.op is Op.EQ)
    return flagged or each.op in _EXCLUDING or isinstance(each.rhs, Text) or not words.isdisjoint(_CODED)
