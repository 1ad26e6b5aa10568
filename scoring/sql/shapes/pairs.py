"""Finds how two rows of one table are compared: a row and the one it refers to, or every pair."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.sql.shapes.roles import ABOVE, refers_within
from scoring.sql.shapes.selects import Select, SourceItem, conjuncts, written
from scoring.sql.shapes.windows import item_around, same_rows
from scoring.sql.terms import Node
from scoring.words import identifier_words

_MORE: dict[type[Node], str] = {exp.GT: "more", exp.GTE: "more", exp.LT: "less", exp.LTE: "less"}
_FLIPPED = {"more": "less", "less": "more"}


def roles(select: Select) -> Iterator[Shape]:
    """Comparisons of a row with the row of its own table that it refers to, and which of the two is shown."""
    if len(select.items) < 2 and select.outer is None:
        return
    for child, holder, role in _referring(select):
        yield from _compared(select, child, holder, role)
        shown = {
            item
            for node in select.shown
            if not node.find(exp.AggFunc)
            for each in select.columns_in(node)
            if (item := select.item_of(each)) is not None
        }
        if shown == {holder} and child in select.items.values():
            yield Shape(kind=ShapeKind.SELF_OUTPUT, text=f"only the {role} is shown", words=(role,))
        if shown == {child} and holder in select.items.values():
            yield Shape(kind=ShapeKind.SELF_OUTPUT, text=f"only who has the {role} is shown", words=(role, "child"))


def _referring(select: Select) -> Iterator[tuple[SourceItem, SourceItem, str]]:
    """The items of one table of which one refers to the other, and in which role."""
    for left, right, _ in select.pairs:
        for mine, theirs in ((left, right), (right, left)):
            child, holder = item_around(select, mine), item_around(select, theirs)
            if child is None or holder is None or child is holder or child.table is None:
                continue
            if child.table == holder.table and refers_within(mine.name, theirs.name, child.table):
                yield child, holder, _role(mine.name)


def _role(key: str) -> str:
    """The role that a key names: `mgr_emp_id` and `reports_to` name a manager."""
    words = identifier_words(key)
    if words[-1:] == ("to",) and "report" in words:
        return "manager"
    above = [word for word in words if word in ABOVE]
    return above[0] if above else (key_stems(key) or words or ("",))[-1]


def _compared(select: Select, child: SourceItem, holder: SourceItem, role: str) -> Iterator[Shape]:
    for place in (select, select.outer):
        for each in place.own if place is not None else ():
            if type(each) not in _MORE or place is None:
                continue
            sides = [_side(place, select, part) for part in (each.this, each.expression)]
            if None in sides or {id(sides[0]), id(sides[1])} != {id(child), id(holder)}:
                continue
            word = _MORE[type(each)] if sides[0] is child else _FLIPPED[_MORE[type(each)]]
            equal = ("or equal",) if isinstance(each, (exp.GTE, exp.LTE)) else ()
            columns = tuple(Column(part.name.lower(), child.table) for part in each.find_all(exp.Column))
            yield Shape(
                kind=ShapeKind.SELF_COMPARISON,
                text=written(each)[:100],
                words=(word, role, *equal),
                columns=columns[:1],
            )


def _side(place: Select, select: Select, part: Node) -> SourceItem | None:
    """The item whose value a side of a comparison is; of a subquery, the item that its one column belongs to."""
    if isinstance(part, exp.Subquery) and part.this is select.node and len(select.outputs) == 1:
        shown = next(iter(select.outputs.values()))
        return item_around(select, shown) if isinstance(shown, exp.Column) else None
    columns = list({column.text("table").lower(): column for column in part.find_all(exp.Column)}.values())
    return item_around(place, columns[0]) if len(columns) == 1 and not part.find(exp.Select) else None


def self_pairs(select: Select) -> Iterator[Shape]:
    """Rows of one table paired by a join, or counted as n × (n - 1), and how often each pair is counted."""
    items = list(select.items.values())
    for place, first in enumerate(items):
        for second in items[place + 1 :]:
            table = _table_of(first) if same_rows(first, second) else None
            if table is None or _have_roles(select, first, second):
                continue
            words = (_kept_once(select, first, second), *_halved(select), *_overlap(select, first, second))
            linked = tuple(
                Column(left.name.lower(), table)
                for left, right, _ in select.pairs
                if {select.item_of(left), select.item_of(right)} == {first, second}
            )
            yield Shape(kind=ShapeKind.SELF_PAIR, text=f"pairs of {table}", words=words, columns=linked)
    for each in select.own if exp.Mul in select.kinds else ():
        if isinstance(each, exp.Mul) and _is_combination(each):
            yield Shape(kind=ShapeKind.SELF_PAIR, text=written(each), words=("combinations", *_halved(select)))


def _table_of(item: SourceItem) -> str | None:
    """The table whose rows an item has: a CTE may show some of them, and groups none."""
    if item.table is not None or len(item.arms) != 1 or item.arms[0].is_grouped:
        return item.table
    return next((each.table for each in item.arms[0].items.values()), None)


def _overlap(select: Select, first: SourceItem, second: SourceItem) -> tuple[str, ...]:
    """`overlapping` where each begins before the other ends, `inside` where one begins after the other and ends before.

    Empty where a condition compares only one of the two with a text or a number: then they are not alike.
    """
    beyond: list[tuple[SourceItem, str, str]] = []
    alone = {first: set[str](), second: set[str]()}
    for each in _conditions(select):
        sides = [side for side in (each.args.get("this"), each.args.get("expression")) if isinstance(side, exp.Column)]
        items = [item for side in sides if (item := select.item_of(side)) is not None]
        if type(each) in _MORE and {*items} == {first, second}:
            later = 0 if _MORE[type(each)] == "more" else 1
            beyond.append((items[later], sides[later].name.lower(), sides[1 - later].name.lower()))
        elif len(sides) == 1 and items and items[0] in alone:
            alone[items[0]].add(written(each).replace(f"{sides[0].text('table')}.", ""))
    return () if alone[first] != alone[second] else _crossed(beyond, first, second)


def _crossed(beyond: list[tuple[SourceItem, str, str]], first: SourceItem, second: SourceItem) -> tuple[str, ...]:
    crossed = {(item, later) for item, later, earlier in beyond if later != earlier}
    overlapping = any((second, later) in crossed for item, later in crossed if item is first)
    return ("overlapping",) if overlapping else ("inside",) if _inside(beyond) else ()


def _inside(beyond: list[tuple[SourceItem, str, str]]) -> bool:
    """Whether one of two rows begins after the other one, and ends before it."""
    alike = [(item, later) for item, later, earlier in beyond if later == earlier]
    return len(alike) == len(beyond) and any(
        one is not other and name != column for one, name in alike for other, column in alike
    )


def _conditions(select: Select) -> Iterator[Node]:
    """The parts of WHERE, and of the conditions of joins."""
    yield from select.conjuncts("where")
    for item in select.items.values():
        on = item.join.args.get("on") if item.join is not None else None
        yield from conjuncts(on) if on is not None else ()


def _have_roles(select: Select, first: SourceItem, second: SourceItem) -> bool:
    """Whether a row of another table names one row in each of two roles: `lent_by` and `lent_to`."""
    named: dict[SourceItem, set[tuple[SourceItem | None, str]]] = {first: set(), second: set()}
    for left, right, _ in select.pairs:
        for mine, theirs in ((left, right), (right, left)):
            item = select.item_of(mine)
            if item in named:
                named[item].add((select.item_of(theirs), theirs.name.lower()))
    by_first, by_second = named[first], named[second]
    return any(
        item is not None and item not in named and item == other and column != role
        for item, column in by_first
        for other, role in by_second
    )


def _kept_once(select: Select, first: SourceItem, second: SourceItem) -> str:
    for each in select.own:
        if not isinstance(each, (exp.LT, exp.GT, exp.LTE, exp.GTE, exp.NEQ)):
            continue
        sides = [part for part in (each.this, each.expression) if isinstance(part, exp.Column)]
        if {select.item_of(part) for part in sides} != {first, second} or sides[0].name != sides[1].name:
            continue
        if isinstance(each, exp.NEQ):
            return "twice"
        return "once" if isinstance(each, (exp.LT, exp.GT)) else "with itself"
    return "unordered"


def _is_combination(node: Node) -> bool:
    """Whether a product is n × (n - 1)."""
    left, right = node.this.unnest(), node.expression.unnest()
    return isinstance(right, exp.Sub) and right.this == left and right.expression.name == "1"


def _halved(select: Select) -> tuple[str, ...]:
    place: Select | None = select
    while place is not None:
        for each in place.own:
            two = isinstance(each, (exp.Div, exp.IntDiv)) and each.expression.unnest().name in ("2", "2.0")
            if two or (isinstance(each, exp.Mul) and each.expression.name in ("0.5", ".5")):
                return ("halved",)
        place = place.outer
    return ()
