"""Writes aggregates over ordered values as the throw-away database has them: `references/ordered_aggregates.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal

from sqlglot import exp

from references.ordered_aggregates import AS_ENTERED, DISTINCT, FALLING, FILLED, FOLDED, ORDERED_AGGREGATES, RISING

_SEPARATORS: Mapping[str, str | None] = {
    "mysql": ",", "singlestore": ",", "doris": ",", "starrocks": ",", "duckdb": ",", "bigquery": ",",
    "oracle": "", "snowflake": "", "redshift": "", "databricks": "", "spark": "",
    "postgres": None, "tsql": None, "fabric": None, "trino": None,
}  # fmt: skip
"""Dialects that leave NULLs out of joined texts, with the separator where none is written; `None` if one must be."""
_INTERPOLATING = frozenset(
    {"postgres", "redshift", "duckdb", "snowflake", "oracle", "tsql", "fabric", "bigquery", "databricks", "spark"}
)
"""Dialects whose PERCENTILE_CONT is that of the SQL standard and leaves NULLs out."""
_WITH_MEDIAN = frozenset({"redshift", "duckdb", "snowflake", "oracle", "databricks", "spark"})
"""Dialects whose MEDIAN is `PERCENTILE_CONT(0.5)`."""
_STEPWISE = _INTERPOLATING - {"databricks", "spark"}
"""Dialects whose PERCENTILE_DISC is that of the SQL standard. Spark's was another one in some versions."""
_ONLY_OVER: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.PercentileCont: frozenset({"tsql", "fabric", "bigquery"}),
    exp.PercentileDisc: frozenset({"tsql", "fabric", "bigquery", "redshift"}),
}
"""Dialects that have percentiles as window functions only."""
_NEVER_OVER = frozenset({"postgres"})
_IGNORING_CASE = frozenset({"mysql", "tsql", "doris", "starrocks", "singlestore", "fabric"})
_SEPARATOR, _TIES, _RULES = 1, 2, 3
"""Places of arguments of `TEXTS_IN_ORDER`."""
_MOST_KEYS = 4


def in_order(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """What stands for an aggregate over ordered values; `None` for others, and for those of an unknown meaning.

    >>> from sqlglot import parse_one
    >>> median = parse_one("MEDIAN(pages)", dialect="duckdb")
    >>> in_order(median, "duckdb").sql("sqlite"), in_order(median, "mysql")
    ('VALUE_BETWEEN(pages, 0.5)', None)
    """
    reader = _READERS.get(type(node))
    if reader is None or isinstance(node.parent, exp.RespectNulls):
        return None
    return reader(node, dialect)


def as_aggregates(tree: exp.Query) -> exp.Query:
    """The query with these calls as aggregates, as which a parser of SQLite does not know them. Changes it."""
    for node in [*tree.find_all(exp.Anonymous)]:
        if node.name.lower() in ORDERED_AGGREGATES:
            node.replace(exp.AnonymousAggFunc(this=node.name, expressions=node.expressions))
    return tree


def ordered_aggregates(tree: exp.Expr) -> Iterator[exp.AnonymousAggFunc]:
    """The aggregates over ordered values of a query."""
    for node in tree.find_all(exp.AnonymousAggFunc):
        if node.name.lower() in ORDERED_AGGREGATES:
            yield node


def joins_texts(node: exp.AnonymousAggFunc) -> bool:
    """Whether an aggregate joins texts."""
    return node.name.upper() == "TEXTS_IN_ORDER"


def keys_of(node: exp.AnonymousAggFunc) -> Sequence[exp.Expr]:
    """By what joined texts are ordered; nothing where that is open."""
    return node.expressions[_RULES + 1 :]


def with_ties(node: exp.AnonymousAggFunc, direction: str) -> None:
    """Joins texts that tie by their letters, or again as the rows come."""
    node.expressions[_TIES].replace(exp.Literal.string(direction))


def is_how(literal: exp.Expr) -> bool:
    """Whether a literal says how texts are ordered, and is no part of the result."""
    up = literal.parent
    return isinstance(up, exp.AnonymousAggFunc) and joins_texts(up) and literal.index in {_TIES, _RULES}


def is_separator(literal: exp.Expr) -> bool:
    """Whether a text stands between joined texts, or says how they are joined: it is compared with nothing."""
    up = literal.parent
    named = isinstance(up, exp.Anonymous) and up.name.upper() == "TEXTS_IN_ORDER"
    return named and literal.index in {_SEPARATOR, _TIES, _RULES}


def is_share(literal: exp.Expr) -> bool:
    """Whether a literal is the share of a percentile."""
    up = literal.parent
    return isinstance(up, exp.AnonymousAggFunc) and up.name.upper().startswith("VALUE_") and literal.index == 1


def shares_beside(literal: exp.Expr) -> Sequence[str]:
    """A share a little below and one a little above; the middle too beside the least and the largest."""
    share, step = Decimal(literal.name), Decimal("0.01")
    beside = [format(each, "f") for each in (share - step, share + step) if 0 <= each <= 1]
    return [*beside, "0.5"] if share in {0, 1} else beside


def _is_allowed(node: exp.Expr, aggregate: exp.Expr, dialect: str) -> bool:
    """Whether a dialect has a percentile as a window function, or without a window, as it is written."""
    up = node.parent
    while isinstance(up, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        up = up.parent
    over = isinstance(up, exp.Window)
    only_over = _ONLY_OVER.get(type(aggregate))
    return only_over is None or dialect not in (_NEVER_OVER if over else only_over)


def _within(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """An aggregate WITHIN GROUP (ORDER BY …)."""
    order = node.expression
    if not isinstance(order, exp.Order) or not _is_allowed(node, node.this, dialect):
        return None
    if isinstance(node.this, exp.GroupConcat):
        return _joined(node.this, order, dialect)
    if not isinstance(node.this, exp.PercentileCont | exp.PercentileDisc) or len(order.expressions) != 1:
        return None
    (by,) = order.expressions
    return _share_of(type(node.this), by.this, node.this.this, dialect, falling=bool(by.args.get("desc")))


def _share_of(
    kind: type[exp.Expr], value: exp.Expr, share: exp.Expr | None, dialect: str, *, falling: bool = False
) -> exp.Expr | None:
    """The value at a share, which must be written as a number."""
    if not isinstance(share, exp.Literal) or share.is_string or not 0 <= Decimal(share.name) <= 1:
        return None
    if kind is exp.PercentileCont and dialect in _INTERPOLATING:
        # from above as far as from below the rest
        own = 1 - Decimal(share.name) if falling else Decimal(share.name)
        return _call("VALUE_BETWEEN", value, exp.Literal.number(format(own, "f")))
    if kind is exp.PercentileDisc and dialect in _STEPWISE:
        return _call("VALUE_AT_FALLING" if falling else "VALUE_AT", value, share)
    return None


def _joined_alone(node: exp.Expr, dialect: str) -> exp.Expr | None:
    return None if isinstance(node.parent, exp.WithinGroup) else _joined(node, None, dialect)


def _median(node: exp.Expr, dialect: str) -> exp.Expr | None:
    return _call("VALUE_BETWEEN", node.this, exp.Literal.number("0.5")) if dialect in _WITH_MEDIAN else None


def _quantile(node: exp.Expr, dialect: str) -> exp.Expr | None:
    known = dialect in {"databricks", "spark"}
    return _share_of(exp.PercentileCont, node.this, node.args.get("quantile"), dialect) if known else None


def _valued(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """A percentile of DuckDB or BigQuery, which names the values first."""
    if node.args.get("expression") is None or not _is_allowed(node, node, dialect):
        return None
    return _share_of(type(node), node.this, node.expression, dialect)


def _ignoring(node: exp.Expr, _dialect: str) -> exp.Expr | None:
    """All of these leave NULLs out."""
    return node.this.copy() if _is_call(node.this) else None


def _joined(node: exp.Expr, order: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """Joined texts. NULL where there is none; an empty text in Snowflake."""
    value, default = node.this, _SEPARATORS.get(dialect)
    if isinstance(value, exp.Order):
        order, value = value, value.this
    separator = node.args.get("separator") or (exp.Literal.string(default) if default is not None else None)
    distinct = isinstance(value, exp.Distinct)
    if distinct:
        value, separator = _of_distinct(value, separator, dialect)
    keys = order.expressions if order is not None else []
    if dialect not in _SEPARATORS or not _is_text(separator) or not _is_known(value, keys, distinct=distinct):
        return None
    rules = [*_words(dialect, distinct=distinct), *map(_direction, keys)]
    how = (exp.Literal.string(AS_ENTERED), exp.Literal.string(",".join(rules)))
    found = _call("TEXTS_IN_ORDER", value, separator, *how, *(each.this for each in keys))
    return found if dialect != "snowflake" else _or_empty(found, node.parent)


def _of_distinct(distinct: exp.Expr, separator: exp.Expr | None, dialect: str) -> tuple[exp.Expr, exp.Expr | None]:
    """What is joined without repetitions, and the separator, which is read as a second value in Redshift."""
    value, *others = distinct.expressions
    if len(others) == 1 and dialect == "redshift":
        return value, others[0]
    return value, None if others else separator


def _words(dialect: str, *, distinct: bool) -> Iterator[str]:
    words = {DISTINCT: distinct, FOLDED: dialect in _IGNORING_CASE, FILLED: dialect == "redshift"}
    return (word for word, holds in words.items() if holds)


def _is_text(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _is_known(value: exp.Expr, keys: Sequence[exp.Expr], *, distinct: bool) -> bool:
    """Whether texts are joined in an order that is known here. A number as a key may be a place in a list."""
    if isinstance(value, exp.Limit | exp.Order | exp.Distinct | exp.Star) or len(keys) > _MOST_KEYS:
        return False
    if any(not isinstance(each, exp.Ordered) or isinstance(each.this, exp.Literal) for each in keys):
        return False
    return not distinct or all(each.this == value for each in keys)


def _direction(key: exp.Expr) -> str:
    return f"{FALLING if key.args.get('desc') else RISING} {'first' if key.args.get('nulls_first') else 'last'}"


def _or_empty(call: exp.Expr, parent: exp.Expr | None) -> exp.Expr | None:
    if isinstance(parent, exp.Filter | exp.Window):
        return None
    return exp.Coalesce(this=call, expressions=[exp.Literal.string("")])


def _call(name: str, *arguments: exp.Expr | None) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[each.copy() for each in arguments if each is not None])


def _is_call(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in ORDERED_AGGREGATES


_READERS: Mapping[type[exp.Expr], Callable[[exp.Expr, str], exp.Expr | None]] = {
    exp.WithinGroup: _within,
    exp.GroupConcat: _joined_alone,
    exp.Median: _median,
    exp.Quantile: _quantile,
    exp.PercentileCont: _valued,
    exp.PercentileDisc: _valued,
    exp.IgnoreNulls: _ignoring,
}
"""How each is written. Not those below them: an approximated percentile is one too."""
