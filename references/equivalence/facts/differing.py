"""The literals, JSON paths and readings of texts that one query of a pair has and the other has not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from sqlglot import exp

from references.date_functions import DATE_FUNCTIONS, MONTHS, SECONDS
from references.equivalence.facts.operands import number_of
from references.equivalence.reading.ordered_values import is_how, is_share, shares_beside

_LEAVES = (exp.Literal, exp.JSONPath)
_READINGS = (
    exp.JSONExtract, exp.JSONExtractScalar, exp.Substring, exp.StrPosition, exp.Replace, exp.Trim,
)  # fmt: skip
"""What reads a part of a text, and gives nothing where the text has no such part."""
_NOWHERE = (exp.Ordered, exp.Group, exp.Count, exp.Is, exp.DataType, exp.DataTypeParam, exp.JSONPath)
"""Below these, a literal is a place in a list, or what it is does not matter."""
_GRADED = (exp.Predicate, exp.Mul, exp.Div, exp.Add, exp.Sub, exp.Neg, exp.Tuple, exp.If)
"""Here a number may be far from those beside it that change a result."""
_UNITS = frozenset({*MONTHS, *SECONDS})
_SHOWN = 60
_MOST = 24
"""The most of them that are looked at."""

_Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A part of one query, and the same query with other parts instead."""

    side: int
    """0 for the first query, 1 for the second."""
    shown: str
    number: float | None
    """The number, where the part is one."""
    instead: tuple[tuple[str, ...], ...]
    """Queries in groups: of each group one must give another result than the query where the part decides it."""


def differing(
    a: exp.Query, b: exp.Query, *, counts: Set[int] = frozenset(), readings: bool = True
) -> tuple[Differing, ...]:
    """The parts in which two queries differ; with `readings` also what reads texts of other columns.

    `counts` are numbers that may count rows: the next larger one must change a result.
    """
    trees = (a, b)
    leaves = [[*_leaves(tree)] for tree in trees]
    found: list[Differing] = []
    for side, tree in enumerate(trees):
        alone = _alone(leaves[side], leaves[1 - side], placed=_skeleton(a) == _skeleton(b))
        found += [
            _of_leaf(side, tree, place, node, counts) for place, node in enumerate(leaves[side]) if id(node) in alone
        ]
        if readings:
            found += [*_readings(side, tree, trees[1 - side])]
    return tuple(found[:_MOST])


def only_literals_differ(a: exp.Query, b: exp.Query) -> bool:
    """Whether two queries are the same but for their literals, of which one has others.

    >>> from sqlglot import parse_one
    >>> one, other = (parse_one(f"SELECT NTILE({n}) OVER (ORDER BY id) FROM t") for n in (4, 10))
    >>> only_literals_differ(one, other), only_literals_differ(one, one)
    (True, False)
    """
    if _skeleton(a) != _skeleton(b):
        return False
    counts = [Counter(map(_key, _leaves(tree))) for tree in (a, b)]
    return counts[0] != counts[1]


def _leaves(tree: exp.Query) -> Iterator[exp.Expr]:
    for node in tree.find_all(*_LEAVES):
        up = node.parent
        if isinstance(up, _NOWHERE) or (isinstance(up, exp.Select) and isinstance(up.parent, exp.Exists)):
            continue
        if is_how(node):
            continue
        yield node


def _key(node: exp.Expr) -> _Key:
    """What a leaf says and where; 5 and 5.0 say the same."""
    said = node.sql(dialect="sqlite")
    if isinstance(node, exp.Literal) and not node.is_string:
        said = repr(float(number_of(node.name)))
    return type(node.parent).__name__, node.arg_key or "", said


def _skeleton(tree: exp.Query) -> str:
    copy = tree.copy()
    for node in [*_leaves(copy)]:
        node.replace(exp.Literal.number(0))
    return copy.sql(dialect="sqlite", comments=False, normalize=True)


def _alone(own: Sequence[exp.Expr], other: Sequence[exp.Expr], *, placed: bool) -> set[int]:
    """The leaves that the other query has not, or has in other places where the two are the same but for them."""
    if placed and len(own) == len(other):
        return {id(one) for one, two in zip(own, other, strict=True) if _key(one) != _key(two)}
    left = Counter(map(_key, other))
    found: set[int] = set()
    for node in own:
        key = _key(node)
        if left[key] > 0:
            left[key] -= 1
        else:
            found.add(id(node))
    return found


def _of_leaf(side: int, tree: exp.Query, place: int, node: exp.Expr, counts: Set[int]) -> Differing:
    numeric = isinstance(node, exp.Literal) and not node.is_string
    others = tuple(_with(tree, place, each) for each in _neighbours(node, counts))
    return Differing(
        side=side,
        shown=_shown(node),
        number=float(number_of(node.name)) if numeric else None,
        instead=(others,),
    )


def _with(tree: exp.Query, place: int, other: exp.Expr) -> str:
    copy = tree.copy()
    [*_leaves(copy)][place].replace(other)
    return copy.sql(dialect="sqlite")


def _neighbours(node: exp.Expr, counts: Set[int]) -> Iterator[exp.Expr]:
    """What a leaf is exchanged for, to see whether it decides anything."""
    if isinstance(node, exp.JSONPath):
        *ahead, _ = node.expressions
        yield exp.JSONPath(expressions=[*(each.copy() for each in ahead), exp.JSONPathKey(this="no such key")])
    elif isinstance(node, exp.Literal) and node.is_string:
        units = _UNITS - {node.name} if _is_unit(node) else None
        yield from map(exp.Literal.string, _texts(node.name) if units is None else sorted(units))
    elif is_share(node):
        yield from (exp.Literal.number(share) for share in shares_beside(node))
    else:
        value = number_of(node.name)
        near = [value + 1]
        if value not in counts:
            near.append(value - 1)
            near += [2 * value, value / 2, -value] if isinstance(node.parent, _GRADED) else []
        yield from (_number(each) for each in near)


def _is_unit(node: exp.Expr) -> bool:
    """Whether a text names the unit of a date function: another text is no unit."""
    up = node.parent
    return isinstance(up, exp.Anonymous) and up.name.lower() in DATE_FUNCTIONS and node.name in _UNITS


def _number(value: float) -> exp.Expr:
    written = exp.Literal.number(abs(value))
    return exp.Paren(this=exp.Neg(this=written)) if value < 0 else written


def _texts(text: str) -> Iterator[str]:
    yield f"{text}~"
    yield text[:-1] if text else "~~"
    try:
        day = date.fromisoformat(text[:10])
        yield from (f"{(day + timedelta(days=step)).isoformat()}{text[10:]}" for step in (-1, 1))
    except (ValueError, OverflowError):
        return


def _readings(side: int, tree: exp.Query, other: exp.Query) -> Iterator[Differing]:
    """Readings of texts that the other query has not. Each of NULL, an empty text and 0 must give another result."""
    there = {node.sql(dialect="sqlite", normalize=True) for node in other.find_all(*_READINGS)}
    for place, node in enumerate(tree.find_all(*_READINGS)):
        if node.sql(dialect="sqlite", normalize=True) in there:
            continue
        constants = (exp.null(), exp.Literal.string(""), exp.Literal.number(0))
        groups: list[tuple[str, ...]] = []
        for constant in constants:
            copy = tree.copy()
            [*copy.find_all(*_READINGS)][place].replace(constant)
            groups.append((copy.sql(dialect="sqlite"),))
        yield Differing(side=side, shown=_cut(node.sql(dialect="sqlite")), number=None, instead=tuple(groups))


def _shown(node: exp.Expr) -> str:
    """A leaf with what it stands in, where that is short."""
    up = node.parent
    said = up.sql(dialect="sqlite").strip() if up is not None and not isinstance(up, exp.Query) else ""
    return said if 0 < len(said) <= _SHOWN else _cut(node.sql(dialect="sqlite"))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
