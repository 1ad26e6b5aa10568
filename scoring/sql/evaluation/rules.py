"""How a dialect computes and compares, as far as dialects differ; where that is not known, results are left open."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple


class DialectRules(NamedTuple):
    """What is known of one dialect."""

    name: str = ""
    """Empty if the SQL does not say its dialect."""
    doubles: bool = False
    """Decimals are doubles, computed as IEEE 754 says."""
    exact: bool = False
    """Decimals are added and multiplied exactly."""
    equality: bool = False
    """Texts are equal if all their characters are."""
    ordering: bool = False
    """Texts are ordered by code point."""
    sensitive: bool | None = None
    """LIKE distinguishes case."""
    storage: bool = False
    """A number is less than any text, and types belong to values: SQLite."""
    numeric: bool = False
    """Truths are the numbers 1 and 0."""
    typed: bool = False
    """A text that is written beside a number is read as a number."""
    spelling: tuple[str, str] | None = None
    """The texts of false and true."""
    truths: Mapping[str, bool] = MappingProxyType({"0": False, "1": True, "false": False})
    """What texts are where a condition stands; 'true' is the number 0 in SQLite and MySQL."""


_NUMERALS = MappingProxyType({"0": False, "1": True, "": False, "true": False, "false": False})
_WORDS = MappingProxyType(
    dict.fromkeys(("1", "t", "true", "y", "yes", "on"), True)
    | dict.fromkeys(("0", "f", "false", "n", "no", "off"), False)
)
_BINARY = frozenset(
    {"sqlite", "duckdb", "bigquery", "snowflake", "presto", "trino", "athena", "spark", "databricks", "hive"}
    | {"clickhouse", "redshift"}
)
_EQUAL = _BINARY | {"postgres", "oracle", "materialize", "risingwave"}
_INSENSITIVE = frozenset({"sqlite", "mysql", "tsql", "fabric", "doris", "starrocks", "singlestore"})
_EXACT = frozenset({"postgres", "duckdb", "mysql", "tsql", "snowflake", "oracle", "redshift", "presto", "trino"})
_READ_AS_NUMBERS = frozenset({"postgres", "duckdb", "mysql", "tsql", "snowflake", "oracle", "redshift"})
_PLAIN = MappingProxyType({"0": False, "1": True, "true": True, "false": False})
_TRUTHS = MappingProxyType({"sqlite": _NUMERALS, "mysql": _NUMERALS, "postgres": _WORDS})
_SPELLINGS = MappingProxyType(
    {"sqlite": ("0", "1"), "mysql": ("0", "1")} | dict.fromkeys(("postgres", "duckdb"), ("false", "true"))
)


@cache
def rules_of(dialect: str | None) -> DialectRules:
    """The rules of a dialect; of none, those that all dialects keep."""
    if not dialect:
        return DialectRules()
    return DialectRules(
        name=dialect,
        doubles=dialect == "sqlite",
        exact=dialect in _EXACT,
        equality=dialect in _EQUAL,
        ordering=dialect in _BINARY,
        sensitive=False if dialect in _INSENSITIVE else True if dialect in _EQUAL else None,
        storage=dialect == "sqlite",
        numeric=dialect in ("sqlite", "mysql"),
        typed=dialect in _READ_AS_NUMBERS,
        spelling=_SPELLINGS.get(dialect),
        truths=_TRUTHS.get(dialect, _PLAIN),
    )
