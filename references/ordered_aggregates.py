"""Aggregates over ordered values, which SQLite lacks: joined texts and percentiles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TypeAlias

Cell: TypeAlias = int | float | str | bytes | None
_Key: TypeAlias = tuple[int, int | float | str | bytes]

RISING, FALLING = "rising", "falling"
AS_ENTERED = "as entered"
"""How texts that tie in their order are joined: by their letters, or as the rows come."""
FOLDED, FILLED, DISTINCT = "folded", "filled", "distinct"
"""Letter case does not count; texts are left out that are empty, or that repeat another."""


class _Collected(ABC):
    """Keeps the arguments of every row that SQLite passes."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[tuple[Cell, ...]] = []

    def step(self, *row: Cell) -> None:
        """Takes a row."""
        self.rows.append(row)

    def inverse(self, *row: Cell) -> None:
        """Gives a row back that leaves the frame of a window."""
        self.rows.remove(row)

    @abstractmethod
    def value(self) -> Cell:
        """The result of the rows so far."""

    def finalize(self) -> Cell:
        """The result."""
        return self.value()


class TextsInOrder(_Collected):
    """`TEXTS_IN_ORDER(text, separator, ties, rules, key, …)` joins texts in the order of the keys.

    The rules are words for the whole, then a direction for each key: `distinct,rising first`.
    """

    def value(self) -> str | None:
        """The texts with the separator between them; `None` without a text."""
        rows = [row for row in self.rows if row[0] is not None]
        if not rows:
            return None
        _, separator, ties, rules = rows[0][:4]
        words, directions = _read(str(rules))
        rows = [row for row in rows if row[0] != ""] if FILLED in words else rows
        if ties in {RISING, FALLING}:
            rows.sort(key=lambda row: _sort_key(row[0], folded=False), reverse=ties == FALLING)
        for place, direction in reversed([*enumerate(directions, start=4)]):
            rows = _sorted(rows, place, direction, folded=FOLDED in words)
        texts = [_text(row[0]) for row in rows]
        if DISTINCT in words:
            texts = _once(texts, folded=FOLDED in words)
        return str(separator if separator is not None else "").join(texts) if texts else None


class ValueBetween(_Collected):
    """`VALUE_BETWEEN(value, share)` is the value at a share of the ordered values, in between if none is there.

    This is PERCENTILE_CONT of the SQL standard: row 1 + share · (n - 1), linear between two rows; NULLs do not count.
    """

    def value(self) -> float | None:
        """The value; `None` where no value is given, or the share is not between 0 and 1."""
        values, share = _values_and_share(self.rows)
        if share is None:
            return None
        place = share * (len(values) - 1)
        low = int(place)
        high = min(low + 1, len(values) - 1)
        one, other = Fraction(_number(values[low])), Fraction(_number(values[high]))
        return float(one + (other - one) * (place - low))


class ValueAt(_Collected):
    """`VALUE_AT(value, share)` is the first value that so large a share of the ordered values does not exceed.

    This is PERCENTILE_DISC of the SQL standard: row ⌈share · n⌉, at least the first; NULLs do not count.
    """

    falling = False

    def value(self) -> Cell:
        """The value; `None` where no value is given, or the share is not between 0 and 1."""
        values, share = _values_and_share(self.rows)
        if share is None:
            return None
        ordered = values[::-1] if self.falling else values
        return ordered[max(ceil(share * len(values)), 1) - 1]


class ValueAtFalling(ValueAt):
    """`VALUE_AT_FALLING(value, share)` is the same with the largest value first."""

    falling = True


ORDERED_AGGREGATES: Mapping[str, tuple[int, Callable[[], _Collected]]] = {
    "texts_in_order": (-1, TextsInOrder),
    "value_between": (2, ValueBetween),
    "value_at": (2, ValueAt),
    "value_at_falling": (2, ValueAtFalling),
}
"""By name, how many arguments an aggregate takes (-1: any), and what computes it."""


@lru_cache(maxsize=256)
def _read(rules: str) -> tuple[frozenset[str], tuple[tuple[bool, bool], ...]]:
    """The words of the rules, and for each key whether it falls and whether NULLs come first.

    >>> _read("distinct,falling last")
    (frozenset({'distinct'}), ((True, False),))
    """
    parts = [part.split() for part in rules.split(",") if part]
    directions = tuple((part[0] == FALLING, part[1] == "first") for part in parts if len(part) > 1)
    return frozenset(part[0] for part in parts if len(part) == 1), directions


def _sorted(
    rows: Sequence[tuple[Cell, ...]], place: int, direction: tuple[bool, bool], *, folded: bool
) -> list[tuple[Cell, ...]]:
    falling, nulls_first = direction
    nulls = [row for row in rows if row[place] is None]
    others = sorted(
        (row for row in rows if row[place] is not None),
        key=lambda row: _sort_key(row[place], folded=folded),
        reverse=falling,
    )
    return [*nulls, *others] if nulls_first else [*others, *nulls]


def _sort_key(cell: Cell, *, folded: bool) -> _Key:
    """SQLite's order: numbers, then texts, then bytes."""
    if isinstance(cell, str):
        return (1, cell.lower() if folded else cell)
    return (2, cell) if isinstance(cell, bytes) else (0, cell or 0)


def _once(texts: Sequence[str], *, folded: bool) -> list[str]:
    """The first of each of the texts that are equal."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(text.lower() if folded else text, text)
    return [*found.values()]


def _text(cell: Cell) -> str:
    if isinstance(cell, str | int):
        return str(cell)
    message = "only texts and whole numbers are joined"
    raise ValueError(message)


def _values_and_share(rows: Sequence[tuple[Cell, ...]]) -> tuple[Sequence[Cell], Fraction | None]:
    """The values in order, and the share as it is written; `None` where there is nothing to share."""
    values = sorted((row[0] for row in rows if row[0] is not None), key=lambda cell: _sort_key(cell, folded=False))
    share = Fraction(str(rows[0][1])) if values else None
    return values, share if share is not None and 0 <= share <= 1 else None


def _number(cell: Cell) -> int | float:
    if isinstance(cell, int | float):
        return cell
    message = "nothing lies between two texts"
    raise ValueError(message)
