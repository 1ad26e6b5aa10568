"""Finds what is divided by what: changes, shares and lengths of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.selects import Select, written
from scoring.sql.terms import Node, children

_WRAPPERS = (exp.Paren, exp.Cast, exp.TryCast, exp.Nullif, exp.Abs, exp.Coalesce, exp.Round)
_DIVISIONS = (exp.Div, exp.IntDiv, exp.SafeDivide)
_EARLIER = lazy(r"(?:^|_)(?:prev|previous|prior|last|lag|earlier|before|base|baseline|old|ly|py|pm)(?:_|$)|^prev|^lag")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
DIFFERENCES = (exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff, exp.TimeDiff, exp.TsOrDsDiff)


def bare(node: Node) -> Node:
    """An expression without casts, brackets, NULLIF, and factors of 100 or 1.0."""
    while True:
        if isinstance(node, _WRAPPERS) or (isinstance(node, exp.Mul) and isinstance(node.expression, exp.Literal)):
            node = node.this
        elif isinstance(node, exp.Mul) and isinstance(node.this, exp.Literal):
            node = node.expression
        else:
            return node


def _divisions(select: Select) -> Iterator[tuple[Node, Node, Node]]:
    """The first divisions of a SELECT; those of a chain hold one another, so that all of them would cost the square."""
    return islice(_all_divisions(select), _MOST)


_MOST = 60


def _all_divisions(select: Select) -> Iterator[tuple[Node, Node, Node]]:
    for each in select.own:
        if isinstance(each, _DIVISIONS):
            yield each, bare(each.this), bare(each.expression)
        elif (
            isinstance(each, exp.Anonymous)
            and each.name.lower() in ("divide", "safe_divide", "div0")
            and len(each.expressions) == 2
        ):
            yield each, bare(each.expressions[0]), bare(each.expressions[1])


def changes(select: Select) -> Iterator[Shape]:
    """Differences divided by one of their sides."""
    for node, numerator, denominator in _divisions(select):
        if not isinstance(numerator, exp.Sub):
            continue
        left, right = bare(numerator.this), bare(numerator.expression)
        if denominator == left and denominator != right:
            # (old - new) / old is a change with its sign turned, and (new - old) / new one of the wrong base.
            words = ("sign turned",) if _is_earlier(select, left) else ("later value",)
            yield Shape(kind=ShapeKind.CHANGE, text=written(node)[:120], words=words)
        elif denominator == right:
            words = ("later value", "sign turned") if _is_earlier(select, left) else ()
            yield Shape(kind=ShapeKind.CHANGE, text=written(node)[:120], words=words)


def _is_earlier(select: Select, node: Node) -> bool:
    """Whether a value is the one before: LAG, or a column named so."""
    if node.find(exp.Lag):
        return True
    if any(literal.is_string and _EARLIER_KIND.fullmatch(literal.this) for literal in node.find_all(exp.Literal)):
        return True
    if not isinstance(node, exp.Column):
        return False
    found = select.origin(node)
    if found is not None and found.node is not None and found.node.find(exp.Lag):
        return True
    return bool(_EARLIER.search(node.name.lower())) or bool(_EARLIER.search(node.text("table").lower()))


_EARLIER_KIND = lazy(r"pre|before|baseline|prior|previous", re.IGNORECASE)
"""What a value of the time before is called in the data: `phase = 'PRE'`."""


def shares(select: Select) -> Iterator[Shape]:
    """All rows divided by some, and shares whose base is restricted like the part."""
    yield from _means_of_one(select)
    for node, above, below in _divisions(select):
        (numerator, place), (denominator, other) = _computed(select, above), _computed(select, below)
        if _is_inverted(numerator, denominator):
            yield Shape(kind=ShapeKind.INVERTED, text=written(node)[:120])
        told = numerator is above and denominator is below
        if _excludes(numerator, denominator) if told else _complements(_tests(numerator), _tests(denominator)):
            yield Shape(kind=ShapeKind.ODDS, text=written(node)[:120])
        tested = place is other and _is_tested(place, numerator, denominator)
        if tested or _shares_own_group(select, above, below):
            yield Shape(kind=ShapeKind.OWN_BASE, text=written(node)[:120])


_ADDING = (exp.Count, exp.CountIf, exp.Sum, exp.Filter)


def _computed(select: Select, node: Node) -> tuple[Node, Select]:
    """What a column stands for that another SELECT or another column computes, also where it is added up again."""
    column = node.this if isinstance(node, exp.Sum) else node
    if not isinstance(column, exp.Column):
        return node, select
    found = select.origin(column)
    if found is not None and found.node is not None and found.inner is not None:
        inner = bare(found.node)
        return (inner, found.inner) if isinstance(inner, _ADDING) else (node, select)
    named = select.outputs.get(column.name.lower()) if node is column and not column.table else None
    aggregate = named is not None and isinstance(bare(named), _ADDING)
    return (bare(named), select) if named is not None and aggregate else (node, select)


def _is_inverted(numerator: Node, denominator: Node) -> bool:
    """Whether a count or sum of all rows is divided by one of some rows."""
    counting = isinstance(numerator, (exp.Count, exp.Sum)) and not isinstance(numerator.this, exp.Distinct)
    return counting and not _conditions(numerator) and bool(_conditions(denominator))


def _excludes(numerator: Node, denominator: Node) -> bool:
    """Whether each of two counts has one condition, and they require different values of one column."""
    tests = [_tests(numerator), _tests(denominator)]
    if any(len(each) != 1 for each in tests):
        return False
    if _complements(*tests):
        return True
    (one,), (other,) = tests
    if not isinstance(one, (exp.EQ, exp.Is)) or not isinstance(other, (exp.EQ, exp.NEQ, exp.Is)):
        return False
    same = written(one.this) == written(other.this)
    values = one.expression, other.expression
    if not same or not all(isinstance(each, (exp.Literal, exp.Boolean)) for each in values):
        return False
    return (written(values[0]) != written(values[1])) is not isinstance(other, exp.NEQ)


def _complements(one: list[Node], other: list[Node]) -> bool:
    """Whether one condition is another with a NOT: all rows meet the one or the other."""
    if len(one) != 1 or len(other) != 1:
        return False
    return any(
        isinstance(negated, exp.Not) and written(negated.this.unnest()) == written(plain)
        for negated, plain in ((one[0], other[0]), (other[0], one[0]))
    )


def _is_tested(select: Select, numerator: Node, denominator: Node) -> bool:
    """Whether WHERE tests the very conditions of a part, so that the whole is restricted like it."""
    tests = select.conjuncts("where")
    if not tests or not isinstance(denominator, exp.AggFunc):
        return False
    part = _conditions(numerator)
    return bool(part) and not _conditions(denominator) and part <= {written(each) for each in tests}


def _means_of_one(select: Select) -> Iterator[Shape]:
    """AVG of a CASE that has one constant and no ELSE: rows that fail are left out of the base, too."""
    for each in select.own:
        if isinstance(each, exp.Avg) and isinstance(each.this, exp.Case) and each.this.args.get("default") is None:
            values = {written(branch.args["true"]) for branch in each.this.args["ifs"]}
            if len(values) == 1 and not any(branch.args["true"].find(exp.Column) for branch in each.this.args["ifs"]):
                yield Shape(kind=ShapeKind.OWN_BASE, text=written(each)[:120])


def _conditions(node: Node) -> set[str]:
    """The conditions under which an aggregate counts a row."""
    return {written(each) for each in _tests(node)}


def _tests(node: Node) -> list[Node]:
    """The same as nodes."""
    found: list[Node] = []
    for each in node.walk():
        if isinstance(each, exp.Filter):
            found.append(each.expression.this)
        elif isinstance(each, exp.CountIf) or (isinstance(each, exp.If) and not isinstance(each.parent, exp.Case)):
            found.append(each.this)
        elif isinstance(each, exp.Case) and each.args["ifs"]:
            found.append(each.args["ifs"][0].this)
        elif isinstance(each, exp.Sum) and isinstance(
            each.this.unnest(), (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.In)
        ):
            found.append(each.this.unnest())
    return found


def _shares_own_group(select: Select, numerator: Node, window: Node) -> bool:
    """Whether a total over a window is of the very group whose share is asked: each share is then 1."""
    if not isinstance(window, exp.Window) or numerator.find(exp.AggFunc) is None or _conditions(numerator):
        return False
    keys = {written(key) for key in select.keys}
    return bool(keys) and {written(each) for each in children(window, "partition_by")} >= keys


def durations(select: Select) -> Iterator[Shape]:
    """Times between two dates in their unit, and single fields of intervals."""
    for each in select.own:
        if isinstance(each, exp.Extract):
            yield from _extracted(each)
        elif isinstance(each, DIFFERENCES):
            unit = each.args.get("unit")
            name = unit.name.lower().rstrip("s") if isinstance(unit, exp.Expr) else "day"
            yield from _measured(each, _SECONDS.get(name))
        elif isinstance(each, exp.Sub) and _is_day_number(each.this) and _is_day_number(each.expression):
            yield from _measured(each, 86400)


def _extracted(node: Node) -> Iterator[Shape]:
    field, inner = node.this.name.lower(), node.expression.unnest()
    if field in ("minute", "second") and isinstance(node.parent, (exp.Avg, exp.Sum)) and isinstance(inner, exp.Column):
        yield Shape(kind=ShapeKind.FIELD_OF_INTERVAL, text=written(node)[:100], words=(field,))
    if not isinstance(inner, (exp.Sub,)) and not (isinstance(inner, exp.Anonymous) and inner.name.lower() == "age"):
        return
    if field == "epoch":
        yield from _measured(node, 1)
    elif _is_part(field, node) and not _is_composed(node):
        yield Shape(kind=ShapeKind.FIELD_OF_INTERVAL, text=written(node)[:100], words=(field,))


def _is_part(field: str, node: Node) -> bool:
    """Whether a field is only a part of an interval: hours of a day, or days that are turned into hours."""
    return field in ("hour", "minute", "second", "month") or (field == "day" and isinstance(node.parent, exp.Mul))


def _is_composed(node: Node) -> bool:
    """Whether other fields of the interval are added to this one."""
    parent = node.parent
    while isinstance(parent, (exp.Paren, exp.Mul, exp.Div, exp.Cast)):
        parent = parent.parent
    return isinstance(parent, exp.Add)


def _is_day_number(node: Node) -> bool:
    node = node.unnest()
    return isinstance(node, exp.Anonymous) and node.name.lower() in ("julianday", "to_days")


def _measured(node: Node, seconds: int | None) -> Iterator[Shape]:
    """The unit of a difference after the numbers that it is divided by and multiplied with."""
    value, child = float(seconds or 0), node
    while isinstance(child.parent, _AROUND):
        if isinstance(child.parent, (*_DIVISIONS, exp.Mul)):
            value = _scaled(value, child, child.parent)
        child = child.parent
    if value and not isinstance(child.parent, _COMPARED):
        unit = next((name for name, size in _SECONDS.items() if abs(size - value) < 0.001 * size), "other")
        columns = tuple(Column(each.name.lower(), None) for each in _sides(node))
        cut = ("cut",) if node.args.get("unit") and seconds == 3600 and isinstance(node.parent, exp.Avg) else ()
        yield Shape(kind=ShapeKind.DURATION, text=written(child)[:100], words=(unit, *cut), columns=columns)


def _scaled(value: float, child: Node, parent: Node) -> float:
    """The length that one stands for after a division or product with a constant; 0 where it cannot be known."""
    first = parent.this is child
    factor = _factor(parent.expression if first else parent.this)
    if factor is None or (isinstance(parent, _DIVISIONS) and not first):
        return 0.0
    return value * factor if isinstance(parent, _DIVISIONS) else value / factor


def _sides(node: Node) -> list[Node]:
    """The columns of the two times that are subtracted."""
    span = node.expression.unnest() if isinstance(node, exp.Extract) else node
    sides = [span.args.get("this"), span.args.get("expression")] if not isinstance(span, exp.Anonymous) else []
    return [found for side in sides if isinstance(side, exp.Expr) and (found := side.find(exp.Column)) is not None]


_AROUND = (*_DIVISIONS, exp.Mul, exp.AggFunc, *_WRAPPERS, exp.PercentileCont)
_COMPARED = (exp.Add, exp.Sub, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.EQ)


def _factor(node: Node) -> float | None:
    """The number that constants multiply to."""
    node = node.unnest()
    if isinstance(node, exp.Mul):
        left, right = _factor(node.this), _factor(node.expression)
        return left * right if left is not None and right is not None else None
    if isinstance(node, exp.Literal) and not node.is_string:
        try:
            return float(node.name) or None
        except ValueError:
            return None
    return None
