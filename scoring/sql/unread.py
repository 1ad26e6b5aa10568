"""Leaves out of a specification what takes no part in the answer: dead blocks, and CTEs that nothing reads."""

from __future__ import annotations

from typing import Any, Protocol

from scoring.specification import Void, VoidKind

_LISTS = dict.fromkeys(
    (
        "projections",
        "group_by",
        "order_by",
        "limits",
        "joins",
        "windows",
        "divisions",
        "subqueries",
        "sources",
        "voids",
    ),
    "block",
) | {"set_operations": "right", "blocks": "path"}
"""The lists of a specification, with the field of their parts that names a block."""


class Collected(Protocol):
    """What a walk over the syntax tree found."""

    filters: dict[tuple[object, ...], Any]
    aggregations: dict[tuple[object, ...], Any]
    voids: list[Void]
    dead: set[str]
    reads: list[tuple[str, str]]
    cte_paths: set[str]
    optional: set[str]


def leave_out_unread(spec: Collected) -> None:
    """Removes what dead blocks and unused CTEs hold, and the blocks inside them."""
    unused = spec.cte_paths - _used_ctes(spec) | spec.optional
    if unused:
        _note_unused(spec, unused)
    if spec.dead or unused:
        _leave_out(spec, _Gone(spec.dead | unused))


def _leave_out(spec: Collected, gone: _Gone) -> None:
    for name, path in _LISTS.items():
        parts: list[Any] = getattr(spec, name)
        parts[:] = [each for each in parts if not gone.holds(getattr(each, path))]
    for found in (spec.filters, spec.aggregations):
        left = {key: each for key, each in found.items() if not gone.holds(each.block)}
        found.clear()
        found.update(left)


class _Gone:
    """The paths that lie in dead blocks."""

    __slots__ = ("_known",)

    def __init__(self, dead: set[str]) -> None:
        self._known = dict.fromkeys(dead, True) | {"": False}

    def holds(self, path: str) -> bool:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self.holds(path.rpartition("/")[0])
        return known


def _used_ctes(spec: Collected) -> set[str]:
    """The CTEs that the query, or a CTE that it uses, reads."""
    readers: dict[str, list[str]] = {}
    for block, cte in spec.reads:
        readers.setdefault(_cte_around(spec, block), []).append(cte)
    waiting, used = [""], set[str]()
    while waiting:
        for cte in readers.get(waiting.pop(), ()):
            if cte not in used:
                used.add(cte)
                waiting.append(cte)
    return used


def _cte_around(spec: Collected, block: str) -> str:
    """The path of the CTE that holds a block, or an empty text."""
    while block and block not in spec.cte_paths and block not in spec.optional:
        block = block.rpartition("/")[0]
    return block


def _note_unused(spec: Collected, unused: set[str]) -> None:
    """Notes each unused CTE with a condition that the query does not apply elsewhere."""
    holders = {key: _cte_around(spec, each.block) for key, each in spec.filters.items()}
    live = {each.text for key, each in spec.filters.items() if holders[key] not in unused}
    filtering = {holders[key] for key, each in spec.filters.items() if each.text not in live}
    for path in sorted(filtering & unused):
        text = "left join" if path in spec.optional else f"with {path.rpartition('cte:')[2]}"
        spec.voids.append(Void(kind=VoidKind.UNUSED, block="main", text=text))
