"""Finds the roles of rows: which row refers to another one of its table, and by which of two keys a row is named."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.sql.shapes.selects import Select, SourceItem
from scoring.sql.terms import Node, derived_kinds
from scoring.words import identifier_words

ABOVE = frozenset(
    "manager mgr boss supervisor sup lead leader mentor parent head chief superior sponsor captain coach "
    "foreman".split()
)
"""Who is referred to by those under him."""
_LINKS = ABOVE | frozenset(
    "by to of from into referred referrer replaced replacement predecessor successor previous prev next original "
    "source rewash recast".split()
)
_DEEPEST = 8
"""Inner queries through which a named row is followed."""
_QUERIES = derived_kinds(exp.Query)


def references(select: Select) -> Iterator[tuple[SourceItem, SourceItem, Node, Node]]:
    """The items of one table of which one holds the key of the other, with the column that holds it, and that key."""
    for left, right, _ in select.pairs:
        for mine, theirs in ((left, right), (right, left)):
            child, holder = select.item_of(mine), select.item_of(theirs)
            if child is None or holder is None or child is holder or child.table is None:
                continue
            if child.table == holder.table and refers_within(mine.name, theirs.name, child.table):
                yield child, holder, mine, theirs


def refers_within(mine: str, theirs: str, table: str) -> bool:
    """Whether a column of a table refers to another column of it, which is its key.

    >>> refers_within("captain_id", "id", "pilots"), refers_within("mgr_emp_id", "emp_id", "staff")
    (True, True)
    >>> refers_within("id", "captain_id", "pilots"), refers_within("base_id", "base_id", "pilots")
    (False, False)
    """
    mine, theirs = mine.lower(), theirs.lower()
    if mine == theirs or is_own_key(Column(mine, table)):
        return False
    if is_own_key(Column(theirs, table)):
        return True
    linked, other = not _LINKS.isdisjoint(identifier_words(mine)), _LINKS.isdisjoint(identifier_words(theirs))
    return linked and other and key_stems(theirs) is not None


def self_uses(select: Select) -> Iterator[Shape]:
    """What is shown, grouped by, counted and tested of a row that refers to another one of its table, and of that."""
    found = list(references(select)) if len(select.items) > 1 else []
    if len(found) != 1:
        return  # a row in the middle of a chain refers, and is referred to
    child, holder, key, own = found[0]
    sides = {child: "child", holder: "holder"}
    for use, node, label in _used(select):
        columns = select.columns_in(node)
        item = select.item_of(columns[0]) if len(columns) == 1 else None
        side = sides.get(item) if item is not None else "all" if _counts_both(select, node) else None
        name = columns[0].name.lower() if columns else "*"
        if side is not None and name != key.name.lower():
            yield Shape(
                kind=ShapeKind.SELF_USE,
                text=f"{key.sql()} = {own.sql()}",
                words=(key.name.lower(), side, use, name, label),
                number=int(name == own.name.lower()),
            )


def _counts_both(select: Select, node: Node) -> bool:
    """Whether rows are counted, each of which is a row and the one that it refers to."""
    pair = len(("child", "holder"))
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star) and len(select.items) == pair


def _used(select: Select) -> Iterator[tuple[str, Node, str]]:
    """The parts of a SELECT that use a column, how they do, and the name or the value beside it."""
    for name, node in select.outputs.items():
        if _counts(node) or not node.find(exp.AggFunc):
            yield "counted" if _counts(node) else "shown", node, name
    for node in select.keys:
        yield "grouped", node, ""
    for each in select.conjuncts("having"):
        if _counts(each.args.get("this")):
            yield "counted", each.this, ""
    for node, value in _texts(select):
        yield "tested", node, value
    for each in select.own:
        if isinstance(each, _BOUNDS) and not isinstance(each.args.get("expression"), exp.Column):
            yield "bounded", each, ""


def _counts(node: Node | None) -> bool:
    return isinstance(node, exp.Count) and not isinstance(node.this, exp.Distinct)


_BOUNDS = (exp.GTE, exp.LT, exp.GT, exp.LTE, exp.Between)


def _texts(select: Select) -> Iterator[tuple[Node, str]]:
    """The columns that a SELECT compares with a text, each with the text in lower case."""
    for each in select.own:
        if not isinstance(each, (exp.EQ, exp.Like, exp.ILike)):
            continue
        for side, other in ((each.this, each.expression), (each.expression, each.this)):
            columns = select.columns_in(side)
            if isinstance(other, exp.Literal) and other.is_string and len(columns) == 1:
                yield columns[0], other.name.strip("%").lower()


def named_rows(select: Select) -> Iterator[Shape]:
    """Keys compared with the key of a row that a text names: `t.to_id = (SELECT id … WHERE name = 'Leeds')`."""
    for left, right, _ in select.pairs:
        for foreign, own in ((left, right), (right, left)):
            yield from _named(select, foreign, own)
    for column, value in _texts(select):
        if key_stems(column.name):
            yield _row_named(select, column, value, column.name.lower())
    for each in select.own if select.kinds & _QUERIES else ():
        query = (
            each.args.get("query")
            if isinstance(each, exp.In)
            else each.expression
            if isinstance(each, exp.EQ)
            else None
        )
        inner = _nested(select, query)
        if inner is not None and isinstance(each.this, exp.Column) and len(inner.shown) == 1:
            for value, tested in _values(inner, inner.shown[0], 0):
                yield _row_named(select, each.this, value, tested)


def _nested(select: Select, query: Node | None) -> Select | None:
    node = query.unnest() if isinstance(query, exp.Expr) else None
    return next((each for each in select.nested if each.node is node), None) if node is not None else None


def _named(select: Select, foreign: Node, own: Node) -> Iterator[Shape]:
    mine, theirs = select.origin(foreign), select.origin(own)
    if mine is None or theirs is None or mine.item is theirs.item or is_own_key(mine.column):
        return
    if mine.column.name == theirs.column.name:
        return
    for value, tested in _values(select, own, 0):
        yield _row_named(select, foreign, value, tested)


def _row_named(select: Select, foreign: Node, value: str, tested: str) -> Shape:
    found = select.origin(foreign)
    column = found.column if found is not None else Column(foreign.name.lower(), None)
    return Shape(
        kind=ShapeKind.ROW_NAMED,
        text=f"{foreign.sql()} of '{value}'"[:100],
        columns=(column,),
        words=(column.name, value, tested),
    )


def _values(select: Select, key: Node, depth: int) -> Iterator[tuple[str, str]]:
    """The texts that the row of a key is tested for, each with the tested column."""
    item = select.item_of(key) if isinstance(key, exp.Column) else None
    if item is None or depth > _DEEPEST:
        return
    for column, value in _texts(select):
        if select.item_of(column) is item:
            yield value, column.name.lower()
    inner = item.arms[0] if len(item.arms) == 1 else None
    node = (
        inner.outputs.get(key.name.lower(), exp.column(key.name) if "*" in inner.outputs else None) if inner else None
    )
    if inner is not None and node is not None:
        yield from _values(inner, node, depth + 1)


def answer_roles(select: Select) -> Iterator[Shape]:
    """The keys by which another table names the rows of the answer: `referred_id` where its members are listed."""
    if select.role != "main":
        return
    while len(select.items) == 1 and len(arms := next(iter(select.items.values())).arms) == 1 and not select.nested:
        select = arms[0]
    seen = set[str]()
    for place, column in _answering(select):
        found = place.origin(column)
        if found is None or found.node is not None or found.column.name in seen or is_own_key(found.column):
            continue
        seen.add(found.column.name)
        name = found.column.name
        yield Shape(kind=ShapeKind.ANSWER_ROLE, text=name, columns=(found.column,), words=(name,))


def _answering(select: Select) -> Iterator[tuple[Select, Node]]:
    """The columns that hold the keys of what is shown, each with the SELECT that reads it."""
    shown = [column for node in select.shown if not node.find(exp.AggFunc) for column in select.columns_in(node)]
    yield from ((select, column) for column in shown if key_stems(column.name) is not None)
    items = _tables_of(select, shown)
    foreign = list(_keys_of(select, items))
    yield from foreign
    yield from _keys_of(select, _tables_of(select, [column for _, column in foreign]))
    yield from _listed(select, items)


def _tables_of(select: Select, columns: list[Node]) -> set[SourceItem]:
    """The tables that columns belong to."""
    items = map(select.item_of, columns)
    return {item for item in items if item is not None and item.table is not None}


def _listed(select: Select, items: set[SourceItem]) -> Iterator[tuple[Select, Node]]:
    """The columns of subqueries by which rows of some items are kept: `id IN (SELECT pilot_id …)`."""
    for each in select.own if exp.In in select.kinds else ():
        inner = _nested(select, each.args.get("query")) if isinstance(each, exp.In) else None
        if inner is not None and isinstance(each.this, exp.Column) and select.item_of(each.this) in items:
            yield from ((inner, node) for node in inner.shown if isinstance(node, exp.Column))


def _keys_of(select: Select, items: set[SourceItem]) -> Iterator[tuple[Select, Node]]:
    """The columns that are compared with the own keys of items."""
    for place in (select, *select.nested):
        for left, right, _ in place.pairs:
            for foreign, own in ((left, right), (right, left)):
                item = place.item_of(own) or select.item_of(own)
                inside = item in items and place.item_of(foreign) not in items
                if item is not None and inside and is_own_key(Column(own.name.lower(), item.table)):
                    yield place, foreign
