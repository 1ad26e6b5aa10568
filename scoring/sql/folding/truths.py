"""Folds conditions: comparisons, lists, patterns, and what AND, OR and NOT make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.comparing import compare
from scoring.sql.evaluation.patterns import REGULAR
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import Open, truth
from scoring.sql.folded import ROWS, TRUTHS, Folded, Kind, Point, Unknown, fixed, identical, number, unknown
from scoring.sql.terms import ORDERS, Node


class Fold(Protocol):
    """Folds the parts of an expression."""

    def __call__(self, node: Node | None, /) -> Folded: ...

    @property
    def rules(self) -> DialectRules:
        """How the dialect computes and compares."""
        ...

    def keep(self, node: Node, folded: Folded) -> None:
        """Remembers what a part comes to."""
        ...


_WILD_TEXT = lazy(r"%+")
_WILD_GLOB = lazy(r"\*+")
_WILD_REGULAR = lazy(r"\^?(?:\(\?:?i?s?\))?(?:\^?\(?(?:\.\*|\[\\s\\S\]\*|\.\{0,\})\)?[?+]?)*\$?")


def fact(value: Point, parts: Sequence[Folded]) -> Folded:
    """What holds wherever its parts have a value; it may be NULL where one of them is not evaluated."""
    folded = fixed(value)
    folded.reads = any(part.reads or not part.constant for part in parts)
    return folded


def condition(rules: DialectRules, folded: Folded) -> Folded:
    """An expression where a condition stands: a constant is true, false or NULL there, or not known."""
    value = folded.value if folded.constant else None
    if value is None or isinstance(value, bool | Unknown):
        return folded
    held = truth(rules, value)
    return unknown("truth", (folded,), kind=Kind.TRUTH) if isinstance(held, Open) else fact(held, (folded,))


def negation(inner: Folded) -> Folded:
    """`NOT inner`, of a condition."""
    if inner.constant:
        return fact(None if inner.value is None else not inner.value, (inner,))
    if inner.opposite is not None:
        return inner.opposite
    folded = unknown("not", (inner,), kind=Kind.TRUTH)
    folded.opposite = inner
    return folded


def all_of(parts: Sequence[Folded], *, conjunction: bool) -> Folded:
    """The AND of some conditions, or their OR: a fact decides it, or restricts nothing."""
    facts = [part for part in parts if part.constant]
    open_parts = {part.key: part for part in parts if not part.constant}
    deciding = [part for part in facts if _decides(part.value, conjunction=conjunction)]
    if deciding or _complement(open_parts):
        return fact(not conjunction, [part for part in deciding if not part.reads] or parts)
    return _undecided(facts, open_parts, conjunction=conjunction)


def _undecided(facts: Sequence[Folded], open_parts: Mapping[int, Folded], *, conjunction: bool) -> Folded:
    """Conditions of which no fact decides: NULL remains of the facts, or nothing."""
    null = any(part.is_null for part in facts)
    if not open_parts:
        return fact(None if null else conjunction, facts)
    return _joined([open_parts[key] for key in sorted(open_parts)], null=null, conjunction=conjunction)


def _joined(parts: Sequence[Folded], *, null: bool, conjunction: bool) -> Folded:
    if len(parts) == 1 and not null:
        return parts[0]
    folded = unknown(f"{'and' if conjunction else 'or'} {null}", parts, kind=Kind.TRUTH)
    if null:  # NULL and a condition is never true, NULL or a condition never false
        folded.choices = frozenset((not conjunction, None))
    return folded


def _decides(value: Point, *, conjunction: bool) -> bool:
    return value is not None and bool(value) is not conjunction


def _complement(parts: Mapping[int, Folded]) -> bool:
    """Whether one of some conditions, by their keys, is the negation of another."""
    return any(
        part.opposite is not None and not part.opposite.open and part.opposite.key in parts for part in parts.values()
    )


def compared(rules: DialectRules, kind: type[Node], left: Folded, right: Folded) -> Folded:
    """`left = right` and its kin."""
    if kind not in _SAFE and (left.is_null or right.is_null):
        return fixed(None)
    if left.constant and right.constant:
        known = of_constants(rules, kind, left.value, right.value)
    elif identical(left, right):
        known = kind in _EQUAL
    else:
        known = _by_distance(rules, kind, left, right)
        known = _by_case(kind, left, right) if known is None else known
    if known is not None:
        return fact(known, (left, right))
    if kind in _DENIED:
        return negation(compared(rules, _DENIED[kind], left, right))
    return unknown(kind.__name__, (left, right), kind=Kind.TRUTH, mirrored=_MIRRORED.get(kind, ""))


def of_constants(rules: DialectRules, kind: type[Node], left: Point, right: Point) -> bool | None:
    """A comparison of two constants; `None` if it is NULL or not known."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    found = compare(rules, kind, left, right)
    return found if isinstance(found, bool) else None


def _holds(kind: type[Node], order: int) -> bool:
    """Whether a comparison holds for values of that order: -1, 0 or 1."""
    return order in ORDERS[kind]


def _by_distance(rules: DialectRules, kind: type[Node], left: Folded, right: Folded) -> bool | None:
    """A comparison that the bounds, the few possible values or a constant distance of both sides decide."""
    if left.low > right.high:
        return _holds(kind, 1)
    if left.high < right.low:
        return _holds(kind, -1)
    if kind in (exp.GTE, exp.LT) and left.low >= right.high:
        return kind is exp.GTE
    if kind in (exp.LTE, exp.GT) and left.high <= right.low:
        return kind is exp.LTE
    few = _of_choices(rules, kind, left, right)
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


def _of_choices(rules: DialectRules, kind: type[Node], left: Folded, right: Folded) -> bool | None:
    if left.choices is None or right.choices is None or None in left.choices | right.choices:
        return None
    results = {of_constants(rules, kind, one, other) for one in left.choices for other in right.choices}
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


def listed(rules: DialectRules, key: Folded, members: Sequence[Folded]) -> Folded:
    """`key IN (members)`, of which one is not constant."""
    if key.choices is not None and len(members) <= _FEW and all(each.constant for each in members):
        return _among(rules, key, members)
    if not key.constant:
        others = [each for each in members if not each.constant]
        same = any(identical(key, each) for each in others[:_FEW])
        if not others and _has_none(key, members):
            return fact(False, (key,))
        members = others
        return fact(True, (key,)) if same else unknown("in", (key, *members), kind=Kind.TRUTH)
    return all_of([compared(rules, exp.EQ, key, member) for member in members[:_FEW]], conjunction=False)


def _has_none(key: Folded, members: Sequence[Folded]) -> bool:
    """Whether a key equals no member because of its case."""
    return len(members) <= _FEW and all(_by_case(exp.EQ, key, each) is False for each in members)


def _among(rules: DialectRules, key: Folded, members: Sequence[Folded]) -> Folded:
    """A key of few possible values in a short list of constants."""
    found = {
        all_of([compared(rules, exp.EQ, fixed(each), other) for other in members], conjunction=False).value
        for each in key.choices or ()
    }
    only = found.pop() if len(found) == 1 else None
    return fixed(only) if isinstance(only, bool) else unknown("in", (key, *members), kind=Kind.TRUTH)


def null_test(inner: Folded) -> Folded:
    """`inner IS NULL`; what has a fallback or counts has a value, but a comparison or 0 / c may have none."""
    if inner.constant and (inner.is_null or not inner.reads):
        return fixed(inner.is_null)
    known = inner.choices if inner.choices is not TRUTHS else None
    has_value = not inner.constant and known is not None and None not in known
    return fixed(False) if has_value or inner.counts else unknown("is null", (inner,), kind=Kind.TRUTH)


def pattern(rules: DialectRules, node: Node, left: Folded, right: Folded) -> Folded:
    """LIKE, GLOB and regular expressions of a value that is not constant: a pattern of wildcards matches everything."""
    if left.is_null or right.is_null:
        return fixed(None)
    raw = right.value if right.constant else None
    kind = type(node)
    shape = _WILD_GLOB if kind is exp.Glob else _WILD_REGULAR if kind in REGULAR else _WILD_TEXT
    known = kind is not exp.SimilarTo or rules.name not in ("", "duckdb")  # regular expressions there
    if (known and isinstance(raw, str) and shape.fullmatch(raw)) or (kind in _LIKES and identical(left, right)):
        return fact(True, (left,))
    return unknown(kind.__name__, (left, right), kind=Kind.TRUTH)


_FEW = 16
_LEAST = 40
"""Shorter parts of an invented text may hold no letters."""
_CASED = frozenset({exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ})
_LIKES = frozenset({exp.Like, exp.ILike})
_SAFE = frozenset({exp.NullSafeEQ, exp.NullSafeNEQ})
_EQUAL = frozenset({exp.EQ, exp.GTE, exp.LTE, exp.NullSafeEQ})
_DENIED: MappingProxyType[type[Node], type[Node]] = MappingProxyType(
    {exp.NEQ: exp.EQ, exp.GTE: exp.LT, exp.LTE: exp.GT, exp.NullSafeNEQ: exp.NullSafeEQ}
)
"""Comparisons that are read as the negation of another."""
_MIRRORED: MappingProxyType[type[Node], str] = MappingProxyType(
    {exp.GT: "LT", exp.EQ: "EQ", exp.NullSafeEQ: "NullSafeEQ"}
)
"""`a > b` is `b < a`, and `a = b` is `b = a`."""
