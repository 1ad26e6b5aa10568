"""Text that is no query, or that is made to break a parser, is refused with a reason and never raises."""

from __future__ import annotations

import logging
from functools import partial

import pytest
from sqlglot import parse_one

from scoring.query import Unscored, UnscoredReason
from scoring.specification import SqlSpec
from scoring.sql import KNOWN_DIALECTS, read_predicate, read_sql
from tests.costs import times_as_costly

REFUSED = {
    "": UnscoredReason.EMPTY_SQL,
    "  \n\t": UnscoredReason.EMPTY_SQL,
    ";;": UnscoredReason.EMPTY_SQL,
    "-- nothing": UnscoredReason.EMPTY_SQL,
    "/* nothing */ -- at all": UnscoredReason.EMPTY_SQL,
    "/* never closed": UnscoredReason.EMPTY_SQL,
    "```sql\n```": UnscoredReason.EMPTY_SQL,
    "I'm sorry, I cannot answer this.": UnscoredReason.REFUSED_ANSWER,
    "The question cannot be answered from this schema": UnscoredReason.REFUSED_ANSWER,
    "N/A": UnscoredReason.REFUSED_ANSWER,
    "None": UnscoredReason.REFUSED_ANSWER,
    "Unfortunately there is no table of bakers": UnscoredReason.REFUSED_ANSWER,
    "With this schema it is not possible to say": UnscoredReason.REFUSED_ANSWER,
    "Show me more of the tables, please do": UnscoredReason.REFUSED_ANSWER,
    "SELECT 1; SELECT 2": UnscoredReason.MULTIPLE_STATEMENTS,
    "SELECT 1; DROP TABLE bakers": UnscoredReason.MULTIPLE_STATEMENTS,
    "SELECT 1; EXPLAIN whatever": UnscoredReason.MULTIPLE_STATEMENTS,
    "INSERT INTO bakers VALUES (1)": UnscoredReason.NOT_A_SELECT,
    "UPDATE bakers SET a = 1": UnscoredReason.NOT_A_SELECT,
    "DELETE FROM bakers": UnscoredReason.NOT_A_SELECT,
    "DROP TABLE bakers": UnscoredReason.NOT_A_SELECT,
    "CREATE TABLE x AS SELECT 1": UnscoredReason.NOT_A_SELECT,
    "EXPLAIN SELECT 1": UnscoredReason.NOT_AN_ANSWER,
    "PRAGMA table_info(bakers)": UnscoredReason.NOT_AN_ANSWER,
    "COPY bakers TO '/tmp/x'": UnscoredReason.NOT_A_SELECT,
    "CALL bake(1)": UnscoredReason.NOT_A_SELECT,
    "SELECT a INTO b FROM c": UnscoredReason.NOT_A_SELECT,
    "WITH x AS (DELETE FROM bakers RETURNING id) SELECT id FROM x": UnscoredReason.NOT_A_SELECT,
    "WITH x AS (SELECT 1) INSERT INTO bakers SELECT * FROM x": UnscoredReason.NOT_A_SELECT,
    "SELECT a FROM": UnscoredReason.UNPARSEABLE_SQL,
    "SELECT a FROM b WHERE (c = 1": UnscoredReason.UNPARSEABLE_SQL,
    "SELECT a FROM b WHERE c = 'open": UnscoredReason.UNPARSEABLE_SQL,
    "SELCT a FROM b WHERE c = 1": UnscoredReason.UNPARSEABLE_SQL,
    "SELECT a\x00 FROM b": UnscoredReason.INVALID_TEXT,
    "SELECT '\ud800' FROM b": UnscoredReason.INVALID_TEXT,
    "SELECT 1 FROM b WHERE c = '" + "x" * 100_000 + "'": UnscoredReason.SQL_TOO_LONG,
}


@pytest.mark.parametrize(("sql", "reason"), REFUSED.items(), ids=[sql[:40] for sql in REFUSED])
def test_what_is_no_query_is_refused_with_its_reason(sql: str, reason: UnscoredReason) -> None:
    refused = read_sql(sql, None)
    assert isinstance(refused, Unscored)
    assert refused.reason is reason
    assert "\n" not in refused.detail
    assert 0 < len(refused.detail) < 250


DEEP = {
    "brackets": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "NOT": "SELECT 1 FROM t WHERE " + "NOT " * 5_000 + "a",
    "minus": "SELECT " + "- " * 5_000 + "1",
    "tilde": "SELECT 1 FROM t WHERE a = " + "~" * 5_000 + "1",
    "CASE WHEN": "SELECT " + "CASE WHEN " * 5_000 + "1",
    "CASE": "SELECT " + "CASE WHEN a THEN " * 3_000 + "1" + " END" * 3_000,
    "INTERVAL": "SELECT " + "INTERVAL " * 5_000 + "1",
    "ANY": "SELECT a = " + "ANY " * 5_000 + "b",
    "subqueries": "SELECT 1 WHERE " + "EXISTS (SELECT 1 WHERE " * 2_000 + "a" + ")" * 2_000,
    "CTEs": "WITH c AS (" * 2_000 + "SELECT 1" + ") SELECT 1" * 2_000,
    "functions": "SELECT " + "f(" * 5_000 + "1" + ")" * 5_000,
    "square brackets": "SELECT " + "[" * 5_000 + "1" + "]" * 5_000,
    "subscripts": "SELECT a" + "[1]" * 5_000,
}


@pytest.mark.slow  # 52 of the deepest texts
@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb", None])
@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_refused_at_once(name: str, dialect: str | None) -> None:
    refused = read_sql(DEEP[name], dialect)
    assert isinstance(refused, Unscored)
    assert refused.reason in (UnscoredReason.SQL_TOO_DEEP, UnscoredReason.UNPARSEABLE_SQL)
    deep, flat = (partial(read_sql, text, dialect) for text in (DEEP[name], LONG["AND"][: len(DEEP[name])]))
    assert times_as_costly(deep, flat, 4) <= 4


LONG = {
    "AND": "SELECT 1 FROM t WHERE a = 1" + " AND b = 2" * 4_500,
    "OR of one column": "SELECT 1 FROM t WHERE a = 0" + "".join(f" OR a = {n}" for n in range(4_500)),
    "OR of columns": "SELECT 1 FROM t WHERE a = 0" + "".join(f" OR a{n} = 1" for n in range(4_500)),
    "concatenation": "SELECT a" + "||b" * 5_000 + " FROM t",
    "sum of columns": "SELECT " + "+".join(f"a{n}" for n in range(9_000)) + " FROM t",
    "divisions": "SELECT a" + "/b" * 5_000 + " FROM t",
    "UNION": "SELECT a FROM t" + " UNION SELECT a FROM t" * 3_000,
    "CTEs": "WITH " + ", ".join(f"c{n} AS (SELECT 1 AS a)" for n in range(2_000)) + " SELECT a FROM c1",
    "CTEs of CTEs": "WITH c0 AS (SELECT a FROM t)"
    + "".join(f", c{n} AS (SELECT a || a AS a FROM c{n - 1})" for n in range(1, 1_500))
    + " SELECT a FROM c1499 WHERE a = 'x'",
    "stars of stars": "WITH c0 AS (SELECT 1 AS a)"
    + "".join(f", c{n} AS (SELECT * FROM c{n - 1})" for n in range(1, 2_000))
    + " SELECT a FROM c1999",
    "IN list": "SELECT 1 FROM t WHERE a IN (" + ",".join(map(str, range(9_000))) + ")",
    "joins": "SELECT 1 FROM a" + " JOIN b ON a.x = b.x" * 1_900,
    "columns": "SELECT " + ", ".join(f"a{n}" for n in range(9_000)) + " FROM t, u",
}


@pytest.mark.slow  # compares costs
@pytest.mark.parametrize("name", LONG)
def test_long_runs_cost_a_few_parses(name: str) -> None:
    sql = LONG[name][:100_000]
    assert isinstance(read_sql(sql, "sqlite"), SqlSpec)
    assert times_as_costly(partial(read_sql, sql, "sqlite"), partial(parse_one, sql, read="sqlite"), 16) <= 16


def test_nested_ctes_cannot_double_a_name_without_end() -> None:
    spec = read_sql(LONG["CTEs of CTEs"], "sqlite")
    assert isinstance(spec, SqlSpec)
    assert len(spec.filters[0].text) < 3_000


def test_too_many_tokens_are_refused() -> None:
    refused = read_sql("SELECT " + "+".join(["1"] * 49_000), "sqlite")
    assert isinstance(refused, Unscored)
    assert refused.reason is UnscoredReason.SQL_TOO_LARGE


@pytest.mark.slow  # compares costs
def test_ten_megabytes_are_refused_for_less_than_a_tenth_of_a_megabyte_costs() -> None:
    sql = "SELECT '" + "x" * 10_000_000
    refused = read_sql(sql, None)
    assert isinstance(refused, Unscored)
    assert refused.reason is UnscoredReason.SQL_TOO_LONG
    assert times_as_costly(partial(read_sql, sql, None), partial(read_sql, LONG["AND"], "sqlite"), 1) < 1


def test_brackets_in_text_and_comments_do_not_nest() -> None:
    text = "(" * 500
    for sql in (f"SELECT 1 FROM t WHERE a = '{text}'", f"SELECT 1 /* {text} */ FROM t", f'SELECT "{text}" FROM t'):
        assert isinstance(read_sql(sql, "sqlite"), SqlSpec)


def test_an_unknown_dialect_is_named() -> None:
    refused = read_sql("SELECT 1", "klingon")
    assert refused == Unscored(UnscoredReason.UNKNOWN_DIALECT, "'klingon' is no dialect that is known")


@pytest.mark.parametrize("dialect", sorted(KNOWN_DIALECTS))
def test_every_known_dialect_reads_a_query(dialect: str) -> None:
    spec = read_sql("SELECT name FROM bakers WHERE town = 'Oslo'", dialect.upper())
    assert isinstance(spec, SqlSpec)
    assert [each.text for each in spec.filters] == ["town = 'oslo'"]


def test_a_message_never_repeats_the_whole_text() -> None:
    refused = read_sql("SELECT a FROM t WHERE " + "b = 'secret' AND " * 500 + "(", None)
    assert isinstance(refused, Unscored)
    assert len(refused.detail) < 250


def test_the_parser_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for sql in REFUSED:
            read_sql(sql, None)
        read_sql("WITH a AS (SELECT 1) ELSE SELECT 2", "postgres")
        read_sql("SELECT a -> 'b c[' FROM t", "postgres")
    assert not caplog.records


def test_the_same_text_has_the_same_specification() -> None:
    sql = "SELECT town FROM bakers WHERE a = 1 OR b = 2 GROUP BY town HAVING COUNT(*) > 3"
    assert read_sql(sql, None) == read_sql(sql, None)


PREDICATES = {
    "STATUS='active'": ["status = 'active'"],
    "status = 'Active'": ["status = 'active'"],
    "is_deleted = 0": ["is_deleted = 0"],
    "NOT is_deleted AND tenant IN (1)": ["is_deleted = false", "tenant = 1"],
    "orders.kind <> 'test'": ["kind != 'test'"],
    "created_at >= '2020-01-01'": ["created_at within [2020-01-01, )"],
}


@pytest.mark.parametrize("text", PREDICATES)
def test_a_predicate_is_normalised_like_a_query(text: str) -> None:
    filters = read_predicate(text, None)
    assert not isinstance(filters, Unscored)
    assert [each.text for each in filters] == PREDICATES[text]
    assert {each.block for each in filters} == {"main"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "status =",
        "a = 1; DROP TABLE t",
        "a = 1 GROUP BY b",
        "1 = 1",
        "a IN (SELECT b FROM c)",
        "(" * 999,
        "a = 1) OR (b = 2",
    ],
)
def test_what_is_no_predicate_is_refused(text: str) -> None:
    assert isinstance(read_predicate(text, None), Unscored)
