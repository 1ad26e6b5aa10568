"""Finds counts of the rows of a UNION, which drops equal rows, and what keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_name, is_own_key, key_stems
from scoring.sql.shapes.selects import ColumnOrigin, Select, SourceItem, written
from scoring.sql.terms import Node


def united_counts(select: Select) -> Iterator[Shape]:
    """COUNT(*) over the rows of several SELECTs, and sums of the counts of each."""
    counts = [each for each in select.own if isinstance(each, exp.Count) and isinstance(each.this, exp.Star)]
    united = [each for each in select.items.values() if len(each.arms) > 1] if counts else []
    for item in united:
        word = "dropped" if _are_keys(select, item) else _equal_rows(item)
        if word is not None:
            yield Shape(kind=ShapeKind.UNITED_COUNT, text=f"{written(counts[0])} of a UNION", words=(word,))


def _are_keys(select: Select, item: SourceItem) -> bool:
    """Whether a UNION leaves one row for each group whose rows are counted: it shows the keys of the groups alone."""
    keys = {each.name.lower() for each in select.keys if isinstance(each, exp.Column)}
    return item.union and bool(keys) and set(item.arms[0].outputs) <= keys


def _equal_rows(item: SourceItem) -> str | None:
    """What becomes of rows of several arms that are equal but for the arm they come from."""
    marks = {_marks(arm) for arm in item.arms}
    if all(map(_shows_thing, item.arms)):
        if not item.union:
            return "kept"
        return "marked" if len(marks) == len(item.arms) else None
    unmarked = item.union and not any(marks)
    return "dropped" if unmarked and all(map(_tells_nothing, item.arms)) else None


def _shows_thing(arm: Select) -> bool:
    """Whether a SELECT shows one thing, and perhaps constants beside it."""
    nodes = [node for node in arm.shown if not isinstance(node, exp.Literal)]
    return len(nodes) == 1 and _tells_thing(nodes[0])


def _marks(arm: Select) -> tuple[str, ...]:
    return tuple(written(node) for node in arm.shown if isinstance(node, exp.Literal))


def _tells_thing(node: Node) -> bool:
    """Whether a column is a key or a name: of a person, say, and no row of its own."""
    return isinstance(node, exp.Column) and (bool(key_stems(node.name)) or is_name(node.name))


def _tells_nothing(arm: Select) -> bool:
    """Whether a SELECT of one table shows properties of its rows, and no key of theirs."""
    found = [_origin(arm, node) for node in arm.shown]
    columns = [each.column for each in found if each is not None]
    properties = any(key_stems(each.name) is None and not is_name(each.name) for each in columns)
    plain = len(columns) == len(found) and not any(each.table is None or is_own_key(each) for each in columns)
    return plain and properties and not arm.is_grouped and arm.node.args.get("distinct") is None


def _origin(arm: Select, node: Node) -> ColumnOrigin | None:
    """Where the one column of an expression comes from."""
    columns = list(node.find_all(exp.Column))
    return arm.origin(columns[0]) if len(columns) == 1 and node.find(exp.AggFunc) is None else None
