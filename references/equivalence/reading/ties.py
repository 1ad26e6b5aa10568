"""Rewrites a query with its ties broken in both directions. If both results agree, ties do not decide the result."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from references.equivalence.reading.ordered_values import joins_texts, ordered_aggregates, with_ties
from references.ordered_aggregates import FALLING, RISING

_FREE = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
"""Window functions whose value depends on ties."""


def untied(tree: exp.Query, width: int, *, listed: bool) -> tuple[str, str] | None:
    """Returns the query with ties broken by its output, ascending and descending; `None` when no order matters.

    `width` is its number of columns; `listed` says whether the order of its rows counts.

    >>> from sqlglot import parse_one
    >>> untied(parse_one("SELECT name FROM shelf ORDER BY height LIMIT 1"), 1, listed=False)[1]
    'SELECT name FROM shelf ORDER BY height, 1 DESC LIMIT 1'
    """
    if not _matters(tree, listed=listed):
        return None
    return _broken(tree, width, listed=listed, falling=False), _broken(tree, width, listed=listed, falling=True)


def _matters(tree: exp.Query, *, listed: bool) -> bool:
    free = tree.find_all(exp.Limit, exp.Offset, exp.Fetch, *_FREE)
    return listed or any(True for _ in free) or any(map(joins_texts, ordered_aggregates(tree)))


def _broken(tree: exp.Query, width: int, *, listed: bool, falling: bool) -> str:
    copy = tree.copy()
    for query in [*copy.find_all(exp.Query)]:
        cut = query.args.get("limit") is not None or query.args.get("offset") is not None
        if cut or (listed and query is copy and query.args.get("order") is not None):
            _extend(query, width if query is copy else _width(query), falling=falling)
    for window in [*copy.find_all(exp.Window)]:
        if isinstance(window.this, _FREE) or isinstance(window.this.this, _FREE):
            _extend_window(window, falling=falling)
    for joined in filter(joins_texts, [*ordered_aggregates(copy)]):
        with_ties(joined, FALLING if falling else RISING)
    return copy.sql(dialect="sqlite")


def _extend(query: exp.Query, width: int, *, falling: bool) -> None:
    order = query.args.get("order")
    keys = [exp.Ordered(this=exp.Literal.number(i + 1), desc=falling or None) for i in range(width)]
    if order is None:
        query.set("order", exp.Order(expressions=keys))
    else:
        order.set("expressions", [*order.expressions, *keys])


def _width(query: exp.Query) -> int:
    """The number of columns of an inner query, or 0 when a star hides it."""
    selects = query.selects
    return 0 if any(each.is_star for each in selects) else len(selects)


def _extend_window(window: exp.Window, *, falling: bool) -> None:
    select = window.find_ancestor(exp.Select)
    if select is None:
        return
    keys = [exp.Ordered(this=column.copy(), desc=falling or None) for column in _plain_columns(select)]
    order = window.args.get("order")
    if order is None:
        window.set("order", exp.Order(expressions=keys))
    else:
        order.set("expressions", [*order.expressions, *keys])


def _plain_columns(select: exp.Select) -> Iterator[exp.Column]:
    seen: set[str] = set()
    for each in select.expressions:
        for column in each.find_all(exp.Column):
            inside = column.find_ancestor(exp.Window, exp.Select, exp.AggFunc)
            if isinstance(inside, exp.Select) and inside is select and column.sql() not in seen:
                seen.add(column.sql())
                yield column
