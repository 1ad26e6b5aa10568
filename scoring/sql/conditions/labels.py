"""A CASE that gives a label, compared with that label, is the condition of its arms."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.terms import Node

_LABELLING = frozenset({exp.Case, exp.If})
_COMPARED = frozenset({exp.EQ, exp.NEQ})


def labelled(node: Node) -> tuple[Node, bool] | None:
    """The condition for `CASE WHEN c THEN 'x' ELSE 'y' END = 'x'`, and whether it is negated; `None` for others."""
    if type(node) not in _COMPARED:
        return None
    case, label = bare(node.args["this"]), bare(node.args["expression"])
    if type(case) not in _LABELLING:
        case, label = label, case
    if type(case) not in _LABELLING or type(label) is not exp.Literal:
        return None
    arms: list[Node] = case.args["ifs"] if type(case) is exp.Case else [case]
    default: Node | None = case.args.get("default" if type(case) is exp.Case else "false")
    values = [bare(arm.args["true"]) for arm in arms]
    if not all(type(each) is exp.Literal for each in (*values, default or label)):
        return None
    equal = [arm for arm, value in zip(arms, values, strict=True) if value.name == label.name]
    others = [arm for arm, value in zip(arms, values, strict=True) if value.name != label.name]
    by_default = default is not None and bare(default).name == label.name
    if bool(equal) is by_default:
        return None
    subject = case.args.get("this") if type(case) is exp.Case else None
    return _any([_condition(subject, arm) for arm in equal or others]), by_default is not (type(node) is exp.NEQ)


# The tree is shared, not copied: arguments set past the constructor keep the parts' own parent links.
def _condition(subject: Node | None, arm: Node) -> Node:
    when: Node = arm.args["this"]
    if subject is None:
        return when
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
