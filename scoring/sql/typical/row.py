"""One row: values of columns, and what expressions come to. What cannot be evaluated is open."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol, TypeAlias

from sqlglot import exp

from scoring.sql.terms import ORDERS, Node
from scoring.sql.typical.values import Both


class Open(Enum):
    """A value that is not known."""

    OPEN = "open"


OPEN = Open.OPEN
Value: TypeAlias = Both | bool | float | str | Open | None
"""What an expression comes to: `None` is NULL."""


class Row(Protocol):
    """Gives the values of columns, and evaluates the parts of an expression."""

    def __call__(self, node: Node, /) -> Value: ...

    def column(self, node: Node, /) -> Value:
        """The value of a column, or of an aggregate in its place."""
        ...


Reader: TypeAlias = Callable[[Row, Node], Value]
"""Evaluates one kind of expression."""
LONGEST = 4000
"""Characters of the longest text that is put together."""


def truth(value: Value) -> bool | Open | None:
    """What a value is where a condition stands."""
    if isinstance(value, Both):
        return OPEN
    if isinstance(value, str):
        size = as_number(value)
        return OPEN if size is None else size != 0
    return value if value is None or isinstance(value, Open) else bool(value)


def negated(value: bool | Open | None) -> bool | Open | None:
    """NOT."""
    return not value if isinstance(value, bool) else value


def as_text(value: Value) -> str | None:
    """The text that a value is; `None` if that is not known."""
    if isinstance(value, Both):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else None


def as_number(value: Value) -> float | None:
    """The number that a value is; `None` if it is none."""
    if isinstance(value, Both):
        return value.number
    try:
        return None if value is None or isinstance(value, Open) else float(value)
    except ValueError:
        return None


def order_of(left: Value, right: Value) -> int | None:
    """-1, 0 or 1; `None` if the values cannot be compared."""
    if isinstance(left, Both) and isinstance(right, Both):
        mine, theirs = (left.number, left.column), (right.number, right.column)
        return (mine > theirs) - (mine < theirs)
    if isinstance(left, str) or isinstance(right, str):
        one, other = as_text(left), as_text(right)
        if one is not None and other is not None and not isinstance(left, float) and not isinstance(right, float):
            folded, others = one.casefold(), other.casefold()
            return (folded > others) - (folded < others)
    size, other_size = as_number(left), as_number(right)
    return None if size is None or other_size is None else (size > other_size) - (size < other_size)


def compare(kind: type[Node], left: Value, right: Value) -> bool | Open | None:
    """`left = right` and its kin."""
    if isinstance(left, Open) or isinstance(right, Open):
        return OPEN
    if kind in (exp.NullSafeEQ, exp.NullSafeNEQ) and (left is None or right is None):
        return (left is right) is (kind is exp.NullSafeEQ)
    if left is None or right is None:
        return None
    order = order_of(left, right)
    return OPEN if order is None else order in ORDERS[kind]
