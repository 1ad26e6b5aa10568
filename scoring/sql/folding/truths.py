"""Folds conditions: comparisons, lists, patterns, and what AND, OR and NOT make of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from sqlglot import exp

from scoring.sql.folded import ROWS, Folded, Kind, Point, fixed, identical, is_true, number, unknown
from scoring.sql.terms import ORDERS, Node


class Fold(Protocol):
    """Folds the parts of an expression."""

    def __call__(self, node: Node | None, /) -> Folded: ...

    @property
    def dialect(self) -> str:
        """The dialect of the text."""
        ...

    def keep(self, node: Node, folded: Folded) -> None:
        """Remembers what a part comes to."""
        ...


_WILD_TEXT = re.compile(r"%+")
_WILD_GLOB = re.compile(r"\*+")
_WILD_REGULAR = re.compile(r"\^?(?:\(\?:?i?s?\))?(?:\^?\(?(?:\.\*|\[\\s\\S\]\*|\.\{0,\})\)?[?+]?)*\$?")


def negation(inner: Folded) -> Folded:
    """`NOT inner`."""
    if inner.constant:
        return fixed(None) if inner.value is None else fixed(not is_true(inner.value))
    if inner.opposite is not None:
        return inner.opposite
    folded = unknown("not", (inner,), kind=Kind.TRUTH)
    folded.opposite = inner
    return folded


def all_of(parts: Sequence[Folded], *, conjunction: bool) -> Folded:
    """The AND of some conditions, or their OR: a fact decides it, or restricts nothing."""
    facts = [part.value for part in parts if part.constant]
    open_parts = {part.key: part for part in parts if not part.constant}
    if _complement(open_parts) or any(_decides(value, conjunction=conjunction) for value in facts):
        return fixed(not conjunction)
    null = None in facts
    if not open_parts or (null and conjunction):
        return fixed(None if null else conjunction)  # NULL and a condition is never true
    return _joined([open_parts[key] for key in sorted(open_parts)], null=null, conjunction=conjunction)


def _joined(parts: Sequence[Folded], *, null: bool, conjunction: bool) -> Folded:
    if len(parts) == 1 and not null:
        return parts[0]
    return unknown("and" if conjunction else "or", parts, kind=Kind.TRUTH)


def _decides(value: Point, *, conjunction: bool) -> bool:
    return value is not None and is_true(value) is not conjunction


def _complement(parts: Mapping[int, Folded]) -> bool:
    """Whether one of some conditions, by their keys, is the negation of another."""
    return any(part.opposite is not None and part.opposite.key in parts for part in parts.values())


def compared(kind: type[Node], left: Folded, right: Folded) -> Folded:
    """`left = right` and its kin."""
    safe = kind in (exp.NullSafeEQ, exp.NullSafeNEQ)
    if not safe and (left.is_null or right.is_null):
        return fixed(None)
    if left.constant and right.constant:
        known = _of_constants(kind, left.value, right.value)
    elif identical(left, right):
        known = kind in _EQUAL
    else:
        known = _by_distance(kind, left, right)
        known = _by_case(kind, left, right) if known is None else known
    if known is not None:
        return fixed(known)
    if kind in _DENIED:
        return negation(compared(_DENIED[kind], left, right))
    return unknown(kind.__name__, (left, right), kind=Kind.TRUTH, mirrored=_MIRRORED.get(kind, ""))


def _of_constants(kind: type[Node], left: Point, right: Point) -> bool | None:
    """A comparison of two constants; texts that are equal but for case are left open."""
    if left is None or right is None:
        return (left is right) is (kind is exp.NullSafeEQ)
    mine, theirs = number(left, 0), number(right, 0)
    if mine is not None and theirs is not None:
        return _holds(kind, (mine > theirs) - (mine < theirs))
    if not isinstance(left, str) or not isinstance(right, str) or left.casefold().strip() == right.casefold().strip():
        return kind in _EQUAL if left == right else None
    return _holds(kind, (left > right) - (left < right))


def _holds(kind: type[Node], order: int) -> bool:
    """Whether a comparison holds for values of that order: -1, 0 or 1."""
    return order in ORDERS[kind]


def _by_distance(kind: type[Node], left: Folded, right: Folded) -> bool | None:
    """A comparison that the bounds, the few possible values or a constant distance of both sides decide."""
    if left.low > right.high:
        return _holds(kind, 1)
    if left.high < right.low:
        return _holds(kind, -1)
    if kind in (exp.GTE, exp.LT) and left.low >= right.high:
        return kind is exp.GTE
    if kind in (exp.LTE, exp.GT) and left.high <= right.low:
        return kind is exp.LTE
    few = _of_choices(kind, left, right)
    return _by_shift(kind, left, right) if few is None else few


def _by_case(kind: type[Node], left: Folded, right: Folded) -> bool | None:
    """`UPPER(c) = 'lisbon'` never holds."""
    constant, other = (left, right) if left.constant else (right, left)
    text = constant.value
    if kind not in _CASED or not constant.constant or not isinstance(text, str):
        return None
    return (
        kind in _DENIED
        if any(_is_cased(other, case) and text != case(text) for case in (str.upper, str.lower))
        else None
    )


def _is_cased(folded: Folded, case: Callable[[str], str]) -> bool:
    """Whether all of an invented text is in capitals, or none of it."""
    return folded.is_known and all(
        isinstance(each, str) and len(each) > _LEAST and each == case(each) for each in folded.points
    )


def _of_choices(kind: type[Node], left: Folded, right: Folded) -> bool | None:
    if left.choices is None or right.choices is None or None in left.choices | right.choices:
        return None
    results = {_of_constants(kind, one, other) for one in left.choices for other in right.choices}
    return next(iter(results)) if len(results) == 1 else None


def _by_shift(kind: type[Node], left: Folded, right: Folded) -> bool | None:
    """`c + 1 > c`: both sides differ by the same number in every row."""
    if left.constant or right.constant:
        return None
    away: list[float] = []
    for row in ROWS:
        one, other = number(left.points[row], row), number(right.points[row], row)
        if one is None or other is None:
            return None
        away.append(one - other)
    same = max(away) - min(away) <= 1e-9 * max(1.0, abs(away[0]))
    return _holds(kind, (away[0] > 0) - (away[0] < 0)) if same and away[0] else None


def listed(key: Folded, members: Sequence[Folded]) -> Folded:
    """`key IN (members)`."""
    if key.choices is not None and len(members) <= _FEW and all(each.constant for each in members):
        return _among(key, members)
    if not key.constant:
        others = [each for each in members if not each.constant]
        same = any(identical(key, each) for each in others[:_FEW])
        if not others and _has_none(key, members):
            return fixed(False)
        members = others
        return fixed(True) if same else unknown("in", (key, *members), kind=Kind.TRUTH)
    return all_of([compared(exp.EQ, key, member) for member in members[:_FEW]], conjunction=False)


def _has_none(key: Folded, members: Sequence[Folded]) -> bool:
    """Whether a key equals no member because of its case."""
    return len(members) <= _FEW and all(_by_case(exp.EQ, key, each) is False for each in members)


def _among(key: Folded, members: Sequence[Folded]) -> Folded:
    """A key of few possible values in a short list of constants."""
    found = {any(_of_constants(exp.EQ, each, other.value) for other in members) for each in key.choices or ()}
    return fixed(found.pop()) if len(found) == 1 else unknown("in", (key, *members), kind=Kind.TRUTH)


def null_test(inner: Folded) -> Folded:
    """`inner IS NULL`; what has a fallback, counts or compares has a value."""
    if inner.constant:
        return fixed(inner.value is None)
    has_value = inner.choices is not None and None not in inner.choices
    return fixed(False) if has_value or inner.counts else unknown("is null", (inner,), kind=Kind.TRUTH)


def pattern(node: Node, left: Folded, right: Folded) -> Folded:
    """LIKE, GLOB and regular expressions: a pattern of wildcards only matches everything."""
    if left.is_null or right.is_null:
        return fixed(None)
    raw = right.value if right.constant else None
    if isinstance(raw, str):
        every = _every(type(node), raw)
        if every is not None:
            return fixed(every)
        if left.constant and isinstance(left.value, str) and not set(raw) & set("%_*?\\[]().+^$|"):
            return compared(exp.EQ, left, right)
    elif identical(left, right):
        return fixed(True)
    return unknown(type(node).__name__, (left, right), kind=Kind.TRUTH)


def _every(kind: type[Node], raw: str) -> bool | None:
    """True if a pattern matches every text."""
    shape = _WILD_GLOB if kind is exp.Glob else _WILD_REGULAR if kind in _REGULAR else _WILD_TEXT
    return True if shape.fullmatch(raw) else None


_FEW = 16
_LEAST = 40
"""Shorter parts of an invented text may hold no letters."""
_CASED = frozenset({exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ})
_REGULAR = frozenset({exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch})
_EQUAL = frozenset({exp.EQ, exp.GTE, exp.LTE, exp.NullSafeEQ})
_DENIED: MappingProxyType[type[Node], type[Node]] = MappingProxyType(
    {exp.NEQ: exp.EQ, exp.GTE: exp.LT, exp.LTE: exp.GT, exp.NullSafeNEQ: exp.NullSafeEQ}
)
"""Comparisons that are read as the negation of another."""
_MIRRORED: MappingProxyType[type[Node], str] = MappingProxyType(
    {exp.GT: "LT", exp.EQ: "EQ", exp.NullSafeEQ: "NullSafeEQ"}
)
"""`a > b` is `b < a`, and `a = b` is `b = a`."""
