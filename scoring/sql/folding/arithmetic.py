"""Folds operators on numbers and texts, for each invented row and for the bounds of a value."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.folded import ROWS, Folded, evaluated, fixed, joined, text_of, unknown
from scoring.sql.terms import Node

_MOST = 1e15
"""Larger results are not folded: their last digits are lost."""


def operation(node: Node, left: Folded, right: Folded) -> Folded:
    """`left operator right`."""
    kind = type(node)
    if left.is_null or right.is_null:
        return fixed(None)
    if kind is exp.DPipe or (kind is exp.Add and (_is_words(left) or _is_words(right))):
        return concatenated([left, right])
    compute = OPERATORS[kind]
    points: list[float] = []
    for one, other in zip(left.numbers, right.numbers, strict=True):
        result = None if one is None or other is None else _result(compute, one, other)
        if result is None:
            return _unevaluated(node, left, right)
        points.append(result)
    folded = evaluated(points, (left, right))
    if not folded.constant:
        folded.low, folded.high = _bounds(kind, left, right)
    return folded


def _is_words(side: Folded) -> bool:
    """Whether it is a text that is no number, which T-SQL adds to another."""
    return side.constant and isinstance(side.value, str) and None in side.numbers


def _unevaluated(node: Node, left: Folded, right: Folded) -> Folded:
    if type(node) in _DIVIDING and right.is_fact(False):
        return fixed(None)
    return unknown(type(node).__name__, (left, right))


def _result(compute: Callable[[float, float], float], one: float, other: float) -> float | None:
    try:
        result = compute(one, other)
    except (ArithmeticError, ValueError):
        return None
    if abs(result) < _LOST * max(abs(one), abs(other)) and compute in _SUMS:
        return 0.0  # what is left of two equal numbers
    return result if abs(result) < _MOST else None


def concatenated(parts: list[Folded]) -> Folded:
    """Texts put together; those of two values that are not constant are not evaluated."""
    if len([part for part in parts if not part.constant]) > 1:
        return unknown("concat", parts)
    points: list[str] = []
    for row in ROWS:
        texts = [text_of(part.points[row], row) for part in parts]
        whole = joined([each for each in texts if each is not None])
        if whole is None or None in texts:
            return unknown("concat", parts)
        points.append(whole)
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


def _power(one: float, other: float) -> float:
    return math.pow(one, other)


def _whole(one: float, other: float) -> float:
    return float(math.trunc(one / other))


def _sum(one: float, other: float) -> float:
    return one + other


def _difference(one: float, other: float) -> float:
    return one - other


_LOST = 1e-12
_SUMS = frozenset({_sum, _difference})
OPERATORS: MappingProxyType[type[Node], Callable[[float, float], float]] = MappingProxyType(
    {
        exp.Add: _sum,
        exp.Sub: _difference,
        exp.Mul: lambda one, other: one * other,
        exp.Div: lambda one, other: one / other,
        exp.IntDiv: _whole,
        exp.Mod: math.fmod,
        exp.Pow: _power,
    }
)
"""Operators on numbers."""
_DIVIDING = frozenset({exp.Div, exp.IntDiv, exp.Mod})
