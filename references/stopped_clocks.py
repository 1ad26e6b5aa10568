"""Stops the clocks of a query: what asks for the present gives one moment, in UTC."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

NOW = "2024-06-15 12:00:00"
"""The time that every clock function of a query returns."""
_DAY, _TIME = NOW[:10], NOW[11:]
_YESTERDAY = "2024-06-14"
_CLOCKS: Mapping[type[exp.Expr], str] = {
    **dict.fromkeys((exp.CurrentDate, exp.UtcDate), _DAY),
    **dict.fromkeys((exp.CurrentTime, exp.UtcTime, exp.Localtime), _TIME),
    **dict.fromkeys((exp.CurrentTimestamp, exp.CurrentDatetime, exp.CurrentTimestampLTZ), NOW),
    **dict.fromkeys((exp.Localtimestamp, exp.UtcTimestamp, exp.Systimestamp), NOW),
}
_MYSQL: Mapping[str, str] = dict.fromkeys(("NOW", "SYSDATE"), NOW)
_SPARK: Mapping[str, str] = {"NOW": NOW}
_TSQL: Mapping[str, str] = dict.fromkeys(("GETUTCDATE", "SYSUTCDATETIME"), NOW)
_NAMED: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("mysql", "singlestore", "doris", "starrocks"), _MYSQL),
    **dict.fromkeys(("tsql", "fabric"), _TSQL),
    **dict.fromkeys(("spark", "databricks"), _SPARK),
    "duckdb": dict.fromkeys(("NOW", "GET_CURRENT_TIMESTAMP", "TRANSACTION_TIMESTAMP"), NOW),
    "postgres": dict.fromkeys(("CLOCK_TIMESTAMP", "TRANSACTION_TIMESTAMP", "STATEMENT_TIMESTAMP"), NOW),
    "clickhouse": {"NOW": NOW, "NOW64": NOW, "TODAY": _DAY, "YESTERDAY": _YESTERDAY},
}
"""By dialect, clocks that the parser takes for functions of a user."""
_MAY_ASK = re.compile(r"now|cur|sys|utc|local|clock|today|yesterday|date\(\)|timestamp", re.IGNORECASE)
"""What the SQL of every clock contains."""
_LOCALTIME_IS_NOW = frozenset({"mysql", "singlestore", "doris", "starrocks"})


def stop_clocks(tree: exp.Query, sql: str, dialect: str) -> bool:
    """Replaces every clock by the frozen time, a day as a date but in SQLite. Returns whether there was one.

    >>> from sqlglot import parse_one
    >>> sql = "SELECT NOW() - INTERVAL 1 DAY, CURDATE()"
    >>> tree = parse_one(sql, dialect="mysql")
    >>> stop_clocks(tree, sql, "mysql"), tree.sql("mysql")
    (True, "SELECT '2024-06-15 12:00:00' - INTERVAL '1' DAY, DATE('2024-06-15')")
    """
    if not _MAY_ASK.search(sql):
        return False
    found = [(node, time) for node in tree.walk() if (time := shown(node, dialect)) is not None]
    for node, time in found:
        text = exp.Literal.string(time)
        node.replace(exp.Date(this=text) if dialect != "sqlite" and len(time) == len(_DAY) else text)
    return bool(found)


def shown(node: exp.Expr, dialect: str) -> str | None:
    """What a clock shows; `None` for another node."""
    if isinstance(node, exp.Literal):
        return NOW if node.is_string and node.name.lower() == "now" else None
    if isinstance(node, exp.Localtime) and dialect in _LOCALTIME_IS_NOW:
        return NOW
    if isinstance(node, exp.Anonymous) and all(each.is_int for each in node.expressions):
        return _NAMED.get(dialect, {}).get(node.name.upper())
    return _CLOCKS.get(type(node))
