"""What an expression comes to: a constant, or a value that is known only by a fingerprint and its bounds.

An expression is evaluated for four invented rows. Two expressions whose results are equal in every row are the same
expression written twice, and one with the same result in every row does not depend on the row: `c - c` is 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import NamedTuple, TypeAlias
from zlib import crc32

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.rules import DialectRules

ROWS = range(4)
"""The invented rows."""
_SCALES = (73.0, 41_000.0, -330.0, 9_200_000.0)
"""Sizes of an unknown number in each row, so that no rounding makes all of them equal."""
_NUMBER = lazy(r"\s*[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})\s*", re.ASCII)
_NEAR = 1e-9
_DEEPEST = 8


class Folds:
    """What the expressions of one text come to, so that each is folded once."""

    __slots__ = ("depth", "folded", "rules", "tried")

    def __init__(self, rules: DialectRules) -> None:
        self.rules = rules
        """How the dialect computes and compares."""
        self.folded: dict[int, tuple[exp.Expr, Folded]] = {}
        """By node id; the node is kept so that its id stays its own."""
        self.depth = 0
        self.tried = 0
        """How many expressions were evaluated for typical rows."""


class Kind(Enum):
    """What is known of an unknown value."""

    ANY = "any"
    COUNT = "count"
    """A whole number above 0."""
    TRUTH = "truth"
    """True or false."""


class Unknown(NamedTuple):
    """A value that depends on the row: a column, or a call that is not evaluated."""

    seed: int
    kind: Kind = Kind.ANY


Point: TypeAlias = bool | int | float | Decimal | str | date | Unknown | None
TRUTHS: frozenset[Point] = frozenset((True, False))
"""The values of a condition."""
_BOUNDS = {Kind.ANY: (-math.inf, math.inf), Kind.COUNT: (0.0, math.inf), Kind.TRUTH: (0.0, 1.0)}


class Recipe(NamedTuple):
    """What an unknown value is made of. Its fingerprint is made when it is asked for: most are never compared."""

    name: str
    parts: Sequence[Folded]
    kind: Kind
    mirrored: str
    """The name if both parts change places, for values of equal meaning: `a > b` is `b < a`."""

    def fingerprint(self) -> Unknown:
        """The value, equal for equal names and parts."""
        name, keys = self.name, [part.key for part in self.parts]
        if self.mirrored and keys[0] > keys[1]:
            name, keys = self.mirrored, keys[::-1]
        return Unknown(crc32(f"{name}{keys}".encode("utf-8", "replace")), self.kind)


_NO_RECIPE = Recipe("", (), Kind.ANY, "")


class Folded:
    """What an expression comes to in each of the invented rows."""

    __slots__ = (
        "_key", "_numbers", "_pending", "_points", "_recipe",
        "choices", "constant", "high", "low", "open", "opposite", "reads",
    )  # fmt: skip

    def __init__(self, points: tuple[Point, ...] | Recipe, *, low: float = -math.inf, high: float = math.inf) -> None:
        self._key: int | None = None
        self._numbers: tuple[float | None, ...] | None = None
        self._pending = 0
        """How deep values without a fingerprint nest in it."""
        self.constant = False
        """It is the same in every row."""
        self.low = low
        """The least number that it may be."""
        self.high = high
        self.choices: frozenset[Point] | None = None
        """All values that it may have, if they are few and known."""
        self.reads = False
        """It depends on the row, on a parameter or on a call that is not evaluated: it may be NULL."""
        self.open = False
        """It is computed from constants, but what it comes to depends on the database: it may be NULL."""
        self.opposite: Folded | None = None
        """The condition that this is the negation of."""
        if isinstance(points, Recipe):
            self._points: tuple[Point, ...] | None = None
            self._recipe = points
            self._nest(points.parts)
        else:
            self._points, self._recipe = points, _NO_RECIPE
            first = points[0]
            self.constant = not isinstance(first, Unknown) and _are_same(first, points)

    def _nest(self, parts: Sequence[Folded]) -> None:
        """Makes the fingerprint at once where others would nest too deep for recursion."""
        for part in parts:
            self.reads = self.reads or part.reads
            if part._points is None and part._pending >= self._pending:
                self._pending = part._pending + 1
        if self._pending > _DEEPEST:
            _ = self.points

    @property
    def points(self) -> tuple[Point, ...]:
        """The result in each row."""
        if self._points is None:
            self._points = (self._recipe.fingerprint(),) * len(ROWS)
        return self._points

    @property
    def is_known(self) -> bool:
        """Whether its results are evaluated."""
        return self._recipe is _NO_RECIPE and not isinstance(self.points[0], Unknown)

    @property
    def counts(self) -> bool:
        """Whether it is a whole number above 0."""
        if self._recipe is not _NO_RECIPE:
            return self._recipe.kind is Kind.COUNT
        return all(isinstance(each, Unknown) and each.kind is Kind.COUNT for each in self.points)

    @property
    def value(self) -> Point:
        """The value of a constant."""
        return self.points[0]

    @property
    def key(self) -> int:
        """Equal for equal expressions."""
        if self._key is None:
            self._key = crc32(self._rounded_points().encode("utf-8", "replace"))
        return self._key

    def _rounded_points(self) -> str:
        first = self.points[0]
        if len(set(map(id, self.points))) == 1:  # most columns and constants: one text serves all rows
            return f"[{', '.join([repr(_rounded(first))] * len(self.points))}]"
        return repr([_rounded(each) for each in self.points])

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The number that it is in each row; `None` where it is not a number."""
        if self._numbers is None:
            self._numbers = tuple([number(point, row) for row, point in enumerate(self.points)])
        return self._numbers

    def is_fact(self, truth: bool) -> bool:
        """Whether it is a constant truth or number that counts as true, or as false."""
        return self.constant and isinstance(self.value, bool | int | float | Decimal) and bool(self.value) is truth

    @property
    def is_null(self) -> bool:
        """Whether it is NULL in every row."""
        return self.constant and self.value is None


def fixed(value: Point) -> Folded:
    """A constant."""
    if not isinstance(value, bool | int | float | Decimal):
        folded = Folded((value,) * len(ROWS))
    else:
        size = float(value)
        folded = Folded((value,) * len(ROWS), low=size, high=size)
    folded.choices = frozenset((value,))
    return folded


def evaluated(points: Sequence[Point], parts: Iterable[Folded]) -> Folded:
    """The results of an evaluation; those of a constant are exact."""
    folded = Folded(tuple(points))
    folded.reads = any(part.reads for part in parts)
    if folded.constant and not isinstance(points[0], Unknown):
        reads, folded = folded.reads, fixed(points[0])
        folded.reads = reads
    return folded


def unknown(
    name: str, parts: Sequence[Folded] = (), *, kind: Kind = Kind.ANY, reads: bool | None = None, mirrored: str = ""
) -> Folded:
    """A value that is not evaluated; equal for equal names and parts."""
    low, high = _BOUNDS[kind]
    folded = Folded(Recipe(name, parts, kind, mirrored), low=low, high=high)
    if reads is not None:
        folded.reads = reads
    if kind is Kind.TRUTH:
        folded.choices = TRUTHS
    return folded


def number(point: Point, row: int) -> float | None:
    """The number that a value is in a row; `None` if it is not a number."""
    if type(point) is float:
        return point
    if isinstance(point, Unknown):
        return _number_of(point, row)
    if isinstance(point, str):
        return float(point) if _NUMBER.fullmatch(point) else None
    return None if point is None or isinstance(point, date) else float(point)


def text_of(point: Point, row: int) -> str | None:
    """The text that a value is in a row; `None` for NULL."""
    if isinstance(point, Unknown):
        return (f"{point.seed * (row + 1) % 0xFFFFFFFB:08x}QzÀ" * 40)[: 301 + 17 * row]
    if isinstance(point, bool):
        return str(int(point))
    return f"{float(point):g}" if isinstance(point, (int, float, Decimal)) else None if point is None else str(point)


def identical(left: Folded, right: Folded) -> bool:
    """Whether two expressions have the same result in every row."""
    if left.constant or right.constant:
        return left.constant and right.constant and _equal(left.value, right.value, 0)
    return all(_equal(one, other, row) for row, (one, other) in enumerate(zip(left.points, right.points, strict=True)))


def _equal(one: Point, other: Point, row: int) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return one == other
    if isinstance(one, str) or isinstance(other, str):
        return text_of(one, row) == text_of(other, row)
    mine, theirs = number(one, row), number(other, row)
    return mine is not None and theirs is not None and _near(mine, theirs)


def _number_of(point: Unknown, row: int) -> float:
    share = point.seed * (2 * row + 3) * 2_654_435_761 % 0xFFFFFFFB / 0xFFFFFFFB
    if point.kind is Kind.TRUTH:
        return float((1 + point.seed % 14) >> row & 1)
    size = _SCALES[row] * (0.5 + share)
    return float(int(abs(size)) + 1) if point.kind is Kind.COUNT else size


def _same(one: Point, other: Point) -> bool:
    if type(one) is float and type(other) is float:
        return one == other or _near(one, other)
    if isinstance(one, (bool, int, float, Decimal)) and isinstance(other, (bool, int, float, Decimal)):
        return _near(float(one), float(other))
    return (type(one) is type(other) or isinstance(one, str)) and one == other


def _are_same(first: Point, points: tuple[Point, ...]) -> bool:
    if points.count(first) == len(points):
        return first == first  # noqa: PLR0124 - not a number is never the same
    return all(_same(first, each) for each in points[1:])


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * max(abs(one), abs(other))


def _rounded(point: Point) -> Point:
    if not isinstance(point, (int, float, Decimal)) or isinstance(point, bool):
        return point
    return float(f"{float(point):.9g}")
