"""Reads queries into blocks: SELECT, set operations, and the ORDER BY and LIMIT of both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
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
    Void,
    VoidKind,
)
from scoring.sql.conditions import record
from scoring.sql.constants import constant
from scoring.sql.expressions import bare
from scoring.sql.folding.folder import fold
from scoring.sql.folding.misplaced import REORDERED, is_about_rows, is_reordered
from scoring.sql.from_clause import (
    add_item,
    bind_listed,
    read_from,
    read_join_conditions,
    record_joins,
    record_optional,
    with_ctes,
)
from scoring.sql.from_items import FromItem
from scoring.sql.scopes import BlockPlace, Scope, Walk, read
from scoring.sql.terms import Node, Term, children
from scoring.sql.voids.changed_values import check_output, is_falling, is_plain_value, reads_rows
from scoring.sql.voids.idle import note_computed, show_all
from scoring.sql.voids.notes import forget_steps, note, note_in
from scoring.sql.voids.supplied_values import note_constant
from scoring.values import Number

_SET_OPERATIONS: MappingProxyType[type[Node], str] = MappingProxyType(
    {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}
)
_STAR = Operand(name="*")
_SIGNED = frozenset({exp.Neg, exp.Sub, exp.Mul, exp.Div, exp.Add})
_SOURCES = (exp.Select, exp.Parameter, exp.Placeholder, exp.SessionParameter)
_TAIL = ("order", "limit", "offset", "with_")


def read_query(walk: Walk, node: Node, place: BlockPlace) -> FromItem:
    """Reads a query into blocks; returns its output columns."""
    kind = type(node)
    if kind in _SET_OPERATIONS:
        item = _set_operation(walk, node, place)
    else:
        inner = with_ctes(walk, node, place)
        if kind is exp.Select:
            item = _select(walk, node, inner)
        elif kind is exp.Subquery and isinstance(node.args["this"], exp.Query):
            item = read_query(walk, node.args["this"], inner)
            _read_tail(_outside(walk, inner, item), node, item.columns)
        else:
            item = _other(walk, node, inner)
    item.path = place.path
    return item


def _outside(walk: Walk, place: BlockPlace, item: FromItem) -> Scope:
    """The scope of a set operation's ORDER BY and LIMIT, which see output columns only."""
    scope = Scope(walk, place)
    scope.aliases = item.outputs
    return scope


def _set_operation(walk: Walk, node: Node, place: BlockPlace) -> FromItem:
    """A run of set operations, read in a loop because hostile SQL makes it thousands of arms long."""
    recursive = place.ctes.recursive
    inner = with_ctes(walk, node, place)
    path = place.path
    links = [node]
    first: Node = node.args["this"]
    while type(first) in _SET_OPERATIONS and not any(first.args.get(each) for each in _TAIL):
        links.append(first)
        first = first.args["this"]
    item = read_query(walk, first, inner)
    if recursive is not None and recursive[1] == path and recursive[0] not in item.tables:
        # Later arms of a recursive CTE see the columns of its first arm, unless that reads a table of the same name.
        inner.ctes.items[recursive[0]] = item.renamed(recursive[2], path)
    for number, link in enumerate(reversed(links), 2):
        arm = f"{path}/{_SET_OPERATIONS[type(link)]}:{number}"
        kind = _SET_OPERATIONS[type(link)] + (" all" if link.args.get("distinct") is False else "")
        walk.spec.set_operations.append(SetOperation(kind=kind, left=path, right=arm))
        noted = len(walk.spec.voids)
        found = read_query(walk, link.args["expression"], inner._replace(path=arm))
        forget_steps(walk.spec, noted, recursive, (*item.tables, *found.tables))
        _drop_empty_arm(walk, link, found, path)
        _differ(item, found)
        item.correlated = item.correlated or found.correlated
    _read_tail(_outside(walk, inner, item), node, item.columns)
    return item


def _differ(item: FromItem, found: FromItem) -> None:
    """A column that is not the same constant in each arm tells rows apart."""
    for term, other in zip_longest(item.columns, found.columns):
        if term is not None and (other is None or term.supplies != other.supplies):
            term.supplies = frozenset()
        if term is not None and (other is None or term.name != other.name):
            term.constant = False


def _drop_empty_arm(walk: Walk, link: Node, found: FromItem, path: str) -> None:
    """Leaves out the right side of a UNION or EXCEPT that gives no row."""
    if found.empty and type(link) is not exp.Intersect:
        walk.spec.dead.add(found.path)
        note_in(walk.spec, Void(kind=VoidKind.ARM, block=path, text=f"{_SET_OPERATIONS[type(link)]} of no row"))


def _other(walk: Walk, node: Node, place: BlockPlace) -> FromItem:
    """VALUES, TABLE t, and a table or join in brackets."""
    scope = Scope(walk, place)
    tables: list[str] = []
    item = FromItem(None, place.path)
    if isinstance(node, (exp.Table, exp.Subquery)):
        add_item(scope, node, tables)
        walk.spec.projections.append(Projection(operand=_STAR, block=place.path, star=True))
        item.stars = list(scope.columns.items.values())
    else:
        read(scope, node)
    item.tables = tuple(tables)
    walk.spec.blocks.append(Block(path=place.path, tables=item.tables, output=place.is_output))
    _read_tail(scope, node, [])
    record_joins(scope)
    return item


def _select(walk: Walk, node: Node, place: BlockPlace) -> FromItem:
    scope = Scope(walk, place)
    item = FromItem(None, place.path)
    item.tables = read_from(scope, node)
    item.item_names = tuple([each.name for each in scope.columns.items.values()])
    distinct = node.args.get("distinct")
    distinct_on = distinct.args.get("on") if distinct is not None else None
    is_distinct = distinct is not None and distinct_on is None
    walk.spec.blocks.append(Block(path=place.path, tables=item.tables, distinct=is_distinct, output=place.is_output))
    _read_clauses(scope, node, item)
    if distinct_on is not None:
        _read_distinct_on(scope, distinct_on)
    if scope.joins.all:
        record_joins(scope)
        record_optional(scope, is_starred=bool(item.stars))
    item.correlated = scope.columns.correlated
    if scope.columns.outer_reads == len(scope.columns.outer_pairs) == 1:
        item.outer_pair = scope.columns.outer_pairs[0]
    needed = [each.empty and not scope.joins.is_optional(each) for each in scope.columns.items.values()]
    item.empty = scope.empty or True in needed
    return item


def _read_clauses(scope: Scope, node: Node, item: FromItem) -> None:
    """Everything from the outputs to LIMIT, in an order in which aliases are known before they are used."""
    args = node.args
    for window in args.get("windows") or ():
        scope.windows[window.name.lower()] = window
    for output in args["expressions"]:
        _project(scope, output, item)
    if scope.joins.all:
        scope.position.in_on = True
        read_join_conditions(scope, node)
        scope.position.in_on = False
    where = args.get("where")
    if where is not None:
        record(scope, where.args["this"], Clause.WHERE)
        bind_listed(scope, where)
    _read_groups(scope, node, item)
    _read_tail(scope, node, item.columns)


def _read_distinct_on(scope: Scope, keys: Node) -> None:
    """DISTINCT ON keeps one row per value of its keys."""
    partition = tuple(read(scope, key).operand for key in keys.args.get("expressions") or (keys,))
    scope.spec.limits.append(Limit(count=1, block=scope.path, ranked=True, partition=partition))


def _project(scope: Scope, output: Node, item: FromItem) -> None:
    kind = type(output)
    if kind is exp.Star or (kind is exp.Column and type(output.args["this"]) is exp.Star):
        scope.spec.projections.append(Projection(operand=_STAR, block=scope.path, star=True))
        item.stars.extend(starred := _starred(scope, output))
        show_all(scope, starred)
        return
    spec = scope.spec
    place, conditionals, before = len(spec.projections), spec.conditionals, len(spec.subqueries)
    filters = len(spec.filters)
    alias = output.alias.lower() if kind is exp.Alias else None
    term = read(scope, output)
    nested = spec.subqueries[before:] if len(spec.subqueries) > before else ()
    check_output(scope, output, term.name)
    note_constant(scope, output, term)
    projection = Projection(
        operand=term.operand,
        block=scope.path,
        alias=alias,
        literal=not term.columns and term.func is None and term.rank is None and not nested,
        conditional=spec.conditionals > conditionals,
        subqueries=_scalars(nested, scope.path) if nested else (),
    )
    spec.projections.insert(place, projection)
    item.columns.append(term)
    if alias is not None:
        note_computed(scope, output, term, filters)
        scope.aliases[alias] = item.outputs[alias] = term
    elif kind is exp.Column:
        item.outputs[output.name.lower()] = term


def _scalars(nested: Sequence[Subquery], path: str) -> tuple[str, ...]:
    return tuple(each.block for each in nested if each.role is SubqueryRole.SCALAR and each.parent == path)


def _starred(scope: Scope, star: Node) -> list[FromItem]:
    """The FROM items that `*` or `t.*` lists."""
    qualifier = star.args.get("table")
    if qualifier is None:
        return list(scope.columns.items.values())
    found = scope.columns.items.get(qualifier.name.lower())
    return [found] if found is not None else []


def _read_groups(scope: Scope, node: Node, item: FromItem) -> None:
    args = node.args
    group, having, qualify = args.get("group"), args.get("having"), args.get("qualify")
    scope.position.in_tail = True
    if group is not None:
        for key in _group_keys(scope, group, item):
            scope.spec.group_by.append(GroupKey(operand=key.operand, block=scope.path))
    if having is not None:
        if group is None and is_about_rows(node, having):
            note(scope, VoidKind.CONDITION, having.sql())
        record(scope, having.args["this"], Clause.HAVING)
    if qualify is not None:
        record(scope, qualify.args["this"], Clause.QUALIFY)
    scope.position.in_tail = False


def _group_keys(scope: Scope, group: Node, item: FromItem) -> list[Term]:
    """Keys of GROUP BY, ROLLUP, CUBE and GROUPING SETS without duplicates; of GROUP BY ALL, the plain columns."""
    if group.args.get("all"):
        return [term for term in item.columns if term.func is None]
    waiting: list[Node] = []
    for part in ("grouping_sets", "cube", "rollup", "expressions"):
        found = group.args.get(part)
        waiting.extend(reversed(children(group, part)) if type(found) is list else ())
    keys: dict[str, Term] = {}
    while waiting:
        node = waiting.pop()
        if type(node) in (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple, exp.Paren):
            inner = [node.args["this"]] if type(node) is exp.Paren else node.args.get("expressions") or []
            waiting.extend(reversed(inner))
        else:
            key = _sort_term(scope, node, item.columns)
            if _is_same(key) or _is_same_for_every_row(scope, node):
                note(scope, VoidKind.GROUP, key.name)
                continue
            keys.setdefault(f"{key.name} {key.columns}", key)
    return list(keys.values())


def _read_tail(scope: Scope, node: Node, columns: list[Term]) -> None:
    """ORDER BY, LIMIT and OFFSET."""
    args = node.args
    order, limit, offset = args.get("order"), args.get("limit"), args.get("offset")
    if order is not None:
        _read_order(scope, order, columns)
    if limit is not None or offset is not None:
        _read_limit(scope, limit, offset)


def _read_order(scope: Scope, order: Node, columns: list[Term]) -> None:
    """The sort keys; those that are the same for every row are left out, and noted if no other is there."""
    scope.position.in_tail = True
    before, same = len(scope.spec.order_by), ""
    keys: list[Node] = order.args["expressions"]
    for key in keys:
        ordered = type(key) is exp.Ordered
        inner: Node = bare(key.args["this"] if ordered else key)
        descending = ordered and bool(key.args.get("desc"))
        if type(inner) in _SIGNED and (core := is_falling(scope, inner)) is not None:
            inner, descending = core, not descending
        term = _sort_term(scope, inner, columns)
        if _is_same(term) or _is_same_for_every_row(scope, inner):
            same = same or term.name
        else:
            if len(scope.spec.order_by) == before and is_reordered(scope, inner, alone=len(keys) == 1):
                note(scope, VoidKind.COMPUTED, f"order by {term.name}", values=(REORDERED,))
            scope.spec.order_by.append(SortKey(operand=term.operand, descending=descending, block=scope.path))
    if same and len(scope.spec.order_by) == before:
        note(scope, VoidKind.ORDER, same)
    scope.position.in_tail = False


def _is_same(term: Term) -> bool:
    """Whether a key is a constant column of an inner query, a total over all rows, or a query that reads no row."""
    return term.constant or term.whole or (term.block is not None and not term.correlated)


def _is_same_for_every_row(scope: Scope, node: Node) -> bool:
    """Whether a sort or group key is a text, or reads rows and is the same for all of them; ordinals are not."""
    if type(node) is exp.Literal:
        return bool(node.args["is_string"])
    if is_plain_value(node) or type(node) in (exp.Null, exp.Tuple):
        return False
    folded = fold(scope, node)
    return folded.constant and (folded.reads or reads_rows(node) or not node.find(*_SOURCES))


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
    if count is not None and count <= 0:
        note(scope, VoidKind.EMPTY, f"limit {count}")
        scope.empty = True
    skipped = _whole(scope, offset.args.get("expression") or offset) if offset is not None else None
    scope.spec.limits.append(Limit(count=count, block=scope.path, offset=skipped or 0))


def _whole(scope: Scope, node: Node | None) -> int | None:
    value = constant(scope, bare(node)) if isinstance(node, exp.Expr) else None
    return int(value.value) if isinstance(value, Number) and abs(value.value) < 1e15 else None
