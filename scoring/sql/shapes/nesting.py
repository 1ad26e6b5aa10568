"""Finds subqueries of the wrong rows: of no row in particular, of the wrong level, or averages of averages."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key
from scoring.sql.shapes.selects import Select, SourceItem, written
from scoring.sql.terms import Node
from scoring.words import identifier_words

_JOINED = (exp.And, exp.Paren)
_COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def means(select: Select) -> Iterator[Shape]:
    """AVG of an average of groups, and AVG of a division of two columns."""
    for call in select.own:
        if isinstance(call, exp.Avg):
            yield from _mean(select, call)


def _mean(select: Select, call: Node) -> Iterator[Shape]:
    """What is averaged, where it is an average itself or a division."""
    inner = call.this
    found = select.origin(inner) if isinstance(inner, exp.Column) else None
    if found is None or found.inner is None or found.node is None:
        if _divides_columns(inner) or _is_mean(select, inner):
            yield Shape(kind=ShapeKind.MEAN_OF_RATIOS, text=written(call))
        return
    averaged = found.node.find(exp.Avg) is not None or _divides_aggregates(found.node)
    if averaged and found.inner.is_grouped:
        yield Shape(kind=ShapeKind.MEAN_OF_MEANS, text=f"AVG of {written(found.node)}")
    elif not found.inner.is_grouped and _divides_columns(found.node):
        yield Shape(kind=ShapeKind.MEAN_OF_RATIOS, text=f"AVG of {written(found.node)}")


def _divides_aggregates(node: Node) -> bool:
    divisions = node.find_all(exp.Div, exp.IntDiv, exp.SafeDivide)
    return any(each.this.find(exp.AggFunc) and each.expression.find(exp.AggFunc) for each in divisions)


def _divides_columns(node: Node) -> bool:
    return any(
        each.this.find(exp.Column) and each.expression.find(exp.Column) and not each.find(exp.AggFunc)
        for each in node.find_all(exp.Div, exp.SafeDivide)
    )


def _is_mean(select: Select, node: Node) -> bool:
    """Whether a column of a table is named an average, and that table has a count beside it."""
    if not isinstance(node, exp.Column) or _MEANS.isdisjoint(identifier_words(node.name)):
        return False
    others = [each.name for each in select.own if isinstance(each, exp.Column)]
    return any(not _COUNTS.isdisjoint(identifier_words(name)) for name in others)


_MEANS = frozenset({"avg", "average", "mean"})
_COUNTS = frozenset({"count", "cnt", "number", "num"})


def levels(select: Select) -> Iterator[Shape]:
    """IN and EXISTS over the very table whose rows the outer query adds up or lists, by a key of another table."""
    for each, nested in _semi_joins(select):
        tables = {item.table for item in nested.items.values()} - {None}
        shared = next((item for item in select.items.values() if item.table in tables), None)
        keys = _linking_keys(each, nested)
        if shared is None or not keys or nested.is_grouped or _keeps_rows(keys, shared.table):
            continue
        measured = _measured(select)
        if _has_test(nested) and (measured is None or shared.alias in measured):
            text = f"{shared.table} kept by {', '.join(key.name for key in keys)} of others of its rows"
            yield Shape(kind=ShapeKind.LEVEL, text=text, columns=tuple(keys))


def _keeps_rows(keys: list[Column], table: str | None) -> bool:
    """Whether a key is the table's own, so that each row is kept for itself."""
    return any(key.table == table and is_own_key(key) for key in keys)


def _has_test(select: Select) -> bool:
    return any(map(_is_test, select.conjuncts("where")))


def _linking_keys(semi_join: Node, nested: Select) -> list[Column]:
    """The columns by which a subquery's rows keep those of the outer query."""
    nodes = [node for node in nested.shown if isinstance(node, exp.Column)]
    if not isinstance(semi_join, exp.In):
        nodes = [side for left, right, _ in nested.pairs for side in (left, right)]
    return [found for node in nodes if (found := _source(nested, node)) is not None]


def _measured(select: Select) -> set[str] | None:
    """The items whose columns are aggregated; `None` where rows are counted or listed."""
    calls = [each for each in select.own if isinstance(each, exp.AggFunc)]
    found: set[str] = set()
    for call in calls:
        columns = select.columns_in(call)
        if not columns:
            return None
        found |= {item.alias for each in columns if (item := select.item_of(each)) is not None}
    return found if calls else None


def _semi_joins(select: Select) -> Iterator[tuple[Node, Select]]:
    """IN and EXISTS that are joined by AND, with the one SELECT in each."""
    for each in select.conjuncts("where"):
        query = (
            each.args.get("query") if isinstance(each, exp.In) else each.this if isinstance(each, exp.Exists) else None
        )
        while isinstance(query, exp.Subquery):
            query = query.this
        if isinstance(query, exp.Select):
            nested = _select_of(select, query)
            if nested is not None:
                yield each, nested


def _select_of(select: Select, node: Node) -> Select | None:
    found: list[Select] = select.nested
    return next((each for each in found if each.node is node), None)


def _source(select: Select, node: Node) -> Column | None:
    found = select.origin(node)
    return found.column if found is not None else None


def _is_test(condition: Node) -> bool:
    """Whether a condition compares a column with something that is no column."""
    if isinstance(condition, _COMPARING):
        return not (isinstance(condition.this, exp.Column) and isinstance(condition.expression, exp.Column))
    return isinstance(condition, (exp.Between, exp.In, exp.Like, exp.ILike, exp.Func))


def uncorrelated(select: Select) -> Iterator[Shape]:
    """EXISTS of a query that reads nothing of the row, and constants compared with such a query."""
    for nested in select.nested:
        holder = _holder(nested.node)
        if holder is None or not nested.items:
            continue
        if _reads_outer(nested):
            if isinstance(holder, exp.Exists) and _linked_by_time(select, nested):
                text = f"EXISTS ({written(nested.node)[:80]}) is linked by no key"
                yield Shape(kind=ShapeKind.UNCORRELATED, text=text)
            continue
        if isinstance(holder, exp.Exists):
            text = f"EXISTS ({written(nested.node)[:80]}) is the same for every row"
            yield Shape(kind=ShapeKind.UNCORRELATED, text=text)
        elif isinstance(holder, _COMPARING) and select.items and not nested.is_grouped:
            yield from _compared(select, nested, holder)


def _linked_by_time(select: Select, nested: Select) -> bool:
    """Whether all that links a subquery to the rows of another table is that one time is before another."""
    own = {alias.lower() for alias in nested.items}
    links = [
        each
        for each in nested.conjuncts("where")
        if any(column.text("table").lower() not in own for column in each.find_all(exp.Column))
    ]
    tables = [{item.table for item in each.items.values()} for each in (select, nested)]
    bound = len(links) == 1 and isinstance(links[0], (exp.LT, exp.LTE, exp.GT, exp.GTE))
    times = bound and all(_TIMES & set(identifier_words(each.name)) for each in links[0].find_all(exp.Column))
    return times and tables[0].isdisjoint(tables[1])


_TIMES = frozenset("at on date time day".split())


def _compared(select: Select, nested: Select, holder: Node) -> Iterator[Shape]:
    """What a subquery that reads nothing of the row is compared with: a constant, or a column."""
    other = holder.expression if holder.this.find(type(nested.node)) else holder.this
    aggregated = any(node.find(exp.AggFunc) for node in nested.shown)
    if isinstance(other, exp.Literal):
        yield Shape(kind=ShapeKind.UNCORRELATED, text=f"{written(holder)[:80]} is the same for every row")
    elif (aggregated or holder.find(exp.Any, exp.All)) and other.find(exp.Column):
        yield Shape(kind=ShapeKind.OVERALL, text=f"{written(holder)[:80]} compares with all rows")


def _holder(node: Node) -> Node | None:
    """The condition that a subquery is in, if it stands there bare."""
    parent = node.parent
    while isinstance(parent, (exp.Subquery, exp.Paren, exp.Coalesce, exp.Cast, exp.All, exp.Any)):
        parent = parent.parent
    return parent


def _reads_outer(select: Select) -> bool:
    """Whether a query, or one in it, reads a column that none of its items has, or may have."""
    for column in select.node.find_all(exp.Column):
        qualifier = column.text("table").lower()
        if qualifier and qualifier not in _aliases(select.node):
            return True
    return False


def _aliases(node: Node) -> set[str]:
    return {each.alias_or_name.lower() for each in node.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Lateral)}


def nullable_exclusions(select: Select) -> Iterator[Shape]:
    """NOT IN and `<> ALL` over a foreign key, without a condition that drops NULL."""
    for each in select.own:
        query = _excluded(each)
        while isinstance(query, exp.Subquery):
            query = query.this
        nested = _select_of(select, query) if isinstance(query, exp.Select) else None
        if nested is None or len(nested.outputs) != 1:
            continue
        node = next(iter(nested.outputs.values()))
        column = _source(nested, node) if isinstance(node, exp.Column) else None
        if column is None or is_own_key(column) or _drops_null(nested, node):
            continue
        words = ("hierarchy",) if _is_hierarchy(select, each, column) else ()
        yield Shape(kind=ShapeKind.NULLABLE_EXCLUSION, text=written(each)[:100], columns=(column,), words=words)


def _is_hierarchy(select: Select, exclusion: Node, column: Column) -> bool:
    """Whether rows are excluded by their own key that other rows of their table refer to: the roots refer to none."""
    tested = exclusion.this.this if isinstance(exclusion, exp.Not) else exclusion.this
    found = _source(select, tested) if isinstance(tested, exp.Column) else None
    return found is not None and found.table == column.table and is_own_key(found)


def _excluded(node: Node) -> Node | None:
    if isinstance(node, exp.Not) and isinstance(node.this, exp.In):
        return node.this.args.get("query")
    if isinstance(node, exp.NEQ) and isinstance(node.expression, exp.All):
        return node.expression.this
    return None


def _drops_null(select: Select, node: Node) -> bool:
    """Whether some condition of the query can only hold where the column is not NULL."""
    name = node.name.lower()
    conditions = [*select.conjuncts("where"), *select.conjuncts("having")]
    for left, right, _ in select.pairs:
        if name in (left.name.lower(), right.name.lower()):
            return True
    return any(
        column.name.lower() == name
        for each in conditions
        if not (isinstance(each, exp.Is) and not each.args.get("negate"))
        for column in select.columns_in(each)
    )


def outer_conditions(select: Select) -> Iterator[Shape]:
    """Conditions on the side that an outer join leaves NULL, in WHERE or of an inner join, which drop what it keeps."""
    optional = [item for item in select.items.values() if item.side in ("left", "full")]
    for item in optional:
        if item.table is not None:
            yield Shape(kind=ShapeKind.OPTIONAL, text=f"{item.side} join of {item.table}", words=(item.table,))
    if optional:
        yield from _inner_joins(select, optional)
    for each in select.conjuncts("where") if optional else ():
        items = {select.item_of(column) for column in select.columns_in(each)}
        if len(items) == 1 and items.pop() in optional and not _allows_null(each):
            yield Shape(kind=ShapeKind.OUTER_CONDITION, text=written(each)[:100])


def _inner_joins(select: Select, optional: list[SourceItem]) -> Iterator[Shape]:
    """Inner joins on a column of an item that an outer join may leave NULL."""
    for left, right, join in select.pairs:
        for mine, other in ((left, right), (right, left)):
            joined = select.item_of(mine)
            inner = join is not None and joined is not None and joined.join is join and not joined.side
            if inner and select.item_of(other) in optional:
                yield Shape(kind=ShapeKind.OUTER_CONDITION, text=f"inner join on {written(left)} = {written(right)}")


def _allows_null(condition: Node) -> bool:
    """Whether a condition may hold for NULL."""
    if isinstance(condition, (exp.Or, exp.Is, exp.Not)):
        return True
    return condition.find(exp.Coalesce, exp.Null, exp.Is) is not None


def mixed_ors(select: Select) -> Iterator[Shape]:
    """`a = 1 OR a = 2 AND b = 3`: the condition on `b` binds to the second arm alone."""
    where = select.node.args.get("where")
    arms = list(where.this.flatten()) if where is not None and isinstance(where.this, exp.Or) else []
    bound = [each for each in arms if isinstance(each, exp.And)]
    plain = [each for each in arms if not isinstance(each, _JOINED)]
    if len(bound) == 1 and len(arms) == len(plain) + 1 > 1 and _binds_one_arm(select, bound[0], plain):
        yield Shape(kind=ShapeKind.MIXED_OR, text=" OR ".join(map(written, arms))[:120])


def _binds_one_arm(select: Select, bound: Node, others: list[Node]) -> bool:
    """Whether all arms test one column, and one arm another column beside it."""
    names = [_names(select, part) for part in bound.flatten()]
    alike = set[str]().union(*(_names(select, each) for each in others))
    if _are_twins(bound, others):
        return True
    return len(alike) == 1 and alike in names and not all(each & alike for each in names if each)


def _are_twins(bound: Node, others: list[Node]) -> bool:
    """Whether two like columns are tested alike, and more beside the last: `late_fee > 0 OR lost_fee > 0 AND …`."""
    first, *rest = list(bound.flatten())
    alone = others[0] if len(others) == 1 else None
    if not isinstance(alone, _COMPARING) or type(first) is not type(alone) or not rest:
        return False
    columns = [alone.this, first.this]
    plain = all(isinstance(each, exp.Column) for each in columns) and alone.expression == first.expression
    heads = [identifier_words(each.name)[-1:] for each in columns] if plain else []
    return plain and heads[0] == heads[1] and all(isinstance(each, _COMPARING[2:]) for each in rest)


def _names(select: Select, node: Node) -> set[str]:
    """The names of the columns of an expression."""
    return {column.name.lower() for column in select.columns_in(node)}


def counted_rows(select: Select) -> Iterator[Shape]:
    """COUNT of rows, with the tables counted and the keys of other things in them."""
    for call in select.own:
        if not isinstance(call, exp.Count) or isinstance(call.this, exp.Distinct) or call.args.get("expressions"):
            continue
        columns = tuple(found.column for each in select.columns_in(call) if (found := select.origin(each)) is not None)
        keys = tuple(column.name.lower() for key in select.keys for column in select.columns_in(key))
        tables = tuple(item.table for item in select.items.values() if item.table)
        if tables and len(tables) == len(select.items):
            keyed = Column(" ".join(keys), None)
            yield Shape(kind=ShapeKind.COUNTED_ROWS, text=written(call), columns=(keyed, *columns), words=tables)
