"""In which unit a condition of the SQL compares amounts: cents, thousands or millions."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.specification import Op, QuestionFilter, SqlFilter
from scoring.values import Expression, Number
from scoring.words import identifier_words, stem

MONEY = frozenset({"$", "€", "£", "¥", "dollar", "dollars", "euro", "euros", "pound", "pounds", "usd", "eur", "gbp"})
"""Units of money that have a hundredth."""
_HUNDREDTHS = frozenset({"cents", "cent", "pence", "pennies", "ct", "cts"})
_STEP = lazy(r"([*/])\s*(\d{1,9}(?:\.\d+)?(?:e\+\d+)?)(?![\d.])")
_STEPS = frozenset({100.0, 1000.0, 1e6, 1e9})


_SIZES = {
    stem(name): (kind, size)
    for kind, sizes in {
        "length": {"km": 1e3, "kilometers": 1e3, "kilometres": 1e3, "m": 1.0, "meters": 1.0, "metres": 1.0}
        | {"cm": 0.01, "centimeters": 0.01, "centimetres": 0.01, "mm": 0.001, "millimeters": 0.001},
        "weight": {"t": 1e3, "tons": 1e3, "tonnes": 1e3, "kg": 1.0, "kilos": 1.0, "kilograms": 1.0}
        | {"g": 0.001, "grams": 0.001, "mg": 1e-6},
        "energy": {"gwh": 1e9, "mwh": 1e6, "kwh": 1e3, "wh": 1.0},
        "data": {"tb": 1e12, "gb": 1e9, "mb": 1e6, "kb": 1e3, "bytes": 1.0},
        "volume": {"l": 1.0, "litres": 1.0, "liters": 1.0, "ml": 0.001, "cl": 0.01},
    }.items()
    for name, size in sizes.items()
}
"""Units of measure in the singular, with what they measure and their size."""


def is_measured(unit: str | None) -> bool:
    """Whether a unit has other sizes that a column may be in: money has cents, kilograms have grams."""
    return unit is not None and (unit in MONEY or stem(unit) in _SIZES)


def unit_factor(unit: str | None, present: SqlFilter) -> float:
    """How many of the question's units one unit of the column is, where its name says another: `distance_m` and km."""
    if unit is None or stem(unit) not in _SIZES or present.lhs is None or len(present.lhs.columns) != 1:
        return 1.0
    own = _SIZES.get("".join(identifier_words(present.lhs.columns[0].name)[-1:]))
    asked = _SIZES[stem(unit)]
    return own[1] / asked[1] if own is not None and own[0] == asked[0] else 1.0


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


def compares_share(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether `more than 10% over` is met by a comparison with another column times 1.1."""
    asked, there = required.rhs, present.rhs
    if not isinstance(asked, Number) or asked.unit != "%" or not isinstance(there, Expression):
        return False
    if not there.columns and "count(" not in there.text:
        return False
    same_side = required.op is present.op or {required.op, present.op} in ({Op.GT, Op.LT}, {Op.GE, Op.LE})
    factors = {f"{1 + asked.value / 100:g}", f"{1 - asked.value / 100:g}", f"{asked.value / 100:g}"}
    return same_side and not factors.isdisjoint(_NUMBER.findall(there.text[:200]))


_NUMBER = lazy(r"\d+(?:\.\d+)?")
