"""Arithmetic on unknown numbers as in SQLite: integers stay integers, and division by zero is NULL."""

from __future__ import annotations

from fractions import Fraction

from references.equivalence.proof.logic import (
    NULL,
    Number,
    Sort,
    Term,
    Unprovable,
    as_real,
    constant,
    integer,
    pick,
    real,
    some,
    z3,
)
from references.equivalence.proof.texts import Functions


def negated(term: Term) -> Term:
    """The negative of a number."""
    if isinstance(term.literal, int | Fraction):
        return constant(-term.literal)
    return Term(null=term.null, value=-term.value, sort=term.sort, loose=term.loose)


def summed(one: Term, other: Term, _: Functions) -> Term:
    """The sum of two numbers."""
    a, b, sort = _both(one, other)
    return Term(null=some((one.null, other.null)), value=a + b, sort=sort, loose=_loose(one, other))


def subtracted(one: Term, other: Term, _: Functions) -> Term:
    """The difference of two numbers."""
    a, b, sort = _both(one, other)
    return Term(null=some((one.null, other.null)), value=a - b, sort=sort, loose=_loose(one, other))


def multiplied(one: Term, other: Term, _: Functions) -> Term:
    """The product of two numbers."""
    if isinstance(one.literal, int | Fraction) and isinstance(other.literal, int | Fraction):
        return constant(one.literal * other.literal)
    a, b, sort = _both(one, other)
    return Term(null=some((one.null, other.null)), value=a * b, sort=sort, loose=_loose(one, other))


def divided(one: Term, other: Term, functions: Functions) -> Term:
    """The quotient: an integer for integers, NULL for a divisor of zero."""
    whole = one.sort is Sort.INTEGER and other.sort is Sort.INTEGER
    if _loose(one, other):
        raise Unprovable("a quotient of numbers that may be integers or not")
    if isinstance(other.literal, int | Fraction):
        if not other.literal:
            return NULL
        value = _quotient(one, other.literal, whole=whole)
        return Term(null=one.null, value=value, sort=Sort.INTEGER if whole else Sort.REAL)
    null = some((one.null, other.null, other.value == 0))
    if other.most is not None:
        return Term(null=null, value=_by_count(one, other, whole=whole), sort=Sort.INTEGER if whole else Sort.REAL)
    if whole:
        ratio = functions.call("div", [one, other], Sort.INTEGER)
        return Term(null=null, value=ratio.value, sort=Sort.INTEGER)
    inverse = functions.call("inverse", [Term(null=False, value=as_real(other), sort=Sort.REAL)], Sort.REAL)
    return Term(null=null, value=as_real(one) * inverse.value, sort=Sort.REAL)


def modulo(one: Term, other: Term, functions: Functions) -> Term:
    """The remainder of a division."""
    rest = functions.call("rest", [one, other], Sort.INTEGER)
    return Term(null=some((one.null, other.null, other.value == 0)), value=rest.value, sort=Sort.INTEGER)


def _quotient(one: Term, number: int | Fraction, *, whole: bool) -> Number:
    if not whole:
        return as_real(one) * real(1 / Fraction(number))
    size = integer(abs(int(number)))
    truncated = pick(one.value >= 0, one.value / size, -(-one.value / size))
    return truncated if number > 0 else -truncated


def _by_count(one: Term, other: Term, *, whole: bool) -> Number:
    """Division by a count, which is linear in each case from 1 to its bound."""
    value: Number = integer(0) if whole else z3.RealVal(0)
    for number in range(other.most or 0, 0, -1):
        value = pick(other.value == number, _quotient(one, number, whole=whole), value)
    return value


def _loose(one: Term, other: Term) -> bool:
    """Whether a real result may be stored as an integer."""
    maybe = all(each.loose or each.sort in {Sort.INTEGER, Sort.NOTHING} for each in (one, other))
    return maybe and (one.loose or other.loose)


def _both(one: Term, other: Term) -> tuple[Number, Number, Sort]:
    if Sort.REAL in {one.sort, other.sort}:
        return as_real(one), as_real(other), Sort.REAL
    return one.value, other.value, Sort.INTEGER
