"""Comparisons with SQLite's conversions, and values used as conditions."""

from __future__ import annotations

from fractions import Fraction

from references.equivalence.proof.dates import MIRRORED, OPERATIONS, compare_dated, number_of
from references.equivalence.proof.logic import (
    FALSE,
    TRUE,
    UNKNOWN,
    Bit,
    Sort,
    Truth,
    UnknownValue,
    Unprovable,
    aligned,
    constant,
    every,
    integer,
    none,
    numeric,
    pick,
    some,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.texts import number_in


def as_term(truth: Truth) -> UnknownValue:
    """The value of a condition: 1, 0 or NULL."""
    null = none(some((truth.true, truth.false)))
    return UnknownValue(null=null, value=pick(truth.true, integer(1), integer(0)), sort=Sort.INTEGER, most=1)


def truth_of(term: UnknownValue, machine: Machine) -> Truth:
    """The truth of a value: whether its number is not 0. A text counts as the number it begins with."""
    if term.null is True:
        return UNKNOWN
    if isinstance(term.literal, str):
        term = constant(number_in(term.literal, whole=False) or 0)
    elif term.sort in {Sort.TEXT, Sort.DATED}:
        term = as_number(term, machine)
    if isinstance(term.literal, int | Fraction):
        return TRUE if term.literal else FALSE
    zero = term.value == 0
    return Truth(true=every((none(term.null), none(zero))), false=every((none(term.null), zero)))


def as_number(term: UnknownValue, machine: Machine) -> UnknownValue:
    """The number of a value in a computation."""
    if isinstance(term.literal, str):
        return constant(number_in(term.literal, whole=False) or 0)
    if term.sort is Sort.DATED:
        number = number_of(term)
        if number is None:
            raise Unprovable("the number that a date begins with")
        return number
    if term.sort is Sort.TEXT:
        return machine.functions.call("number", [term], Sort.REAL)
    return term


def compare(operator: str, one: UnknownValue, other: UnknownValue, machine: Machine) -> Truth:
    """Compares two values after SQLite's conversions."""
    if one.null is True or other.null is True:
        return UNKNOWN
    there = every((none(one.null), none(other.null)))
    if Sort.DATED in {one.sort, other.sort}:
        holds = _with_date(operator, one, other, machine)
        return Truth(true=every((there, holds)), false=every((there, none(holds))))
    one, other = converted(one, other, machine), converted(other, one, machine)
    pair = aligned(one, other)
    if pair is None:
        holds = operator in {"<>", "<", "<="} if numeric(one.sort) else operator in {"<>", ">", ">="}
    else:
        holds = OPERATIONS[operator](*pair)
    return Truth(true=every((there, holds)), false=every((there, none(holds))))


def _with_date(operator: str, one: UnknownValue, other: UnknownValue, machine: Machine) -> Bit:
    if one.sort is Sort.DATED:
        return compare_dated(operator, one, other, machine)
    return compare_dated(MIRRORED.get(operator, operator), other, one, machine)


def converted(term: UnknownValue, beside: UnknownValue, machine: Machine) -> UnknownValue:
    """Converts a value as SQLite does for a comparison with `beside`, for example text next to a number column."""
    if term.sort is Sort.TEXT and numeric(beside.affinity):
        if term.affinity is Sort.TEXT or term.literal is None:
            raise Unprovable("a text is compared with a number column")
        number = number_in(str(term.literal))
        return term if number is None else constant(number)
    if numeric(term.sort) and term.affinity is Sort.NOTHING and beside.affinity is Sort.TEXT:
        if term.literal is None:
            raise Unprovable("a number is compared with a text column")
        return machine.texts.term(_written(term.literal, machine))
    return term


def _written(literal: int | Fraction | str, machine: Machine) -> str:
    text = str(literal)
    if all(text != each for each, _ in machine.texts.known()):
        raise Unprovable("a computed number is compared with a text column")
    return text
