"""Reads WITH, FROM and JOIN: brings CTEs, tables and derived tables into scope."""

from __future__ import annotations

from sqlglot import exp

from scoring.specification import Clause, Column, Source, SubqueryRole, VoidKind
from scoring.sql.conditions import record
from scoring.sql.from_items import CteScope, FromItem
from scoring.sql.probes.catalogues import function_kind, table_kind
from scoring.sql.scopes import BlockPlace, Scope, Walk, read
from scoring.sql.subqueries import read_nested
from scoring.sql.terms import Node
from scoring.sql.voids.notes import note

_SIDES = frozenset({"left", "right", "full"})
_OUTER = frozenset({"left", "full"})
"""Joins that leave out no row of what stands before them."""
_CROSS = frozenset({"cross", "comma"})
"""Joins that leave out no row of what stands before them, unless the joined item is empty."""
_RIGHT = frozenset({"right", "full"})
"""Joins that leave out no row of the joined item."""
_SPECIAL = frozenset({"semi", "anti", "cross"})


def with_ctes(walk: Walk, node: Node, place: BlockPlace) -> BlockPlace:
    """The place of a query with the CTEs of its own WITH in scope, before those around it."""
    clause = node.args.get("with_")
    if clause is None:
        return place
    inner = CteScope(place.ctes)
    for cte in clause.args["expressions"]:
        name = cte.alias.lower()
        columns = column_names(cte.args.get("alias"))
        path = f"{place.path}/cte:{name}"
        walk.spec.ctes.append(name)
        walk.spec.cte_paths.add(path)
        inner.recursive = (name, path, columns)
        item = walk.read_query(walk, cte.args["this"], BlockPlace(path, None, inner, is_output=False))
        inner.items[name] = item.renamed(columns, path)
    inner.recursive = None
    return place._replace(ctes=inner)


def column_names(alias: Node | None) -> list[str]:
    """The names of an alias's column list: `AS t (a, b)`."""
    columns: list[Node] = (alias.args.get("columns") or []) if alias is not None else []
    return [column.name.lower() for column in columns]


def read_from(scope: Scope, select: Node) -> tuple[str, ...]:
    """Brings everything that FROM and JOIN name into scope; returns the base tables in order."""
    clause = select.args.get("from_")
    tables: list[str] = []
    if select.args.get("sample") is not None:
        note(scope, VoidKind.SAMPLE, "rows")
    if clause is not None:
        add_item(scope, clause.args["this"], tables)
    for join in select.args.get("joins") or ():
        _add_join(scope, join, tables)
    for lateral in select.args.get("laterals") or ():
        add_item(scope, lateral, tables)
    return tuple(tables)


def add_item(scope: Scope, node: Node, tables: list[str]) -> FromItem:
    """Brings one item of FROM into scope, with the joins inside its brackets."""
    kind = type(node)
    if node.args.get("sample") is not None:
        note(scope, VoidKind.SAMPLE, node.alias_or_name.lower() or "rows")
    if kind is exp.Table and type(node.args["this"]) is exp.Identifier:
        item = _table(scope, node, tables)
    elif kind is exp.Subquery and not isinstance(node.args["this"], exp.Query):
        item = add_item(scope, node.args["this"], tables)
    elif kind is exp.Subquery:
        item = _derived(scope, node, node, scope.outer)
    elif kind is exp.Lateral and isinstance(node.args["this"], exp.Subquery):
        item = _derived(scope, node, node.args["this"], scope)
    else:
        item = _opaque(scope, node)
    for join in node.args.get("joins") or ():
        _add_join(scope, join, tables)
    return item


def read_join_conditions(scope: Scope, select: Node) -> None:
    """Reads ON and USING, once every item is in scope."""
    for join in select.args.get("joins") or ():
        _read_condition(scope, join)
    clause = select.args.get("from_")
    if clause is not None:
        _read_inner_conditions(scope, clause.args["this"])


def record_joins(scope: Scope) -> None:
    """Records the joins with the columns that ON, USING or WHERE equate."""
    scope.spec.joins += [join.finish(scope.path) for join in scope.joins.all]


def record_optional(scope: Scope, *, is_starred: bool) -> None:
    """Records the queries that an outer or cross join brings and nothing outside ON reads: they restrict no row."""
    optional = [] if is_starred else _optional(scope)
    idle = _unread(scope, optional)
    if idle:
        idle = _not_joined_on(scope, idle)
    if not idle:
        return
    for item in idle:
        if item.table is None:
            _leave_out(scope, item)
    outer = {join.kind for join in scope.joins.all} <= _SIDES and len(optional) >= len(scope.joins.all)
    whole = outer and len(idle) == len(optional)
    _note_unused(scope, {item.table for item in idle} - {None}, whole=whole)


def _unread(scope: Scope, optional: list[FromItem]) -> list[FromItem]:
    """The items that nothing reads; a column without its table may be one of any table's."""
    unplaced = any(column.table is None for column in scope.spec.columns)
    return [item for item in optional if not item.used and not (unplaced and item.table is not None)]


def _not_joined_on(scope: Scope, idle: list[FromItem]) -> list[FromItem]:
    """The idle items without those by which another one that is read finds its rows: `hotels, bookings, reviews`."""
    for _ in idle[:_CHAINED]:
        needed = _joined_on(scope, idle)
        left = [item for item in idle if item.table is None or item.table not in needed]
        if len(left) == len(idle):
            break
        idle = left
    return idle


def _joined_on(scope: Scope, idle: list[FromItem]) -> set[str | None]:
    """The tables that the joins of the items that are read name."""
    idle_ones = {id(each) for each in idle}
    read_items = [item for item in scope.columns.items.values() if id(item) not in idle_ones]
    found = (scope.joins.of(item) for item in read_items)
    joins = [join for join in found if join is not None and join.kind not in _RIGHT]
    return {column.table for join in joins for pair in join.pairs for column in pair}


_CHAINED = 8
"""Joins in a chain of which each finds the rows of the next."""


def _leave_out(scope: Scope, item: FromItem) -> None:
    spec = scope.spec
    if (scope.path, item.path) in spec.reads:
        spec.reads.remove((scope.path, item.path))
    else:
        spec.optional.add(item.path)


def _optional(scope: Scope) -> list[FromItem]:
    """The items of FROM that leave out no row of the others, unless they are empty.

    A cross join with a table is left out: it repeats the other rows.
    """
    items = list(scope.columns.items.values())
    kinds = [join.kind if (join := scope.joins.of(item)) is not None else "" for item in items]
    last = max([place for place, kind in enumerate(kinds) if kind in _RIGHT], default=0)
    return [
        item
        for place, (item, kind) in enumerate(zip(items, kinds, strict=True))
        if place < last or kind in _OUTER or (kind in _CROSS and item.table is None)
    ]


def _note_unused(scope: Scope, tables: set[str | None], *, whole: bool) -> None:
    """Notes the conditions of an outer join on a table that nothing outside ON reads: they restrict no row.

    `whole`: nothing reads any such table, so no condition of ON restricts a row.
    """
    for each in scope.spec.filters.values():
        if each.clause is Clause.ON and each.block == scope.path and each.lhs is not None:
            read_here = {column.table for column in each.lhs.columns}
            if read_here and (whole or read_here <= tables):
                note(scope, VoidKind.UNUSED, f"outer join on {each.text}")


def _read_inner_conditions(scope: Scope, node: Node) -> None:
    """The conditions of joins inside brackets."""
    while type(node) is exp.Subquery and not isinstance(node.args["this"], exp.Query):
        for join in node.args.get("joins") or ():
            _read_condition(scope, join)
        node = node.args["this"]
    if type(node) is exp.Table:
        for join in node.args.get("joins") or ():
            _read_condition(scope, join)


def _read_condition(scope: Scope, join: Node) -> None:
    condition = join.args.get("on")
    if condition is not None:
        record(scope, condition, Clause.ON)
        bind_join(scope, join, condition)
    for name in join.args.get("using") or ():
        _read_using(scope, join, name.name.lower())
    target = join.args["this"]
    if target is not None and target.args.get("joins"):
        _read_inner_conditions(scope, target)


def _read_using(scope: Scope, join: Node, name: str) -> None:
    """Equates the USING column of the joined item with that of the first item of FROM."""
    items = scope.columns.items
    item = items.get(join.args["this"].alias_or_name.lower())
    pending = scope.joins.of(item) if item is not None else None
    if item is None or pending is None:
        return
    left, right = _using_column(next(iter(items.values())), name), _using_column(item, name)
    scope.spec.columns.update((left, right))
    pending.pairs.append((left, right))
    scope.joins.paired.append(pending)


def _using_column(item: FromItem, name: str) -> Column:
    term = item.find(name)
    return term.columns[0] if term is not None and term.columns else Column(name=name, table=item.base_table())


def _add_join(scope: Scope, join: Node, tables: list[str]) -> None:
    item = add_item(scope, join.args["this"], tables)
    scope.joins.add(_join_kind(join), item)


def _join_kind(join: Node) -> str:
    args = join.args
    if str(args.get("method") or "").lower() == "natural":
        return "natural"
    kind, side = str(args.get("kind") or "").lower(), str(args.get("side") or "").lower()
    if kind in _SPECIAL:
        return kind
    if side in _SIDES:
        return side
    if type(args["this"]) is exp.Lateral and args["this"].args.get("cross_apply") is not None:
        return "cross" if args["this"].args["cross_apply"] else "left"
    return "inner" if kind or _has_condition(join) else "comma"


def _has_condition(join: Node) -> bool:
    condition = join.args.get("on")
    return (condition is not None and type(condition) is not exp.Boolean) or bool(join.args.get("using"))


def _table(scope: Scope, node: Node, tables: list[str]) -> FromItem:
    name: str = node.args["this"].args["this"].lower()
    alias = node.args.get("alias")
    cte = scope.ctes.find(name) if node.args.get("db") is None else None
    item = FromItem(name) if cte is None else cte.copy()
    if cte is not None:
        scope.spec.reads.append((scope.path, cte.path))
    if cte is None:
        tables.append(name)
        kind = table_kind(node, scope.spec.dialect)
        scope.spec.sources.append(Source(kind=kind, block=scope.path, name=name))
    elif columns := column_names(alias):
        item = item.renamed(columns, item.path)
    scope.columns.add((alias.name.lower() if alias is not None else "") or name, item)
    return item


def _derived(scope: Scope, node: Node, subquery: Node, outer: Scope | None) -> FromItem:
    found = read_nested(scope, subquery, SubqueryRole.DERIVED, None, outer)
    item = found.renamed(column_names(node.args.get("alias")), found.path)
    scope.columns.add(node.alias.lower() or item.path, item)
    return item


def _opaque(scope: Scope, node: Node) -> FromItem:
    """VALUES, UNNEST, table functions: only the column names of their alias are known."""
    item = FromItem(None, type(node).__name__.lower())
    for name in column_names(node.args.get("alias")):
        item.outputs[name] = scope.columns.base_column(name, None)
    alias = node.alias_or_name.lower() if type(node) is not exp.Table else node.alias.lower()
    scope.columns.add(alias or f"{item.path}:{len(scope.columns.items)}", item)
    kind = function_kind(node, scope.spec.dialect)
    scope.spec.sources.append(Source(kind=kind, block=scope.path, name=item.path))
    read(scope, node)
    return item


_MOST = 64
"""Comparisons of one WHERE that are looked at."""


def bind_join(scope: Scope, join: Node, condition: Node) -> None:
    """Notes a join whose ON compares columns of two items of FROM."""
    item = scope.columns.items.get(join.args["this"].alias_or_name.lower())
    pending = scope.joins.of(item) if item is not None else None
    if pending is not None and not pending.pairs and _compares_two(condition):
        pending.bound = True
    others = (scope.columns.items.get(name) for name in _named(condition))
    for other in others:
        crossed = scope.joins.of(other) if other is not None and other is not item else None
        if other is not None and crossed is not None and crossed.kind in _CROSS:
            other.used = True  # its rows decide which ones this join finds


def bind_listed(scope: Scope, where: Node) -> None:
    """Notes the items listed with commas or CROSS JOIN of which WHERE compares a column with another item's."""
    if not scope.joins.lists_tables:
        return
    for number, each in enumerate(where.find_all(exp.Predicate)):
        if number >= _MOST:
            return
        named = _named(each)
        if len(named) > 1:
            for name in named:
                item = scope.columns.items.get(name)
                pending = scope.joins.of(item) if item is not None else None
                if pending is not None:
                    pending.bound = True


def _compares_two(condition: Node) -> bool:
    """Whether a condition reads columns of two items; columns without a qualifier may be of any."""
    columns = list(condition.find_all(exp.Column))
    return len(_named(condition)) > 1 or (len(columns) > 1 and not all(each.table for each in columns))


def _named(node: Node) -> set[str]:
    return {each.table.lower() for each in node.find_all(exp.Column) if each.table}
