"""Values for columns about which the queries say nothing."""

from __future__ import annotations

from collections.abc import Mapping

from references.sandbox import Value
from references.schema import ValueKind

SHARED: Mapping[ValueKind, tuple[Value, ...]] = {
    ValueKind.INTEGER: (1, 2, 3, 0, 5, 20),
    ValueKind.REAL: (1.5, 2.0, 3.25, 0.5, 20.0),
    ValueKind.TEXT: ("a", "b", "c", "d"),
    ValueKind.BOOLEAN: (0, 1),
    ValueKind.DATE: ("2020-01-15", "2021-06-10", "2022-03-05", "2020-07-20"),
}
"""Values that all columns of a kind may hold."""

EDGES = (
    "2020-02-29", "2020-02-28", "2020-03-01", "2020-01-31", "2020-12-31", "2021-01-01", "2019-02-28",
)  # fmt: skip
"""Days at which months and years end, for columns of which the queries compute other dates."""


def own_value(kind: ValueKind, number: int, step: int) -> Value:
    """Returns a value that only the pool of this number has; of truth values there are only two."""
    if kind is ValueKind.BOOLEAN:
        return (number + step) % 2
    if kind is ValueKind.INTEGER:
        return 100 + 10 * number + 3 * step
    if kind is ValueKind.REAL:
        return 100.5 + 10 * number + 3 * step
    if kind is ValueKind.DATE:
        return f"{1990 + number % 30}-0{step + 2}-1{step}"
    return f"{'abcdefghijklmnopqrstuvwxyz'[number % 26]}{number // 26 or ''}{'xyz'[step]}"


def fresh_value(kind: ValueKind, number: int) -> Value:
    """Returns another value for each number; of truth values there are only two."""
    if kind is ValueKind.BOOLEAN:
        return number % 2
    if kind is ValueKind.INTEGER:
        return 1001 + number
    if kind is ValueKind.REAL:
        return 1001.5 + number
    if kind is ValueKind.DATE:
        return f"20{10 + number % 80:02d}-0{1 + number % 9}-{10 + number // 80 % 18}"
    return f"t{number}"
