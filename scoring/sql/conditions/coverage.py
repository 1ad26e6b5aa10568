"""Finds ORs that keep every typical row although one of their arms would not: ranges that meet, `c <> 'zzz'`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from scoring.specification import Op, VoidKind
from scoring.sql.conditions.drafts import FilterDraft
from scoring.sql.conditions.supplied_values import is_usual
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.typical.tried_rows import holds_always, meets_typically
from scoring.sql.undoing import note
from scoring.values import Number, Pattern, Text


def covers(scope: Scope, nodes: Sequence[tuple[Node, bool]], arms: Sequence[list[FilterDraft]]) -> bool:
    """Whether the arms of an OR, with what each was read as, keep every typical row together.

    An arm that does so alone, on columns of its own, is noted instead: the question may ask for it.
    """
    if all(_is_narrow(arm) for arm in arms):
        return False
    held = holds_always(scope, nodes)
    if held is None or all(_tests_null(arms[place]) for place in held.failing):
        return False
    alone = [place for place in held.always if arms[place]]
    others = _names(each for place, arm in enumerate(arms) if place not in held.always for each in arm)
    apart = [place for place in alone if _names(arms[place]) and _names(arms[place]).isdisjoint(others)]
    for place in apart:
        note(scope, VoidKind.WIDENING, arms[place][0].text, values=tuple(sorted(_names(arms[place]))))
    return len(apart) < len(alone) or not alone


def check_nulls(scope: Scope, arms: Sequence[list[FilterDraft]]) -> None:
    """Notes an arm that keeps NULL beside one that keeps a text or numbers of the same column."""
    absent = {arm[0].key for arm in arms if len(arm) == 1 and arm[0].op is Op.IS_NULL}
    for arm in arms if absent else ():
        draft = arm[0] if len(arm) == 1 else None
        if draft is not None and draft.key in absent and draft.op in _KEEPING and isinstance(draft.rhs, Text | Number):
            if not is_usual(draft.rhs):
                note(scope, VoidKind.FALLBACK, f"{draft.text} or {draft.lhs.name} is null")


def keeps_all(scope: Scope, node: Node, negated: bool) -> bool:
    """Whether every typical row meets a condition that holds another one: `NULLIF(c = 'x', TRUE) IS NULL`."""
    return _holds_condition(node) and holds_always(scope, [(node, negated)]) is not None


def _holds_condition(node: Node) -> bool:
    waiting: list[Node] = list(node.iter_expressions())
    for _ in range(_MOST):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, exp.Predicate) and not isinstance(part, exp.SubqueryPredicate):
            return True
        if not isinstance(part, exp.Query):
            waiting += part.iter_expressions()
    return False


def check_met(scope: Scope, node: Node, drafts: Sequence[FilterDraft]) -> None:
    """Notes a comparison with a text that values unlike the text meet too: `CONCAT('x', c) LIKE 'x%'`."""
    if len(drafts) != 1 or drafts[0].op not in _MATCHING or not isinstance(drafts[0].rhs, Text | Pattern):
        return
    if drafts[0].lhs.columns and meets_typically(scope, node):
        note(scope, VoidKind.COMPARED, drafts[0].text)


def _is_narrow(arm: Sequence[FilterDraft]) -> bool:
    """Whether an arm keeps few values of one column."""
    if len(arm) != 1:
        return False
    draft = arm[0]
    plain = len(draft.lhs.columns) == 1 and draft.lhs.columns[0].name == draft.lhs.name
    return plain and draft.op in _NARROW


def _tests_null(arm: Sequence[FilterDraft]) -> bool:
    return bool(arm) and all(each.op is Op.IS_NULL for each in arm)


def _names(drafts: Iterable[FilterDraft]) -> set[str]:
    return {column.name for draft in drafts for column in draft.lhs.columns}


_NARROW = frozenset({Op.EQ, Op.IN, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.IS_NULL})
_KEEPING = frozenset({Op.EQ, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.GT, Op.GE, Op.LT, Op.LE})
_MATCHING = frozenset({Op.EQ, Op.IN, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})
_MOST = 200
