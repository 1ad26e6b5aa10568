"""Finds aggregates over rows that a join repeats, and amounts of which equal ones were dropped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, refers
from scoring.sql.shapes.selects import Select, SourceItem, origin_column, written
from scoring.sql.terms import Node
from scoring.words import identifier_words

_ADDING = (exp.Sum, exp.Avg)


def repeated_rows(select: Select) -> Iterator[Shape]:
    """Aggregates of an item's columns, where another item of the SELECT has many rows for each of its rows."""
    if len(select.items) < 2:
        return
    calls = list(_aggregates(select))
    many = _repeaters(select) if calls else {}
    for call in calls:
        if call.this is None or isinstance(call.this, exp.Star):  # `count()` is ClickHouse's
            yield from _counted_repeats(select, call, many)
            continue
        owner = _owner(select, call) or _less_its_repeater(select, call, many)
        if owner is None:
            continue
        repeaters = many.get(owner.alias, set()) - _same_grain(select, owner)
        if repeaters:
            columns = tuple(_origins(select, call))
            text = f"{written(call)} over rows repeated by {', '.join(sorted(repeaters)[:3])}"
            pinned = all(_is_restricted(select, each) and _meets(select, owner, each) for each in repeaters)
            words = ("restricted",) if pinned else ()
            yield Shape(kind=ShapeKind.REPEATED_ROWS, text=text, columns=columns, words=words)


def side_by_side(select: Select) -> Iterator[Shape]:
    """Totals of two tables over one join: each repeats the rows of the other, whichever has more."""
    for calls in _totals(select) if len(select.items) > 1 else ():
        for one, other in pairwise(calls):
            if not _is_matched(select, one, other):
                text = f"both {written(calls[one])} and {written(calls[other])} over one join"
                yield Shape(kind=ShapeKind.REPEATED_ROWS, text=text, columns=tuple(_origins(select, calls[one])))


def _totals(select: Select) -> tuple[dict[str, Node], dict[str, Node]]:
    """The first sum, and the first count, of each base table's columns."""
    sums, counts = dict[str, Node](), dict[str, Node]()
    for call in _aggregates(select):
        owner = None if isinstance(call.this, exp.Star | None) else _owner(select, call)
        if owner is None or owner.table is None:
            continue
        if isinstance(call, exp.Sum) and not _is_price(call):
            sums.setdefault(owner.alias, call)
        elif isinstance(call, exp.Count) and (owner.join is not None or _counts_own_key(select, call)):
            counts.setdefault(owner.alias, call)
    return sums, counts


def _counts_own_key(select: Select, call: Node) -> bool:
    """Whether the key of a table is counted that no outer join leaves alone: most returns have no second one."""
    outer = any(each.side for each in select.items.values())
    return not outer and any(is_own_key(column) for column in _origins(select, call))


def _is_price(call: Node) -> bool:
    return isinstance(call.this, exp.Column) and not _STORED_PRICES.isdisjoint(identifier_words(call.this.name))


_STORED_PRICES = frozenset("price rate list".split())


def _is_matched(select: Select, one: str, other: str) -> bool:
    """Whether two columns or more say which row of one item belongs to which of the other."""
    both = [each for each in select.pairs if _aliases(select, each[0], each[1]) == {one, other}]
    return len(both) > 1


def _meets(select: Select, owner: SourceItem, other: str) -> bool:
    """Whether a join compares columns of both, and not of each with a third."""
    return any({owner.alias, other} == _aliases(select, left, right) for left, right, _ in select.pairs)


def _less_its_repeater(select: Select, call: Node, many: dict[str, set[str]]) -> SourceItem | None:
    """The item whose total stands before the minus, where what is behind it is of an item that repeats its rows.

    A price or a limit stands for each of the repeated rows.
    """
    inner = call.this.unnest()
    if not isinstance(call, exp.Sum) or not isinstance(inner, exp.Sub) or _is_measure_of_each(inner.this):
        return None
    whole, part = (_aliases(select, *select.columns_in(side)) for side in (inner.this, inner.expression))
    if len(whole) != 1 or len(part) != 1:
        return None
    alias = next(iter(whole))
    return select.items[alias] if part <= many.get(alias, set()) else None


def _is_measure_of_each(node: Node) -> bool:
    return any(not _OF_EACH.isdisjoint(identifier_words(each.name)) for each in node.find_all(exp.Column))


_OF_EACH = frozenset("price rate fee list limit target quota budget capacity".split())


def _counted_repeats(select: Select, call: Node, many: dict[str, set[str]]) -> Iterator[Shape]:
    """COUNT(*) over rows of each item that another one repeats; a GROUP BY counts what its groups hold."""
    for alias, others in many.items() if not select.is_grouped else ():
        owner = select.items[alias]
        repeaters = others - _same_grain(select, owner)
        if owner.table is not None and repeaters:
            text = f"{written(call)} over rows of {owner.table} repeated by {', '.join(sorted(repeaters)[:3])}"
            pinned = ("restricted",) if all(_is_restricted(select, each) for each in repeaters) else ()
            yield Shape(kind=ShapeKind.REPEATED_ROWS, text=text, columns=(Column("*", owner.table),), words=pinned)


def unused_repeats(select: Select) -> Iterator[Shape]:
    """Items that repeat rows which are counted by conditions on them, and of which only join keys are read."""
    calls = [each for each in select.own if isinstance(each, (exp.Count, *_ADDING)) and _counts_conditionally(each)]
    many = _repeaters(select) if calls and len(select.items) > 1 else {}
    for call in calls if many else ():
        owners = _aliases(select, *select.columns_in(call))
        for alias in sorted(set[str]().union(*(many[owner] for owner in owners))):
            table = select.items[alias].table
            if table is not None and not _is_needed(select, alias):
                yield Shape(kind=ShapeKind.UNUSED_REPEATS, text=f"{written(call)} over rows of {table}", words=(table,))


def _counts_conditionally(call: Node) -> bool:
    """Whether an aggregate counts the rows that meet a condition: SUM of a CASE of constants."""
    if isinstance(call.this, exp.Star | exp.Column | None) or call.find(exp.Distinct) or _is_windowed(call):
        return False
    return _added(call).find(exp.Column) is None and call.this.find(exp.Column) is not None


def _is_needed(select: Select, alias: str) -> bool:
    """Whether an item is read for more than one join, or columns cannot be told from its own."""
    links = [pair for pair in select.pairs if alias in _aliases(select, pair[0], pair[1])]
    joining = {id(side) for left, right, _ in select.pairs for side in (left, right)}
    columns = [each for each in select.own if isinstance(each, exp.Column) and id(each) not in joining]
    items = [select.item_of(each) for each in columns]
    return len(links) != 1 or any(item is None or item.alias == alias for item in items)


def _aliases(select: Select, *columns: Node) -> set[str]:
    return {item.alias for each in columns if (item := select.item_of(each)) is not None}


def _is_restricted(select: Select, alias: str) -> bool:
    """Whether some column of an item must equal a constant, so that perhaps one of its rows is left for each."""
    tests = (each for each in select.own if isinstance(each, (exp.EQ, exp.Is)))
    return any(
        isinstance(each.this, exp.Column)
        and _STATES.isdisjoint(identifier_words(each.this.name))
        and not isinstance(each.expression, exp.Column)
        and (item := select.item_of(each.this)) is not None
        and item.alias == alias
        for each in tests
    )


def _aggregates(select: Select) -> Iterator[Node]:
    """SUM, AVG and COUNT of columns, without DISTINCT."""
    for each in select.own:
        if isinstance(each, (*_ADDING, exp.Count)) and not each.find(exp.Distinct) and not _is_windowed(each):
            yield each


def _is_windowed(call: Node) -> bool:
    parent = call.parent
    while isinstance(parent, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def _owner(select: Select, call: Node) -> SourceItem | None:
    """The one item whose rows an aggregate adds; `None` where it reads several, or none for certain."""
    owners = {select.item_of(each) for each in select.columns_in(_added(call))}
    return owners.pop() if len(owners) == 1 else None


def _added(call: Node) -> Node:
    """What is added: of a CASE, the values and not the conditions; constants count the rows of the join."""
    inner: Node = call.this
    if isinstance(inner, exp.Case):
        values = [each.args["true"] for each in inner.args["ifs"]]
        rest = inner.args.get("default")
        values += [rest] if rest is not None else []
    elif isinstance(inner, exp.If):
        values = [inner.args["true"]]
    elif isinstance(inner, exp.Predicate):
        values = []
    else:
        return inner
    return exp.Tuple(expressions=[each.copy() for each in values if each.find(exp.Column)])


def _repeaters(select: Select) -> dict[str, set[str]]:
    """Of each item, the other items that repeat its rows, also through items between."""
    direct: dict[str, set[str]] = {alias: set() for alias in select.items}
    keeps: dict[str, set[str]] = {alias: set() for alias in select.items}
    keyed: dict[tuple[str, str], list[tuple[Column, Column]]] = {}
    for left, right, _ in select.pairs:
        first, second = select.item_of(left), select.item_of(right)
        if first is None or second is None or first is second:
            continue
        keyed.setdefault((first.alias, second.alias), []).append(
            (origin_column(left, first), origin_column(right, second))
        )
    for (first, second), pairs in keyed.items():
        for one, other, columns in (
            (first, second, pairs),
            (second, first, [(right, left) for left, right in pairs]),
        ):
            if _repeats(select.items[one], select.items[other], columns):
                direct[one].add(other)
            if _finds_one(select.items[one], columns):
                keeps[other].add(one)
    return _spread(direct, keeps)


def _spread(direct: dict[str, set[str]], keeps: dict[str, set[str]]) -> dict[str, set[str]]:
    """What repeats an item's rows also repeats those of items that have them as their one partner's partner."""
    found = {alias: set(each) for alias, each in direct.items()}
    grown = True
    while grown:
        grown = False
        for alias, known in found.items():
            # Rows of `alias` find one row of a partner, and other items have many rows for that one.
            others = [*direct[alias], *keeps[alias]]
            more = set[str]().union(*(found[other] for other in others)) - known - {alias}
            known.update(more)
            grown = grown or bool(more)
    return found


def _repeats(one: SourceItem, other: SourceItem, pairs: list[tuple[Column, Column]]) -> bool:
    """Whether `other` has many rows for each of `one`: it refers to the key of `one`, and is not grouped by that."""
    if one.table is None or (other.table is not None and other.table == one.table):
        return False
    if not any(refers(theirs, mine) for mine, theirs in pairs):
        return False
    return not _is_unique(other, [theirs for _, theirs in pairs])


def _finds_one(one: SourceItem, pairs: list[tuple[Column, Column]]) -> bool:
    return (one.table is not None and any(is_own_key(mine) for mine, _ in pairs)) or _is_unique(
        one, [mine for mine, _ in pairs]
    )


def _is_unique(item: SourceItem, columns: list[Column]) -> bool:
    """Whether an inner query has one row for each value of the columns: it groups by them, or keeps one of each."""
    if item.table is not None or len(item.arms) != 1:
        return item.table is None
    inner = item.arms[0]
    if any(inner.node.args.get(part) is not None for part in ("distinct", "limit", "qualify")):
        return True
    if inner.is_grouped:
        names = {each.name for each in columns}
        keys = {name for name, node in inner.outputs.items() if node in inner.keys}
        return keys <= names or len(inner.keys) <= len(names)
    computed = any(isinstance(each, (exp.AggFunc, exp.Window)) for each in inner.own)
    return computed or [each.table is None for each in inner.items.values()] != [False]


def _same_grain(select: Select, owner: SourceItem) -> set[str]:
    """Items by whose own key the rows are grouped, or that a condition pins to one row."""
    found: set[str] = set()
    for key in select.keys:
        for column in select.columns_in(key):
            item = select.item_of(column)
            if item is not None and item is not owner and is_own_key(origin_column(column, item)):
                found.add(item.alias)
    for each in select.own:
        if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Literal):
            item = select.item_of(each.this)
            name = each.this.name.lower()
            if item is not None and _PINS_ONE.match(name) is not None:
                found.add(item.alias)
    return found


_STATES = frozenset("status state sts stat st deleted del void voided test tst cancelled canceled is".split())
"""Words of columns by which many rows of one thing are alike."""
_PINS_ONE = lazy(
    r"is_(?:\w+_)?(?:primary|main|default|current|latest|last|first|newest|final|top|best|lead|head|principal|active"
    r"|billing|home|valid)|rn|rank|row_num|(?:primary|latest|current|position|line_no|seq|sequence|rnk|rk)$"
)
"""Names of columns of which one row of each thing has a value."""


def _origins(select: Select, call: Node) -> Iterator[Column]:
    for each in select.columns_in(call):
        found = select.origin(each)
        if found is not None:
            yield found.column


def deduplicated(select: Select) -> Iterator[Shape]:
    """Sums and averages of values of which equal ones were dropped: DISTINCT in them, below them, or a UNION."""
    for each in select.own:
        if not isinstance(each, _ADDING):
            continue
        if isinstance(each.this, exp.Distinct):
            yield Shape(kind=ShapeKind.DEDUPLICATED, text=written(each), columns=tuple(_origins(select, each)))
            continue
        if isinstance(each.this, (exp.Predicate, exp.Not)):
            continue
        items = {select.item_of(column) for column in select.columns_in(each.this)}
        for item in items if len(items) == 1 else ():
            if item is not None and item.arms and _drops_equal(item):
                yield Shape(kind=ShapeKind.DEDUPLICATED, text=f"{written(each)} of distinct rows")


def _drops_equal(item: SourceItem) -> bool:
    """Whether an inner query drops rows that may be different things: none of its columns is a key of theirs."""
    inner = item.arms[0]
    distinct = inner.node.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        return False  # the first row of each
    plain = distinct is not None and not inner.is_grouped and len(item.arms) == 1
    if not plain and not item.union:
        return False
    if item.union and all(map(_is_one_total, item.arms)):
        return True
    return not any(_tells_apart(inner, node) for node in inner.shown)


def _is_one_total(arm: Select) -> bool:
    """Whether a SELECT gives one row of totals, which may equal those of another."""
    return not arm.is_grouped and all(node.find(exp.AggFunc) is not None for node in arm.shown)


def _tells_apart(inner: Select, node: Node) -> bool:
    """Whether a column keeps different rows different: their own key, all columns, a mark of the arm, an aggregate."""
    if isinstance(node, (exp.Star, exp.Literal)) or node.find(exp.AggFunc):
        return True
    found = inner.origin(node) if isinstance(node, exp.Column) else None
    return found is not None and (found.column.table is None or is_own_key(found.column))
