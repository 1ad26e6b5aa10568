"""Folds calls: those that choose a value, change a text or a number, or aggregate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.folded import (
    ROWS,
    Folded,
    Kind,
    Point,
    evaluated,
    fixed,
    identical,
    number,
    text_of,
    unknown,
)
from scoring.sql.folding.arithmetic import OPERATORS, concatenated, operation
from scoring.sql.folding.truths import Fold, compared
from scoring.sql.terms import Node, children, function_name


def chosen(conditions: Sequence[Folded], values: Sequence[Folded], default: Folded) -> Folded:
    """CASE: arms whose condition never holds are left out, and one that always holds ends it."""
    left: list[Folded] = []
    results: list[Folded] = []
    for condition, value in zip(conditions, values, strict=True):
        if condition.is_fact(True):
            default = value
            break
        if not condition.constant:
            left.append(condition)
            results.append(value)
    results.append(default)
    return default if all(identical(each, default) for each in results) else _one_of(left, results)


def _one_of(conditions: Sequence[Folded], results: Sequence[Folded]) -> Folded:
    """Any of some values."""
    folded = unknown("case", [*conditions, *results])
    folded.low, folded.high = min(each.low for each in results), max(each.high for each in results)
    choices = [each.choices for each in results[:_FEW] if each.choices is not None]
    folded.choices = frozenset[Point]().union(*choices) if len(choices) == len(results) else None
    return folded


def case(fold: Fold, node: Node) -> Folded:
    """CASE with or without a subject, IF and IIF."""
    arms: list[Node] = node.args["ifs"] if type(node) is exp.Case else [node]
    default: Node | None = node.args.get("default" if type(node) is exp.Case else "false")
    subject: Node | None = node.args.get("this") if type(node) is exp.Case else None
    whens = [fold(arm.args["this"]) for arm in arms]
    if subject is not None:
        key = fold(subject)
        whens = [compared(exp.EQ, key, when) for when in whens]
    return chosen(whens, [fold(arm.args["true"]) for arm in arms], fixed(None) if default is None else fold(default))


def decode(fold: Fold, node: Node) -> Folded:
    """DECODE(key, value, result, …, default)."""
    key, *rest = [fold(each) for each in children(node, "expressions")]
    default = rest.pop() if len(rest) % 2 else fixed(None)
    return chosen([compared(exp.NullSafeEQ, key, each) for each in rest[::2]], rest[1::2], default)


def coalesce(fold: Fold, node: Node) -> Folded:
    """The first value that is not NULL; what may be NULL is read as if it were not."""
    parts = [fold(node.args["this"]), *(fold(each) for each in children(node, "expressions"))]
    parts = [part for part in parts if not part.is_null]
    if not parts:
        return fixed(None)
    first = parts[0]
    if len(parts) > 1 and not first.constant and parts[-1].constant:
        copy = Folded(first.points, low=min(first.low, parts[-1].low), high=max(first.high, parts[-1].high))
        copy.reads, copy.choices = True, _without_null(first, parts[-1])
        return copy
    return first


def _without_null(first: Folded, last: Folded) -> frozenset[Point] | None:
    if first.choices is None or last.choices is None:
        return None
    return (first.choices - {None}) | last.choices


def null_if(fold: Fold, node: Node) -> Folded:
    """NULLIF(a, b): NULL where both are equal."""
    first, second = fold(node.args["this"]), fold(node.args["expression"])
    equal = compared(exp.EQ, first, second)
    if equal.is_fact(True):
        return fixed(None)
    return first if equal.is_fact(False) else unknown("nullif", (first, second))


def extreme(fold: Fold, node: Node) -> Folded:
    """GREATEST and LEAST."""
    pick = max if type(node) in (exp.Greatest, exp.Max) else min
    parts = [fold(node.args["this"]), *(fold(each) for each in children(node, "expressions"))]
    if all(identical(parts[0], each) for each in parts[1:]):
        return parts[0]
    rows = _rows(parts)
    if rows is None:
        return unknown(function_name(node), parts)
    folded = evaluated([pick(row) for row in rows], parts)
    if not folded.constant:
        folded.low, folded.high = pick(each.low for each in parts), pick(each.high for each in parts)
    return folded


def _rows(parts: Sequence[Folded]) -> list[list[float]] | None:
    """The numbers that values are in each row; `None` if one of them is a text or not a number."""
    rows = [[each for each in row if each is not None] for row in zip(*(part.numbers for part in parts), strict=True)]
    complete = all(len(row) == len(parts) for row in rows)
    return rows if complete and not any(isinstance(part.value, str) for part in parts) else None


def numeric(fold: Fold, node: Node) -> Folded:
    """ABS, SIGN, ROUND, FLOOR and CEIL."""
    inner = fold(node.args["this"])
    digits = node.args.get("decimals")
    places = 0.0 if digits is None else fold(digits).value
    if inner.is_null:
        return fixed(None)
    points: list[Point] = []
    for row in ROWS:
        mine = number(inner.points[row], row)
        if mine is None or not isinstance(places, float) or abs(places) > _PLACES:
            return unknown(function_name(node), (inner,))
        points.append(_NUMERIC[type(node)](mine, int(places)))
    folded = evaluated(points, (inner,))
    if type(node) is exp.Abs and not folded.constant:
        folded.low = max(0.0, inner.low)
    return folded


def textual(fold: Fold, node: Node) -> Folded:
    """UPPER, LOWER, TRIM, REVERSE and LENGTH; what TRIM leaves is not known, nor is case where it does not matter."""
    inner = fold(node.args["this"])
    if inner.is_null:
        return fixed(None)
    if type(node) is exp.Trim and _trims_itself(fold, node, inner):
        return fixed("")
    if not inner.constant and (type(node) is exp.Trim or (fold.dialect in _CASELESS and type(node) in _CASES)):
        return unknown(function_name(node), (inner,))
    texts = [text_of(inner.points[row], row) for row in ROWS]
    folded = evaluated([_TEXTUAL[type(node)](each or "") for each in texts], (inner,))
    if type(node) is exp.Length and not folded.constant:
        folded.low = 0.0
    return folded


def _trims_itself(fold: Fold, node: Node, inner: Folded) -> bool:
    """Whether TRIM takes away the letters of the text itself: `TRIM(c, c)`."""
    characters = node.args.get("expression")
    return isinstance(characters, exp.Expr) and identical(inner, fold(characters))


def part_of_text(fold: Fold, node: Node) -> Folded:
    """SUBSTR, LEFT and RIGHT: the first or last characters are evaluated, and none is the empty text."""
    inner = fold(node.args["this"])
    start, length = _places(fold, node)
    if inner.is_null:
        return fixed(None)
    if length == 0:
        return fixed("")
    part = _slice(node, start, length)
    if part is not None:
        return evaluated([(text_of(inner.points[row], row) or "")[part] for row in ROWS], (inner,))
    arguments = [fold(each) for each in node.args.values() if isinstance(each, exp.Expr)]
    return unknown(function_name(node), arguments)


def _slice(node: Node, start: int | None, length: int | None) -> slice | None:
    """The first or the last characters, of which there are `length`; `None` for others."""
    if start == 1 and (length is None or length > 0):
        return slice(length)
    if type(node) is exp.Right:
        return None if length is None or length < 0 else slice(-length, None)
    return slice(start, None) if start is not None and start < 0 and (length is None or length >= -start) else None


def _places(fold: Fold, node: Node) -> tuple[int | None, int | None]:
    """Where a part of a text starts, and its length; `None` if that is not a constant or not given."""
    if type(node) is exp.Substring:
        return _place(fold, node, "start"), _place(fold, node, "length")
    return (1 if type(node) is exp.Left else None), _place(fold, node, "expression")


def _place(fold: Fold, node: Node, argument: str) -> int | None:
    found = node.args.get(argument)
    value = fold(found).value if isinstance(found, exp.Expr) else None
    return int(value) if isinstance(value, float) and abs(value) < 1e6 else None


def position(fold: Fold, node: Node) -> Folded:
    """INSTR and its kin: at least 0, and 1 for the empty text."""
    text, part = fold(node.args["this"]), fold(node.args["substr"])
    if part.constant and part.value == "":
        return fixed(1.0)
    folded = unknown(function_name(node), (text, part))
    folded.low = 0.0
    return folded


def concat(fold: Fold, node: Node) -> Folded:
    """CONCAT; NULL counts as an empty text."""
    parts = [fold(each) for each in children(node, "expressions")]
    return concatenated([fixed("") if part.is_null else part for part in parts])


def aggregate(fold: Fold, node: Node) -> Folded:
    """COUNT, SUM, AVG, MIN, MAX … of a constant do not depend on the rows' values."""
    kind = type(node)
    if kind in (exp.Max, exp.Min) and children(node, "expressions"):
        return extreme(fold, node)
    argument, distinct = _argument(node)
    inner = fold(argument) if argument is not None and type(argument) is not exp.Star else None
    if inner is not None and inner.constant:
        return _of_constant(kind, inner, distinct=distinct)
    name = f"{function_name(node)}{' distinct' if distinct else ''}"
    if inner is None or kind in COUNTS:
        return unknown(name, () if inner is None else (inner,), kind=_kind(kind), reads=True)
    folded = unknown(name, (inner,), reads=True)
    folded.low, folded.high = _aggregate_bounds(kind, inner)
    return folded


def _kind(kind: type[Node]) -> Kind:
    return Kind.COUNT if kind in COUNTS else Kind.ANY


def _argument(node: Node) -> tuple[Node | None, bool]:
    """The argument of an aggregate, and whether it is DISTINCT."""
    argument = node.args.get("this")
    if type(argument) is not exp.Distinct:
        return (argument, False) if isinstance(argument, exp.Expr) else (None, False)
    members = children(argument, "expressions")
    return (members[0] if len(members) == 1 else argument), True


def _aggregate_bounds(kind: type[Node], inner: Folded) -> tuple[float, float]:
    if kind in (exp.Avg, exp.Max, exp.Min):
        return inner.low, inner.high
    return (0.0 if kind is exp.Sum and inner.low >= 0 else -math.inf), math.inf


def _of_constant(kind: type[Node], inner: Folded, *, distinct: bool) -> Folded:
    rows = unknown("COUNT", kind=Kind.COUNT, reads=True)
    if kind in COUNTS:
        empty = inner.is_null or (kind is exp.CountIf and inner.is_fact(False))
        return fixed(0.0) if empty else fixed(1.0) if distinct else rows
    if kind is exp.Sum and not inner.is_null:
        return operation(exp.Mul(), inner, rows)
    return inner if kind in (exp.Sum, exp.Avg, exp.Max, exp.Min, exp.AnyValue) else unknown(kind.__name__, (inner,))


def filtered(fold: Fold, node: Node) -> Folded:
    """`aggregate FILTER (WHERE condition)`."""
    condition = fold(node.args["expression"].args["this"])
    inner = fold(node.args["this"])
    if condition.is_fact(False) or condition.is_null:
        counts = type(node.args["this"]) in COUNTS
        return fixed(0.0 if counts else None)
    if condition.is_fact(True) or inner.constant:
        return inner
    folded = unknown("filter", (inner, condition))
    folded.low, folded.high = inner.low, inner.high
    return folded


def binary(fold: Fold, node: Node) -> Folded:
    """A left-deep run of operators, folded in a loop because hostile SQL makes it thousands long."""
    spine: list[Node] = []
    left = node
    while type(left) in BINARY:
        spine.append(left)
        left = left.args["this"]
    total = fold(left)
    for link in reversed(spine):
        total = operation(link, total, fold(link.args["expression"]))
        fold.keep(link, total)
    return total


_FEW = 16
_CASES = frozenset({exp.Upper, exp.Lower})
_CASELESS = frozenset({"mysql", "tsql", "doris", "starrocks", "singlestore", "fabric"})
"""Dialects that compare texts without regard to case."""
_PLACES = 12
BINARY = frozenset(OPERATORS) | {exp.DPipe}
COUNTS = frozenset({exp.Count, exp.CountIf, exp.ApproxDistinct})
"""Aggregates that count."""
_NUMERIC: MappingProxyType[type[Node], Callable[[float, int], float]] = MappingProxyType(
    {
        exp.Abs: lambda each, _: abs(each),
        exp.Sign: lambda each, _: float((each > 0) - (each < 0)),
        exp.Round: round,
        exp.Floor: lambda each, _: float(math.floor(each)),
        exp.Ceil: lambda each, _: float(math.ceil(each)),
    }
)
_TEXTUAL: MappingProxyType[type[Node], Callable[[str], Point]] = MappingProxyType(
    {
        exp.Upper: str.upper,
        exp.Lower: str.lower,
        exp.Trim: str.strip,
        exp.Reverse: lambda each: each[::-1],
        exp.Length: lambda each: float(len(each)),
    }
)
READERS: MappingProxyType[type[Node], Callable[[Fold, Node], Folded]] = MappingProxyType(
    {
        exp.Case: case,
        exp.If: case,
        exp.DecodeCase: decode,
        exp.Coalesce: coalesce,
        exp.Nullif: null_if,
        exp.Greatest: extreme,
        exp.Least: extreme,
        exp.Filter: filtered,
        exp.Concat: concat,
        exp.StrPosition: position,
    }
    | dict.fromkeys(_NUMERIC, numeric)
    | dict.fromkeys(_TEXTUAL, textual)
    | dict.fromkeys((exp.Substring, exp.Left, exp.Right), part_of_text)
    | dict.fromkeys(BINARY, binary)
    | dict.fromkeys((exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Max, exp.Min, exp.ApproxDistinct), aggregate)
)
"""Readers of calls and operators."""
