"""In which unit a condition of the SQL compares amounts: cents, thousands or millions."""

from __future__ import annotations

import re

from scoring.specification import SqlFilter
from scoring.words import identifier_words

MONEY = frozenset({"$", "€", "£", "¥", "dollar", "dollars", "euro", "euros", "pound", "pounds", "usd", "eur", "gbp"})
"""Units of money that have a hundredth."""
_HUNDREDTHS = frozenset({"cents", "cent", "pence", "pennies"})
_STEP = re.compile(r"([*/])\s*(\d{1,9}(?:\.\d+)?(?:e\+\d+)?)(?![\d.])")
_STEPS = frozenset({100.0, 1000.0, 1e6, 1e9})


def scale_of(present: SqlFilter) -> float:
    """What a number that is compared with means in whole units.

    >>> from scoring.specification import Clause, Column, Op, Operand
    >>> def bound(name):
    ...     lhs = Operand(name=name, columns=(Column(name.partition(" ")[0]),))
    ...     return SqlFilter(lhs=lhs, op=Op.GT, rhs=None, block="main", clause=Clause.WHERE)
    >>> [scale_of(bound(name)) for name in ("price_cents", "price_cents / 100.0", "price / 1000000.0", "price")]
    [0.01, 1.0, 1000000.0, 1.0]
    """
    if present.lhs is None or present.lhs.func == "COUNT":
        return 1.0
    factor = 1.0
    if present.lhs.columns and all(_in_hundredths(column.name) for column in present.lhs.columns):
        factor /= 100
    steps = [(symbol, float(number)) for symbol, number in _STEP.findall(present.lhs.name[:200])]
    for symbol, number in steps if len(steps) < 3 else ():
        if number in _STEPS:
            factor = factor * number if symbol == "/" else factor / number
    return factor


def _in_hundredths(name: str) -> bool:
    return not _HUNDREDTHS.isdisjoint(identifier_words(name))
