"""Reads queries into blocks: SELECT, and set operations of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.specification import (
    Block,
    Clause,
    GroupKey,
    Limit,
    Operand,
    Projection,
    SetOperation,
    SortKey,
    Subquery,
    SubqueryRole,
)
from scoring.sql.conditions import record
from scoring.sql.expressions import bare
from scoring.sql.moments import constant
from scoring.sql.scopes import Names, Reading, Scope, Source, read
from scoring.sql.sources import add_source, finish_joins, read_conditions, read_sources, with_names
from scoring.sql.terms import Node, Term, children
from scoring.values import Number

_KINDS: MappingProxyType[type[Node], str] = MappingProxyType(
    {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}
)
_STAR = Operand(name="*")
_TAIL = ("order", "limit", "offset", "with_")


def read_query(reading: Reading, node: Node, path: str, parent: Scope | None, names: Names, output: bool) -> Source:
    """Reads a query into blocks and gives its output columns."""
    kind = type(node)
    if kind is exp.Select:
        source = _select(reading, node, path, parent, names, output)
    elif kind in _KINDS:
        source = _set_operation(reading, node, path, parent, names, output)
    elif kind is exp.Subquery and isinstance(node.args["this"], exp.Query):
        inner_names = with_names(reading, node, path, names)
        source = read_query(reading, node.args["this"], path, parent, inner_names, output)
        _read_tail(_outside(reading, path, parent, inner_names, source), node, source.columns)
    else:
        source = _other(reading, node, path, parent, with_names(reading, node, path, names), output)
    source.path = path
    return source


def _outside(reading: Reading, path: str, parent: Scope | None, names: Names, source: Source) -> Scope:
    """Where the ORDER BY and LIMIT of a set operation are read: only output columns are in sight."""
    scope = Scope(reading, path, parent, names)
    scope.aliases = source.outputs
    return scope


def _set_operation(reading: Reading, node: Node, path: str, parent: Scope | None, names: Names, output: bool) -> Source:
    """A run of set operations, read in a loop because hostile SQL makes it thousands of arms long."""
    recursive = names.recursive
    names = with_names(reading, node, path, names)
    links = [node]
    first: Node = node.args["this"]
    while type(first) in _KINDS and not any(first.args.get(each) for each in _TAIL):
        links.append(first)
        first = first.args["this"]
    source = read_query(reading, first, path, parent, names, output)
    if recursive is not None and recursive[1] == path and recursive[0] not in source.tables:
        # Later arms of a recursive CTE see what its first arm gives, unless that reads a table of the same name.
        names.sources[recursive[0]] = source.renamed(recursive[2], path)
    for number, link in enumerate(reversed(links), 2):
        arm = f"{path}/{_KINDS[type(link)]}:{number}"
        kind = _KINDS[type(link)] + (" all" if link.args.get("distinct") is False else "")
        reading.set_operations.append(SetOperation(kind=kind, left=path, right=arm))
        found = read_query(reading, link.args["expression"], arm, parent, names, output)
        source.correlated = source.correlated or found.correlated
    _read_tail(_outside(reading, path, parent, names, source), node, source.columns)
    return source


def _other(reading: Reading, node: Node, path: str, parent: Scope | None, names: Names, output: bool) -> Source:
    """VALUES, TABLE t, and a table or join in brackets."""
    scope = Scope(reading, path, parent, names)
    tables: list[str] = []
    source = Source(None, path)
    if isinstance(node, (exp.Table, exp.Subquery)):
        add_source(scope, node, tables)
        reading.projections.append(Projection(operand=_STAR, block=path, star=True))
        source.stars = list(scope.sources.values())
    else:
        read(scope, node)
    source.tables = tuple(tables)
    reading.blocks.append(Block(path=path, tables=source.tables, output=output))
    _read_tail(scope, node, [])
    finish_joins(scope)
    return source


def _select(reading: Reading, node: Node, path: str, parent: Scope | None, names: Names, output: bool) -> Source:
    args = node.args
    scope = Scope(reading, path, parent, with_names(reading, node, path, names))
    source = Source(None, path)
    source.tables = read_sources(scope, node)
    source.reads = tuple([each.name for each in scope.sources.values()])
    distinct = args.get("distinct")
    once_per = distinct.args.get("on") if distinct is not None else None
    is_distinct = distinct is not None and once_per is None
    reading.blocks.append(Block(path=path, tables=source.tables, distinct=is_distinct, output=output))
    for window in args.get("windows") or ():
        scope.windows[window.name.lower()] = window
    for item in args["expressions"]:
        _project(scope, item, source)
    if scope.joins:
        read_conditions(scope, node)
    where = args.get("where")
    if where is not None:
        record(scope, where.args["this"], Clause.WHERE)
    _read_groups(scope, node, source)
    _read_tail(scope, node, source.columns)
    if once_per is not None:
        partition = tuple(read(scope, key).operand for key in once_per.args.get("expressions") or (once_per,))
        reading.limits.append(Limit(count=1, block=path, ranked=True, partition=partition))
    if scope.joins:
        finish_joins(scope)
    source.correlated = scope.correlated
    return source


def _project(scope: Scope, item: Node, source: Source) -> None:
    kind = type(item)
    if kind is exp.Star or (kind is exp.Column and type(item.args["this"]) is exp.Star):
        scope.reading.projections.append(Projection(operand=_STAR, block=scope.path, star=True))
        source.stars.extend(_starred(scope, item))
        return
    reading = scope.reading
    place, cases, before = len(reading.projections), reading.cases, len(reading.subqueries)
    alias = item.alias.lower() if kind is exp.Alias else None
    term = read(scope, item)
    nested = reading.subqueries[before:] if len(reading.subqueries) > before else ()
    projection = Projection(
        operand=term.operand,
        block=scope.path,
        alias=alias,
        literal=not term.columns and term.func is None and term.rank is None and not nested,
        conditional=reading.cases > cases,
        subqueries=_scalars(nested, scope.path) if nested else (),
    )
    reading.projections.insert(place, projection)
    source.columns.append(term)
    if alias is not None:
        scope.aliases[alias] = source.outputs[alias] = term
    elif kind is exp.Column:
        source.outputs[item.name.lower()] = term


def _scalars(nested: Sequence[Subquery], path: str) -> tuple[str, ...]:
    return tuple(each.block for each in nested if each.role is SubqueryRole.SCALAR and each.parent == path)


def _starred(scope: Scope, item: Node) -> list[Source]:
    qualifier = item.args.get("table")
    if qualifier is None:
        return list(scope.sources.values())
    found = scope.sources.get(qualifier.name.lower())
    return [found] if found is not None else []


def _read_groups(scope: Scope, node: Node, source: Source) -> None:
    args = node.args
    group, having, qualify = args.get("group"), args.get("having"), args.get("qualify")
    scope.by_alias = True
    if group is not None:
        for key in _group_keys(scope, group, source):
            scope.reading.group_by.append(GroupKey(operand=key.operand, block=scope.path))
    if having is not None:
        record(scope, having.args["this"], Clause.HAVING)
    if qualify is not None:
        record(scope, qualify.args["this"], Clause.QUALIFY)
    scope.by_alias = False


def _group_keys(scope: Scope, group: Node, source: Source) -> list[Term]:
    """Keys of GROUP BY, ROLLUP, CUBE and GROUPING SETS, each once; of GROUP BY ALL, the plain columns."""
    if group.args.get("all"):
        return [term for term in source.columns if term.func is None]
    waiting: list[Node] = []
    for part in ("grouping_sets", "cube", "rollup", "expressions"):
        found = group.args.get(part)
        waiting.extend(reversed(children(group, part)) if type(found) is list else ())
    keys: dict[str, Term] = {}
    while waiting:
        item = waiting.pop()
        if type(item) in (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple, exp.Paren):
            inner = [item.args["this"]] if type(item) is exp.Paren else item.args.get("expressions") or []
            waiting.extend(reversed(inner))
        else:
            key = _sort_term(scope, item, source.columns)
            keys.setdefault(f"{key.name} {key.columns}", key)
    return list(keys.values())


def _read_tail(scope: Scope, node: Node, columns: list[Term]) -> None:
    args = node.args
    order, limit, offset = args.get("order"), args.get("limit"), args.get("offset")
    if order is not None:
        scope.by_alias = True
        for key in order.args["expressions"]:
            ordered = type(key) is exp.Ordered
            term = _sort_term(scope, key.args["this"] if ordered else key, columns)
            descending = ordered and bool(key.args.get("desc"))
            scope.reading.order_by.append(SortKey(operand=term.operand, descending=descending, block=scope.path))
        scope.by_alias = False
    if limit is not None or offset is not None:
        _read_limit(scope, limit, offset)


def _sort_term(scope: Scope, node: Node, columns: list[Term]) -> Term:
    """A sort or group key: an ordinal names an output column, an alias its expression."""
    if type(node) is exp.Literal and not node.args["is_string"]:
        raw: str = node.args["this"]
        index = int(raw) - 1 if raw.isascii() and raw.isdigit() and len(raw) < 5 else -1
        if 0 <= index < len(columns):
            return columns[index]
    return read(scope, bare(node))


def _read_limit(scope: Scope, limit: Node | None, offset: Node | None) -> None:
    count: int | None = None
    if limit is not None:
        options = limit.args.get("limit_options")
        percent = options is not None and options.args.get("percent")
        count = None if percent else _whole(scope, limit.args.get("count") or limit.args.get("expression"))
        offset = offset or limit.args.get("offset")
    skipped = _whole(scope, offset.args.get("expression") or offset) if offset is not None else None
    scope.reading.limits.append(Limit(count=count, block=scope.path, offset=skipped or 0))


def _whole(scope: Scope, node: Node | None) -> int | None:
    value = constant(scope, bare(node)) if isinstance(node, exp.Expr) else None
    return int(value.value) if isinstance(value, Number) and abs(value.value) < 1e15 else None
