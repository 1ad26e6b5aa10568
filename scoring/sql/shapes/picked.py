"""Finds values that an order picks from one end, and names of output columns that tell a role."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.sql.shapes.selects import Select, SourceItem, written
from scoring.sql.shapes.windows import first_columns, named_window, order_of, windows_of
from scoring.sql.terms import Node

PICKS = (exp.ArgMin, exp.ArgMax, exp.FirstValue, exp.LastValue, exp.Window)
"""What may pick a value by an order."""


def picks(select: Select) -> Iterator[Shape]:
    """Values of the first or last row in an order, with their name: `words` are the end and the name."""
    names = {id(node): name for name, node in select.outputs.items()}
    for each in select.own:
        found = _end(select, each)
        if found is None:
            continue
        keys, end = found
        columns = first_columns(select, keys)
        if columns:
            words = (end, names.get(id(each), ""))
            yield Shape(kind=ShapeKind.PICKED, text=written(each)[:100], columns=columns, words=words)


def _end(select: Select, node: Node) -> tuple[list[Node], str] | None:
    """The keys of an order, and which of its ends a node takes: `least` or `most`."""
    if isinstance(node, (exp.ArgMin, exp.ArgMax)) and isinstance(node.args.get("expression"), exp.Expr):
        return [node.expression], "least" if isinstance(node, exp.ArgMin) else "most"
    if not isinstance(node, exp.Window):
        return None
    order = order_of(select, node)
    kept = str(node.args.get("over")).upper() == "KEEP"
    if not order or not (kept or isinstance(node.this, exp.FirstValue)):
        return None
    falls = bool(order[0].args.get("desc"))
    begins = bool(node.args.get("first")) if kept else True
    return order, "least" if falls is not begins else "most"


def last_of_row(select: Select) -> Iterator[Shape]:
    """LAST_VALUE over a frame that ends at the row itself."""
    for window, call in windows_of(select):
        if not isinstance(call, exp.LastValue) or not order_of(select, window):
            continue
        spec = named_window(select, window).args.get("spec") or window.args.get("spec")
        ends = str(spec.args.get("end")).upper() if spec is not None else "CURRENT ROW"
        if ends in ("CURRENT ROW", "NONE"):
            yield Shape(kind=ShapeKind.LAST_OF_ROW, text=written(window)[:120])


def unreached(select: Select) -> Iterator[Shape]:
    """WHENs that bound what an earlier WHEN bounds already, and more narrowly."""
    for case in select.own:
        if not isinstance(case, exp.Case):
            continue
        bounds: list[tuple[Node, int, float]] = []
        for arm in case.args["ifs"]:
            test = arm.this
            side, limit = _side(test), test.args.get("expression")
            if not side or not isinstance(limit, exp.Literal) or limit.is_string:
                continue
            number = float(limit.this)
            if any(key == test.this and side == other and side * number > side * wide for key, other, wide in bounds):
                yield Shape(kind=ShapeKind.UNREACHED, text=f"WHEN {written(test)}"[:100])
            bounds.append((test.this, side, number))


def _side(test: Node) -> int:
    """1 for what lies above a bound, −1 for what lies below it, 0 for other tests."""
    return isinstance(test, (exp.GT, exp.GTE)) - isinstance(test, (exp.LT, exp.LTE))


def role_outputs(select: Select) -> Iterator[Shape]:
    """Columns shown of a table that is joined by a key, with the key and their own name in `words`."""
    if len(select.items) < 2:
        return
    roles = _roles(select)
    for name, node in select.outputs.items():
        column = node.this if isinstance(node, exp.AggFunc) else node
        item = select.item_of(column) if isinstance(column, exp.Column) else None
        if item is None or item.table is None:
            continue
        for role in roles.get(item.alias, ()):
            text = f"{written(node)} AS {name}"[:100]
            yield Shape(kind=ShapeKind.ROLE_OUTPUT, text=text, words=(role[0], role[1], name, column.name.lower()))


def _roles(select: Select) -> dict[str, list[tuple[str, str]]]:
    """The foreign keys by which each item is joined, and for a table joined to itself the side that holds the key."""
    found: dict[str, list[tuple[str, str]]] = {}
    for left, right, _ in select.pairs:
        for foreign, own in ((left, right), (right, left)):
            holder, held = select.item_of(foreign), select.item_of(own)
            if holder is None or held is None or holder is held or not _refers(select, foreign, own):
                continue
            key = foreign.name.lower()
            found.setdefault(held.alias, []).append(("by", key))
            if _same_table(holder, held):
                found.setdefault(holder.alias, []).append(("holds", key))
    return found


def _refers(select: Select, foreign: Node, own: Node) -> bool:
    """Whether a column of another name than a table's key is compared with that key."""
    first, second = select.origin(foreign), select.origin(own)
    if first is None or second is None or foreign.name.lower() == own.name.lower():
        return False
    return not is_own_key(first.column) and (is_own_key(second.column) or key_stems(foreign.name) is None)


def _same_table(first: SourceItem, second: SourceItem) -> bool:
    return first.table is not None and first.table == second.table
