"""A value of SQL: NULL, a truth, a number, a text, a date, or one that is not known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.terms import Node, bare

LONGEST = 4000
"""Characters of the longest text that is put together: longer ones would cost quadratic time."""
LARGEST = 2.0**53
"""Larger numbers are not computed: their last digits, or whether they overflow, depend on the database."""
_WHOLE = lazy(r"\s*[+-]?\d{1,15}\s*", re.ASCII)


class Open(Enum):
    """A value that is not known, or that databases disagree about."""

    OPEN = "open"


OPEN = Open.OPEN


class Near(float):
    """A number whose last digits depend on the database: a quotient, or a decimal as a double."""


class Quoted(str):
    """A text as it is written: beside a number or a date it may be read as one."""

    __slots__ = ()


class Typical(NamedTuple):
    """A value of a column, as it is compared with texts and with numbers."""

    text: str
    number: float
    column: int = 0
    """Which column it is of: values of two columns are never equal."""


Value: TypeAlias = Typical | bool | int | float | Decimal | str | date | Open | None
"""What an expression comes to: `None` is NULL. A whole number is an `int`, an exact decimal a `Decimal`."""
Number: TypeAlias = int | float | Decimal


class Compute(Protocol):
    """Computes one kind of expression from the values of its parts."""

    def __call__(self, rules: DialectRules, node: Node, values: Sequence[Value], /) -> Value: ...


class Operation(NamedTuple):
    """How one kind of expression is evaluated."""

    compute: Compute
    parts: Sequence[str] | Callable[[Node], list[Node]] = ("this",)
    """The arguments whose values it needs, in order, with lists spread; or what finds them."""
    strict: bool = True
    """It is NULL if one of its parts is, and is not known if one of them is not."""


def parts_of(operation: Operation, node: Node) -> list[Node]:
    """The expressions whose values an operation needs."""
    if callable(operation.parts):
        return operation.parts(node)
    found: list[Node] = []
    for name in operation.parts:
        value = node.args.get(name)
        if isinstance(value, exp.Expr):
            found.append(value)
        elif type(value) is list:
            found += value
    return found


def applied(operation: Operation, rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """What an expression comes to whose parts have these values."""
    if operation.strict:
        if any(each is None for each in values):
            return None
        if OPEN in values:
            return OPEN
    try:
        return operation.compute(rules, node, values)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return OPEN  # the parser accepts some broken calls and leaves out what they need


def truth(rules: DialectRules, value: Value) -> bool | Open | None:
    """What a value is where a condition stands."""
    if value is None or isinstance(value, bool | Open):
        return value
    if isinstance(value, str):
        return rules.truths.get(value.strip().lower(), OPEN)
    return OPEN if isinstance(value, Typical | date) else bool(value)


def negated(value: bool | Open | None) -> bool | Open | None:
    """NOT."""
    return not value if isinstance(value, bool) else value


def joined(parts: Sequence[bool | Open | None], *, conjunction: bool) -> bool | Open | None:
    """AND, or OR."""
    if (not conjunction) in parts:
        return not conjunction
    if OPEN in parts:
        return OPEN
    return None if None in parts else conjunction


def is_number(value: Value) -> bool:
    """Whether a value is a number; a truth is none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def as_number(value: Value) -> Number | None:
    """The number that a value is where one is needed; `None` if it is none, or if that is not certain."""
    if isinstance(value, Typical):
        return value.number
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Quoted):
        return int(value) if _WHOLE.fullmatch(value) else None
    return value if isinstance(value, int | float | Decimal) else None


def as_text(rules: DialectRules, value: Value) -> str | None:
    """The text that a value is where one is needed; `None` if that is not certain. Decimals are spelt in many ways."""
    if isinstance(value, Typical):
        return value.text
    if isinstance(value, bool):
        return rules.spelling[value] if rules.spelling else None
    return str(value) if isinstance(value, str | int) else None


def as_date(value: Value) -> date | None:
    """The date that a value is beside another date; `None` if it is none."""
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, Quoted) and len(value) == _ISO else None
    except ValueError:
        return None


def has_type(node: Node) -> bool:
    """Whether SQLite gives an expression a type of its own, to which it converts what it is compared with."""
    return type(bare(node)) in _TYPED


_TYPED = frozenset({exp.Cast, exp.TryCast, exp.Convert, exp.Column, exp.Subquery, exp.Select, exp.Collate})
_ISO = len("2024-01-01")
