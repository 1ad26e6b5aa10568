"""Translates queries of other dialects to SQLite, and refuses those whose meaning would change."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError, UnsupportedError

from references.sandbox import Folding

_PLAIN = re.compile(r"[A-Za-z_]\w*")
_PARTS: Mapping[type[exp.Expr], str] = {exp.Year: "%Y", exp.Month: "%m", exp.Day: "%d"}
_NAMED_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d"}

_ELSEWHERE: Mapping[type[exp.Expr], str] = {
    exp.Interval: "intervals",
    exp.DateAdd: "date arithmetic",
    exp.DateSub: "date arithmetic",
    exp.DateDiff: "date arithmetic",
    exp.TimestampDiff: "date arithmetic",
    exp.DateTrunc: "truncated dates",
    exp.TimestampTrunc: "truncated dates",
    exp.Greatest: "GREATEST, which leaves NULLs out or not",
    exp.Least: "LEAST, which leaves NULLs out or not",
    exp.GroupConcat: "joined texts, whose order is open",
    exp.JSONExtract: "JSON paths",
    exp.JSONBExtract: "JSON paths",
    exp.RegexpLike: "regular expressions",
}
"""Expressions that sqlglot passes through although SQLite lacks them or gives them another meaning."""

_ROUNDING = frozenset({"postgres", "redshift", "duckdb", "snowflake", "bigquery", "oracle"})
"""Dialects whose CAST to an integer rounds. SQLite truncates."""
_NULL_AS_EMPTY = frozenset({"postgres", "redshift", "duckdb", "tsql", "oracle"})
"""Dialects in which CONCAT ignores NULLs."""
_ALIKE = frozenset({"mysql", "tsql", "doris", "starrocks", "singlestore", "fabric"})
"""Dialects in which texts that differ only in letter case are equal by default."""


def folding_of(dialect: str) -> Folding:
    """Returns when a dialect ignores letter case."""
    if dialect == "sqlite":
        return Folding.LIKE
    return Folding.ALWAYS if dialect in _ALIKE else Folding.NEVER


def translated(tree: exp.Query, dialect: str) -> str:
    """Translates a query to SQLite, changing the tree. Raises `UnsupportedError` when its meaning would change."""
    for node in [*tree.walk()]:
        _refuse(node, dialect)
        if isinstance(node, exp.Identifier) and not _PLAIN.fullmatch(node.name):
            node.set("quoted", True)
        pattern = _part(node)
        if pattern is not None:
            node.replace(exp.cast(exp.TimeToStr(this=_date(node), format=exp.Literal.string(pattern)), "INTEGER"))
    try:
        return tree.sql(dialect="sqlite", unsupported_level=ErrorLevel.RAISE)
    except (SqlglotError, ValueError, TypeError, AttributeError) as error:
        raise UnsupportedError(str(error).split("\n", 1)[0]) from error


def _refuse(node: exp.Expr, dialect: str) -> None:
    what = _ELSEWHERE.get(type(node)) or _means_otherwise(node, dialect)
    if what is not None:
        raise UnsupportedError(f"{what} ({dialect})")


def _means_otherwise(node: exp.Expr, dialect: str) -> str | None:
    """Describes an expression that SQLite would run with another meaning."""
    if dialect in _ROUNDING and _casts_to_integer(node):
        return "CAST to a whole number, which rounds"
    if dialect in _NULL_AS_EMPTY and isinstance(node, exp.Concat):
        return "CONCAT, which leaves NULLs out"
    if dialect == "tsql" and _adds_text(node):
        return "+ between texts"
    return None


def _casts_to_integer(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Cast) or isinstance(node.this, exp.Literal):
        return False
    return node.is_type(*exp.DataType.INTEGER_TYPES)


def _adds_text(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Add):
        return False
    return any(isinstance(each, exp.Literal) and each.is_string for each in (node.this, node.expression))


def _part(node: exp.Expr) -> str | None:
    """The format of an extracted year, month or day."""
    if isinstance(node, exp.Extract):
        return _NAMED_PARTS.get(node.name.upper())
    return _PARTS.get(type(node))


def _date(node: exp.Expr) -> exp.Expr:
    date = node.expression if isinstance(node, exp.Extract) else node.this
    return date.this if isinstance(date, exp.TsOrDsToDate) else date
