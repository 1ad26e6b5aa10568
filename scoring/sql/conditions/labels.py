"""A CASE that gives a label, compared with that label, is the condition of its arms."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.terms import Node

_LABELLING = frozenset({exp.Case, exp.If})
_COMPARED = frozenset({exp.EQ, exp.NEQ})
_TRUTHS = {"0": False, "1": True}
"""Numbers of truths, where a condition is compared with them."""
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not)


def labelled(node: Node) -> tuple[Node, bool] | None:
    """The condition for `CASE WHEN c THEN 'x' ELSE 'y' END = 'x'`, and whether it is negated; `None` for others."""
    if type(node) not in _COMPARED:
        return _of_truth(node) if type(node) is exp.Is else None
    case, label = bare(node.args["this"]), bare(node.args["expression"])
    if type(case) not in _LABELLING:
        case, label = label, case
    if type(case) not in _LABELLING or type(label) is not exp.Literal:
        return _of_truth(node)
    found = _condition_of(case, label)
    return None if found is None else (found[0], found[1] is not (type(node) is exp.NEQ))


def _of_truth(node: Node) -> tuple[Node, bool] | None:
    """The condition for `(a = b) = TRUE`, `(a = b) IS NOT FALSE`, and whether it is negated; `None` for others."""
    condition, value = bare(node.args["this"]), bare(node.args["expression"])
    negated = type(node) is exp.NEQ or bool(node.args.get("negate"))
    if type(value) is exp.Not and type(node) is exp.Is:
        negated, value = not negated, bare(value.args["this"])
    truth = bool(value.args["this"]) if type(value) is exp.Boolean else _TRUTHS.get(value.name)
    if truth is None or type(value) not in (exp.Boolean, exp.Literal) or not isinstance(condition, _CONDITIONS):
        return None
    return condition, negated is truth


def _condition_of(case: Node, label: Node) -> tuple[Node, bool] | None:
    """The condition for a CASE to give a label, and whether it is negated; `None` if it gives other values."""
    whole = type(case) is exp.Case
    arms: list[Node] = case.args["ifs"] if whole else [case]
    default: Node | None = case.args.get("default" if whole else "false")
    values = [bare(arm.args["true"]) for arm in arms]
    if not all(type(bare(each)) is exp.Literal for each in (*values, default or label)):
        return None
    by_label: dict[bool, list[Node]] = {True: [], False: []}
    for arm, value in zip(arms, values, strict=True):
        by_label[value.name == label.name].append(arm)
    by_default = default is not None and bare(default).name == label.name
    if bool(by_label[True]) is by_default:
        return None
    subject = case.args.get("this") if whole else None
    return _any([arm_condition(subject, arm) for arm in by_label[not by_default]]), by_default


def arm_condition(subject: Node | None, arm: Node) -> Node:
    """The condition of an arm: what follows WHEN, or that the subject of the CASE equals it."""
    when: Node = arm.args["this"]
    if subject is None:
        return when
    # The tree is shared, not copied: arguments set past the constructor keep the arm's own parent links.
    equal = exp.EQ()
    equal.args["this"], equal.args["expression"] = subject, when
    return equal


def _any(conditions: list[Node]) -> Node:
    whole = conditions[0]
    for each in conditions[1:]:
        either = exp.Or()
        either.args["this"], either.args["expression"] = whole, each
        whole = either
    return whole
