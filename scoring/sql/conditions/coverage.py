"""Finds ORs that keep every typical row although one of their arms would not: ranges that meet, `c <> 'zzz'`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from scoring.specification import Op, VoidKind
from scoring.sql.conditions.drafts import FilterDraft
from scoring.sql.conditions.supplied_values import is_usual
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.typical.tried_rows import Held, holds_always, meets_typically
from scoring.sql.undoing import note
from scoring.values import Number, Pattern, Text


def covers(scope: Scope, nodes: Sequence[tuple[Node, bool]], arms: Sequence[list[FilterDraft]]) -> bool:
    """Whether the arms of an OR, with what each was read as, keep every typical row together.

    An arm that does so alone, on columns of its own, is noted instead: the question may ask for it.
    """
    held = None if all(map(_is_narrow, arms)) else holds_always(scope, nodes)
    if held is None or all(_tests_null(arms[place]) for place in held.failing):
        return False
    apart = _apart(held, arms)
    for arm in apart:
        note(scope, VoidKind.WIDENING, arm[0].text, values=tuple(sorted(_names(arm))))
    return not apart or any(arms[place] and arms[place] not in apart for place in held.always)


def _apart(held: Held, arms: Sequence[list[FilterDraft]]) -> list[list[FilterDraft]]:
    """The arms that hold for each typical row, on columns of which no failing arm speaks."""
    alone = [arms[place] for place in held.always if arms[place]]
    others = _names(each for place in held.failing for each in arms[place])
    return [arm for arm in alone if (names := _names(arm)) and names.isdisjoint(others)]


def check_nulls(scope: Scope, arms: Sequence[list[FilterDraft]]) -> None:
    """Notes an arm that keeps NULL beside one that keeps a text or numbers of the same column."""
    absent = {arm[0].key for arm in arms if len(arm) == 1 and arm[0].op is Op.IS_NULL}
    for draft in [arm[0] for arm in arms if len(arm) == 1] if absent else ():
        kept = draft.rhs if draft.key in absent and draft.op in _KEEPING else None
        if isinstance(kept, Text | Number) and not is_usual(kept):
            note(scope, VoidKind.FALLBACK, f"{draft.text} or {draft.lhs.name} is null")


def keeps_all(scope: Scope, node: Node, negated: bool) -> bool:
    """Whether every typical row meets a condition that holds another one: `NULLIF(c = 'x', TRUE) IS NULL`."""
    return _holds_condition(node) and holds_always(scope, [(node, negated)]) is not None


def _holds_condition(node: Node) -> bool:
    """Whether a condition stands in another, but not in a count or sum: one row does not tell what that comes to."""
    waiting: list[Node] = list(node.iter_expressions())
    for _ in range(_MOST):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, exp.Predicate) and not isinstance(part, exp.SubqueryPredicate):
            return True
        if not isinstance(part, _OF_MANY_ROWS):
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
_OF_MANY_ROWS = (exp.Query, exp.Count, exp.CountIf, exp.Sum, exp.Avg)
