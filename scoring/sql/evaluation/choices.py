"""Chooses between values as the dialect does: CASE, COALESCE, NULLIF, GREATEST and LEAST."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.comparing import compare
from scoring.sql.evaluation.numbers import as_double
from scoring.sql.evaluation.rules import DialectRules
from scoring.sql.evaluation.values import OPEN, Open, Operation, Quoted, Typical, Value, truth
from scoring.sql.terms import Node


def unified(rules: DialectRules, value: Value, others: Sequence[Value]) -> Value:
    """A value that was chosen among others, in the type that the database gives all of them."""
    if rules.storage or value is None or isinstance(value, Open | Typical):
        return value
    kinds = {_kind(each) for each in others if each is not None and not isinstance(each, Open | Typical)}
    if kinds <= {int, Decimal, float}:
        return _of_kinds(value, kinds, is_open=any(isinstance(each, Open) for each in others))
    if not kinds <= {_kind(value)}:
        return OPEN
    return str(value) if isinstance(value, Quoted) else value


def _of_kinds(value: Value, kinds: set[type], *, is_open: bool) -> Value:
    """A number among others; one that is not known may be a decimal or a double."""
    if isinstance(value, Decimal):
        return as_double(Fraction(value)) if is_open or float in kinds else value
    if not isinstance(value, int):
        return value
    return float(value) if float in kinds else Decimal(value) if is_open or Decimal in kinds else value


def _kind(value: Value) -> type:
    return next(each for each in (bool, int, float, Decimal, str, date) if isinstance(value, each))


def _case(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """CASE with or without a subject, IF and IIF: the value of the first arm whose condition holds."""
    whole = type(node) is exp.Case
    arms: list[Node] = node.args["ifs"] if whole else [node]
    subject = node.args.get("this") if whole else None
    rest = list(values)
    key = rest.pop(0) if subject is not None else None
    whens, thens = rest[: 2 * len(arms) : 2], rest[1 : 2 * len(arms) : 2]
    default = rest[2 * len(arms)] if len(rest) > 2 * len(arms) else None
    results = [*thens, default]
    if subject is not None and _mixes(rules, [key, *whens]):
        return OPEN
    for arm, when, then in zip(arms, whens, thens, strict=True):
        nodes = None if subject is None else (subject, arm.args["this"])
        holds = truth(rules, when) if nodes is None else compare(rules, exp.EQ, key, when, nodes)
        if isinstance(holds, Open):
            return OPEN
        if holds:
            return unified(rules, then, results)
    return unified(rules, default, results)


def _mixes(rules: DialectRules, values: Sequence[Value]) -> bool:
    known = [each for each in values if each is not None and not isinstance(each, Open | Typical)]
    return not rules.storage and len({isinstance(each, str) for each in known}) > 1


def _case_parts(node: Node) -> list[Node]:
    """The subject, the condition and value of each arm, and the default of a CASE or IF."""
    whole = type(node) is exp.Case
    arms: list[Node] = node.args["ifs"] if whole else [node]
    subject, default = node.args.get("this") if whole else None, node.args.get("default" if whole else "false")
    found: list[Node] = [part for arm in arms for part in (arm.args["this"], arm.args["true"])]
    return [*([] if subject is None else [subject]), *found, *([] if default is None else [default])]


def _coalesce(rules: DialectRules, _: Node, values: Sequence[Value]) -> Value:
    return unified(rules, next((each for each in values if each is not None), None), values)


def _null_if(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    equal = compare(rules, exp.EQ, values[0], values[1], (node.args["this"], node.args["expression"]))
    return OPEN if isinstance(equal, Open) else None if equal else unified(rules, values[0], values)


def _extreme(rules: DialectRules, node: Node, values: Sequence[Value]) -> Value:
    """GREATEST and LEAST, of numbers or of texts; what they make of NULL differs."""
    if None in values:
        known = [each for each in values if each is not None]
        if rules.storage and len(values) > 1:
            return None
        if rules.name not in ("postgres", "duckdb") or not known:
            return None if not known else OPEN
        values = known
    found, side = values[0], exp.GT if type(node) in (exp.Greatest, exp.Max) else exp.LT
    for each in values[1:]:
        beyond = compare(rules, side, each, found)
        if not isinstance(beyond, bool):
            return OPEN
        found = each if beyond else found
    return unified(rules, found, values)


SIDES = (exp.Greatest, exp.Least, exp.Max, exp.Min)
OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict.fromkeys((exp.Case, exp.If), Operation(_case, _case_parts, strict=False))
    | dict.fromkeys(SIDES, Operation(_extreme, ("this", "expressions"), strict=False))
    | {
        exp.Coalesce: Operation(_coalesce, ("this", "expressions"), strict=False),
        exp.Nullif: Operation(_null_if, ("this", "expression"), strict=False),
    }
)
"""Calls that choose a value."""
