"""Reads the clauses of a query from its tree."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlglot import exp

from references.equivalence.proof.logic import UnknownValue, Unprovable, every, none, same_rows, some
from references.equivalence.proof.rows import Heading, Relation, UnknownRow

MOST_ROWS = 90
"""The most unknown rows of one relation."""


def group_key(node: exp.Expr, tree: exp.Select) -> exp.Expr:
    """Returns the expression of a GROUP BY key. A number names the output at that position."""
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.this) - 1
        if not 0 <= position < len(tree.expressions) or any(each.is_star for each in tree.expressions):
            raise Unprovable("GROUP BY a position that does not exist")
        return tree.expressions[position].unalias()
    return node


def names_itself(cte: exp.Expr) -> bool:
    """Whether a CTE reads itself."""
    return any(table.name.lower() == cte.alias.lower() for table in cte.this.find_all(exp.Table))


def within_bounds(rows: int) -> None:
    """Raises `Unprovable` when a relation is too large for the solver."""
    if rows > MOST_ROWS:
        raise Unprovable(f"more than {MOST_ROWS} unknown rows")


def shared_columns(left: Relation, right: Relation, join: exp.Join) -> list[str]:
    """Returns the columns that USING or NATURAL merge."""
    if join.args.get("using"):
        return [each.name.lower() for each in join.args["using"]]
    if join.method.upper() == "NATURAL":
        names = {each.name for each in left.headings}
        return list(dict.fromkeys(each.name for each in right.headings if each.name in names))
    return []


def shared_cell(relation: Relation, row: UnknownRow, name: str) -> UnknownValue:
    """Returns the cell of a merged column."""
    for heading, cell in zip(relation.headings, row.cells, strict=True):
        if heading.name == name and not heading.hidden:
            return cell
    raise Unprovable(f"USING a column {name} that does not exist")


def has_aggregates(tree: exp.Select) -> bool:
    """Whether an output of the block is an aggregate over its rows."""
    return any(_is_aggregated(item, tree) for item in tree.expressions)


def _is_aggregated(item: exp.Expr, tree: exp.Select) -> bool:
    for node in item.find_all(exp.AggFunc):
        if isinstance(node.parent, exp.Window) or node.find_ancestor(exp.Select) is not tree:
            continue
        return True
    return False


def bare_columns(tree: exp.Select) -> set[tuple[str, str]]:
    """Columns outside aggregates and outside the keys of GROUP BY in what is computed once per group."""
    group = tree.args.get("group")
    keys = {group_key(each, tree) for each in group.expressions} if group is not None else set[exp.Expr]()
    order = tree.args.get("order")
    parts = [*tree.expressions, tree.args.get("having"), order if tree.args.get("limit") is not None else None]
    found: set[tuple[str, str]] = set()
    for part in parts:
        for column in part.find_all(exp.Column) if part is not None else ():
            above = column.find_ancestor(exp.AggFunc, exp.Select)
            if (above is tree or not isinstance(above, exp.AggFunc | exp.Select)) and not _within(column, keys):
                found.add((column.table.lower(), column.name.lower()))
    return found


def _within(column: exp.Column, keys: Set[exp.Expr]) -> bool:
    """Whether a column is part of an expression that is a key."""
    up = column.parent
    while up is not None and not isinstance(up, exp.Query):
        if up in keys:
            return True
        up = up.parent
    return False


def titles(item: exp.Expr, relation: Relation) -> list[Heading]:
    """Returns the headings of an output."""
    if isinstance(item, exp.Star):
        return [Heading("", each.name) for each in relation.headings if not each.hidden]
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        return [Heading("", each.name) for each in relation.headings if each.source == item.table.lower()]
    return [Heading("", item.alias_or_name.lower())]


def cutting(tree: exp.Query) -> tuple[exp.Order | None, int, int | None]:
    """Returns ORDER BY, OFFSET and LIMIT; the LIMIT is `None` without LIMIT and OFFSET."""
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    if limit is None and offset is None:
        return tree.args.get("order"), 0, None
    if isinstance(limit, exp.Fetch):
        size = _whole_number(limit.args.get("count"))
    else:
        size = _whole_number(limit.expression) if limit is not None else MOST_ROWS * MOST_ROWS
    start = _whole_number(offset.expression) if offset is not None else 0
    return tree.args.get("order"), start, size if size >= 0 else MOST_ROWS * MOST_ROWS


def _whole_number(node: exp.Expr | None) -> int:
    negative = isinstance(node, exp.Neg)
    inner = node.this if isinstance(node, exp.Neg) else node
    if not isinstance(inner, exp.Literal) or inner.is_string or not str(inner.this).isdigit():
        raise Unprovable("LIMIT by an expression")
    return -int(inner.this) if negative else int(inner.this)


def without_duplicates(rows: Sequence[UnknownRow]) -> list[UnknownRow]:
    """Removes duplicate rows."""
    kept: list[UnknownRow] = []
    for index, row in enumerate(rows):
        earlier = some(every((other.present, same_rows(row.cells, other.cells))) for other in rows[:index])
        kept.append(UnknownRow(every((row.present, none(earlier))), row.cells))
    return kept


def place(node: exp.Expr, cells: Sequence[UnknownValue], items: Sequence[exp.Expr]) -> UnknownValue | None:
    """Returns the output that a sort key names by position or alias, else `None`."""
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit():
        position = int(node.this) - 1
        if 0 <= position < len(cells):
            return cells[position]
        raise Unprovable("ORDER BY a position that does not exist")
    if isinstance(node, exp.Column) and not node.table and not any(each.is_star for each in items):
        for cell, item in zip(cells, items, strict=True):
            if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                return cell
    return None
