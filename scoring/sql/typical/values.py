"""The typical values of a column: some between the literals that it is compared with, none equal to one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from scoring.sql.evaluation.values import Typical

_WORDS = tuple([f"{letter.upper()}uqvx" for letter in "bcdefghijklmnopqrstuvwxy"])
"""Texts in order. Hardly any text of a table comes before the first or after the last."""
_DATES = tuple([f"{year}-05-17" for year in range(1990, 2025, 2)])
_DATE = re.compile(r"\d{4}(?:-\d\d?){0,2}\b")
_LEAST, _MOST = 1.0, 100_000.0
"""Numbers that are not larger, or not smaller, are rare: a bound there leaves out nearly no row."""
_NARROW = 0.01
"""Literals that are nearer, for their size, leave no value between them; nor do two whole numbers in a row."""
_PLAIN = (43.0, 812.0)
_FEW = 6


def typical_values(texts: Iterable[str], numbers: Iterable[float]) -> tuple[Typical, ...]:
    """Values of a column that is compared with these literals.

    >>> [each.text for each in typical_values(["Lisbon", "M"], [])]
    ['Guqvx', 'Luqvx', 'Suqvx']
    >>> [each.number for each in typical_values([], [500])]
    [250.0, 251.0, 1041.0, 1042.0]
    """
    words, sizes = _words(sorted({each.casefold() for each in texts})), _sizes(sorted(set(numbers)))
    count = min(_FEW, max(len(words), len(sizes)))
    return tuple([Typical(words[place % len(words)], sizes[place % len(sizes)]) for place in range(count)])


def _words(literals: Sequence[str]) -> list[str]:
    """One word for each gap between the literals that has any."""
    pool = _DATES if literals and all(map(_DATE.match, literals)) else _WORDS
    edges = ["", *literals, "\uffff"]
    found: list[str] = []
    for low, high in pairwise(edges):
        gap = [each for each in pool if low < each.casefold() < high]
        if gap:
            found.append(gap[len(gap) // 2])
    return found or [pool[0]]


def _sizes(literals: Sequence[float]) -> list[float]:
    """Two whole numbers for each gap between the literals that has any; even and odd ones."""
    if not literals:
        return list(_PLAIN)
    found: list[float] = []
    if literals[0] > _LEAST:
        found += _whole(literals[0] / 2)
    for low, high in pairwise(literals):
        if high - low > 1:
            found += _whole((low + high) / 2)
        elif high - low < 1 and high - low > _NARROW * max(abs(low), abs(high)):
            found.append((low + high) / 2)
    if literals[-1] < _MOST:
        found += _whole(max(2 * literals[-1], 0) + 41)
    return found or list(_PLAIN)


def _whole(size: float) -> list[float]:
    return [float(int(size)), float(int(size) + 1)]
