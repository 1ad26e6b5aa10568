"""Folds conditions of which some part is not constant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.evaluation.patterns import REGULAR
from scoring.sql.folded import TRUTHS, Folded, Kind, fixed, unknown
from scoring.sql.folding.calls import other
from scoring.sql.folding.truths import Fold, all_of, compared, condition, listed, negation, null_test, pattern
from scoring.sql.terms import COMPARISONS, Node, bare


def _exclusive(fold: Fold, _: Node, parts: Sequence[Folded]) -> Folded:
    one, other = (condition(fold.rules, each) for each in parts)
    for fact, rest in ((one, other), (other, one)):
        if fact.constant:
            return negation(rest) if fact.value else rest
    return negation(compared(fold.rules, exp.EQ, one, other))


def _compared(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    if type(bare(node.args["expression"])) in (exp.Any, exp.All):
        return other(fold, node)
    return compared(fold.rules, type(node), *parts)


def _is(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    left, right = parts[0], bare(node.args["expression"])
    negated = bool(node.args.get("negate"))
    if type(right) is exp.Not:
        negated, right = not negated, bare(right.args["this"])
    if type(right) is exp.Null:
        found = null_test(left)
    elif type(right) is exp.Boolean and left.choices == TRUTHS:
        found = left if right.args["this"] else negation(left)
    elif type(right) is exp.Boolean:
        found = unknown(f"is {right.args['this']}", parts[:1], kind=Kind.TRUTH)
    else:
        found = compared(fold.rules, exp.NullSafeEQ, left, fold(right))
    return negation(found) if negated else found


def _listed(fold: Fold, _: Node, parts: Sequence[Folded]) -> Folded:
    return listed(fold.rules, parts[0], parts[1:])


def _between(fold: Fold, _: Node, parts: Sequence[Folded]) -> Folded:
    key, low, high = parts
    ends = [compared(fold.rules, exp.GTE, key, low), compared(fold.rules, exp.LTE, key, high)]
    return all_of(ends, conjunction=True)


def _like(fold: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    if type(bare(node.args["expression"])) in (exp.Any, exp.All):
        return other(fold, node)
    found = pattern(fold.rules, node, *parts)
    return negation(found) if node.args.get("negate") else found


def _begins(_: Fold, node: Node, parts: Sequence[Folded]) -> Folded:
    """STARTS_WITH, ENDS_WITH and CONTAINS: every text contains the empty one."""
    if parts[1].constant and parts[1].value == "":
        return fixed(True)
    return unknown(type(node).__name__, parts, kind=Kind.TRUTH)


READERS: MappingProxyType[type[Node], Callable[[Fold, Node, Sequence[Folded]], Folded]] = MappingProxyType(
    dict.fromkeys(COMPARISONS, _compared)
    | dict.fromkeys((exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, *REGULAR), _like)
    | dict.fromkeys((exp.StartsWith, exp.EndsWith, exp.Contains), _begins)
    | {exp.Xor: _exclusive, exp.Is: _is, exp.In: _listed, exp.Between: _between}
)
"""Readers of conditions."""
