"""Folds calls of values that are not constant: those that choose a value, change a text or a number, or aggregate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from scoring.sql.evaluation.choices import unified
from scoring.sql.evaluation.numbers import OPERATORS
from scoring.sql.evaluation.operations import OPERATIONS
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import OPEN, Near, Open, Typical, Value, applied
from scoring.sql.folded import ROWS, Folded, Kind, Point, Unknown, evaluated, fixed, identical, text_of, unknown
from scoring.sql.folding.arithmetic import concatenated, operation
from scoring.sql.folding.truths import Fold, compared, condition
from scoring.sql.terms import Node, children, function_name


def chosen(rules: DialectRules, conditions: Sequence[Folded], values: Sequence[Folded], default: Folded) -> Folded:
    """CASE: arms whose condition never holds are left out, and one that always holds ends it."""
    left: list[Folded] = []
    results: list[Folded] = []
    for when, value in zip(conditions, values, strict=True):
        if when.is_fact(True):
            default = value
            break
        if not when.constant:
            left.append(when)
            results.append(value)
    results.append(default)
    if all(identical(each, default) for each in results):
        return typed(rules, default, [*values, default])
    return _one_of(left, results)


def typed(rules: DialectRules, chosen: Folded, others: Sequence[Folded]) -> Folded:
    """A value that was chosen among others, in the type that the database gives all of them."""
    if not chosen.constant:
        return chosen
    value = unified(rules, _values([chosen])[0], _values(others))
    return unknown("chosen", others) if isinstance(value, Open | Typical) else fixed(value)


def _one_of(conditions: Sequence[Folded], results: Sequence[Folded]) -> Folded:
    """Any of some values."""
    folded = unknown("case", [*conditions, *results])
    folded.low, folded.high = min(each.low for each in results), max(each.high for each in results)
    choices = [each.choices for each in results[:_FEW] if each.choices is not None]
    folded.choices = frozenset[Point]().union(*choices) if len(choices) == len(results) else None
    return folded


def case(fold: Fold, node: Node, _: Sequence[Folded]) -> Folded:
    """CASE with or without a subject, IF and IIF."""
    arms: list[Node] = node.args["ifs"] if type(node) is exp.Case else [node]
    default: Node | None = node.args.get("default" if type(node) is exp.Case else "false")
    subject: Node | None = node.args.get("this") if type(node) is exp.Case else None
    whens = [fold(arm.args["this"]) for arm in arms]
    if subject is not None:
        key = fold(subject)
        whens = [compared(fold.rules, exp.EQ, key, when) for when in whens]
    whens = [condition(fold.rules, each) for each in whens]
    return chosen(
        fold.rules, whens, [fold(arm.args["true"]) for arm in arms], fixed(None) if default is None else fold(default)
    )


def decode(fold: Fold, node: Node) -> Folded:
    """DECODE(key, value, result, …, default)."""
    key, *rest = [fold(each) for each in children(node, "expressions")]
    default = rest.pop() if len(rest) % 2 else fixed(None)
    return chosen(
        fold.rules, [compared(fold.rules, exp.NullSafeEQ, key, each) for each in rest[::2]], rest[1::2], default
    )


def coalesce(fold: Fold, _: Node, parts: Sequence[Folded]) -> Folded:
    """The first value that is not NULL; what may be NULL is read as if it were not."""
    first, *rest = [part for part in parts if not part.is_null]
    if rest and not first.constant and rest[-1].constant:
        copy = Folded(first.points, low=min(first.low, rest[-1].low), high=max(first.high, rest[-1].high))
        copy.reads, copy.choices = True, _without_null(first, rest[-1])
        return copy
    return typed(fold.rules, first, parts)


def _without_null(first: Folded, last: Folded) -> frozenset[Point] | None:
    if first.choices is None or last.choices is None:
        return None
    return (first.choices - {None}) | last.choices


def null_if(fold: Fold, _: Node, parts: Sequence[Folded]) -> Folded:
    """NULLIF(a, b): NULL where both are equal."""
    first, second = parts
    equal = compared(fold.rules, exp.EQ, first, second)
    if equal.is_fact(True):
        return fixed(None)
    return first if equal.is_fact(False) else unknown("nullif", (first, second))


def extreme(_: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """GREATEST and LEAST."""
    pick = max if type(node) in (exp.Greatest, exp.Max) else min
    if all(identical(parts[0], each) for each in parts[1:]):
        return parts[0]
    rows = _rows(parts)
    if rows is None:
        return unknown(function_name(node), parts)
    folded = evaluated([pick(row) for row in rows], parts)
    if folded.constant:
        ends = [each.high for each in parts] if pick is max else [each.low for each in parts]
        return folded if pick(ends) == pick(rows[0]) else unknown(function_name(node), parts)
    folded.low, folded.high = pick(each.low for each in parts), pick(each.high for each in parts)
    return folded


def _rows(parts: Sequence[Folded]) -> list[list[float]] | None:
    """The numbers that values are in each row; `None` if one of them is a text or not a number."""
    rows = [[each for each in row if each is not None] for row in zip(*(part.numbers for part in parts), strict=True)]
    complete = all(len(row) == len(parts) for row in rows)
    return rows if complete and not any(isinstance(part.value, str) for part in parts) else None


def numeric(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """ABS, SIGN, ROUND, FLOOR and CEIL."""
    inner, *places = parts
    points: list[Point] = []
    for size in inner.numbers:
        if size is None or not all(each.constant for each in places):
            return unknown(function_name(node), parts)
        found = applied(OPERATIONS[type(node)], fold.rules, node, [Near(size), *_values(places)])
        if found is None or isinstance(found, Open | Typical):
            return unknown(function_name(node), parts)
        points.append(found)
    folded = evaluated(points, parts)
    if folded.constant and (type(node) is not exp.Sign or inner.low <= 0):
        # that the invented numbers are rounded to one says nothing of others
        return unknown(function_name(node), parts)
    if type(node) is exp.Abs:
        folded.low = max(0.0, inner.low)
    return folded


def textual(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """UPPER, LOWER, TRIM, REVERSE and LENGTH; what TRIM leaves is not known, nor is case where it does not matter."""
    inner, kind = parts[0], type(node)
    if kind is exp.Trim:
        return fixed("") if len(parts) > 1 and identical(*parts) else unknown(function_name(node), parts)
    if kind is exp.Length:
        folded = unknown(function_name(node), parts)
        folded.low = 0.0
        return folded
    if not fold.rules.equality and kind in _CASES and fold.rules.sensitive is False:
        return unknown(function_name(node), parts)
    return _of_texts(fold, node, inner, ())


def part_of_text(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """SUBSTR, LEFT and RIGHT: the first or last characters are evaluated, and none is the empty text."""
    inner, *places = parts
    known = [each.value for each in places if each.constant and isinstance(each.value, int)]
    at_end = type(node) is not exp.Substring or (places and places[0].value == 1)
    if len(known) == len(places) and not inner.constant and (at_end or known[-1] == 0):
        return _of_texts(fold, node, inner, places)
    return unknown(function_name(node), parts)


def _of_texts(fold: Fold, node: Node, inner: Folded, others: Sequence[Folded]) -> Folded:
    """A call of a text, for an invented text in each row."""
    points: list[Point] = []
    for row in ROWS:
        text = Typical(text_of(inner.points[row], row) or "", 0)
        found = applied(OPERATIONS[type(node)], fold.rules, node, [text, *_values(others)])
        if not isinstance(found, str | int):
            return unknown(function_name(node), (inner, *others))
        points.append(found)
    folded = evaluated(points, (inner,))
    same = folded.constant and folded.value != ""  # the invented texts may begin alike
    return unknown(function_name(node), (inner, *others)) if same else folded


def other(fold: Fold, node: Node) -> Folded:
    """What is not evaluated: its name and its parts."""
    parts: list[Folded] = []
    words: list[str] = [function_name(node) if isinstance(node, exp.Func) else type(node).__name__]
    for name, value in node.args.items():
        for each in cast("list[object]", value) if type(value) is list else [value]:
            if isinstance(each, exp.Expr):
                parts.append(fold(each))
            elif each is not None:
                words.append(f"{name}={each}")
    truth = Kind.TRUTH if isinstance(node, exp.Predicate) else Kind.ANY
    return unknown(" ".join(words), parts, kind=truth)


def _values(parts: Sequence[Folded]) -> list[Value]:
    return [each.value if each.constant and not isinstance(each.value, Unknown) else OPEN for each in parts]


def position(_: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """INSTR and its kin: at least 0, and 1 for the empty text."""
    if parts[1].constant and parts[1].value == "":
        return fixed(1)
    folded = unknown(function_name(node), parts)
    folded.low = 0.0
    return folded


def concat(_: Fold, __: Node, parts: Sequence[Folded]) -> Folded:
    """CONCAT; NULL counts as an empty text, or makes all of it NULL."""
    return unknown("concat", parts) if any(part.is_null for part in parts) else concatenated(list(parts))


def aggregate(fold: Fold, node: Node) -> Folded:
    """COUNT, SUM, AVG, MIN, MAX … of a constant do not depend on the rows' values."""
    kind = type(node)
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
        return fixed(0) if empty else fixed(1) if distinct else rows
    if kind is exp.Sum and not inner.is_null:
        return operation(exp.Mul(), inner, rows)
    if kind is exp.Avg and isinstance(inner.value, int):
        return fixed(float(inner.value))
    return inner


def filtered(fold: Fold, node: Node) -> Folded:
    """`aggregate FILTER (WHERE condition)`."""
    kept = condition(fold.rules, fold(node.args["expression"].args["this"]))
    inner = fold(node.args["this"])
    if kept.is_fact(False) or kept.is_null:
        counts = type(node.args["this"]) in COUNTS
        return fixed(0 if counts else None)
    if kept.is_fact(True) or inner.constant:
        return inner
    folded = unknown("filter", (inner, kept))
    folded.low, folded.high = inner.low, inner.high
    return folded


_FEW = 16
_CASES = frozenset({exp.Upper, exp.Lower})
BINARY = frozenset(OPERATORS) | {exp.DPipe}
COUNTS = frozenset({exp.Count, exp.CountIf, exp.ApproxDistinct})
"""Aggregates that count."""
AGGREGATES = COUNTS | {exp.Sum, exp.Avg, exp.Max, exp.Min}
READERS: MappingProxyType[type[Node], Callable[[Fold, Node, Sequence[Folded]], Folded]] = MappingProxyType(
    {
        exp.Case: case,
        exp.If: case,
        exp.Coalesce: coalesce,
        exp.Nullif: null_if,
        exp.Greatest: extreme,
        exp.Least: extreme,
        exp.Max: extreme,
        exp.Min: extreme,
        exp.Concat: concat,
        exp.StrPosition: position,
    }
    | dict.fromkeys((exp.Abs, exp.Sign, exp.Round, exp.Floor, exp.Ceil), numeric)
    | dict.fromkeys((exp.Upper, exp.Lower, exp.Trim, exp.Reverse, exp.Length), textual)
    | dict.fromkeys((exp.Substring, exp.Left, exp.Right), part_of_text)
)
"""Readers of calls of which some part is not constant."""
