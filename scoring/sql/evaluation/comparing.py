"""Compares values as the dialect does, and joins what the comparisons come to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.evaluation.numbers import order_of_numbers
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import (
    OPEN,
    Open,
    Operation,
    Quoted,
    Typical,
    Value,
    as_date,
    as_number,
    has_type,
    is_number,
    joined,
    negated,
    truth,
)
from scoring.sql.terms import COMPARISONS, ORDERS, Node, bare

_SAFE = frozenset({exp.NullSafeEQ, exp.NullSafeNEQ})
_EQUALITIES = frozenset({exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ})
_PLAIN = lazy(r"[a-z0-9]*|[A-Z0-9]*")
_MARKS = lazy(r"[^A-Za-z0-9]")


def compare(
    rules: DialectRules, kind: type[Node], left: Value, right: Value, nodes: Sequence[Node] | None = None
) -> bool | Open | None:
    """`left = right` and its kin; `nodes` are the expressions of both sides, if they are at hand."""
    if isinstance(left, Open) or isinstance(right, Open):
        return OPEN
    if kind in _SAFE and (left is None or right is None):
        return (left is right) is (kind is exp.NullSafeEQ)
    if left is None or right is None:
        return None
    if isinstance(left, str) and isinstance(right, str):
        return _texts(rules, kind, left, right, is_collated=nodes is not None and any(map(_is_collated, nodes)))
    order = _order(rules, left, right, nodes)
    return OPEN if order is None else order in ORDERS[kind]


def _is_collated(node: Node) -> bool:
    return type(bare(node)) is not exp.Literal and node.find(exp.Collate) is not None


def _texts(rules: DialectRules, kind: type[Node], left: str, right: str, *, is_collated: bool) -> bool | Open:
    """A comparison of texts; collations differ in case, accents, marks and the space at the end."""
    if left == right:
        return 0 in ORDERS[kind]
    if rules.ordering and not is_collated:
        return (1 if left > right else -1) in ORDERS[kind]
    if kind in _EQUALITIES:
        exact = rules.equality and not is_collated
        return 0 not in ORDERS[kind] if exact or _are_unlike(left, right) else OPEN
    return (1 if left > right else -1) in ORDERS[kind] if _are_ordered_alike(left, right) else OPEN


def _are_unlike(left: str, right: str) -> bool:
    """Whether no collation takes one text for the other."""
    return left.isascii() and right.isascii() and left.casefold().strip() != right.casefold().strip()


def _are_ordered_alike(left: str, right: str) -> bool:
    """Whether all collations order texts in the same way: plain letters of one case, and marks at the same places."""
    if [(each.start(), each[0]) for each in _MARKS.finditer(left)] != [
        (each.start(), each[0]) for each in _MARKS.finditer(right)
    ]:
        return False
    return _PLAIN.fullmatch(_MARKS.sub("", left + right)) is not None


def _order(rules: DialectRules, left: Value, right: Value, nodes: Sequence[Node] | None) -> int | None:
    """-1, 0 or 1; `None` if databases differ, or refuse to compare."""
    if isinstance(left, Typical) or isinstance(right, Typical):
        return _typical(left, right)
    if isinstance(left, date) or isinstance(right, date):
        day, other = as_date(left), as_date(right)
        return None if day is None or other is None else (day > other) - (day < other)
    if isinstance(left, str) or isinstance(right, str):
        return _mixed(rules, left, right, nodes)
    return _numbers(rules, left, right)


def _numbers(rules: DialectRules, left: Value, right: Value) -> int | None:
    """The order of two numbers or truths; a truth is 1 or 0 beside a number."""
    if isinstance(left, bool) is not isinstance(right, bool) and not rules.numeric and not {left, right} <= {0, 1}:
        return None
    one, other = as_number(left), as_number(right)
    return None if one is None or other is None else order_of_numbers(one, other)


def _typical(left: Value, right: Value) -> int | None:
    """The order of a column's typical value and another value; case does not matter."""
    if isinstance(left, Typical) and isinstance(right, Typical):
        mine, theirs = (left.number, left.column), (right.number, right.column)
        return (mine > theirs) - (mine < theirs)
    if isinstance(left, str) or isinstance(right, str):
        one, other = (each.text if isinstance(each, Typical) else str(each) for each in (left, right))
        return (one.casefold() > other.casefold()) - (one.casefold() < other.casefold())
    size, other_size = as_number(left), as_number(right)
    return None if size is None or other_size is None else order_of_numbers(size, other_size)


def _mixed(rules: DialectRules, left: Value, right: Value, nodes: Sequence[Node] | None) -> int | None:
    """The order of a number and a text."""
    if isinstance(left, str):
        found = _mixed(rules, right, left, nodes and nodes[::-1])
        return None if found is None else -found
    if rules.storage:
        return -1 if nodes is not None and not any(map(has_type, nodes)) else None
    number, read = as_number(left), as_number(right)
    if not rules.typed or not is_number(left) or number is None or read is None or not isinstance(right, Quoted):
        return None
    return order_of_numbers(number, read)


def _compared(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    right = node.args["expression"]
    if type(bare(right)) in (exp.Any, exp.All):
        return OPEN
    return compare(rules, type(node), values[0], values[1], (node.args["this"], right))


def _are_alike(values: Sequence[Value]) -> bool:
    """Whether no text stands among numbers or dates: databases choose one type for all of them."""
    known = [each for each in values if each is not None and not isinstance(each, Open | Typical)]
    texts = sum(isinstance(each, str) for each in known)
    return texts in (0, len(known))


def _between(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    key, low, high = values
    if not rules.storage and not _are_alike(values):
        return OPEN
    of, first, last = (node.args[each] for each in ("this", "low", "high"))
    ends = [compare(rules, exp.GTE, key, low, (of, first)), compare(rules, exp.LTE, key, high, (of, last))]
    return joined(ends, conjunction=True)


def _in(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    key, *members = values
    if not members or (not rules.storage and not _are_alike(values)):
        return OPEN
    nodes: list[Node] = node.args["expressions"]
    found = [
        compare(rules, exp.EQ, key, each, (node.args["this"], other))
        for each, other in zip(members, nodes, strict=True)
    ]
    return joined(found, conjunction=False)


def _connected(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    return joined([truth(rules, each) for each in values], conjunction=type(node) is exp.And)


def _exclusive(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    one, other = (truth(rules, each) for each in values)
    return OPEN if isinstance(one, Open) or isinstance(other, Open) else one is not other


def _not(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    return negated(truth(rules, values[0]))


def _is(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """IS NULL, IS TRUE and their kin; `IS 5` is SQLite's `=` that takes NULL for a value."""
    right = bare(node.args["expression"])
    negative = bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negative, right = not negative, bare(right.args["this"])
    inner = values[0]
    if isinstance(inner, Open):
        return OPEN
    if type(right) is exp.Null:
        found: bool | Open | None = inner is None
    elif type(right) is exp.Boolean:
        held = truth(rules, inner)
        found = OPEN if isinstance(held, Open) else held is bool(right.args["this"])
    else:
        found = compare(rules, exp.NullSafeEQ, inner, values[1], (node.args["this"], right))
    return negated(found) if negative else found


OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys(COMPARISONS, Operation(_compared, ("this", "expression"), strict=False))
    | dict.fromkeys((exp.And, exp.Or), Operation(_connected, ("this", "expression"), strict=False))
    | {
        exp.Xor: Operation(_exclusive, ("this", "expression")),
        exp.Not: Operation(_not, strict=False),
        exp.Between: Operation(_between, ("this", "low", "high"), strict=False),
        exp.In: Operation(_in, ("this", "expressions"), strict=False),
        exp.Is: Operation(_is, ("this", "expression"), strict=False),
    }
)
"""Comparisons, connectives and tests."""
