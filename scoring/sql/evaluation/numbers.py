"""Computes with numbers as the dialect does: whole numbers, exact decimals, and what is only near."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import LARGEST, OPEN, Near, Number, Operation, Typical, Value, as_number
from scoring.sql.terms import Node

_NEAR = 1e-5
"""Numbers that are nearer for their size may be equal in one database and not in another."""
_LOST = 0.01
"""What a sum leaves of larger numbers that are only near is not known if it is smaller, for their size."""
_CHOOSING = (exp.Column, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least)
_DIGITS = 15
_PLACES = 12


def _divided(one: float, other: float) -> float:
    return one / other


OPERATORS: MappingProxyType[type[Node], Callable[[float, float], float]] = MappingProxyType(
    {
        exp.Add: lambda one, other: one + other,
        exp.Sub: lambda one, other: one - other,
        exp.Mul: lambda one, other: one * other,
        exp.Div: _divided,
        exp.IntDiv: lambda one, other: float(math.trunc(one / other)),
        exp.Mod: math.fmod,
        exp.Pow: math.pow,
    }
)
"""Operators on numbers, for real ones."""
SUMS: frozenset[type[Node]] = frozenset({exp.Add, exp.Sub})
DIVIDING: frozenset[type[Node]] = frozenset({exp.Div, exp.IntDiv, exp.Mod})


def operated(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """`left operator right`."""
    one, other = as_number(values[0]), as_number(values[1])
    if one is None or other is None:
        return OPEN
    kind = type(node)
    if any(isinstance(each, Typical) for each in values):
        return _tried(kind, float(one), float(other))
    if kind in DIVIDING and other == 0:
        return None if rules.storage else OPEN
    if isinstance(one, int) and isinstance(other, int) and kind is not exp.Pow:
        return _of_whole(rules, node, one, other)
    return _of_real(rules, node, one, other)


def _tried(kind: type[Node], one: float, other: float) -> Value:
    """The result for a typical value, of which nothing but its size is known."""
    result = OPERATORS[kind](one, other)
    return result if abs(result) < LARGEST else OPEN


def _of_whole(rules: DialectRules, node: Node, one: int, other: int) -> Value:
    kind = type(node)
    if kind in DIVIDING:
        return _whole_quotient(rules, node, one, other)
    result = one + other if kind is exp.Add else one - other if kind is exp.Sub else one * other
    return result if abs(result) < LARGEST else OPEN


def _whole_quotient(rules: DialectRules, node: Node, one: int, other: int) -> Value:
    quotient = abs(one) // abs(other) * (1 if (one < 0) is (other < 0) else -1)
    if type(node) is exp.Mod:
        return one - other * quotient
    if type(node) is exp.IntDiv:
        return quotient
    rest = one % other
    if not rules.name:
        return OPEN if rest else Decimal(quotient)
    if not node.args.get("typed"):
        return _of_real(rules, node, one, other)
    return OPEN if rest and _may_be_real(rules, node) else quotient


def _may_be_real(rules: DialectRules, node: Node) -> bool:
    """Whether operands may be whole or not: the type of CASE or COALESCE depends on all of its values."""
    return not rules.storage and node.find(*_CHOOSING) is not None


def _of_real(rules: DialectRules, node: Node, one: Number, other: Number) -> Value:
    kind = type(node)
    if kind in (exp.Mod, exp.IntDiv) or (kind is exp.Pow and not _is_plain_power(rules, one, other)):
        return OPEN
    if kind is exp.Div and _may_be_cut(rules, node, one, other):
        return OPEN
    if rules.doubles:
        result = OPERATORS[kind](float(one), float(other))
        return result if abs(result) < LARGEST else OPEN
    exact = _exact(kind, Fraction(one), Fraction(other))
    if abs(exact) >= LARGEST:
        return OPEN
    if isinstance(one, Near) or isinstance(other, Near):
        return _near(kind, exact, max(abs(float(one)), abs(float(other))))
    return _typed(rules, kind, exact, (one, other))


def _may_be_cut(rules: DialectRules, node: Node, one: Number, other: Number) -> bool:
    """Whether decimals may be whole numbers of a call, whose quotient is cut."""
    if one != int(one) or other != int(other) or int(one) % int(other) == 0:
        return False
    return not rules.name or (bool(node.args.get("typed")) and _may_be_real(rules, node))


def _near(kind: type[Node], exact: Fraction, largest: float) -> Value:
    return OPEN if kind in SUMS and abs(exact) < _LOST * largest else Near(exact)


def _typed(rules: DialectRules, kind: type[Node], exact: Fraction, operands: Sequence[Number]) -> Value:
    """A result as a double or a decimal."""
    doubles = all(map(_is_double, operands))
    if kind is exp.Pow or any(isinstance(each, float) for each in operands):
        return as_double(exact) if doubles else Near(exact)
    if kind is exp.Div:  # a quotient is a double here and a decimal there
        return _decimal(exact, is_exact=False) if doubles else Near(exact)
    return _decimal(exact, is_exact=rules.exact)


def _is_plain_power(rules: DialectRules, one: Number, other: Number) -> bool:
    return (
        isinstance(other, int) and 0 <= other < _DIGITS and abs(one) < LARGEST ** (1 / _DIGITS) and rules.name != "tsql"
    )


def _exact(kind: type[Node], one: Fraction, other: Fraction) -> Fraction:
    if kind is exp.Pow:
        return one ** int(other)
    if kind is exp.Div:
        return one / other
    return one + other if kind is exp.Add else one - other if kind is exp.Sub else one * other


def as_double(exact: Fraction) -> float:
    """The double of a number, and only one near to it if no short double is equal."""
    return (
        float(exact) if exact.denominator & (exact.denominator - 1) == 0 and exact.denominator < 1024 else Near(exact)
    )


def _is_double(value: Number) -> bool:
    return not isinstance(as_double(Fraction(value)), Near)


def _decimal(exact: Fraction, *, is_exact: bool) -> Value:
    """A decimal that the database holds exactly, or one near to it."""
    if not is_exact and not _is_double(Decimal(exact.numerator) / exact.denominator):
        return Near(exact)
    found = Decimal(exact.numerator) / Decimal(exact.denominator)
    return found if Fraction(found) == exact and len(found.as_tuple().digits) <= _DIGITS else Near(exact)


def order_of_numbers(one: Number, other: Number) -> int | None:
    """-1, 0 or 1; `None` if databases may differ about it."""
    if isinstance(one, Near) or isinstance(other, Near):
        near = abs(float(one) - float(other)) <= _NEAR * max(abs(float(one)), abs(float(other)))
        return None if near else (one > other) - (one < other)
    return (one > other) - (one < other)


def negative(_: DialectRules, __: Node, values: Sequence[Value]) -> Value:
    """`-value`."""
    value = as_number(values[0])
    return OPEN if value is None else Near(-value) if isinstance(value, Near) else -value


def absolute(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """ABS."""
    value = as_number(values[0])
    return OPEN if value is None else negative(rules, node, values) if value < 0 else value


def sign(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    """SIGN."""
    value = as_number(values[0])
    return OPEN if value is None else _as_type(rules, (value > 0) - (value < 0), of=value)


def _as_type(rules: DialectRules, whole: int, *, of: Number) -> Value:
    """A whole number, as the type that FLOOR, CEIL and SIGN give it."""
    if rules.name in ("postgres", "duckdb") or (rules.storage and isinstance(of, float)):
        return Decimal(whole) if isinstance(of, Decimal) else float(whole)
    return whole if rules.name and (isinstance(of, int) or rules.storage) else Decimal(whole)


def leveled(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """FLOOR and CEIL."""
    value = as_number(values[0])
    if value is None or len(values) > 1:
        return OPEN
    rounded = math.floor(value) if type(node) is exp.Floor else math.ceil(value)
    if isinstance(value, Near) and abs(float(value) - round(value)) < _NEAR:
        return OPEN
    return _as_type(rules, rounded, of=value)


def rounded(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """ROUND: halves go away from 0 where the number is exact."""
    value, places = as_number(values[0]), values[1] if len(values) > 1 else 0
    if value is None or not isinstance(places, int) or abs(places) > _PLACES or node.args.get("truncate") is not None:
        return OPEN
    if places < 0 and rules.storage:
        places = 0  # SQLite rounds to no tens
    elif places < 0 and not rules.name:
        return OPEN
    exact = Fraction(value)
    size = abs(exact) * Fraction(10) ** places
    low = size.numerator // size.denominator
    rest = size - low
    if not _is_certain(rules, value, rest):
        return OPEN
    found = Fraction(low + (2 * rest >= 1)) / Fraction(10) ** places
    return _of_type(rules, -found if exact < 0 else found, value, has_places=len(values) > 1)


def _is_certain(rules: DialectRules, value: Number, rest: Fraction) -> bool:
    """Whether all agree to which side a number is rounded."""
    if not isinstance(value, float) or (rules.storage and _is_double(value)):
        return True
    return abs(float(rest) - 0.5) > _NEAR


def _of_type(rules: DialectRules, found: Fraction, value: Number, *, has_places: bool) -> Value:
    if rules.storage:
        return float(found)
    if isinstance(value, float):
        return as_double(found)
    if not isinstance(value, int) or not rules.name:
        return _decimal(found, is_exact=True)
    if rules.name != "postgres":
        return int(found)
    return _decimal(found, is_exact=True) if has_places else float(found)


OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys(OPERATORS, Operation(operated, ("this", "expression")))
    | dict.fromkeys((exp.Floor, exp.Ceil), Operation(leveled, ("this", "decimals")))
    | {
        exp.Neg: Operation(negative),
        exp.Abs: Operation(absolute),
        exp.Sign: Operation(sign),
        exp.Round: Operation(rounded, ("this", "decimals")),
    }
)
"""Operators and functions of numbers."""
