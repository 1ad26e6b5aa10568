"""Plans how to run a reference so that its ties are visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from references.comparison.alternatives import Alternative
from scoring.query import Unscored
from scoring.sql.parsing import parse_query


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to run a reference so that its ties are visible."""

    sql: str
    """The reference itself."""
    whole: str | None = None
    """The reference without its LIMIT and with its sort keys as further columns; `None` when there is no tie to see."""
    keys: tuple[int, ...] = ()
    """Places of the sort keys in `whole`."""
    ordered: bool = False
    """Whether the reference has an ORDER BY."""
    start: int = 0
    """The OFFSET."""
    count: int | None = None
    """The LIMIT."""


def plan(alternative: Alternative, dialect: str) -> Plan:
    """Plans one alternative: just the query when its order cannot be read.

    >>> found = plan(Alternative(sql="SELECT name FROM t ORDER BY age DESC LIMIT 3"), "sqlite")
    >>> found.whole, found.keys, found.count
    ('SELECT name, age AS _sort_0 FROM t ORDER BY age DESC', (1,), 3)
    >>> plan(Alternative(sql="SELECT name FROM t"), "sqlite").whole is None
    True
    """
    bare = Plan(sql=alternative.sql)
    parsed = parse_query(alternative.sql, dialect)
    if isinstance(parsed, Unscored):
        return bare
    tree = parsed.tree
    if not isinstance(tree, exp.Query) or (tree.args.get("order") is None and tree.args.get("limit") is None):
        return bare
    limit, ordered = tree.args.get("limit"), tree.args.get("order") is not None
    start, count = _number(tree.args.get("offset"), 0), _number(limit, None)
    keys = _with_keys(tree)
    if keys is None or start is None or (count is None and limit is not None):
        return Plan(sql=alternative.sql, ordered=ordered)
    for cut in ("limit", "offset"):
        tree.set(cut, None)
    return Plan(
        sql=alternative.sql,
        whole=tree.sql(dialect=dialect),
        keys=keys,
        ordered=ordered,
        start=start,
        count=count,
    )


def _number(clause: object, absent: int | None) -> int | None:
    """The number in a LIMIT or OFFSET; `None` when it is an expression."""
    if not isinstance(clause, exp.Expr):
        return absent
    said = clause.args.get("expression") or clause.args.get("count")
    plain = isinstance(said, exp.Literal) and said.name.isdigit() and clause.args.get("limit_options") is None
    return int(said.name) if plain and isinstance(said, exp.Literal) else None


def _with_keys(tree: exp.Query) -> tuple[int, ...] | None:
    """Adds the sort keys that are not in the select list. Returns their places, or `None` when they cannot be added."""
    order = tree.args.get("order")
    keys = [each.this for each in order.expressions] if isinstance(order, exp.Order) else []
    outputs = [each.alias_or_name.lower() for each in tree.selects]
    if any(each.is_star for each in tree.selects):
        return None
    places: list[int] = []
    added = 0
    for key in keys:
        place = _place(key, outputs, tree.selects)
        if place is None:
            if not isinstance(tree, exp.Select) or tree.args.get("distinct") is not None:
                return None
            tree.select(exp.alias_(key.copy(), f"_sort_{added}"), copy=False)
            place, added = len(outputs) + added, added + 1
        places.append(place)
    return tuple(places)


def _place(key: exp.Expr, outputs: Sequence[str], selects: Sequence[exp.Expr]) -> int | None:
    if isinstance(key, exp.Literal) and key.name.isdigit() and 0 < int(key.name) <= len(outputs):
        return int(key.name) - 1
    if isinstance(key, exp.Column) and not key.table and key.name.lower() in outputs:
        return outputs.index(key.name.lower())
    return next((n for n, each in enumerate(selects) if each.unalias() == key), None)
