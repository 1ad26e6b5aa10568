"""Arithmetic on unknown numbers as in SQLite: integers stay integers, and division by zero is no_value."""

from __future__ import annotations

from fractions import Fraction

from references.equivalence.proof.logic import (
    Number,
    Sort,
    UnknownValue,
    Unprovable,
    as_real,
    constant,
    integer,
    no_value,
    pick,
    real,
    some,
    z3,
)
from references.equivalence.proof.texts import Functions


def negated(term: UnknownValue) -> UnknownValue:
    """The negative of a number."""
    if isinstance(term.literal, int | Fraction):
        return constant(-term.literal)
    return UnknownValue(null=term.null, value=-term.value, sort=term.sort, loose=term.loose)


def summed(one: UnknownValue, other: UnknownValue, _: Functions) -> UnknownValue:
    """The sum of two numbers."""
    a, b, sort = _both(one, other)
    return UnknownValue(null=some((one.null, other.null)), value=a + b, sort=sort, loose=_loose(one, other))


def subtracted(one: UnknownValue, other: UnknownValue, _: Functions) -> UnknownValue:
    """The difference of two numbers."""
    a, b, sort = _both(one, other)
    return UnknownValue(null=some((one.null, other.null)), value=a - b, sort=sort, loose=_loose(one, other))


def multiplied(one: UnknownValue, other: UnknownValue, _: Functions) -> UnknownValue:
    """The product of two numbers."""
    if isinstance(one.literal, int | Fraction) and isinstance(other.literal, int | Fraction):
        return constant(one.literal * other.literal)
    a, b, sort = _both(one, other)
    return UnknownValue(null=some((one.null, other.null)), value=a * b, sort=sort, loose=_loose(one, other))


def divided(one: UnknownValue, other: UnknownValue, functions: Functions) -> UnknownValue:
    """The quotient: an integer for integers, NULL for a divisor of zero."""
    whole = one.sort is Sort.INTEGER and other.sort is Sort.INTEGER
    if _loose(one, other):
        raise Unprovable("a quotient of numbers that may be integers or not")
    if isinstance(other.literal, int | Fraction):
        if not other.literal:
            return no_value()
        value = _quotient(one, other.literal, whole=whole)
        return UnknownValue(null=one.null, value=value, sort=Sort.INTEGER if whole else Sort.REAL)
    null = some((one.null, other.null, other.value == 0))
    if other.most is not None:
        return UnknownValue(
            null=null, value=_by_count(one, other, whole=whole), sort=Sort.INTEGER if whole else Sort.REAL
        )
    if whole:
        ratio = functions.call("div", [one, other], Sort.INTEGER)
        return UnknownValue(null=null, value=ratio.value, sort=Sort.INTEGER)
    inverse = functions.call("inverse", [UnknownValue(null=False, value=as_real(other), sort=Sort.REAL)], Sort.REAL)
    return UnknownValue(null=null, value=as_real(one) * inverse.value, sort=Sort.REAL)


def modulo(one: UnknownValue, other: UnknownValue, functions: Functions) -> UnknownValue:
    """The remainder of a division."""
    rest = functions.call("rest", [one, other], Sort.INTEGER)
    return UnknownValue(null=some((one.null, other.null, other.value == 0)), value=rest.value, sort=Sort.INTEGER)


def _quotient(one: UnknownValue, number: int | Fraction, *, whole: bool) -> Number:
    if not whole:
        return as_real(one) * real(1 / Fraction(number))
    size = integer(abs(int(number)))
    truncated = pick(one.value >= 0, one.value / size, -(-one.value / size))
    return truncated if number > 0 else -truncated


def _by_count(one: UnknownValue, other: UnknownValue, *, whole: bool) -> Number:
    """Division by a count, which is linear in each case from 1 to its bound."""
    value: Number = integer(0) if whole else z3.RealVal(0)
    for number in range(other.most or 0, 0, -1):
        value = pick(other.value == number, _quotient(one, number, whole=whole), value)
    return value


def _loose(one: UnknownValue, other: UnknownValue) -> bool:
    """Whether a real result may be stored as an integer."""
    maybe = all(each.loose or each.sort in {Sort.INTEGER, Sort.NOTHING} for each in (one, other))
    return maybe and (one.loose or other.loose)


def _both(one: UnknownValue, other: UnknownValue) -> tuple[Number, Number, Sort]:
    if Sort.REAL in {one.sort, other.sort}:
        return as_real(one), as_real(other), Sort.REAL
    return one.value, other.value, Sort.INTEGER
