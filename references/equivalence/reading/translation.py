"""Translates queries of other dialects to SQLite, and refuses those whose meaning would change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError, UnsupportedError

from references.equivalence.reading.dates import dated
from references.equivalence.reading.joined_texts import PLUS_JOINS, ends_a_join, joined
from references.equivalence.reading.named_columns import with_named_columns
from references.equivalence.reading.ordered_values import in_order, is_separator
from references.equivalence.reading.rewrites import rewritten
from references.equivalence.reading.zones import loses_zone
from references.sandbox import Folding

_PLAIN = re.compile(r"[A-Za-z_]\w*")

_ELSEWHERE: Mapping[type[exp.Expr], str] = {
    exp.Interval: "intervals",
    exp.DateAdd: "date arithmetic",
    exp.DateSub: "date arithmetic",
    exp.DateDiff: "date arithmetic",
    exp.TsOrDsAdd: "date arithmetic",
    exp.DatetimeAdd: "date arithmetic",
    exp.DatetimeSub: "date arithmetic",
    exp.DatetimeDiff: "date arithmetic",
    exp.TimestampAdd: "date arithmetic",
    exp.TimestampSub: "date arithmetic",
    exp.TimestampDiff: "date arithmetic",
    exp.AddMonths: "date arithmetic",
    exp.LastDay: "the last day of a period",
    exp.DateFromParts: "a date of parts",
    exp.DateTrunc: "truncated dates",
    exp.DatetimeTrunc: "truncated dates",
    exp.TimestampTrunc: "truncated dates",
    exp.Extract: "a part of a date",
    exp.StrToDate: "a text read as a date by a format",
    exp.ToChar: "a date format, or a number by a format",
    exp.Convert: "CONVERT with a style",
    exp.Greatest: "GREATEST, which leaves NULLs out or not",
    exp.Least: "LEAST, which leaves NULLs out or not",
    exp.GroupConcat: "joined texts",
    exp.WithinGroup: "an aggregate of ordered values",
    exp.PercentileCont: "percentiles",
    exp.PercentileDisc: "percentiles",
    exp.Quantile: "percentiles",
    exp.ApproxQuantile: "percentiles that are approximated",
    exp.Median: "the median",
    exp.JSONExtract: "JSON paths",
    exp.JSONBExtract: "JSON paths",
    exp.RegexpLike: "regular expressions",
    exp.AnyValue: "ANY_VALUE, which may return any of them",
}
"""Expressions that sqlglot passes through although SQLite lacks them or gives them another meaning."""

_NULL_AS_EMPTY = frozenset({"postgres", "redshift", "duckdb", "tsql", "oracle"})
"""Dialects in which CONCAT ignores NULLs."""
_ALIKE = frozenset({"mysql", "tsql", "doris", "starrocks", "singlestore", "fabric"})
"""Dialects in which texts that differ only in letter case are equal by default."""

_WITH_APPLY = frozenset({"tsql", "fabric", "oracle"})
_WITH_LATERAL = frozenset(
    {"postgres", "mysql", "duckdb", "snowflake", "oracle", "trino", "presto", "databricks", "spark"}
)
"""Dialects that have the one or the other."""
_RECORDS = frozenset({"bigquery", "duckdb", "spark", "databricks", "hive", "trino", "presto", "athena", "clickhouse"})
"""Dialects in which a dot may take a field of a record."""


def folding_of(dialect: str) -> Folding:
    """Returns when a dialect ignores letter case."""
    if dialect == "sqlite":
        return Folding.LIKE
    return Folding.ALWAYS if dialect in _ALIKE else Folding.NEVER


def translated(tree: exp.Query, dialect: str) -> str:
    """Translates a query to SQLite, changing the tree. Raises `UnsupportedError` when its meaning would change."""
    if dialect in _RECORDS:
        _refuse_fields(tree, dialect)
    for each in tree.find_all(exp.Select):
        _name_groups(each)
    for derived in [*tree.find_all(exp.Subquery, exp.Lateral)]:
        with_named_columns(derived)
    if any(map(_rounds_a_moment, tree.find_all(exp.Cast))):
        raise UnsupportedError(f"a conversion that rounds a moment ({dialect})")
    _replace(tree, lambda node: dated(node, dialect))
    if dialect in PLUS_JOINS:
        _replace(tree, joined)
    _replace(tree, lambda node: in_order(node, dialect))
    for node in [*tree.walk()]:
        _refuse(node, dialect)
        if isinstance(node, exp.Identifier) and not _PLAIN.fullmatch(node.name):
            node.set("quoted", True)
    _replace(tree, lambda node: rewritten(node, dialect))
    try:
        return tree.sql(dialect="sqlite", unsupported_level=ErrorLevel.RAISE)
    except (SqlglotError, ValueError, TypeError, AttributeError) as error:
        raise UnsupportedError(str(error).split("\n", 1)[0]) from error


def _replace(tree: exp.Query, rewrite: Callable[[exp.Expr], exp.Expr | None]) -> None:
    """Replaces nodes, the inner ones first."""
    for node in reversed([*tree.walk()]):
        other = rewrite(node)
        if other is not None:
            node.replace(other)


def _name_groups(select: exp.Select) -> None:
    """Names what GROUP BY ALL stands for: all that is selected and is no aggregate."""
    group = select.args.get("group")
    if group is None or not group.args.get("all") or group.expressions:
        return
    chosen = [each.unalias() for each in select.expressions]
    keys = [each.copy() for each in chosen if not isinstance(each, exp.Literal) and each.find(exp.AggFunc) is None]
    select.set("group", exp.Group(expressions=keys) if keys else None)


def _refuse_fields(tree: exp.Query, dialect: str) -> None:
    """Refuses `address.city` where no source is named `address`."""
    sources = {each.alias_or_name.lower() for each in tree.find_all(exp.Table, exp.CTE, exp.Subquery, exp.UDTF)}
    sources |= {part.name.lower() for each in tree.find_all(exp.Table) for part in each.parts}
    for each in tree.find_all(exp.Column):
        if each.table and each.parts[0].name.lower() not in sources:
            raise UnsupportedError(f"{each.sql(dialect)}, a field of a record ({dialect})")


def _rounds_a_moment(node: exp.Cast) -> bool:
    """Whether a conversion keeps fewer digits of a second than six, or minutes; a text is seldom finer."""
    digits = [each.this.name for each in node.to.expressions] if node.is_type(*_TIMED) else []
    rounded = any(each.isdigit() and int(each) < _MICROSECONDS for each in digits)
    return (rounded or node.is_type(exp.DType.SMALLDATETIME)) and not isinstance(node.this, exp.Literal)


_MICROSECONDS = 6
_TIMED = exp.DataType.TEMPORAL_TYPES - {exp.DType.DATE, exp.DType.DATE32}


def _refuse(node: exp.Expr, dialect: str) -> None:
    if isinstance(node, exp.Literal) and is_separator(node):
        return
    what = _ELSEWHERE.get(type(node)) or _is_unknown(node, dialect) or _means_otherwise(node, dialect)
    if what is not None:
        raise UnsupportedError(f"{what} ({dialect})")


def _is_unknown(node: exp.Expr, dialect: str) -> str | None:
    """Names LATERAL or APPLY in a dialect that has the other, or none."""
    if not isinstance(node, exp.Lateral):
        return None
    applied = node.args.get("cross_apply") is not None
    known = dialect in (_WITH_APPLY if applied else _WITH_LATERAL)
    return None if known else "APPLY" if applied else "LATERAL"


def _means_otherwise(node: exp.Expr, dialect: str) -> str | None:
    """Describes an expression that SQLite would run with another meaning."""
    if dialect in _NULL_AS_EMPTY and isinstance(node, exp.Concat):
        return "CONCAT, which leaves NULLs out"
    if dialect in _ALIKE and isinstance(node, exp.StrPosition):
        return "a search in a text, which ignores letter case"
    if dialect in PLUS_JOINS and (found := _means_otherwise_in_tsql(node)) is not None:
        return found
    if dialect == "oracle" and (found := _means_otherwise_in_oracle(node)) is not None:
        return found
    return _is_lost(node)


def _is_lost(node: exp.Expr) -> str | None:
    """Describes what no dialect shares with SQLite, though it is written alike."""
    if loses_zone(node):
        return "a day or a moment in a time zone"
    if isinstance(node, exp.LimitOptions) and (node.args.get("with_ties") or node.args.get("percent")):
        return "WITH TIES or PERCENT"
    if isinstance(node, exp.Substring) and not _starts_inside(node.args.get("start")):
        return "a substring from before the first character"
    return None


def _means_otherwise_in_tsql(node: exp.Expr) -> str | None:
    if _adds_text(node):
        return "+ between texts"
    if isinstance(node, exp.Avg) and isinstance(node.parent, exp.Window):
        return "AVG over a window, which is a whole number for whole numbers"
    if isinstance(node, exp.Like) and "[" in node.expression.name:
        return "sets of characters in LIKE"
    if isinstance(node, exp.Literal) and node.is_string and node.name != node.name.rstrip(" ") and ends_a_join(node):
        return "a text that ends with a blank, which comparisons ignore"
    return "REPLACE, which ignores letter case" if isinstance(node, exp.Replace) else None


def _means_otherwise_in_oracle(node: exp.Expr) -> str | None:
    if isinstance(node, exp.Literal) and node.is_string and not node.name:
        return "the empty text, which is NULL"
    if isinstance(node, exp.DPipe):
        return "|| of texts, which leaves NULLs out"
    if isinstance(node, exp.Column) and node.name.upper() in {"ROWNUM", "ROWID", "LEVEL"} and not node.table:
        return node.name.upper()
    return None


def _starts_inside(start: exp.Expr | None) -> bool:
    """Whether a substring begins at the first character or later, as far as can be read."""
    return not isinstance(start, exp.Neg) and not (isinstance(start, exp.Literal) and start.name == "0")


def _adds_text(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Add):
        return False
    return any(isinstance(each, exp.Literal) and each.is_string for each in (node.this, node.expression))
