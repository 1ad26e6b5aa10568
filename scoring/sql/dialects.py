"""Finds the dialect of SQL: by name, or guessed from features of the text."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from sqlglot.dialects.dialect import Dialect, Dialects

from scoring.patterns import lazy

_NOT_SQL = frozenset({"dax", "prql"})
_NAMES = frozenset(each.value for each in Dialects if each.value) - _NOT_SQL
_ALIASES = MappingProxyType(
    {
        "postgresql": "postgres",
        "pg": "postgres",
        "psql": "postgres",
        "cockroachdb": "postgres",
        "mssql": "tsql",
        "sqlserver": "tsql",
        "sql server": "tsql",
        "azuresql": "tsql",
        "mariadb": "mysql",
        "sqlite3": "sqlite",
        "big query": "bigquery",
        "googlesql": "bigquery",
        "spark sql": "spark",
        "sparksql": "spark",
        "pyspark": "spark",
        "plsql": "oracle",
        "awsathena": "athena",
        "prestosql": "presto",
    }
)
KNOWN_DIALECTS: frozenset[str] = _NAMES | frozenset(_ALIASES)
"""Every accepted name of a dialect, in lower case; case and surrounding space are ignored."""

FALLBACKS = ("sqlite", "postgres", "mysql", "bigquery", "snowflake", "tsql", "duckdb", "oracle")
"""Tried in this order if SQL does not parse in the guessed dialect."""

_TOP = lazy(r"\bselect\s+(?:distinct\s+)?top[\s(]", re.IGNORECASE)
_BRACKETED = lazy(r"(?<![\w\])])\[[A-Za-z_][\w ]*\]")
_DOTTED_TICKS = lazy(r"`[^`.]*\.[^`]*`")

_WORDS = MappingProxyType(
    {
        word: dialect
        for dialect, words in {
            "bigquery": "safe_divide countif format_date timestamp_sub timestamp_trunc parse_date datetime_sub struct",
            "snowflake": "flatten iff array_construct div0 zeroifnull listagg dateadd qualify",
            "tsql": "getdate charindex datepart isnull sysdatetime datefromparts eomonth apply try_convert datename",
            "oracle": "rownum sysdate nvl add_months months_between dual",
            "sqlite": "strftime iif julianday glob",
            "duckdb": "read_csv read_parquet list_contains strptime asof",
            "mysql": "date_format curdate str_to_date timestampdiff date_sub date_add rlike div straight_join makedate",
            "postgres": "ilike to_char date_part generate_series similar string_agg to_timestamp",
        }.items()
        for word in words.split()
    }
)
"""Words that are typical of one dialect."""
_TYPICAL_WORDS = frozenset(_WORDS)
_MARKS = (
    ("'now'", "sqlite"),
    ("as real)", "sqlite"),
    ("::", "postgres"),
    ("$1", "postgres"),
    ("interval '", "postgres"),
)
"""Other signs of a dialect."""
_WEIGHED = ("bigquery", "snowflake", "tsql", "oracle", "sqlite", "duckdb", "mysql", "postgres")
"""If SQL has features of several dialects, the first of these is the guess: rarer dialects come first."""

DEFAULT = "sqlite"
"""The guess for SQL without a feature of any dialect: SQLite accepts both double quotes and backticks."""


def canonical_dialect(name: str) -> str | None:
    """The parser's name of a dialect, or `None` if it is unknown.

    >>> canonical_dialect(" PostgreSQL "), canonical_dialect("mssql"), canonical_dialect("klingon")
    ('postgres', 'tsql', None)
    """
    folded = name.strip().lower()
    folded = _ALIASES.get(folded, folded)
    return folded if folded in _NAMES else None


def guess(sql: str) -> str:
    """The likeliest dialect of SQL, from features of its text.

    >>> guess("SELECT a::int FROM t"), guess("SELECT TOP 3 a FROM t"), guess("SELECT a FROM t")
    ('postgres', 'tsql', 'sqlite')
    """
    lowered = sql.lower()
    if "`" in lowered:
        return _ticked(lowered)
    if ("top" in lowered and _TOP.search(lowered)) or ("[" in lowered and _BRACKETED.search(lowered)):
        return "tsql"
    return _featured(lowered) or DEFAULT


@lru_cache(maxsize=64)
def parser_dialect(name: str) -> Dialect:
    """The parser's dialect object, made once."""
    return Dialect.get_or_raise(name)


def _ticked(lowered: str) -> str:
    """Backticks quote identifiers in MySQL, BigQuery and SQLite only."""
    found = _featured(lowered)
    if found in {"bigquery", "mysql", "sqlite"}:
        return found
    return "bigquery" if _DOTTED_TICKS.search(lowered) else DEFAULT


def _featured(lowered: str) -> str | None:
    found = {dialect for mark, dialect in _MARKS if mark in lowered}
    # `str.translate` takes ten times as long.
    words = lowered.replace("(", " ").replace(")", " ").replace(",", " ").split()
    if not _TYPICAL_WORDS.isdisjoint(words):
        found.update([_WORDS[word] for word in words if word in _WORDS])
    return next((dialect for dialect in _WEIGHED if dialect in found), None) if found else None
