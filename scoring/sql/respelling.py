"""Gives what one dialect writes in its own way the form that all readers know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from scoring.patterns import lazy
from scoring.words import parted

_EMPTY_COUNT = lazy(r"\bcount\s*\(\s*\)", re.IGNORECASE)
_LIMIT_BY = lazy(r"\blimit\s+\d+\s+by\b", re.IGNORECASE)
_MOST_COPIED = 2_000
"""Most nodes that names stand for in one query."""


def respelled(tree: exp.Expr, sql: str) -> exp.Expr:
    """The tree with `count()`, `LIMIT n BY`, `N'a'` and names of values written as elsewhere; it is changed in place.

    >>> from sqlglot import parse_one
    >>> def shown(sql): return respelled(parse_one(sql, dialect="clickhouse"), sql).sql()
    >>> shown("SELECT count() FROM t")
    'SELECT COUNT(*) FROM t'
    >>> shown("SELECT COUNT(*) - COUNT(a) FROM t")
    'SELECT COUNT_IF(a IS NULL) FROM t'
    >>> shown("SELECT SUM(a) AS x, COUNT(*) AS y, x / y FROM t")
    'SELECT SUM(a) AS x, COUNT(*) AS y, (SUM(a)) / (COUNT(*)) FROM t'
    >>> shown("WITH d AS (SELECT 5 AS x) SELECT a FROM t CROSS JOIN d WHERE b >= d.x")
    'WITH d AS (SELECT 5 AS x) SELECT a FROM t CROSS JOIN d WHERE b >= (5)'
    >>> shown("SELECT a FROM t ORDER BY b, a DESC LIMIT 2 BY b")
    'SELECT a FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY a DESC) <= 2 ORDER BY b NULLS LAST, a DESC'
    """
    if "N'" in sql:
        _drop_national(tree)
    if _EMPTY_COUNT.search(sql) is not None:
        _count_rows(tree)
    if _LIMIT_BY.search(sql) is not None:
        _rank_by(tree)
    if _COUNTS_APART.search(sql) is not None:
        _count_missing(tree)
    _spell_out_aggregates(tree)
    _spell_out_constants(tree)
    return tree


_COUNTS_APART = lazy(r"\bcount\s*\(\s*(?:\*|1)\s*\)\s*-\s*count\b", re.IGNORECASE)


def _count_missing(tree: exp.Expr) -> None:
    """Writes `COUNT(*) - COUNT(x)`, the rows without a value, as the count of rows where x IS NULL."""
    for each in list(tree.find_all(exp.Sub)):
        counted = each.expression
        if isinstance(each.this, exp.Count) and isinstance(counted, exp.Count):
            column = counted.this
            if isinstance(column, exp.Column) and not isinstance(each.this.this, exp.Column | exp.Distinct):
                each.replace(exp.CountIf(this=exp.Is(this=column.copy(), expression=exp.Null())))


def _drop_national(tree: exp.Expr) -> None:
    """Writes `N'text'` as `'text'`."""
    for each in list(tree.find_all(exp.National)):
        each.replace(exp.Literal.string(each.name))


_HUMPED = lazy(r"[a-z][A-Z]")
_NONE: Mapping[str, str] = {}


def part_names(tree: exp.Expr, sql: str, known: Mapping[str, str] = _NONE) -> None:
    """Writes `OrderDate` as `order_date`, and so every other spelling of that name; the tree is changed in place.

    The names are for readers of words: no database knows them. `known` are names in lower case and their parts.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT orderdate FROM SalesOrder WHERE OrderDate IS NULL")
    >>> part_names(tree, tree.sql())
    >>> tree.sql()
    'SELECT order_date FROM sales_order WHERE order_date IS NULL'
    """
    if not known and _HUMPED.search(sql) is None:
        return
    names = [each for each in tree.find_all(exp.Identifier) if isinstance(each.this, str)]
    own = {each.this.lower(): parted(each.this) for each in names if _HUMPED.search(each.this) is not None}
    humped = {**own, **known}
    for each in names:
        if each.this.lower() in humped:
            each.set("this", humped[each.this.lower()])


def with_declared(trees: Sequence[exp.Expr | None]) -> exp.Expr | None:
    """The last statement, with what the ones before declare put in place; `None` if one before only declares nothing.

    >>> from sqlglot import parse
    >>> with_declared(parse("DECLARE @a date = '2026-01-01'; SELECT b FROM t WHERE c > @a", dialect="tsql")).sql()
    "SELECT b FROM t WHERE c > (CAST('2026-01-01' AS DATE))"
    """
    *before, last = trees
    values: dict[str, exp.Expr] = {}
    left = _MOST_COPIED
    for each in before:
        if not isinstance(each, exp.Declare):
            return None
        for item in each.expressions:
            left = _declare(item, values, left)
    if last is not None:
        _put(last, values, left)
    return last


def _declare(item: exp.Expr, values: dict[str, exp.Expr], left: int) -> int:
    """Notes a value by its name; gives the number of nodes that may still be copied."""
    value, kind = item.args.get("default"), item.args.get("kind")
    if not isinstance(value, exp.Expr):
        return left
    held = exp.Paren(this=value.copy())
    left = _put(held, values, left)
    if isinstance(kind, exp.DataType) and isinstance(value, exp.Literal):
        held = exp.Paren(this=exp.Cast(this=value, to=kind))
    item.set("default", None)
    values.update({name.name.lower(): held for name in item.find_all(exp.Parameter)})
    return left


def _put(tree: exp.Expr, values: dict[str, exp.Expr], left: int) -> int:
    for place in list(tree.find_all(exp.Parameter)) if values and left > 0 else ():
        value = values.get(place.name.lower())
        if value is not None and place.parent is not None:
            left -= sum(1 for _ in value.walk())
            if left < 0:
                break
            place.replace(value.copy())
    return left


def _count_rows(tree: exp.Expr) -> None:
    """Gives `count()`, ClickHouse's count of rows, the star that it has elsewhere."""
    for each in tree.find_all(exp.Count):
        if each.this is None:
            each.set("this", exp.Star())


def _rank_by(tree: exp.Expr) -> None:
    """Writes ClickHouse's `LIMIT n BY key`, the first rows of each key, as a rank."""
    for select in tree.find_all(exp.Select):
        limit = select.args.get("limit")
        if not isinstance(limit, exp.Limit):
            continue
        keys = limit.expressions
        if not keys or select.args.get("qualify") is not None or limit.args.get("offset") is not None:
            continue
        order = select.args.get("order")
        sorts = [each.copy() for each in order.expressions if each.this not in keys] if order is not None else []
        rank = exp.Window(
            this=exp.RowNumber(),
            partition_by=[each.copy() for each in keys],
            order=exp.Order(expressions=sorts) if sorts else None,
        )
        select.set("qualify", exp.Qualify(this=exp.LTE(this=rank, expression=limit.expression.copy())))
        select.set("limit", None)


def _spell_out_aggregates(tree: exp.Expr) -> None:
    """Puts an aggregate in the place of its name where the same SELECT computes with it: `SUM(a) AS x, x / 2`."""
    copied = 0
    for select in tree.find_all(exp.Select):
        known: dict[str, exp.Expr] = {}
        for shown in select.expressions:
            for place in _names(shown, known):
                value = known[place.name.lower()]
                copied += sum(1 for _ in value.walk())
                if copied > _MOST_COPIED:
                    return
                place.replace(exp.Paren(this=value.copy()))
            if isinstance(shown, exp.Alias) and shown.this.find(exp.AggFunc) is not None:
                known[shown.alias.lower()] = shown.this


def _spell_out_constants(tree: exp.Expr) -> None:
    """Puts the values of an inner query that reads no table in the places of its names: the dates of a period."""
    held = _constants(tree)
    copied = 0
    for place in list(tree.find_all(exp.Column)) if held else ():
        value = held.get(place.table.lower(), _NO_VALUES).get(place.name.lower())
        if value is None:
            continue
        copied += sum(1 for _ in value.walk())
        if copied > _MOST_COPIED:
            return
        place.replace(exp.Paren(this=value.copy()))


_NO_VALUES: Mapping[str, exp.Expr] = {}


def _constants(tree: exp.Expr) -> dict[str, Mapping[str, exp.Expr]]:
    """The values by name of each query that reads no table, by the names that it has; a name given twice has none."""
    held: dict[str, Mapping[str, exp.Expr]] = {}
    for source in tree.find_all(exp.CTE, exp.Subquery):
        name = source.alias.lower()
        held[name] = _NO_VALUES if not name or name in held else _held_by(source)
    found = {name: values for name, values in held.items() if values}
    for table in tree.find_all(exp.Table) if found else ():
        values = held.get(table.name.lower())
        if values and table.alias:
            found.setdefault(table.alias.lower(), values)
    return found


_MADE = (
    exp.UDTF, exp.GenerateSeries, exp.GenerateDateArray, exp.GenerateTimestampArray, exp.ExplodingGenerateSeries,
    exp.Explode, exp.Anonymous,
)  # fmt: skip
"""What may make several rows."""


def _held_by(source: exp.Expr) -> Mapping[str, exp.Expr]:
    """The values by name of a query that reads no table; nothing of another, or of one that computes by rows."""
    query = source.this
    if not isinstance(query, exp.Select) or query.args.get("from_") is not None:
        return {}
    if query.find(exp.Column, exp.Star, exp.AggFunc, exp.Subquery, *_MADE) is not None:
        return {}
    return {each.alias.lower(): each.this for each in query.expressions if isinstance(each, exp.Alias)}


def _names(shown: exp.Expr, known: dict[str, exp.Expr]) -> list[exp.Column]:
    if not known or isinstance(shown.unalias(), exp.Column | exp.AggFunc):
        return []
    return [each for each in _bare_columns(shown) if each.name.lower() in known]


def _bare_columns(shown: exp.Expr) -> Iterator[exp.Column]:
    """The columns without a table that stand outside of aggregates and subqueries."""
    inner = (exp.AggFunc, exp.Query, exp.Window)
    for each in shown.walk(prune=lambda node: isinstance(node, inner)):
        if isinstance(each, exp.Column) and not each.table:
            yield each
