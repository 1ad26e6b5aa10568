"""What FROM, JOIN and WITH bring into sight of a query block."""

from __future__ import annotations

from sqlglot import exp

from scoring.specification import Clause, Column, Join, SubqueryRole
from scoring.sql.conditions import record
from scoring.sql.scopes import Names, PendingJoin, Reading, Scope, Source, read
from scoring.sql.subqueries import read_nested
from scoring.sql.terms import Node

_SIDES = frozenset({"left", "right", "full"})
_SPECIAL = frozenset({"semi", "anti", "cross"})


def with_names(reading: Reading, node: Node, path: str, names: Names) -> Names:
    """The CTE names in sight of a query: those of its own WITH before those around it."""
    clause = node.args.get("with_")
    if clause is None:
        return names
    inner = Names(names)
    for cte in clause.args["expressions"]:
        alias = cte.args.get("alias")
        name = cte.alias.lower()
        columns = column_names(alias)
        body = f"{path}/cte:{name}"
        reading.ctes.append(name)
        inner.recursive = (name, body, columns)
        source = reading.read_query(reading, cte.args["this"], body, None, inner, False)
        inner.sources[name] = source.renamed(columns, body)
    inner.recursive = None
    return inner


def column_names(alias: Node | None) -> list[str]:
    """The names of an alias's column list: `AS t (a, b)`."""
    columns: list[Node] = (alias.args.get("columns") or []) if alias is not None else []
    return [column.name.lower() for column in columns]


def read_sources(scope: Scope, select: Node) -> tuple[str, ...]:
    """Brings everything FROM and JOIN name into sight; gives the base tables in order."""
    clause = select.args.get("from_")
    tables: list[str] = []
    if clause is not None:
        add_source(scope, clause.args["this"], tables)
    for join in select.args.get("joins") or ():
        _add_join(scope, join, tables)
    for lateral in select.args.get("laterals") or ():
        add_source(scope, lateral, tables)
    return tuple(tables)


def add_source(scope: Scope, node: Node, tables: list[str]) -> Source:
    """Brings one item of FROM into sight, with the joins inside its brackets."""
    kind = type(node)
    if kind is exp.Table and type(node.args["this"]) is exp.Identifier:
        source = _table(scope, node, tables)
    elif kind is exp.Subquery and not isinstance(node.args["this"], exp.Query):
        source = add_source(scope, node.args["this"], tables)
    elif kind is exp.Subquery:
        source = _derived(scope, node, node, scope.parent)
    elif kind is exp.Lateral and isinstance(node.args["this"], exp.Subquery):
        source = _derived(scope, node, node.args["this"], scope)
    else:
        source = _opaque(scope, node)
    for join in node.args.get("joins") or ():
        _add_join(scope, join, tables)
    return source


def read_conditions(scope: Scope, select: Node) -> None:
    """Reads ON and USING, once every source is in sight."""
    for join in select.args.get("joins") or ():
        _read_condition(scope, join)
    clause = select.args.get("from_")
    if clause is not None:
        _read_inner_conditions(scope, clause.args["this"])


def finish_joins(scope: Scope) -> None:
    """Records the joins with the columns that ON, USING or WHERE equate."""
    for join in scope.joins:
        table = join.source.table if join.source.table is not None else join.source.path
        # Some dialects read a comma as CROSS JOIN; what tells them apart is whether WHERE joins the tables.
        kind = ("comma" if join.pairs else "cross") if join.kind in ("comma", "cross") else join.kind
        scope.reading.joins.append(Join(kind=kind, table=table, block=scope.path, pairs=tuple(join.pairs)))


def _read_inner_conditions(scope: Scope, node: Node) -> None:
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
    for name in join.args.get("using") or ():
        _using(scope, join, name.name.lower())
    target = join.args["this"]
    if target is not None and target.args.get("joins"):
        _read_inner_conditions(scope, target)


def _using(scope: Scope, join: Node, name: str) -> None:
    alias = join.args["this"].alias_or_name.lower()
    source = scope.sources.get(alias)
    first = next(iter(scope.sources.values()), None)
    if source is None or first is None or source not in scope.joined:
        return
    pair = tuple(found.find(name) for found in (first, source))
    left, right = (
        term.columns[0] if term is not None and term.columns else Column(name=name, table=where.base())
        for term, where in zip(pair, (first, source), strict=True)
    )
    scope.reading.columns.update((left, right))
    scope.joins[scope.joined[source]].pairs.append((left, right))


def _add_join(scope: Scope, join: Node, tables: list[str]) -> None:
    source = add_source(scope, join.args["this"], tables)
    scope.joined[source] = len(scope.joins)
    scope.joins.append(PendingJoin(_kind(join), source))


def _kind(join: Node) -> str:
    args = join.args
    if str(args.get("method") or "").lower() == "natural":
        return "natural"
    side, kind = str(args.get("side") or "").lower(), str(args.get("kind") or "").lower()
    if kind in _SPECIAL:
        return kind
    if side in _SIDES:
        return side
    lateral = args["this"]
    if type(lateral) is exp.Lateral and lateral.args.get("cross_apply") is not None:
        return "cross" if lateral.args["cross_apply"] else "left"
    condition = args.get("on")
    joined = (condition is not None and type(condition) is not exp.Boolean) or args.get("using")
    return "inner" if kind or joined else "comma"


def _table(scope: Scope, node: Node, tables: list[str]) -> Source:
    name: str = node.args["this"].args["this"].lower()
    alias = node.args.get("alias")
    cte = scope.names.find(name) if node.args.get("db") is None else None
    source = Source(name) if cte is None else cte.again()
    if cte is None:
        tables.append(name)
    elif columns := column_names(alias):
        source = source.renamed(columns, source.path)
    scope.add((alias.name.lower() if alias is not None else "") or name, source)
    return source


def _derived(scope: Scope, node: Node, subquery: Node, parent: Scope | None) -> Source:
    found = read_nested(scope, subquery, SubqueryRole.DERIVED, None, parent)
    source = found.renamed(column_names(node.args.get("alias")), found.path)
    alias = node.alias.lower()
    scope.add(alias or source.path, source)
    return source


def _opaque(scope: Scope, node: Node) -> Source:
    """VALUES, UNNEST, table functions: only their alias's column names are known."""
    source = Source(None, type(node).__name__.lower())
    for name in column_names(node.args.get("alias")):
        source.outputs[name] = scope.plain_column(name)
    alias = node.alias_or_name.lower() if type(node) is not exp.Table else node.alias.lower()
    scope.add(alias or f"{source.path}:{len(scope.sources)}", source)
    read(scope, node)
    return source
