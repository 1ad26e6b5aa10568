"""Finds groups that are lost, or that are of one row each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_name, is_own_key, key_stems, table_words
from scoring.sql.shapes.selects import Select, SourceItem, written
from scoring.sql.terms import Node, children

_EXTREMES = (exp.Max, exp.Min)
_AGGREGATES = (exp.Max, exp.Min, exp.Sum, exp.Avg)
_BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ)
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)


def groups_lost(select: Select) -> Iterator[Shape]:
    """`x IN (SELECT MAX(x) … GROUP BY g)`: the extreme of any group will do."""
    for each in select.conjuncts("where"):
        query = each.args.get("query") if isinstance(each, exp.In) else None
        while isinstance(query, exp.Subquery):
            query = query.this
        nested = next((found for found in select.nested if found.node is query), None)
        if nested is None or not nested.is_grouped or not isinstance(each.this, exp.Column) or len(nested.shown) != 1:
            continue
        if isinstance(nested.shown[0], _EXTREMES) and not _reads_outside(nested):
            yield Shape(kind=ShapeKind.GROUP_LOST, text=written(each)[:100])


def _reads_outside(select: Select) -> bool:
    qualifiers = {each.text("table").lower() for each in select.own if isinstance(each, exp.Column)}
    return not qualifiers - {""} <= select.items.keys()


def each_alone(select: Select) -> Iterator[Shape]:
    """Aggregates, and ranks within groups, of rows that their own key keeps apart."""
    if _is_one_table(select) and _has_own_key(select, select.keys):
        calls = (each for each in select.own if isinstance(each, _AGGREGATES) and each.this.find(exp.Column))
        for each in islice(calls, 1):
            yield Shape(kind=ShapeKind.EACH_ALONE, text=f"{written(each)} of one row each")
    for each in select.own:
        if isinstance(each, exp.Window) and isinstance(each.this, _RANKS) and _ranks_alone(select, each):
            yield Shape(kind=ShapeKind.EACH_ALONE, text=f"{written(each)[:100]} of one row each")


def counted_alone(select: Select) -> Iterator[Shape]:
    """COUNT of groups by the own key of a table, each of whose rows finds one row of every other table."""
    owner = next(_own_groups(select), None) if select.is_grouped and len(select.items) > 1 else None
    call = next(_counts(select), None) if owner is not None and owner.table is not None else None
    if call is None or owner is None:
        return
    if any(_links(owner, each) for each in select.items.values() if each is not owner):
        return
    if [each for each in select.items.values() if not _is_found_once(select, each)] == [owner]:
        yield Shape(kind=ShapeKind.EACH_ALONE, text=f"{written(call)} of one row each")


def _links(owner: SourceItem, other: SourceItem) -> bool:
    """Whether a table links the things of another: `match_players` has several rows for a player, one a match."""
    words = table_words(owner.table or "")
    return len(words) > 1 and table_words(other.table or "")[-1:] == words[:1]


def _counts(select: Select) -> Iterator[Node]:
    """Counts of rows, and of one column without DISTINCT."""
    for each in select.own:
        if isinstance(each, exp.Count) and isinstance(each.this, (exp.Star, exp.Column)):
            yield each


def _own_groups(select: Select) -> Iterator[SourceItem]:
    """The items by whose own key the rows are grouped."""
    for key in select.keys:
        found = select.origin(key) if isinstance(key, exp.Column) else None
        if found is not None and is_own_key(found.column):
            yield found.item


def _is_found_once(select: Select, item: SourceItem) -> bool:
    """Whether a join finds an item by its own key."""
    sides = [side for left, right, join in select.pairs if join is not None for side in (left, right)]
    own = [side for side in sides if select.item_of(side) is item]
    return any(is_own_key(Column(side.name.lower(), item.table)) for side in own)


def _is_one_table(select: Select) -> bool:
    """Whether the rows are those of one table, and no subquery chooses among them."""
    return [item.table is not None for item in select.items.values()] == [True] and not select.nested


def _has_own_key(select: Select, keys: list[Node]) -> bool:
    return any(_is_alone(select, key) for key in keys)


def _ranks_alone(select: Select, window: Node) -> bool:
    """Whether a rank is within groups that the own key of the ranked rows makes."""
    items = {select.item_of(column) for key in _ordered(window) for column in select.columns_in(key)}
    columns = [each for each in children(window, "partition_by") if isinstance(each, exp.Column)]
    return _has_own_key(select, [each for each in columns if select.item_of(each) in items])


def _ordered(window: Node) -> list[Node]:
    order = window.args.get("order")
    return list(order.expressions) if order is not None else []


def _is_alone(select: Select, key: Node) -> bool:
    """Whether a key is just `id`, the key of its own table."""
    found = select.origin(key) if isinstance(key, exp.Column) else None
    return found is not None and found.column.name == "id" and found.node is None and is_own_key(found.column)


def sums_of_counts(select: Select) -> Iterator[Shape]:
    """Counts of groups that are added again."""
    for each in select.own:
        if not isinstance(each, exp.Sum) or not isinstance(each.this, exp.Column):
            continue
        found = select.origin(each.this)
        if found is None or found.inner is None or not isinstance(found.node, exp.Count) or not found.inner.is_grouped:
            continue
        inner = found.inner
        keys = tuple(
            origin.column for key in inner.keys for column in inner.columns_in(key) if (origin := inner.origin(column))
        )
        yield Shape(kind=ShapeKind.SUM_OF_COUNTS, text=f"SUM of {written(found.node)}", columns=keys)


def nulls_counted(select: Select) -> Iterator[Shape]:
    """COUNT of a column that must be NULL, and averages in which something stands for NULL."""
    absent = {
        written(each.this)
        for each in select.conjuncts("where")
        if isinstance(each, exp.Is) and isinstance(each.expression, exp.Null) and not each.args.get("negate")
    }
    for each in select.own:
        if isinstance(each, exp.Count) and isinstance(each.this, exp.Column) and written(each.this) in absent:
            yield Shape(kind=ShapeKind.NULL_COUNTED, text=f"{written(each)} where it is NULL")
        if _counts_null(each):
            yield Shape(kind=ShapeKind.NULL_COUNTED, text=written(each)[:100])
        filled = each.this.find(exp.Coalesce) if isinstance(each, exp.Avg) else None
        if filled is not None and not filled.find(exp.AggFunc):
            yield Shape(kind=ShapeKind.FILLED, text=written(each)[:100])


def _counts_null(filtered: Node) -> bool:
    """Whether it is `COUNT(c) FILTER (WHERE c IS NULL)`."""
    if not isinstance(filtered, exp.Filter):
        return False
    counted, kept = filtered.this, filtered.expression.this
    if not isinstance(counted, exp.Count) or not isinstance(counted.this, exp.Column) or not isinstance(kept, exp.Is):
        return False
    return isinstance(kept.expression, exp.Null) and written(kept.this) == written(counted.this)


def havings_alone(select: Select) -> Iterator[Shape]:
    """HAVING without GROUP BY that bounds a count of all rows."""
    if select.is_grouped:
        return
    for each in select.conjuncts("having"):
        if isinstance(each, _BOUNDS) and isinstance(each.this, exp.Count):
            yield Shape(kind=ShapeKind.HAVING_ALONE, text=written(each)[:100])


def bases_of_all(select: Select) -> Iterator[Shape]:
    """Groups that a condition restricts, or the rows of them that meet one, divided by all rows."""
    restricted = any(isinstance(each, (*_BOUNDS, exp.In, exp.Like)) for each in select.conjuncts("where"))
    for each in select.own if select.is_grouped else ():
        if not isinstance(each, exp.Div) or not _is_of_all(select, each.expression):
            continue
        if restricted or each.this.find(exp.CountIf, exp.Case, exp.If, exp.Filter):
            yield Shape(kind=ShapeKind.BASE_OF_ALL, text=written(each)[:120])


def _is_of_all(select: Select, base: Node) -> bool:
    """Whether a base is a total over all groups, or a subquery that reads nothing of the group."""
    while isinstance(base, (exp.Paren, exp.Cast, exp.Nullif)):
        base = base.this
    if isinstance(base, exp.Window):
        return not base.args.get("partition_by") and not base.args.get("order")
    inner = base.this if isinstance(base, exp.Subquery) else None
    return any(found.node is inner and not _reads_outside(found) for found in select.nested)


def columns_compared(select: Select) -> Iterator[Shape]:
    """Comparisons of two columns, as `more than` of the first."""
    for each in select.own:
        if not isinstance(each, (exp.GT, exp.GTE, exp.LT, exp.LTE)):
            continue
        left, right = each.this.unnest(), each.expression.unnest()
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
            continue
        more, less = (left, right) if isinstance(each, (exp.GT, exp.GTE)) else (right, left)
        columns = tuple(Column(side.name.lower(), None) for side in (more, less))
        words = ("or equal",) if isinstance(each, (exp.GTE, exp.LTE)) else ()
        yield Shape(kind=ShapeKind.COLUMNS_COMPARED, text=written(each)[:100], columns=columns, words=words)


def finer_parts(select: Select) -> Iterator[Shape]:
    """A key that splits the groups of a part whose rows are ranked, and that nothing outside of it reads."""
    outside = _names_outside(select)
    keys = [key for key in select.keys if isinstance(key, exp.Column)] if outside is not None else []
    if outside is None or any(map(is_name, {key.name.lower() for key in keys} & outside)):
        return
    for column in (found.column for found in map(select.origin, keys) if found is not None):
        if column.name not in outside and column.table and key_stems(column.name) is not None:
            text = f"grouped by {column.table}.{column.name}"
            yield Shape(kind=ShapeKind.HIDDEN_KEY, text=text, columns=(column,))


def _names_outside(select: Select) -> set[str] | None:
    """The names of columns outside of a part; `None` where its rows are not ranked, or merged, or all are shown."""
    if select.role != "inner" or len(select.keys) < 2:
        return None
    root = select.node.root()
    inside = {id(each) for each in select.node.walk()}
    if root.find(*_RANKS) is None or root.find(exp.Star) in root.expressions:
        return None
    if any(id(each) not in inside for each in root.find_all(exp.Group, exp.Distinct)):
        return None
    return {each.name.lower() for each in root.find_all(exp.Column) if id(each) not in inside}
