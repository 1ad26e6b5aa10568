"""Finds arms of an OR or a UNION that let in rows for which nothing asks, and ORs that keep every typical row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import Block, Clause, GroupKey, Limit, Op, SqlSpec, Void, VoidKind, Window
from scoring.sql.drafts import FilterDraft, is_wide
from scoring.sql.region import certain
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.voids.notes import note
from scoring.sql.voids.supplied_values import is_usual
from scoring.sql.voids.typical_rows import Held, holds_always, meets_typically
from scoring.values import Number, Pattern, Text

_MOST_OF_OR = 8
_MOST_NODES = 60


def note_apart(scope: Scope, nodes: Sequence[Node]) -> None:
    """Notes each arm whose columns no other arm reads, with its columns, tables and literals.

    ORs of many arms, or of large ones, are left out.
    """
    arms = [_named(node) for node in nodes] if 2 <= len(nodes) <= _MOST_OF_OR else []
    known = [each for each in arms if each is not None]
    if len(known) < len(arms):
        return
    read = Counter(name for columns, _ in known for name in columns)
    for node, (columns, others) in zip(nodes, known, strict=False):
        if columns and all(read[name] == 1 for name in columns):
            note(scope, VoidKind.APART, node.sql(), values=(*sorted(columns), *sorted(others)))


def _named(node: Node) -> tuple[set[str], set[str]] | None:
    """The columns of an arm, and its tables and literals; `None` of a large arm."""
    columns: set[str] = set()
    others: set[str] = set()
    waiting = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            return columns, others
        part = waiting.pop()
        if isinstance(part, exp.Column):
            columns.add(part.name.casefold())
            continue
        if isinstance(part, exp.Literal | exp.Table):
            others.add(part.name.casefold())
        waiting += part.iter_expressions()
    return None


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


_MOST_ARMS = 24
"""Most set operations of a query that is looked at; no query of a person has more."""
_FEW = 4
_TWICE = (2.0,)
_OTHERS = MappingProxyType({VoidKind.CONDITION: "all", VoidKind.COMPLEMENT: "all other"})


def note_undone_unions(spec: SqlSpec) -> SqlSpec:
    """Notes the UNIONs whose arms together take all rows of a table, although one of them filters it."""
    if len(spec.set_operations) > _MOST_ARMS:
        return spec
    found = [void for path in _unions(spec) for void in _undone(spec, path)]
    return replace(spec, voids=(*spec.voids, *found)) if found else spec


def _unions(spec: SqlSpec) -> list[str]:
    """The first arms of runs of UNION."""
    mixed = {each.left for each in spec.set_operations if not each.kind.startswith("union")}
    return [path for path in dict.fromkeys([each.left for each in spec.set_operations]) if path not in mixed]


def _undone(spec: SqlSpec, path: str) -> Iterator[Void]:
    arms = [path, *[each.right for each in spec.set_operations if each.left == path]]
    blocks = {each.path: each for each in spec.blocks if each.path in arms}
    alike: dict[object, list[list[FilterDraft]]] = {}
    for arm in arms:
        conditions = _conditions(spec, arm) if arm in blocks else None
        if conditions is not None:
            alike.setdefault(_source(spec, blocks[arm]), []).append(conditions)
    tables = ", ".join(blocks[path].tables[:_FEW]) if path in blocks else "the tables"
    for same in alike.values():
        if (kind := _kept(same)) is not None:
            yield Void(kind=kind, block=path, text=f"union with {_OTHERS[kind]} rows of {tables}")
        elif _repeats(same) and _keeps_repeats(spec, path):
            yield Void(kind=VoidKind.ARITHMETIC, block=path, text=f"the same rows of {tables} twice", numbers=_TWICE)


def _keeps_repeats(spec: SqlSpec, path: str) -> bool:
    return any(each.left == path and each.kind == "union all" for each in spec.set_operations)


def _repeats(same: list[list[FilterDraft]]) -> bool:
    """Whether two arms have the same conditions."""
    keys = [frozenset([each.text for each in arm]) for arm in same]
    return len(set(keys)) < len(keys)


def _kept(same: list[list[FilterDraft]]) -> VoidKind | None:
    """What arms that differ in their conditions only keep, where that is all rows."""
    filtering = [each for each in same if not all(map(is_wide, each))]
    if filtering and len(filtering) < len(same):
        return VoidKind.CONDITION
    return VoidKind.COMPLEMENT if len(filtering) > 1 and certain(filtering) else None


def _source(spec: SqlSpec, block: Block) -> object:
    """The tables, joins and outputs of a block."""
    joins = [(each.kind, each.table, frozenset(each.pairs)) for each in spec.joins if each.block == block.path]
    return block.tables, *joins, *[each.operand for each in spec.projections if each.block == block.path]


def _conditions(spec: SqlSpec, path: str) -> list[FilterDraft] | None:
    """The conditions on the rows of a block; `None` if an OR, a group, a limit or a query decides, too."""
    found = [each for each in spec.filters if each.block == path]
    if _is_cut(spec, path, filtered=bool(found)):
        return None
    if any(each.clause is not Clause.WHERE or each.alternative is not None for each in found):
        return None
    return [FilterDraft(each.lhs, each.op, each.rhs) for each in found if each.lhs is not None]


def _is_cut(spec: SqlSpec, path: str, *, filtered: bool) -> bool:
    """Whether more than conditions decides which rows a block gives; a LIMIT of its path may be the whole UNION's."""
    cut: tuple[GroupKey | Limit | Window, ...] = (*spec.group_by, *spec.windows)
    if any(each.block == path for each in (cut if filtered and "/union:" not in path else (*cut, *spec.limits))):
        return True
    return any(each.parent == path for each in spec.subqueries)
