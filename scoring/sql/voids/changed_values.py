"""Finds arithmetic with constants that changes an output, such as `COUNT(*) + 5`, and outputs that no row changes."""

from __future__ import annotations

from itertools import pairwise

from sqlglot import exp

from scoring.specification import VoidKind
from scoring.sql.expressions import bare
from scoring.sql.folded import ROWS, Folded, identical, number
from scoring.sql.folding.folder import fold, is_evaluated
from scoring.sql.folding.plain_values import is_plain_arithmetic, is_plain_value
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, children
from scoring.sql.voids.computed import computed
from scoring.sql.voids.notes import note
from scoring.values import is_unit

_INSIDE: frozenset[type[Node]] = frozenset(
    {exp.Neg, exp.Paren, exp.Alias, exp.Cast, exp.TryCast, exp.Round, exp.Ceil, exp.Floor, exp.Coalesce}
    | {exp.Abs, exp.Sum, exp.Avg, exp.Max, exp.Min, exp.Filter, exp.Window}
)
"""Calls that pass their first argument on."""
_SUMS = frozenset({exp.Add, exp.Sub})
_PRODUCTS = frozenset({exp.Mul, exp.Div, exp.IntDiv})
_CHOOSING = frozenset({exp.Greatest, exp.Least})
_OTHERS = frozenset({exp.Mod, exp.Greatest, exp.Least})
_CHANGING = frozenset({*_SUMS, *_PRODUCTS, *_OTHERS, exp.Neg, exp.Round})
_NEUTRAL = frozenset({1.0, 100.0})
_SIDES = ("this", "expression", "low", "high")
_YEARS = (1000, 3000)
_READING = (exp.Column, exp.AggFunc, exp.Select, exp.Star, exp.Window)


def reads_rows(node: Node) -> bool:
    """Whether an expression reads a column, an aggregate or a query."""
    return node.find(*_READING) is not None


def check_output(scope: Scope, output: Node, shown: str) -> None:
    """Notes an output that is the same whatever the rows hold, or that a constant changes."""
    node = output.args["this"] if type(output) is exp.Alias else output
    if type(node) is exp.Column or is_plain_value(node):
        return
    if found := computed(scope, node):
        note(scope, VoidKind.COMPUTED, shown, values=found)
    if is_plain_arithmetic(scope, node):
        return
    if not is_evaluated(node) and type(node) not in _INSIDE:
        return
    folded = fold(scope, node)
    if folded.constant:
        if reads_rows(node):
            note(scope, VoidKind.OUTPUT, shown)
        return
    check_arithmetic(scope, node, shown)


def check_arithmetic(scope: Scope, node: Node, shown: str) -> None:
    """Notes arithmetic with a constant that is neither a unit nor a percentage."""
    found = _changes(scope, node, strict=False)
    if found and not _is_neutral(scope, node):
        turned = SIGN if node.find(exp.Sum) is not None and not any(found) else ()
        note(scope, VoidKind.ARITHMETIC, shown, tuple(each for each in found if each is not None), turned)


def check_compared(scope: Scope, node: Node) -> None:
    """Notes a comparison with a constant or a query whose other side a constant changes: `age + 5 > 30`."""
    sides = _sides(node)
    changed = [each for each in sides if _may_change(scope, each)]
    values = _compared_with(scope, [each for each in sides if not _may_change(scope, each)]) if changed else None
    if values is not None:
        for side in changed:
            _note_changed(scope, side, values)


def _sides(node: Node) -> list[Node]:
    sides = [bare(each) for name in _SIDES if isinstance(each := node.args.get(name), exp.Expr)]
    return sides + [bare(each) for each in children(node, "expressions")[:_DEEPEST]]


def _note_changed(scope: Scope, side: Node, values: tuple[str, ...]) -> None:
    found = _changes(scope, side, strict=True)
    if found and not _is_neutral(scope, side):
        numbers = tuple(each for each in found if each is not None)
        note(scope, VoidKind.COMPARED, read(scope, side).name, numbers, values)


def _may_change(scope: Scope, side: Node) -> bool:
    return type(side) in _CHANGING and not fold(scope, side).constant


def _compared_with(scope: Scope, sides: list[Node]) -> tuple[str, ...] | None:
    """The numbers among constants and queries; `None` if there are other values."""
    found = [fold(scope, each) for each in sides if not isinstance(each, exp.Query)]
    if not all(each.constant for each in found):
        return None
    return tuple(str(value) for each in found if (value := number(each.value, 0)) is not None)


def is_falling(scope: Scope, node: Node) -> Node | None:
    """The column or aggregate that an expression falls with, such as `c` of `-c`; `None` for others."""
    core = _core(node)
    if core is None:
        return None
    whole, inner = _numbers(fold(scope, node)), _numbers(fold(scope, core))
    if whole is None or inner is None:
        return None
    ordered = [each for _, each in sorted(zip(inner, whole, strict=True))]
    return core if all(one > other for one, other in pairwise(ordered)) else None


def _numbers(folded: Folded) -> list[float] | None:
    found = [number(folded.points[row], row) for row in ROWS]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _core(node: Node) -> Node | None:
    """The only column or aggregate of an expression."""
    node = bare(node)
    for _ in range(_DEEPEST):
        if type(node) is exp.Column or isinstance(node, exp.AggFunc):
            return node
        parts = [bare(each) for each in node.args.values() if isinstance(each, exp.Expr) and reads_rows(each)]
        if len(parts) != 1:
            return None
        node = parts[0]
    return None


def _is_neutral(scope: Scope, node: Node) -> bool:
    """Whether the arithmetic cancels out: `COUNT(*) + 5 - 5`."""
    core = _core(node)
    return core is not None and core is not node and identical(fold(scope, node), fold(scope, core))


def _changes(scope: Scope, node: Node, *, strict: bool) -> list[float | None]:
    """The constants that change a value; `None` for its sign. `strict`: units change it too."""
    found: list[float | None] = []
    waiting = [(node, False)]
    for _ in range(_MOST):
        if not waiting:
            break
        node, inside = waiting.pop()
        kind = type(node)
        if kind is exp.Round and _digits(scope, node) < 0:
            found.append(10.0 ** -_digits(scope, node))
        if kind is exp.Neg:
            found.append(None)
        if kind in _SUMS or kind in _PRODUCTS or kind in _OTHERS:
            waiting.extend(_operands(scope, node, found, inside=inside, strict=strict))
        else:
            waiting.extend((each, inside) for each in _within(node))
    return found


def _within(node: Node) -> list[Node]:
    """The values that a call passes on: its argument, without what only rounds, casts or aggregates it."""
    if type(node) is exp.Distinct:
        return children(node, "expressions")
    inner = node.args.get("this") if type(node) in _INSIDE else None
    return [inner] if isinstance(inner, exp.Expr) else []


def _operands(
    scope: Scope, node: Node, found: list[float | None], *, inside: bool, strict: bool
) -> list[tuple[Node, bool]]:
    """The operands that are not constant; adds the constants that change them to those found."""
    kind, parts = type(node), _parts(node)
    constants = {place: value for place, each in enumerate(parts) if (value := _constant(scope, each)) is not None}
    if strict:
        found += _texts_chosen(scope, kind, parts)
    if strict and kind in _PRODUCTS:
        found += [value for value in constants.values() if value not in _NEUTRAL]
    else:
        changing = [value for place, value in constants.items() if _is_change(kind, value, place, parts, inside=inside)]
        found += _signs(kind, changing)
    return [(each, inside or kind in _PRODUCTS) for place, each in enumerate(parts) if place not in constants]


def _signs(kind: type[Node], found: list[float]) -> list[float | None]:
    """The constants, with `None` for a factor that is a unit below zero: it changes nothing but the sign."""
    return [None if kind in _PRODUCTS and is_unit(-each) else each for each in found]


def _parts(node: Node) -> list[Node]:
    first: Node = node.args["this"]
    other = node.args.get("expression")
    return [first, other] if isinstance(other, exp.Expr) else [first, *children(node, "expressions")]


def _constant(scope: Scope, node: Node) -> float | None:
    """The number that a constant operand is; `None` for 0 and for others."""
    folded = fold(scope, node)
    value = number(folded.value, 0) if folded.constant else None
    return value or None


def _texts_chosen(scope: Scope, kind: type[Node], parts: list[Node]) -> list[None]:
    """One `None` where LEAST or GREATEST may choose a constant text."""
    if kind not in _CHOOSING:
        return []
    folded = [fold(scope, each) for each in parts]
    return [None] if any(each.constant and isinstance(each.value, str) for each in folded) else []


def _digits(scope: Scope, node: Node) -> int:
    decimals = node.args.get("decimals")
    value = _constant(scope, decimals) if isinstance(decimals, exp.Expr) else None
    return int(value) if value is not None and abs(value) < _DEEPEST else 0


def _is_change(kind: type[Node], value: float, place: int, parts: list[Node], *, inside: bool) -> bool:
    if kind in _PRODUCTS:
        return not is_unit(value)
    if kind in _OTHERS:
        return not (inside and type(bare(parts[1 - place])) in (exp.DateDiff, exp.TimestampDiff, exp.Coalesce))
    other = bare(parts[1 - place])
    if _YEARS[0] <= abs(value) <= _YEARS[1] or type(other) is exp.Interval:
        return False
    if (kind is exp.Sub and place == 0 and value in (1, 100)) or (abs(value) == 1 and _is_weekday(other)):
        return False
    return not (abs(value) == 1 and (inside or type(other) in (exp.Sub, exp.DateDiff, exp.TimestampDiff)))


def _is_weekday(node: Node) -> bool:
    """Whether a value is the number of a weekday, which starts at 0 or 1 as one likes."""
    if type(node) is exp.Extract:
        return node.args["this"].name.lower() in _WEEKDAY_FIELDS
    if type(node) is exp.Anonymous:
        return str(node.args["this"]).lower() in _WEEKDAY_CALLS
    return type(node) in (exp.DayOfWeek, exp.DayOfWeekIso)


_WEEKDAY_FIELDS = frozenset({"dow", "isodow", "dayofweek", "weekday", "dw"})
_WEEKDAY_CALLS = frozenset({"weekday", "dayofweek", "todayofweek", "dayofweek_iso"})


SIGN = ("sign",)
"""What is noted of a sum of which nothing but the sign is changed."""
_DEEPEST = 16
_MOST = 64
