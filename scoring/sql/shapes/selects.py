"""The SELECTs of a query as they are written, and where each column comes from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from sqlglot import ErrorLevel, exp

from scoring.specification import Column
from scoring.sql.shapes.naming import is_own_key
from scoring.sql.terms import Node, children, derived_kinds

_DEEPEST = 24
"""Inner queries through which a column is followed."""
_QUERIES = derived_kinds(exp.Query)
_APART = _QUERIES | {exp.With, exp.From}
"""Parts of a SELECT that hold other SELECTs, or items of FROM."""


class SourceItem:
    """One item of FROM: a base table, or the SELECTs of a CTE or subquery."""

    __slots__ = ("alias", "arms", "join", "side", "table", "union")

    def __init__(self, alias: str, table: str | None, arms: list[Select], join: Node | None) -> None:
        self.alias = alias
        self.table = table
        """Lower-case name of a base table."""
        self.arms = arms
        """The SELECTs whose rows it has; several for a set operation."""
        self.union = False
        """Its set operation drops equal rows."""
        self.join = join
        self.side = str(join.args.get("side") or "").lower() if join is not None else ""


class ColumnOrigin:
    """Where a column comes from: a column of a base table, or an expression of an inner SELECT."""

    __slots__ = ("column", "inner", "item", "node")

    def __init__(self, column: Column, item: SourceItem, node: Node | None = None, inner: Select | None = None) -> None:
        self.column = column
        self.item = item
        """The item of the SELECT that names it."""
        self.node = node
        """What an inner SELECT computes for it."""
        self.inner = inner


class Select:
    """One SELECT with the items that it reads."""

    def __init__(self, node: Node, outer: Select | None) -> None:
        self.node = node
        self.outer = outer
        self.items: dict[str, SourceItem] = {}
        self.nested: list[Select] = []
        """The SELECTs of subqueries in its expressions."""
        self.role = "main"
        """`main`, `inner` (a CTE or an item of FROM) or `nested` (a subquery of an expression)."""
        self.own, queries = _parts(node)
        """Its nodes without those of queries in it, and without the names in columns."""
        self.kinds = frozenset([*map(type, self.own[1:]), *queries])
        """The kinds of the nodes and queries in it."""

    def conjuncts(self, clause: str) -> list[Node]:
        """The conditions that a clause joins by AND."""
        found = self.node.args.get(clause)
        return list(conjuncts(found.this)) if found is not None else []

    @cached_property
    def shown(self) -> list[Node]:
        """Its columns without their aliases."""
        return [each.unalias() for each in children(self.node, "expressions")]

    @cached_property
    def outputs(self) -> dict[str, Node]:
        """Its columns by name, without their aliases."""
        return {each.alias_or_name.lower(): each.unalias() for each in children(self.node, "expressions")}

    @cached_property
    def keys(self) -> list[Node]:
        """What it groups by: ordinals and aliases are replaced by what they name."""
        group = self.node.args.get("group")
        found: list[Node] = list(group.args.get("expressions") or []) if group is not None else []
        return [self.named(each) for each in found]

    def named(self, key: Node) -> Node:
        """The expression that a sort or group key names by an ordinal or an alias."""
        columns = self.shown
        if isinstance(key, exp.Literal) and not key.is_string and key.name.isdecimal():
            place = int(key.name[:4]) - 1
            return columns[place] if 0 <= place < len(columns) else key
        if isinstance(key, exp.Column) and not key.table:
            return self.outputs.get(key.name.lower(), key)
        return key

    def item_of(self, column: Node) -> SourceItem | None:
        """The item of FROM that a column belongs to; `None` for an outer one, or where it cannot be known."""
        qualifier: str = column.text("table").lower()
        if qualifier:
            return self.items.get(qualifier)
        if len(self.items) == 1:
            return next(iter(self.items.values()))
        name = column.name.lower()
        return next((each for each in self.items.values() if each.arms and name in each.arms[0].outputs), None)

    def origin(self, column: Node, depth: int = 0) -> ColumnOrigin | None:
        """Where a column comes from, through CTEs and subqueries of FROM."""
        item = self.item_of(column)
        name = column.name.lower()
        if item is None:
            qualifier = column.text("table")
            known = self.outer is not None and qualifier
            return self.outer.origin(column, depth + 1) if known and self.outer and depth < _DEEPEST else None
        if item.table is not None:
            return ColumnOrigin(Column(name, item.table), item)
        return self._inner_origin(item, name, depth)

    def _inner_origin(self, item: SourceItem, name: str, depth: int) -> ColumnOrigin | None:
        if not item.arms or depth > _DEEPEST:
            return None
        inner = item.arms[0]
        node = inner.outputs.get(name)
        if node is None and "*" in inner.outputs:
            star = exp.column(name)
            found = inner.origin(star, depth + 1)
            return ColumnOrigin(found.column, item, found.node, found.inner) if found is not None else None
        if node is None:
            return None
        if isinstance(node, exp.Column):
            found = inner.origin(node, depth + 1)
            return ColumnOrigin(found.column, item, found.node, found.inner) if found is not None else None
        return ColumnOrigin(Column(name, None), item, node, inner)

    def columns_in(self, node: Node) -> list[Node]:
        """The columns of an expression, without those of queries in it."""
        if type(node) is exp.Column:
            return [node]
        return [each for each in _parts(node)[0] if isinstance(each, exp.Column)]

    @cached_property
    def pairs(self) -> list[tuple[Node, Node, Node | None]]:
        """Columns equated by ON, USING or WHERE, with the join that says so."""
        found: list[tuple[Node, Node, Node | None]] = [(*pair, None) for pair in _equal(self.conjuncts("where"))]
        for item in self.items.values():
            if item.join is None or item.join.args.get("kind") in ("ANTI", "SEMI"):
                continue  # these repeat no row
            on = item.join.args.get("on")
            found += [(*pair, item.join) for pair in _equal(list(conjuncts(on)) if on is not None else [])]
            for each in children(item.join, "using"):
                found += self._used(each.name, item)
        return found

    def _used(self, name: str, item: SourceItem) -> list[tuple[Node, Node, Node | None]]:
        """The pair of columns that USING joins: of the item and of the one before it that has the column.

        It is a query that gives the column, the table whose own key it is, or the only one. Of several tables none is
        told from the others.
        """
        before = list(takewhile(lambda each: each is not item, self.items.values()))
        having = [each for each in before if each.table is None and each.arms and name.lower() in each.arms[0].outputs]
        having = having or [each for each in before if each.table and is_own_key(Column(name.lower(), each.table))]
        found = having or (before if len(before) == 1 else [])
        return [(exp.column(name, table=each.alias), exp.column(name, table=item.alias), item.join) for each in found]

    @property
    def is_grouped(self) -> bool:
        return self.node.args.get("group") is not None


def written(node: Node) -> str:
    """An expression as canonical SQL, for people."""
    # The generator is slow, and two thirds of what is written are this.
    return "COUNT(*)" if _counts_all(node) else node.sql(unsupported_level=ErrorLevel.IGNORE)


def _counts_all(node: Node) -> bool:
    star = node.this if type(node) is exp.Count else None
    if type(star) is not exp.Star or any(star.args.values()) or node.args.get("expressions"):
        return False
    return not (star.comments or node.comments)


def _parts(node: Node) -> tuple[list[Node], set[type[Node]]]:
    """The nodes of an expression or a SELECT without those of queries in it, and the kinds of these queries.

    Of a column's own nodes only the column is listed: names are half of all nodes, and nothing looks for them.
    """
    found: list[Node] = []
    queries: set[type[Node]] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        found.append(each)
        if type(each) is exp.Column and type(each.this) is exp.Identifier:
            continue
        for child in each.iter_expressions():
            kind = type(child)
            if kind is exp.Join:
                on = child.args.get("on")
                waiting += [on] if isinstance(on, exp.Expr) else []
            elif kind not in _APART:
                waiting.append(child)
            elif kind in _QUERIES:
                queries.add(kind)
    return found, queries


def conjuncts(node: Node) -> Iterator[Node]:
    """The parts of an AND."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, exp.And):
            waiting += [each.args["expression"], each.args["this"]]
        elif isinstance(each, exp.Paren):
            waiting.append(each.this)
        else:
            yield each


def _equal(conditions: list[Node]) -> list[tuple[Node, Node]]:
    return [
        (each.this, each.expression)
        for each in conditions
        if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Column)
    ]


def read_selects(tree: Node) -> list[Select]:
    """Every SELECT of a query that something reads, each with its items."""
    found: list[Select] = []
    _read(tree, None, {}, found, "main")
    return found


_Ctes = dict[str, tuple[list[Select], bool]]


def _read(node: Node, outer: Select | None, ctes: _Ctes, found: list[Select], role: str) -> tuple[list[Select], bool]:
    """The SELECTs whose rows a query gives, and whether equal rows are dropped between them."""
    ctes = _with(node, outer, ctes, found)
    if isinstance(node, exp.Subquery):
        return _read(node.this, outer, ctes, found, role)
    if isinstance(node, exp.SetOperation):
        left, left_union = _read(node.this, outer, ctes, found, role)
        right, _ = _read(node.expression, outer, ctes, found, role)
        drops = isinstance(node, exp.Union) and node.args.get("distinct") is not False
        return left + right, left_union or drops
    if not isinstance(node, exp.Select):
        return [], False
    select = Select(node, outer)
    select.role = role
    found.append(select)
    _read_items(select, ctes, found)
    for nested in _subqueries(select) if select.kinds & _QUERIES else ():
        select.nested += _read(nested, select, ctes, found, "nested")[0]
    return [select], False


def _with(node: Node, outer: Select | None, ctes: _Ctes, found: list[Select]) -> _Ctes:
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    known = dict(ctes)
    for each in clause.expressions:
        known[each.alias.lower()] = _read(each.this, outer, known, found, "inner")
    return known


def _read_items(select: Select, ctes: _Ctes, found: list[Select]) -> None:
    start = select.node.args.get("from_")
    joins: list[Node] = select.node.args.get("joins") or []
    laterals: list[Node] = select.node.args.get("laterals") or []
    sources = [(start.this, None)] if start is not None else []
    for source, join in [*sources, *((each.this, each) for each in joins), *((each, None) for each in laterals)]:
        _add_item(select, source, join, ctes, found)


def _add_item(select: Select, source: Node, join: Node | None, ctes: _Ctes, found: list[Select]) -> None:
    alias = source.alias_or_name.lower()
    if isinstance(source, exp.Table):
        name = source.name.lower()
        arms, union = ctes.get(name, ([], False)) if not source.args.get("db") else ([], False)
        item = SourceItem(alias, None if arms else name, arms, join)
        item.union = union
        select.items[alias] = item
        for each in children(source, "joins"):
            _add_item(select, each.this, each, ctes, found)
    elif isinstance(source, exp.Lateral) and isinstance(source.this, exp.Subquery):
        arms, union = _read(source.this, select, ctes, found, "nested")
        select.items[alias] = SourceItem(alias, None, arms, join)
    elif isinstance(source, exp.Subquery):
        arms, union = _read(source, select.outer, ctes, found, "inner")
        item = SourceItem(alias or f"#{len(select.items)}", None, arms, join)
        item.union = union
        select.items[item.alias] = item


def _subqueries(select: Select) -> Iterator[Node]:
    """The queries in a SELECT's expressions, outermost ones only."""
    waiting = [select.node]
    while waiting:
        each = waiting.pop()
        for child in each.iter_expressions():
            if isinstance(child, (exp.With, exp.From)):
                continue
            if isinstance(child, exp.Join):
                on = child.args.get("on")
                waiting += [on] if isinstance(on, exp.Expr) else []
            elif isinstance(child, exp.Query):
                yield child
            elif not isinstance(child, (exp.Table, exp.Lateral)):
                waiting.append(child)


def origin_column(node: Node, item: SourceItem) -> Column:
    """The column of the item's table that a node reads."""
    if item.table is not None or len(item.arms) != 1:
        return Column(node.name.lower(), item.table)
    origin = item.arms[0].outputs.get(node.name.lower())
    inner = item.arms[0]
    found = inner.origin(origin) if isinstance(origin, exp.Column) else None
    if found is None and "*" in inner.outputs and len(inner.items) == 1:
        return Column(node.name.lower(), next(iter(inner.items.values())).table)
    return found.column if found is not None else Column(node.name.lower(), None)
