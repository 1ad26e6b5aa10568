"""Unknown values and the three truth values of SQL, as formulas of the solver that fold where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

z3: Any = import_module("z3")
"""The solver; it has no types of its own."""

Bit: TypeAlias = Any
"""A formula: `bool` where it is known, else the solver's."""
Number: TypeAlias = Any
"""The solver's integer or real."""


class Sort(Enum):
    NOTHING = 0
    """Only ever NULL."""
    INTEGER = 1
    REAL = 2
    TEXT = 3
    """Texts are integers, in the order of the texts."""


class Unprovable(Exception):  # noqa: N818 - it is no error: the query holds what the proof does not cover
    """Why a query is beyond the proof."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A value of a row."""

    null: Bit
    value: Number
    sort: Sort
    affinity: Sort = Sort.NOTHING
    """What SQLite converts the other side of a comparison to; columns and casts have one."""
    literal: int | Fraction | str | None = None
    """The constant it is."""
    loose: bool = False
    """Of a real: it may be stored as a whole number, which SQLite divides otherwise."""
    most: int | None = None
    """A count: an integer from 0 to this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """True, false, or neither."""

    true: Bit
    false: Bit


TRUE = Truth(true=True, false=False)
FALSE = Truth(true=False, false=True)
UNKNOWN = Truth(true=False, false=False)


def every(bits: Iterable[Bit]) -> Bit:
    """All of them hold."""
    left: list[Bit] = []
    for bit in bits:
        if bit is False:
            return False
        if bit is not True:
            left.append(bit)
    if not left:
        return True
    return left[0] if len(left) == 1 else z3.And(*left)


def some(bits: Iterable[Bit]) -> Bit:
    """One of them holds."""
    left: list[Bit] = []
    for bit in bits:
        if bit is True:
            return True
        if bit is not False:
            left.append(bit)
    if not left:
        return False
    return left[0] if len(left) == 1 else z3.Or(*left)


def none(bit: Bit) -> Bit:
    """It does not hold."""
    return not bit if isinstance(bit, bool) else z3.Not(bit)


def pick(bit: Bit, yes: Number, no: Number) -> Number:
    """One number or the other."""
    if isinstance(bit, bool):
        return yes if bit else no
    if z3.eq(yes, no):
        return yes
    return z3.If(bit, yes, no)


def whether(bit: Bit, yes: Bit, no: Bit) -> Bit:
    """One formula or the other."""
    return some((every((bit, yes)), every((none(bit), no))))


def conjunction(one: Truth, other: Truth) -> Truth:
    """AND of three values."""
    return Truth(true=every((one.true, other.true)), false=some((one.false, other.false)))


def disjunction(one: Truth, other: Truth) -> Truth:
    """OR of three values."""
    return Truth(true=some((one.true, other.true)), false=every((one.false, other.false)))


def negation(truth: Truth) -> Truth:
    """NOT of three values: unknown stays unknown."""
    return Truth(true=truth.false, false=truth.true)


def known(bit: Bit) -> Truth:
    """A formula that is never unknown."""
    return Truth(true=bit, false=none(bit))


def integer(value: int) -> Number:
    """A constant."""
    return z3.IntVal(value)


def real(value: Fraction) -> Number:
    """A constant."""
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


NULL = Term(null=True, value=integer(0), sort=Sort.NOTHING)


def constant(value: int | Fraction) -> Term:
    """A number that is written down."""
    if isinstance(value, int):
        return Term(null=False, value=integer(value), sort=Sort.INTEGER, literal=value)
    return Term(null=False, value=real(value), sort=Sort.REAL, literal=value)


def as_real(term: Term) -> Number:
    """The number as a real."""
    return z3.ToReal(term.value) if term.sort in {Sort.INTEGER, Sort.NOTHING} else term.value


def numeric(sort: Sort) -> bool:
    """Whether values of a sort are numbers."""
    return sort in {Sort.INTEGER, Sort.REAL}


def aligned(one: Term, other: Term) -> tuple[Number, Number] | None:
    """Both values in one sort of the solver, or `None` where one is text and the other a number."""
    if one.sort is other.sort or Sort.NOTHING in {one.sort, other.sort}:
        if Sort.REAL in {one.sort, other.sort}:
            return as_real(one), as_real(other)
        return one.value, other.value
    if numeric(one.sort) and numeric(other.sort):
        return as_real(one), as_real(other)
    return None


def same(one: Term, other: Term) -> Bit:
    """Both NULL, or both the same value: how rows are compared."""
    pair = aligned(one, other)
    if one.sort is Sort.NOTHING or other.sort is Sort.NOTHING:
        return every((one.null, other.null))
    equal = False if pair is None else _equal(*pair)
    return some((every((one.null, other.null)), every((none(one.null), none(other.null), equal))))


def _equal(one: Number, other: Number) -> Bit:
    return True if z3.eq(one, other) else one == other


def same_rows(one: Sequence[Term], other: Sequence[Term]) -> Bit:
    """Two rows agree in every cell."""
    return every(same(a, b) for a, b in zip(one, other, strict=True))


def before(one: Term, other: Term) -> Bit:
    """In rising order one comes before the other; NULL comes first."""
    pair = aligned(one, other)
    if pair is None:
        less: Bit = numeric(one.sort)
    else:
        less = False if z3.eq(*pair) else pair[0] < pair[1]
    return some((every((one.null, none(other.null))), every((none(one.null), none(other.null), less))))


def either_term(bit: Bit, yes: Term, no: Term) -> Term:
    """One value or the other, in one sort."""
    if isinstance(bit, bool):
        return yes if bit else no
    sort = common(yes.sort, no.sort)
    null = whether(bit, yes.null, no.null)
    if sort is Sort.REAL:
        loose = any(each.loose or each.sort is Sort.INTEGER for each in (yes, no))
        return Term(null=null, value=pick(bit, as_real(yes), as_real(no)), sort=sort, loose=loose)
    most = max(yes.most, no.most) if yes.most is not None and no.most is not None else None
    return Term(null=null, value=pick(bit, yes.value, no.value), sort=sort, most=most)


def common(one: Sort, other: Sort) -> Sort:
    """The sort that holds values of both."""
    if one is other or other is Sort.NOTHING:
        return one
    if one is Sort.NOTHING:
        return other
    if numeric(one) and numeric(other):
        return Sort.REAL
    raise Unprovable("one column is text here and a number there")


def total(numbers: Sequence[Number]) -> Number:
    """The sum."""
    return z3.Sum(numbers) if len(numbers) > 1 else numbers[0]


def count(bits: Iterable[Bit]) -> Term:
    """How many hold."""
    kept = [bit for bit in bits if bit is not False]
    if not kept:
        return Term(null=False, value=integer(0), sort=Sort.INTEGER, most=0)
    ones = [pick(bit, integer(1), integer(0)) for bit in kept]
    return Term(null=False, value=total(ones), sort=Sort.INTEGER, most=len(kept))


def less_than(number: Number, limit: int) -> Bit:
    """A count is below a constant."""
    return number < limit
