"""Finds the level of the assumption ladder on which two results differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from references.equivalence.pair import Level
from references.sandbox import Result, Row, Value
from references.semantics import Semantics

_TRIES = 2_000
"""The most column orders that are tried."""


def difference_level(left: Result, right: Result, semantics: Semantics) -> Level | None:
    """Returns the level on which two results differ, or `None` when they agree.

    S0 is a difference in content. S4 to S7 are differences in repeated rows, columns, empty results and letter case.
    """
    a, b = left.rows, right.rows
    if not a and not b:
        return None
    if len(left.columns) == len(right.columns):
        return _same_width(a, b, len(left.columns), semantics)
    return _other_width(_all_rounded(a), _all_rounded(b), len(left.columns), len(right.columns))


def _same_width(a: Sequence[Row], b: Sequence[Row], width: int, semantics: Semantics) -> Level | None:
    if a == b or _agree(a, b, semantics):
        return None
    a, b = _all_rounded(a), _all_rounded(b)
    if _agree(a, b, semantics):
        return None
    if semantics is Semantics.LIST and Counter(a) == Counter(b):
        return Level.S0
    if set(a) == set(b):
        return Level.S4
    if width > 1 and _embeds(a, b, width, width):
        return Level.S5
    return _beyond(a, b, width, width)


def _other_width(a: Sequence[Row], b: Sequence[Row], wide: int, narrow: int) -> Level:
    return Level.S5 if _embeds(a, b, wide, narrow) else _beyond(a, b, wide, narrow)


def _agree(a: Sequence[Row], b: Sequence[Row], semantics: Semantics) -> bool:
    if semantics is Semantics.LIST:
        return a == b
    if semantics is Semantics.SET:
        return set(a) == set(b)
    return len(a) == len(b) and Counter(a) == Counter(b)


def _beyond(a: Sequence[Row], b: Sequence[Row], wide: int, narrow: int) -> Level:
    if _empty_against_null(a, b) or _empty_against_null(b, a) or _same_but_nothing(a, b):
        return Level.S6
    folded_a, folded_b = tuple(map(_folded, a)), tuple(map(_folded, b))
    if wide == narrow and set(folded_a) == set(folded_b):
        return Level.S7
    return Level.S0


def _empty_against_null(a: Sequence[Row], b: Sequence[Row]) -> bool:
    """Whether one side is empty and the other has only NULL and 0."""
    return not a and all(not cell for row in b for cell in row)


def _same_but_nothing(a: Sequence[Row], b: Sequence[Row]) -> bool:
    """Whether the rows are the same when NULL equals 0."""
    return {tuple(cell or 0 for cell in row) for row in a} == {tuple(cell or 0 for cell in row) for row in b}


def _all_rounded(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with nine digits of each float: floats added in another order differ only beyond that."""
    return tuple(map(_rounded, rows))


def _rounded(row: Row) -> Row:
    if not any(type(cell) is float for cell in row):
        return row
    return tuple(float(f"{cell:.9g}") if type(cell) is float else cell for cell in row)


def _folded(row: Row) -> Row:
    return tuple(_plain(cell) for cell in row)


def _plain(cell: Value) -> Value:
    if isinstance(cell, int | float):
        return f"{cell:g}"
    return cell.lower().strip() if isinstance(cell, str) else cell


def _embeds(a: Sequence[Row], b: Sequence[Row], wide: int, narrow: int) -> bool:
    """Whether the narrower result is a projection of the wider one, in any column order."""
    if wide < narrow:
        a, b, wide, narrow = b, a, narrow, wide
    if bool(a) != bool(b):
        return False
    wanted = set(b)
    return any({tuple(row[i] for i in order) for row in a} == wanted for order in _orders(a, b, wide, narrow))


def _orders(a: Sequence[Row], b: Sequence[Row], wide: int, narrow: int) -> Iterator[tuple[int, ...]]:
    """Yields ways to pick a different column of `a` with the same values for each column of `b`."""
    contents = [{row[i] for row in a} for i in range(wide)]
    choices = [[i for i in range(wide) if contents[i] == {row[j] for row in b}] for j in range(narrow)]
    left = _TRIES
    stack: list[tuple[int, ...]] = [()]
    while stack and left:
        left -= 1
        chosen = stack.pop()
        if len(chosen) == narrow:
            yield chosen
        else:
            stack.extend((*chosen, i) for i in choices[len(chosen)] if i not in chosen)
