"""Finds how windows reach over rows: running sums, neighbours, frames and ranks."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.grains import grain_of
from scoring.sql.shapes.naming import key_stems
from scoring.sql.shapes.selects import Select, SourceItem, conjuncts, written
from scoring.sql.terms import Node
from scoring.words import identifier_words

_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
_TESTS = (exp.EQ, exp.LTE, exp.LT)


def windows_of(select: Select) -> Iterator[tuple[Node, Node]]:
    """Each window of a SELECT, and the function over it."""
    for each in select.own:
        if isinstance(each, exp.Window):
            call = each.this
            while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
                call = call.this
            yield each, call


def named_window(select: Select, window: Node) -> Node:
    """The window that holds the clauses: a named one, or the window itself."""
    name = window.args.get("alias")
    named: list[Node] = select.node.args.get("windows") or []
    return next((each for each in named if name is not None and each.name.lower() == name.name.lower()), window)


def order_of(select: Select, window: Node) -> list[Node]:
    """What a window is ordered by."""
    order = named_window(select, window).args.get("order") or window.args.get("order")
    return list(order.expressions) if order is not None else []


def partition_of(select: Select, window: Node) -> list[Node]:
    """The keys of a window's groups."""
    return list(named_window(select, window).args.get("partition_by") or window.args.get("partition_by") or [])


def _key(order: Node) -> Node:
    return order.this if isinstance(order, exp.Ordered) else order


def _falls(order: list[Node]) -> bool:
    return bool(order) and bool(order[0].args.get("desc"))


def running(select: Select) -> Iterator[Shape]:
    """Sums over a window, or over a join of earlier rows, and what is unusual of them for a running total."""
    for window, call in windows_of(select):
        if isinstance(call, (exp.Sum, exp.Count, exp.Avg)):
            words = tuple(_unusual(select, window, call))
            columns = first_columns(select, order_of(select, window))
            yield Shape(kind=ShapeKind.RUNNING, text=written(window)[:120], words=words, columns=columns)
    yield from _summed_pairs(select)


def _unusual(select: Select, window: Node, call: Node) -> Iterator[str]:
    order, partition = order_of(select, window), partition_of(select, window)
    if not order:
        yield "no ORDER BY"
    if _falls(order):
        yield "latest first"
    if order and _key(order[0]) in partition:
        yield "a group of its own for each row"
    if _mixes_things(select, order, partition):
        yield "from one thing to the next"
    if order and isinstance(call.this, exp.Column) and _key(order[0]) == call.this:
        yield "in the order of what is added"
    yield from _frame_oddities(named_window(select, window).args.get("spec") or window.args.get("spec"))


def _mixes_things(select: Select, order: list[Node], partition: list[Node]) -> bool:
    """Whether a window goes from the rows of one thing to those of another, in groups of a period at most."""
    return _follows_keys(order) and all(grain_of(select, each) or _is_period(each) for each in partition)


def _follows_keys(order: list[Node]) -> bool:
    """Whether an order goes through the rows of one thing after those of another: its first key is a thing's key."""
    first = _key(order[0]) if order else None
    return isinstance(first, exp.Column) and bool(key_stems(first.name)) and not _is_period(first)


def _is_period(node: Node) -> bool:
    """Whether a column is named for a period of time."""
    return isinstance(node, exp.Column) and not _PERIODS.isdisjoint(identifier_words(node.name))


_PERIODS = frozenset("date day week month quarter year period".split())


def _frame_oddities(spec: Node | None) -> Iterator[str]:
    """How a frame differs from one that runs from the first row to the current one."""
    if spec is None:
        return
    start, end, side = (str(spec.args.get(part)).upper() for part in ("start", "end", "end_side"))
    if start not in ("UNBOUNDED", "NONE"):
        yield "frame not from the first row"
    if side == "FOLLOWING" or end == "UNBOUNDED":
        yield "frame beyond the row"
    if side == "PRECEDING":
        yield "frame without the row"


def _summed_pairs(select: Select) -> Iterator[Shape]:
    """A sum of rows that are earlier than the row, by a join or a subquery of the same table."""
    conditions = [each for each in select.own if isinstance(each, (exp.LT, exp.LTE, exp.GT, exp.GTE))]
    for each in conditions:
        left, right = each.this, each.expression
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column) or left.name != right.name:
            continue
        first, second = item_around(select, left), item_around(select, right)
        if first is None or second is None or first is second or not same_rows(first, second):
            continue
        strict = isinstance(each, (exp.LT, exp.GT))
        words = ("without the row",) if strict else ()
        yield Shape(kind=ShapeKind.RUNNING, text=written(each), words=words)


def item_around(select: Select | None, column: Node) -> SourceItem | None:
    """The item that a column belongs to, in the SELECT or one around it."""
    while select is not None:
        found = select.item_of(column)
        if found is not None:
            return found
        select = select.outer
    return None


def same_rows(first: SourceItem, second: SourceItem) -> bool:
    """Whether two items read the same table, or the same CTE."""
    if first.table is not None or second.table is not None:
        return first.table == second.table
    return [each.node for each in first.arms] == [each.node for each in second.arms]


def frames(select: Select) -> Iterator[Shape]:
    """Windows that reach back a fixed number of rows, or a fixed time."""
    for window, _ in windows_of(select):
        spec = named_window(select, window).args.get("spec") or window.args.get("spec")
        if spec is None or str(spec.args.get("start_side")).upper() != "PRECEDING":
            continue
        start, kind = spec.args.get("start"), str(spec.args.get("kind")).lower()
        digits = "".join(each for each in (written(start) if isinstance(start, exp.Expr) else "") if each.isdecimal())
        if digits:
            yield Shape(kind=ShapeKind.FRAME_ROWS, text=written(window)[:120], words=(kind,), number=int(digits[:6]))


def neighbours(select: Select) -> Iterator[Shape]:
    """LAG and LEAD, with what their windows lack."""
    for window, call in windows_of(select):
        if not isinstance(call, (exp.Lag, exp.Lead)):
            continue
        order, words = order_of(select, window), list[str]()
        if not order:
            words.append("no ORDER BY")
        elif _falls(order) is isinstance(call, exp.Lag):
            words.append("next row")
        if not partition_of(select, window) and (
            _other_keys(select, [_key(each) for each in order]) or (len(order) > 1 and _follows_keys(order))
        ):
            words.append("no PARTITION BY")
        offset = call.args.get("offset")
        rows = int(offset.name[:4]) if isinstance(offset, exp.Literal) and offset.name.isdecimal() else 1
        columns = first_columns(select, order)
        yield Shape(
            kind=ShapeKind.NEIGHBOUR, text=written(window)[:120], words=tuple(words), columns=columns, number=rows
        )


def _other_keys(select: Select, order: list[Node]) -> list[Node]:
    """The keys of groups that a window does not follow, where it follows another one of them."""
    place = select
    if not select.keys and len(select.items) == 1:
        arms = next(iter(select.items.values())).arms
        place = arms[0] if len(arms) == 1 else select
    columns = {written(node): name for name, node in place.outputs.items()}
    followed = {written(each) for each in order} | {each.name.lower() for each in order}
    others = [key for key in place.keys if followed.isdisjoint((written(key), columns.get(written(key), "")))]
    untimed = [key for key in others if grain_of(place, key) is None]
    return untimed if len(untimed) < len(place.keys) else []


def ranked(select: Select) -> Iterator[Shape]:
    """Ranks compared with a constant, with the order that they follow."""
    for each in _rank_tests(select):
        place, window = _ranking(select, each.this)
        if window is None or not isinstance(window.this, _RANKS):
            continue
        order = order_of(place, window)
        words = [type(window.this).__name__.lower(), "desc" if _falls(order) else "asc" if order else "unordered"]
        words += ["equal"] * isinstance(each, exp.EQ) + ["partitioned"] * bool(partition_of(place, window))
        text = f"{written(window)[:100]} in {written(each)[-20:]}"
        number = int(each.expression.name[:6]) - isinstance(each, exp.LT)
        columns = first_columns(place, order)
        yield Shape(kind=ShapeKind.RANKED, text=text, columns=columns, words=tuple(words), number=number)


def cut_early(select: Select) -> Iterator[Shape]:
    """The first N rows are taken before a condition on another table drops some, or before they are sorted."""
    sorts = any(select.node.args.get(part) is not None for part in ("group", "order"))
    for each in select.conjuncts("where"):
        if not isinstance(each, (exp.LTE, exp.LT)) or not isinstance(each.expression, exp.Literal):
            continue
        if _is_rownum(each.this) and sorts:
            yield Shape(kind=ShapeKind.CUT_EARLY, text=f"{written(each)} before rows are grouped and sorted")
        later = _dropped_later(select, each.this)
        if later is not None:
            yield Shape(kind=ShapeKind.CUT_EARLY, text=f"{written(each)} before {written(later)}"[:120])


def _dropped_later(select: Select, rank: Node) -> Node | None:
    """A condition on another table beside that on a rank of all rows, which an inner SELECT computes."""
    item = select.item_of(rank) if isinstance(rank, exp.Column) else None
    place, window = _ranking(select, rank)
    if item is None or window is None or place is select or partition_of(place, window):
        return None
    conditions = select.conjuncts("where")
    return next((each for each in conditions if _is_of_table_beside(select, item, each)), None)


def _is_of_table_beside(select: Select, ranked_item: SourceItem, condition: Node) -> bool:
    """Whether a condition reads a table that is joined to the ranked rows, and nothing of these."""
    items = {select.item_of(each) for each in select.columns_in(condition)}
    return bool(items) and all(each is not None and each is not ranked_item and each.table for each in items)


def _is_rownum(node: Node) -> bool:
    return isinstance(node, (exp.Column, exp.Pseudocolumn)) and node.name.lower() == "rownum"


def _rank_tests(select: Select) -> Iterator[Node]:
    """The conditions that compare something with a whole number from above, or for equality."""
    conditions = [*select.conjuncts("where"), *select.conjuncts("qualify")]
    for item in select.items.values():
        on = item.join.args.get("on") if item.join is not None else None
        conditions += list(conjuncts(on)) if isinstance(on, exp.Expr) else []
    for each in conditions:
        if isinstance(each, _TESTS) and isinstance(each.expression, exp.Literal) and each.expression.name.isdecimal():
            yield each


def first_columns(select: Select, order: list[Node]) -> tuple[Column, ...]:
    """The columns of the first key of an order."""
    nodes = [each for key in order[:1] for each in select.columns_in(select.named(_key(key)))]
    return tuple(found.column for each in nodes if (found := select.origin(each)) is not None)


def ranked_alone(select: Select) -> Iterator[Shape]:
    """Ranks within groups that hold the very value which the rank follows, so that every row is first."""
    for window, call in windows_of(select):
        order = order_of(select, window)
        if isinstance(call, _RANKS) and order and written(_key(order[0])) in map(written, partition_of(select, window)):
            yield Shape(kind=ShapeKind.EACH_ALONE, text=written(window)[:120])


def first_ranks(select: Select) -> Iterator[tuple[Select, Node]]:
    """The ranks of which a condition keeps the first, each with the SELECT that computes it."""
    for each in _rank_tests(select):
        place, window = _ranking(select, each.this)
        if window is not None and isinstance(window.this, _RANKS) and each.expression.name == "1":
            yield place, window


def distinct_on(select: Select) -> Iterator[Shape]:
    """DISTINCT ON keeps the first row of each group, in the order that follows its keys."""
    distinct = select.node.args.get("distinct")
    on, order = distinct.args.get("on") if distinct is not None else None, select.node.args.get("order")
    if on is None or order is None:
        return
    keys = {written(select.named(each)) for each in on.args.get("expressions") or [on]}
    rest = [each for each in order.expressions if written(select.named(_key(each))) not in keys]
    columns = first_columns(select, rest)
    words = ("distincton", "desc" if _falls(rest) else "asc" if rest else "unordered", "equal", "partitioned")
    yield Shape(
        kind=ShapeKind.RANKED,
        text=f"DISTINCT ON in the order of {', '.join(map(written, rest))}"[:120],
        columns=columns,
        words=words,
        number=1,
    )


def _ranking(select: Select, node: Node) -> tuple[Select, Node | None]:
    """The window whose rank a condition tests, and its SELECT."""
    if isinstance(node, exp.Window):
        return select, node
    if isinstance(node, exp.Column):
        found = select.origin(node)
        if found is not None and isinstance(found.node, exp.Window) and found.inner is not None:
            return found.inner, found.node
        named = select.outputs.get(node.name.lower())
        return select, named if isinstance(named, exp.Window) else None
    return select, None
