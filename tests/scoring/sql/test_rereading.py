"""Text that the parser would read again and again costs no more than its size, in every dialect and in every caller."""

from __future__ import annotations

from functools import partial

import pytest

from scoring.query import Unscored, UnscoredReason
from scoring.specification import SqlSpec
from scoring.sql import KNOWN_DIALECTS, read_predicate, read_sql
from tests.costs import calls_of, times_as_costly

MOST = 30
"""Honest queries that each text below may cost. It costs six at most; before it was refused, two hundred and more."""
HONEST = "SELECT a FROM t WHERE " + " AND ".join(f"a{n} = {n}" for n in range(300))
"""What a query of some thousand characters costs."""

REREAD = {
    "JOIN": "SELECT a FROM b" + " JOIN c" * 40,
    "LEFT JOIN": "SELECT a FROM b" + " LEFT JOIN c d" * 200,
    "JOINs in a subquery": "SELECT a FROM t WHERE b IN (SELECT a FROM b" + " INNER JOIN c AS d" * 60 + ")",
    "JOINs with one ON": "SELECT a FROM b" + " JOIN c" * 60 + " ON 1 = 1",
    "JOINs, each before one with ON": "SELECT a FROM b" + " JOIN c JOIN d ON 1 = 1" * 60,
    "struct types": "SELECT " + "STRUCT(" * 30 + "t" + ")" * 30,
    "object types": "SELECT a FROM t WHERE " + "OBJECT(" * 40 + "t" + ")" * 40,
    "arrays": "SELECT " + "ARRAY[" * 40 + "1" + "]" * 40,
    "dates": "SELECT " + "DATE(" * 70 + "a" + ")" * 70,
    "wide types": "SELECT " + ", ".join("STRUCT(" * 9 + "t" + ")" * 9 for _ in range(500)),
    "a quoted type": 'SELECT CAST(a AS "' + "struct(" * 40 + "int" + ")" * 40 + '") FROM t',
    "JOINs in a quoted type": 'SELECT CAST(a AS "decimal((((SELECT a FROM b' + " JOIN c" * 40 + '))))") FROM t',
    "a hint of types": "SELECT /*+ f(" + "struct(" * 40 + "int" + ")" * 40 + ") */ a FROM t",
    "a hint of JOINs": "SELECT /*+ f((SELECT a FROM b" + " JOIN c" * 40 + ")) */ a FROM t",
    "pipes": "FROM t" + " |> SELECT a" * 1_500,
    "names of many parts": "SELECT a FROM `" + "b." * 40_000 + "c`",
    "FROMs": "FROM " * 9_000 + "t",
}


@pytest.mark.campaign
@pytest.mark.parametrize("dialect", [None, "bigquery", "postgres", "spark"])
@pytest.mark.parametrize("name", REREAD)
def test_text_with_many_readings_costs_a_few_honest_queries(name: str, dialect: str | None) -> None:
    refuse, read = partial(read_sql, REREAD[name], dialect), partial(read_sql, HONEST, "sqlite")
    assert times_as_costly(refuse, read, MOST) <= MOST


@pytest.mark.parametrize("dialect", sorted(KNOWN_DIALECTS))
def test_joins_without_on_are_refused_in_every_dialect(dialect: str) -> None:
    refused = read_sql("SELECT a FROM b" + " JOIN c" * 40, dialect)
    assert isinstance(refused, Unscored)
    assert refused.reason in (UnscoredReason.SQL_TOO_DEEP, UnscoredReason.UNPARSEABLE_SQL)


@pytest.mark.parametrize(
    "joins",
    [
        " CROSS JOIN b" * 300,
        " NATURAL JOIN b" * 300,
        ", b" * 300,
        " JOIN b USING (x)" * 300,
        " LEFT JOIN b ON a.x = b.x" * 300,
        " JOIN b" * 8,
        " JOIN b" * 6 + " ON a.x = b.x" * 6,
    ],
)
def test_honest_chains_of_joins_are_read(joins: str) -> None:
    for dialect in ("sqlite", "postgres", "mysql", "bigquery", "snowflake", "tsql", "duckdb", "oracle"):
        assert isinstance(read_sql(f"SELECT a.y FROM a{joins} WHERE a.y = 1", dialect), SqlSpec)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DATE(DATE(DATE(a, '-1 day'), '-1 day')) FROM t",
        "SELECT ARRAY[ARRAY[ARRAY[1, 2], ARRAY[3]]] FROM t",
        'SELECT "Price (EUR) (net) (2024) [x]" FROM "my (table)" WHERE "Date (UTC) (a) (b)" = \'2020-01-01\'',
        "SELECT /*+ PARALLEL(t, 4) */ a FROM t",
        "SELECT CAST(a AS STRUCT<b ARRAY<STRUCT<c INT64>>>) FROM t",
    ],
)
def test_honest_nesting_is_read(sql: str) -> None:
    assert isinstance(read_sql(sql, "bigquery" if "INT64" in sql else "postgres"), SqlSpec)


def test_a_rule_is_bounded_like_a_query() -> None:
    read = partial(read_sql, HONEST, "sqlite")
    for text in ("a IN (SELECT a FROM b" + " JOIN c" * 40 + ")", "STRUCT(" * 40 + "t" + ")" * 40 + " = 1"):
        assert isinstance(read_predicate(text, None), Unscored)
        assert times_as_costly(partial(read_predicate, text, None), read, MOST) <= MOST


@pytest.mark.parametrize(("conditions", "tries"), [(1, 9), (1_200, 5), (1_600, 4), (1_700, 1)])
def test_a_dialect_that_is_not_named_is_tried_less_often_the_longer_the_text(conditions: int, tries: int) -> None:
    sql = "SELECT a FROM t WHERE " + "b = 'c' AND " * conditions + ")"
    assert calls_of(lambda: read_sql(sql, None), "scoring.sql.parsing")["_parse"] == tries
