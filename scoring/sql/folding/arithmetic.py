"""Folds operators on values that are not constant, for each invented row and for the bounds of a value."""

from __future__ import annotations

import math
from zlib import crc32

from sqlglot import exp

from scoring.sql.evaluation.numbers import OPERATORS, SUMS
from scoring.sql.evaluation.values import LONGEST
from scoring.sql.folded import ROWS, Folded, evaluated, fixed, text_of, unknown
from scoring.sql.terms import Node

_MOST = 1e15
"""Larger results are not folded: their last digits are lost."""
_LOST = 1e-12
_CUTTING = frozenset({exp.IntDiv, exp.Mod})
"""Operators whose results for a few rows say nothing of others."""


def operation(node: Node, left: Folded, right: Folded) -> Folded:
    """`left operator right`, of which one is not constant."""
    kind = type(node)
    if left.is_null or right.is_null:
        return fixed(None)
    if kind is exp.DPipe or (kind is exp.Add and (_is_words(left) or _is_words(right))):
        return concatenated([left, right])
    points = None if kind in _CUTTING else _points(node, left, right)
    if points is None:
        return unknown(kind.__name__, (left, right))
    folded = evaluated(points, (left, right))
    if not folded.constant:
        folded.low, folded.high = _bounds(kind, left, right)
    return folded


def _points(node: Node, left: Folded, right: Folded) -> list[float] | None:
    found: list[float] = []
    for one, other in zip(left.numbers, right.numbers, strict=True):
        result = None if one is None or other is None else _result(type(node), one, other)
        if result is None:
            return None
        found.append(result)
    if type(node) is not exp.Div or not _may_cut(node, left, right):
        return found
    # what a quotient of whole numbers is cut by differs from row to row
    return [each and each - crc32(b"%d %d %d" % (row, left.key, right.key)) / 2**33 for row, each in enumerate(found)]


def _may_cut(node: Node, left: Folded, right: Folded) -> bool:
    """Whether a quotient may be one of whole numbers, which is cut."""
    is_one = right.constant and right.value in (1, -1)
    return bool(node.args.get("typed")) and not is_one and left.numbers != right.numbers


def _is_words(side: Folded) -> bool:
    """Whether it is a text that is no number, which T-SQL adds to another."""
    return side.constant and isinstance(side.value, str) and None in side.numbers


def _result(kind: type[Node], one: float, other: float) -> float | None:
    try:
        result = OPERATORS[kind](one, other)
    except (ArithmeticError, ValueError):
        return None
    if abs(result) < _LOST * max(abs(one), abs(other)) and kind in SUMS:
        return 0.0  # what is left of two equal numbers
    return result if abs(result) < _MOST else None


def concatenated(parts: list[Folded]) -> Folded:
    """Texts put together; those of two values that are not constant are not evaluated."""
    if len([part for part in parts if not part.constant]) > 1:
        return unknown("concat", parts)
    points: list[str] = []
    for row in ROWS:
        texts = [text for part in parts if (text := text_of(part.points[row], row)) is not None]
        if len(texts) < len(parts) or sum(map(len, texts)) > LONGEST:
            return unknown("concat", parts)
        points.append("".join(texts))
    return evaluated(points, parts)


def _bounds(kind: type[Node], left: Folded, right: Folded) -> tuple[float, float]:
    if kind is exp.Add:
        return left.low + right.low, left.high + right.high
    if kind is exp.Sub:
        return left.low - right.high, left.high - right.low
    if kind is exp.Mul:
        if left.points == right.points:
            return 0.0, math.inf
        ends = [_times(one, other) for one in (left.low, left.high) for other in (right.low, right.high)]
        return min(ends), max(ends)
    return -math.inf, math.inf


def _times(one: float, other: float) -> float:
    return 0.0 if 0.0 in (one, other) else one * other
