"""Rewrites what SQLite can say in other words, where sqlglot's own words would change the meaning."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

_ESCAPING = frozenset(
    {
        "postgres", "redshift", "mysql", "bigquery", "spark", "databricks", "hive", "clickhouse", "doris",
        "starrocks", "singlestore",
    }
)  # fmt: skip
"""Dialects in which a backslash in a LIKE pattern takes the next character as it is."""
_SCALE: Mapping[str, int] = {
    "tsql": 0, "fabric": 0, "mysql": 0, "snowflake": 0, "redshift": 0, "spark": 0, "databricks": 0, "trino": 0,
    "singlestore": 0, "doris": 0, "starrocks": 0, "duckdb": 3,
}  # fmt: skip
"""Digits after the point of a DECIMAL that names none."""
_ROUNDING = frozenset(
    {
        "postgres", "redshift", "duckdb", "snowflake", "bigquery", "oracle", "mysql", "singlestore", "trino",
        "presto", "athena",
    }
)  # fmt: skip
"""Dialects whose CAST to an integer rounds. SQLite truncates."""
_CUTTING = frozenset({"postgres", "redshift", "mysql", "singlestore", "tsql", "fabric", "oracle"})
"""Dialects whose CAST to a text of n characters takes the first n. SQLite takes all."""
_DECIMALS = (exp.DType.DECIMAL, exp.DType.DECIMAL32, exp.DType.DECIMAL64, exp.DType.DECIMAL128)


def rewritten(node: exp.Expr, dialect: str) -> exp.Expr | None:
    """Returns what stands for a node in SQLite, if sqlglot would write something else.

    >>> from sqlglot import parse_one
    >>> rewritten(parse_one("COUNTIF(n > 3)", dialect="bigquery"), "bigquery").sql("sqlite")
    'COUNT(CASE WHEN n > 3 THEN 1 END)'
    """
    if isinstance(node, exp.CountIf | exp.AnonymousAggFunc):
        return _counted(node)
    if isinstance(node, exp.EQ | exp.NEQ):
        return _membership(node)
    if dialect in {"tsql", "fabric"} and isinstance(node, exp.Avg) and not isinstance(node.parent, exp.Window):
        return _whole_average(node)
    if isinstance(node, exp.Length):
        return _length(node, dialect)
    if isinstance(node, exp.Left | exp.Right):
        return _end(node)
    if isinstance(node, exp.Like | exp.ILike) and dialect in _ESCAPING:
        return _escaped(node)
    if isinstance(node, exp.Cast):
        return _scaled(node, dialect) or _rounded(node, dialect) or _cut(node, dialect)
    return None


def _counted(node: exp.CountIf | exp.AnonymousAggFunc) -> exp.Expr | None:
    return _count_if(node) if isinstance(node, exp.CountIf) else _different_values(node)


def _count_if(node: exp.CountIf) -> exp.Expr | None:
    if isinstance(node.this, exp.Distinct):
        return None
    return exp.Count(this=exp.Case(ifs=[exp.If(this=node.this.copy(), true=exp.Literal.number(1))]))


def _different_values(node: exp.AnonymousAggFunc) -> exp.Expr | None:
    """ClickHouse's exact count of different values."""
    if node.name.lower() != "uniqexact" or len(node.expressions) != 1:
        return None
    return exp.Count(this=exp.Distinct(expressions=[node.expressions[0].copy()]))


def _membership(node: exp.EQ | exp.NEQ) -> exp.Expr | None:
    """`= ANY (SELECT …)` is IN, and `<> ALL (SELECT …)`, as sqlglot reads Snowflake's NOT IN, is NOT IN."""
    quantified = node.expression
    if not isinstance(quantified, exp.Any if isinstance(node, exp.EQ) else exp.All):
        return None
    query = quantified.this.unnest()
    if not isinstance(query, exp.Query):
        return None
    found = exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy()))
    return found if isinstance(node, exp.EQ) else exp.Not(this=found)


def _whole_average(node: exp.Avg) -> exp.Expr:
    """The mean of whole numbers is a whole number, as the quotient of their sum and their count."""
    total, count = exp.Sum(this=node.this.copy()), exp.Count(this=node.this.copy())
    return exp.paren(exp.Div(this=total, expression=count, typed=True, safe=True), copy=False)


def _end(node: exp.Left | exp.Right) -> exp.Expr | None:
    """The first or the last characters, which SQLite takes by SUBSTR."""
    count = node.expression
    if not isinstance(count, exp.Literal) or not count.name.isdigit() or count.name == "0":
        return None
    if isinstance(node, exp.Left):
        return exp.Substring(this=node.this.copy(), start=exp.Literal.number(1), length=count.copy())
    return exp.Substring(this=node.this.copy(), start=exp.Neg(this=count.copy()))


def _length(node: exp.Length, dialect: str) -> exp.Expr | None:
    """Bytes in MySQL's LENGTH; without blanks at the end in T-SQL's LEN."""
    if node.args.get("binary"):
        return exp.Length(this=exp.Cast(this=node.this.copy(), to=exp.DataType.build("BLOB", dialect="sqlite")))
    if dialect in {"tsql", "fabric"} and not isinstance(node.this, exp.Trim):
        return exp.Length(this=exp.Trim(this=node.this.copy(), position="TRAILING"))
    return None


def _escaped(node: exp.Expr) -> exp.Expr | None:
    pattern = node.expression
    if isinstance(node.parent, exp.Escape) or not isinstance(pattern, exp.Literal | exp.RawString):
        return None
    if "\\" not in pattern.name:
        return None
    copy = node.copy()
    copy.set("expression", exp.Literal.string(pattern.name))
    return exp.Escape(this=copy, expression=exp.Literal.string("\\"))


def _cut(node: exp.Cast, dialect: str) -> exp.Expr | None:
    """A cast to CHAR(n) or VARCHAR(n) takes the first characters."""
    given = [each.name for each in node.to.expressions]
    if (
        dialect not in _CUTTING
        or not node.is_type(*exp.DataType.TEXT_TYPES)
        or len(given) != 1
        or not given[0].isdigit()
    ):
        return None
    text = exp.cast(node.this.copy(), "TEXT")
    return exp.Substring(this=text, start=exp.Literal.number(1), length=exp.Literal.number(given[0]))


def _scaled(node: exp.Cast, dialect: str) -> exp.Expr | None:
    """A cast to DECIMAL(p, s) rounds to s digits."""
    if not node.is_type(*_DECIMALS):
        return None
    given = [each.name for each in node.to.expressions]
    if given:
        digits = int(given[1]) if len(given) > 1 and given[1].isdigit() else 0
    elif dialect in _SCALE:
        digits = _SCALE[dialect]
    else:
        return None
    return exp.Round(this=node.this.copy(), decimals=exp.Literal.number(digits))


def _rounded(node: exp.Cast, dialect: str) -> exp.Expr | None:
    """A cast to a whole number that rounds, as SQLite's does not."""
    if dialect not in _ROUNDING or not node.is_type(*exp.DataType.INTEGER_TYPES):
        return None
    whole = isinstance(node.this, exp.Cast) and node.this.is_type(*exp.DataType.INTEGER_TYPES)
    if whole or isinstance(node.this, exp.Literal | exp.Round | exp.TimeToStr):
        return None
    rounded = exp.Round(this=node.this.copy())
    return exp.Cast(this=rounded, to=node.to.copy())
