"""Turns a boolean expression into filters: moves each NOT into its operands, numbers each OR, merges bounds."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from scoring.specification import Clause, SqlFilter
from scoring.sql.conditions.drafts import FilterDraft, alternatives, fold
from scoring.sql.conditions.predicates import predicate
from scoring.sql.expressions import bare
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node


def record(scope: Scope, node: Node, clause: Clause, *, negated: bool = False) -> None:
    """Adds the filters of a condition to this block."""
    emit(scope, conjunction(scope, node, clause, negated=negated), clause)


def emit(scope: Scope, drafts: Iterable[FilterDraft], clause: Clause) -> None:
    """Adds drafts as filters of this block, without duplicates."""
    filters, groups, path = scope.spec.filters, scope.or_groups, scope.path
    for draft in drafts:
        alternative = None if draft.group is None else groups.setdefault(draft.group, len(groups) + 1)
        text = draft.text
        key = (path, clause, alternative, text)
        known = filters.get(key)
        if known is not None and known.lhs != draft.lhs:
            key = (*key, draft.lhs.columns)
            known = filters.get(key)
        if known is None:
            filters[key] = SqlFilter(
                lhs=draft.lhs,
                op=draft.op,
                rhs=draft.rhs,
                block=path,
                clause=clause,
                alternative=alternative,
                text=text,
            )


def conjunction(scope: Scope, node: Node, clause: Clause, *, negated: bool = False) -> list[FilterDraft]:
    """The terms that must all hold; those of one OR share a group."""
    drafts: list[FilterDraft] = []
    waiting = [(node, negated)]
    while waiting:
        node, negated = waiting.pop()
        kind = type(node)
        if kind is exp.Paren:
            waiting.append((node.args["this"], negated))
        elif kind is exp.Not:
            waiting.append((node.args["this"], not negated))
        elif kind is exp.And or kind is exp.Or:
            if (kind is exp.And) is not negated:
                waiting.append((node.args["expression"], negated))
                waiting.append((node.args["this"], negated))
            else:
                drafts.extend(_disjunction(scope, node, clause, negated=negated))
        else:
            drafts.extend(predicate(scope, node, clause, negated))
    return fold(drafts)


def _disjunction(scope: Scope, node: Node, clause: Clause, *, negated: bool) -> list[FilterDraft]:
    arms = _arms(node, type(node), negated=negated)
    return alternatives([conjunction(scope, arm, clause, negated=flag) for arm, flag in arms])


def _arms(node: Node, kind: type[Node], *, negated: bool) -> list[tuple[Node, bool]]:
    """The operands of a run of ORs, or of ANDs under a NOT; in a loop because hostile SQL makes it thousands long."""
    arms: list[tuple[Node, bool]] = []
    waiting = [node]
    while waiting:
        inner = bare(waiting.pop())
        if type(inner) is kind:
            waiting.append(inner.args["expression"])
            waiting.append(inner.args["this"])
        elif type(inner) is not exp.Null:  # `COUNT(a = 'x' OR NULL)` is an idiom, not an alternative
            arms.append((inner, negated))
    return arms
