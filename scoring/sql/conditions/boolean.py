"""Turns a boolean expression into filters: moves each NOT into its operands, numbers each OR, merges bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from scoring.specification import Clause, Op, SqlFilter, VoidKind
from scoring.sql.conditions.labels import labelled
from scoring.sql.conditions.predicates import predicate
from scoring.sql.drafts import FilterDraft, alternatives, compares_itself, fact, is_wide, settle
from scoring.sql.expressions import bare
from scoring.sql.region import certain, contains, impossible
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.voids.arms import check_nulls, covers, note_apart
from scoring.sql.voids.idle import note_decoy
from scoring.sql.voids.notes import discard, mark, note
from scoring.values import Expression, Number, Text

_FEW = 16
_CONNECTIVES = frozenset({exp.Paren, exp.Not, exp.And, exp.Or})
_RESTRICTING = frozenset({Clause.WHERE, Clause.HAVING, Clause.QUALIFY, Clause.ON})
"""Clauses whose condition keeps or leaves out the rows of a block."""


def record(scope: Scope, node: Node, clause: Clause, *, negated: bool = False) -> None:
    """Adds the filters of a condition to this block."""
    emit(scope, conjunction(scope, node, clause, negated=negated), clause)


def emit(scope: Scope, drafts: Iterable[FilterDraft], clause: Clause) -> None:
    """Adds drafts as filters of this block, without duplicates."""
    filters, groups, path = scope.spec.filters, scope.or_groups, scope.path
    for draft in drafts:
        if draft.joins or draft.fact:
            continue
        if draft.fact is False:
            _leaves_nothing(scope, draft, clause)
            if draft.because:
                emit(scope, draft.because, clause)
                continue
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


def _leaves_nothing(scope: Scope, draft: FilterDraft, clause: Clause) -> None:
    if clause in _RESTRICTING:
        note(scope, VoidKind.EMPTY, draft.text)
        scope.empty = True
    else:
        note(scope, VoidKind.ARM, draft.text)


def conjunction(scope: Scope, node: Node, clause: Clause, *, negated: bool = False) -> list[FilterDraft]:
    """The terms that must all hold; those of one OR share a group."""
    label = labelled(node)
    if label is not None:
        note_decoy(scope, node)
        return conjunction(scope, label[0], clause, negated=negated is not label[1])
    if type(node) not in _CONNECTIVES:
        found = predicate(scope, node, clause, negated)
        if len(found) < 2:
            return found
        return _possible(scope, settle(found, opened=False))
    drafts: list[FilterDraft] = []
    opened = False
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
                found = _disjunction(scope, node, clause, negated=negated)
                drafts.extend(found)
                opened = opened or not found
        elif (label := labelled(node)) is not None:
            note_decoy(scope, node)
            waiting.append((label[0], negated is not label[1]))
        else:
            found = predicate(scope, node, clause, negated)
            drafts.extend(found)
            opened = opened or not found
    return _possible(scope, settle(drafts, opened=opened))


def _possible(scope: Scope, drafts: list[FilterDraft]) -> list[FilterDraft]:
    """The terms of an AND, or that it never holds."""
    if len(drafts) < 2 or len({draft.key for draft in drafts}) == len(drafts):
        return drafts
    if not impossible(drafts) or _compares_rows(scope, drafts):
        return drafts
    values = _pinned(drafts)
    if values:
        note(scope, VoidKind.CONFLICT, _shown(drafts, "and"), values=values)
        return drafts
    never = fact(False, _shown(drafts, "and"))
    never[0].because = drafts
    return never


def _pinned(drafts: Sequence[FilterDraft]) -> tuple[str, ...]:
    """The different texts or numbers that one operand must equal at once."""
    seen: dict[tuple[object, ...], str] = {}
    for draft in drafts:
        if draft.op is Op.EQ and draft.group is None and isinstance(draft.rhs, Text | Number):
            value = draft.rhs.folded if isinstance(draft.rhs, Text) else str(draft.rhs)
            if seen.setdefault(draft.key, value) != value:
                return seen[draft.key], value
    return ()


def _compares_rows(scope: Scope, drafts: Sequence[FilterDraft]) -> bool:
    """Whether one column may be of two rows: its table is read twice, or unknown."""
    tables = {column.table for draft in drafts for column in draft.lhs.columns}
    read: list[str | None] = []
    resolver = scope.columns
    while resolver is not None:
        read += [item.table for item in resolver.items.values()]
        resolver = resolver.outer
    if None in tables:
        return len(read) > 1
    return any(read.count(table) + read.count(None) > 1 for table in tables)


def _disjunction(scope: Scope, node: Node, clause: Clause, *, negated: bool) -> list[FilterDraft]:
    before = mark(scope)
    nodes = _arms(node, type(node), negated=negated)
    arms = [_arm(scope, arm, clause, negated=flag) for arm, flag in nodes]
    kept = _joins_by_compared(nodes, arms) or not _is_void(scope, arms)
    if kept and not covers(scope, nodes, arms):
        _note_arms(scope, nodes, arms, clause)
        return alternatives(arms)
    discard(scope, before)
    if [arm for arm in arms if not arm or arm[0].fact is None]:
        note(scope, VoidKind.CONDITION, _shown([draft for arm in arms for draft in arm], "or"))
    return fact(True)


def _joins_by_compared(nodes: Sequence[tuple[Node, bool]], arms: Sequence[list[FilterDraft]]) -> bool:
    """Whether an arm joins by the column that another arm compares: `d.day = '2026-01-01' OR d.day = latest.day`."""
    compared = {column.name for arm in arms if _filters(arm) for draft in arm for column in draft.lhs.columns}
    joining = [node for (node, _), arm in zip(nodes, arms, strict=True) if arm and arm[0].joins]
    return any(column.name.lower() in compared for node in joining for column in node.find_all(exp.Column))


def _note_arms(
    scope: Scope, nodes: Sequence[tuple[Node, bool]], arms: Sequence[list[FilterDraft]], clause: Clause
) -> None:
    """Notes the arms that may let in rows that nothing asks for."""
    _note_widening(scope, arms)
    check_nulls(scope, arms)
    if clause in _RESTRICTING:
        note_apart(scope, [node for (node, _), arm in zip(nodes, arms, strict=True) if not arm or _filters(arm)])


def _arm(scope: Scope, node: Node, clause: Clause, *, negated: bool) -> list[FilterDraft]:
    """One operand of an OR; what was read of one that never holds is taken back."""
    start = mark(scope)
    drafts = conjunction(scope, node, clause, negated=negated)
    if _holds_for_every_row(drafts):
        return fact(True, drafts[0].text)
    if drafts and drafts[0].fact is False:
        discard(scope, start)
        if " " in drafts[0].text:
            note(scope, VoidKind.ARM, drafts[0].text)
    return drafts


def _is_void(scope: Scope, arms: Sequence[list[FilterDraft]]) -> bool:
    """Whether an OR keeps every row: an arm always holds, or only joins beside one that filters, or arms complement."""
    real = [arm for arm in arms if _filters(arm)]
    if any(arm[0].fact or (real and arm[0].joins) for arm in arms if arm):
        return True
    if not certain(real) and not _is_contained(real):
        return False
    return not _compares_rows(scope, [draft for arm in real for draft in arm])


def _is_contained(arms: Sequence[Sequence[FilterDraft]]) -> bool:
    """Whether an arm that nearly every row satisfies holds wherever the other arms do.

    `c = 'x' OR c > ''`; `c = 'x' OR LENGTH(c) > 0`, since only a function of a text is compared with a number.
    """
    if len(arms) < 2 or any(len(arm) != 1 or arm[0].group is not None for arm in arms):
        return False
    wide = next((arm[0] for arm in arms if is_wide(arm[0])), None)
    if wide is None:
        return False
    others = [arm[0] for arm in arms if arm[0] is not wide]
    return _measures_texts(wide, others) or contains(wide, others)


def _measures_texts(wide: FilterDraft, others: Sequence[FilterDraft]) -> bool:
    """Whether a condition compares a column with a number that the other conditions compare with texts."""
    if not isinstance(wide.rhs, Number) or not wide.lhs.columns:
        return False
    return all(isinstance(each.rhs, Text) and each.lhs.columns == wide.lhs.columns for each in others)


def _note_widening(scope: Scope, arms: Sequence[list[FilterDraft]]) -> None:
    """Notes arms such as `id > 0` that nearly every row satisfies and that are on another column than all others."""
    wide = [arm[0] for arm in arms if len(arm) == 1 and _is_wide(scope, arm[0])]
    if len(wide) == sum(map(bool, arms)):
        return
    for draft in wide[:_FEW]:
        names, others = _column_names([draft]), _column_names([e for arm in arms for e in arm if e is not draft])
        if names and others and names.isdisjoint(others):
            note(scope, VoidKind.WIDENING, draft.text, values=tuple(sorted(names)))


def _is_wide(scope: Scope, draft: FilterDraft) -> bool:
    alone = len(scope.columns.items) == 1 and scope.columns.outer is None  # else the other side may be another row
    return is_wide(draft) or (alone and compares_itself(draft))


def _column_names(drafts: Iterable[FilterDraft]) -> set[str]:
    return {column.name for draft in drafts for column in draft.lhs.columns}


def _filters(arm: Sequence[FilterDraft]) -> bool:
    return bool(arm) and not arm[0].joins and arm[0].fact is None


def _holds_for_every_row(arm: Sequence[FilterDraft]) -> bool:
    """Whether an arm of an OR reads no column of the row and no parameter, so that it holds for all or none."""
    if len(arm) != 1 or arm[0].fact is not None or arm[0].joins or arm[0].group is not None:
        return False
    draft = arm[0]
    right = draft.rhs
    if draft.lhs.columns or draft.lhs.func is not None or "?" in draft.text:
        return False
    return not isinstance(right, Expression) or not (right.columns or right.functions or right.subquery)


def _shown(drafts: Sequence[FilterDraft], word: str) -> str:
    return f" {word} ".join(dict.fromkeys(draft.text for draft in drafts[:8]))


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
