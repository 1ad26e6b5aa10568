"""Finds a UNION that undoes its conditions: one arm filters a table, and others take all its rows, or the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from scoring.specification import Block, Clause, GroupKey, Limit, SqlSpec, Void, VoidKind, Window
from scoring.sql.conditions.drafts import FilterDraft, is_wide
from scoring.sql.conditions.region import certain

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
