"""Unknown values and SQL's three truth values as solver formulas, simplified where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

from references.equivalence.proof.spellings import DAY, DAY_AND_TIMES, EITHER, FRACTIONS, INSTANT, MOMENT, Spelling

z3: Any = import_module("z3")
"""The solver. It ships no types."""

Bit: TypeAlias = Any
"""A formula: a `bool` when it is known, else a solver expression."""
Number: TypeAlias = Any
"""An integer or real expression of the solver."""


class Sort(Enum):
    NOTHING = 0
    """Always NULL."""
    INTEGER = 1
    REAL = 2
    TEXT = 3
    """Texts are encoded as integers that sort like the texts."""
    DATED = 4
    """Texts of dates in one spelling, as its numbers."""


class Unprovable(Exception):  # noqa: N818 - not an error: the proof does not cover the query
    """The proof does not cover a query; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownValue:
    """An unknown value."""

    null: Bit
    value: Number
    sort: Sort
    affinity: Sort = Sort.NOTHING
    """The type to which SQLite converts the other side of a comparison. Columns and casts have one."""
    literal: int | Fraction | str | None = None
    """Its value, if it is a constant."""
    loose: bool = False
    """Whether a real may be stored as an integer, which SQLite divides differently."""
    spelling: Spelling | None = None
    """How a date is spelled."""
    most: int | None = None
    """The upper bound of a count, which is an integer from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """A truth value: true, false, or neither (unknown)."""

    true: Bit
    false: Bit


TRUE = Truth(true=True, false=False)
FALSE = Truth(true=False, false=True)
UNKNOWN = Truth(true=False, false=False)


def every(bits: Iterable[Bit]) -> Bit:
    """The conjunction of formulas."""
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
    """The disjunction of formulas."""
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
    """The negation of a formula."""
    return not bit if isinstance(bit, bool) else z3.Not(bit)


def pick(bit: Bit, yes: Number, no: Number) -> Number:
    """`yes` where the formula holds, else `no`."""
    if isinstance(bit, bool):
        return yes if bit else no
    if z3.eq(yes, no):
        return yes
    return z3.If(bit, yes, no)


def whether(bit: Bit, yes: Bit, no: Bit) -> Bit:
    """`yes` where the formula holds, else `no`, for formulas."""
    return some((every((bit, yes)), every((none(bit), no))))


def conjunction(one: Truth, other: Truth) -> Truth:
    """SQL's AND."""
    return Truth(true=every((one.true, other.true)), false=some((one.false, other.false)))


def disjunction(one: Truth, other: Truth) -> Truth:
    """SQL's OR."""
    return Truth(true=some((one.true, other.true)), false=every((one.false, other.false)))


def negation(truth: Truth) -> Truth:
    """SQL's NOT: unknown stays unknown."""
    return Truth(true=truth.false, false=truth.true)


def known(bit: Bit) -> Truth:
    """The truth value of a formula, which is never unknown."""
    return Truth(true=bit, false=none(bit))


def forget() -> None:
    """Starts the solver anew. The formulas of earlier proofs number later ones, and so decide how they are solved."""
    z3.z3._main_ctx = None


def integer(value: int) -> Number:
    """A constant of the solver."""
    return z3.IntVal(value)


def real(value: Fraction) -> Number:
    """A constant of the solver."""
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


def no_value() -> UnknownValue:
    """NULL."""
    return UnknownValue(null=True, value=integer(0), sort=Sort.NOTHING)


def constant(value: int | Fraction) -> UnknownValue:
    """The term of a number literal."""
    if isinstance(value, int):
        return UnknownValue(null=False, value=integer(value), sort=Sort.INTEGER, literal=value)
    return UnknownValue(null=False, value=real(value), sort=Sort.REAL, literal=value)


def as_real(term: UnknownValue) -> Number:
    """The value as a real."""
    return z3.ToReal(term.value) if term.sort in {Sort.INTEGER, Sort.NOTHING} else term.value


def numeric(sort: Sort) -> bool:
    """Whether values of a sort are numbers."""
    return sort in {Sort.INTEGER, Sort.REAL}


def aligned(one: UnknownValue, other: UnknownValue) -> tuple[Number, Number] | None:
    """Both values in one sort of the solver, or `None` for a text and a number."""
    if one.sort is Sort.DATED and other.sort is Sort.DATED:
        one, other = spelled_alike(one, other)
    if one.sort is other.sort or Sort.NOTHING in {one.sort, other.sort}:
        if Sort.REAL in {one.sort, other.sort}:
            return as_real(one), as_real(other)
        return one.value, other.value
    if numeric(one.sort) and numeric(other.sort):
        return as_real(one), as_real(other)
    if Sort.DATED in {one.sort, other.sort} and Sort.TEXT in {one.sort, other.sort}:
        raise Unprovable("a date beside a text")
    return None


def same(one: UnknownValue, other: UnknownValue) -> Bit:
    """Whether both are NULL or have the same value, as rows are compared."""
    one, other = dated_alike(one, other)
    if {one.sort, other.sort} == {Sort.DATED, Sort.TEXT} and isinstance(one.literal or other.literal, str):
        return every((one.null, other.null))
    pair = aligned(one, other)
    if one.sort is Sort.NOTHING or other.sort is Sort.NOTHING:
        return every((one.null, other.null))
    equal = False if pair is None else _equal(*pair)
    return some((every((one.null, other.null)), every((none(one.null), none(other.null), equal))))


def _equal(one: Number, other: Number) -> Bit:
    return True if z3.eq(one, other) else one == other


def same_rows(one: Sequence[UnknownValue], other: Sequence[UnknownValue]) -> Bit:
    """Whether two rows agree in every cell."""
    return every(same(a, b) for a, b in zip(one, other, strict=True))


def before(one: UnknownValue, other: UnknownValue) -> Bit:
    """Whether one sorts before the other in ascending order, NULL first."""
    pair = aligned(one, other)
    if pair is None:
        less: Bit = numeric(one.sort)
    else:
        less = False if z3.eq(*pair) else pair[0] < pair[1]
    return some((every((one.null, none(other.null))), every((none(one.null), none(other.null), less))))


def either_term(bit: Bit, yes: UnknownValue, no: UnknownValue) -> UnknownValue:
    """`yes` where the formula holds, else `no`, in a common sort."""
    if isinstance(bit, bool):
        return yes if bit else no
    yes, no = spelled_alike(*dated_alike(yes, no))
    sort = common(yes.sort, no.sort)
    null = whether(bit, yes.null, no.null)
    if sort is Sort.REAL:
        loose = any(each.loose or each.sort is Sort.INTEGER for each in (yes, no))
        return UnknownValue(null=null, value=pick(bit, as_real(yes), as_real(no)), sort=sort, loose=loose)
    most = max(yes.most, no.most) if yes.most is not None and no.most is not None else None
    value = pick(bit, yes.value, no.value)
    return UnknownValue(null=null, value=value, sort=sort, most=most, spelling=yes.spelling or no.spelling)


def spelled_alike(one: UnknownValue, other: UnknownValue) -> tuple[UnknownValue, UnknownValue]:
    """Two dates in one spelling. Raises `Unprovable` where no number sorts both."""
    if one.spelling is None or other.spelling is None or one.spelling == other.spelling:
        return one, other
    if {one.spelling, other.spelling} == {MOMENT, INSTANT}:
        return _with_fraction(one), _with_fraction(other)
    return _with_time(one), _with_time(other)


def _with_fraction(term: UnknownValue) -> UnknownValue:
    return term if term.spelling == INSTANT else replace(term, value=term.value * FRACTIONS, spelling=INSTANT)


def _with_time(term: UnknownValue) -> UnknownValue:
    """A day or a moment among both."""
    if term.spelling == EITHER:
        return term
    if term.spelling == DAY:
        return replace(term, value=term.value * DAY_AND_TIMES, spelling=EITHER)
    if term.spelling == MOMENT:
        seconds = integer(86_400)
        return replace(term, value=term.value / seconds * DAY_AND_TIMES + term.value % seconds + 1, spelling=EITHER)
    raise Unprovable("dates in two spellings")


def dated_alike(one: UnknownValue, other: UnknownValue) -> tuple[UnknownValue, UnknownValue]:
    """Both values, a text literal as a date where the other is one and the text spells one."""
    return _dated(one, other), _dated(other, one)


def _dated(term: UnknownValue, beside: UnknownValue) -> UnknownValue:
    if not isinstance(term.literal, str) or beside.spelling is None or term.sort is not Sort.TEXT:
        return term
    code = beside.spelling.exactly(term.literal)
    return term if code is None else replace(term, value=integer(code), sort=Sort.DATED, spelling=beside.spelling)


def common(one: Sort, other: Sort) -> Sort:
    """The sort that can hold values of both. Raises `Unprovable` for text and numbers."""
    if one is other or other is Sort.NOTHING:
        return one
    if one is Sort.NOTHING:
        return other
    if numeric(one) and numeric(other):
        return Sort.REAL
    raise Unprovable("a column that is text in one place and a number in another")


def total(numbers: Sequence[Number]) -> Number:
    """The sum of numbers."""
    return z3.Sum(numbers) if len(numbers) > 1 else numbers[0]


def count(bits: Iterable[Bit]) -> UnknownValue:
    """The number of formulas that hold."""
    kept = [bit for bit in bits if bit is not False]
    if not kept:
        return UnknownValue(null=False, value=integer(0), sort=Sort.INTEGER, most=0)
    ones = [pick(bit, integer(1), integer(0)) for bit in kept]
    return UnknownValue(null=False, value=total(ones), sort=Sort.INTEGER, most=len(kept))


def less_than(number: Number, limit: int) -> Bit:
    """Whether a count is below a constant."""
    return number < limit
