"""Columns that list their values sort and compare as their dialect does; what a type forbids holds or is named."""

from __future__ import annotations

from typing import Any

import pytest

from references.ddl import read_schema
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.verify import verify
from references.schema import Schema
from references.semantics import Semantics

POSTGRES = (
    "CREATE TYPE size AS ENUM ('small', 'medium', 'large');"
    "CREATE TABLE t (id INT PRIMARY KEY, s size NOT NULL, z size NOT NULL, n INT NOT NULL)"
)
MYSQL = "CREATE TABLE t (id INT PRIMARY KEY, s ENUM('small', 'medium', 'large') NOT NULL, n INT NOT NULL)"
PLACE = "CASE s WHEN 'large' THEN 3 WHEN 'medium' THEN 2 ELSE 1 END"


def found(a: str, b: str, schema: str, dialect: str, **changed: Any) -> PairFinding:
    return verify(Pair(sql_a=a, sql_b=b, schema=schema, dialect=dialect, **changed))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s > 'medium'", "s = 'large'"),
        ("s < 'medium'", "s = 'small'"),
        ("'medium' <= s", "s IN ('medium', 'large')"),
        ("s BETWEEN 'small' AND 'medium'", "s <> 'large'"),
        ("s > 'small' AND s < 'large'", "s = 'medium'"),
        ("s > z", "(s = 'large' AND z <> 'large') OR (s = 'medium' AND z = 'small')"),
        ("COALESCE(s, 'small') > 'medium'", "s = 'large'"),
        ("s >= (SELECT MAX(x.s) FROM t AS x)", "NOT EXISTS (SELECT 1 FROM t AS x WHERE x.s > t.s)"),
        ("s::text > 'medium'", "s = 'small'"),
    ],
)
def test_postgres_compares_by_declared_order(one: str, other: str) -> None:
    same = found(f"SELECT id FROM t WHERE {one}", f"SELECT id FROM t WHERE {other}", POSTGRES, "postgres")
    assert same.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND, same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT id FROM t WHERE s > 'medium'", "SELECT id FROM t WHERE s = 'small'"),
        ("SELECT MAX(s) FROM t", "SELECT MAX(s::text) FROM t"),
        ("SELECT s FROM t ORDER BY s, id LIMIT 1", "SELECT s FROM t ORDER BY s::text, id LIMIT 1"),
        ("SELECT s AS x FROM t ORDER BY x LIMIT 1", "SELECT s FROM t ORDER BY s DESC LIMIT 1"),
        ("SELECT s, id FROM t ORDER BY 1, 2 LIMIT 1", "SELECT s, id FROM t ORDER BY s::text, 2 LIMIT 1"),
        ("SELECT x FROM (SELECT s AS x FROM t) q WHERE x > 'medium'", "SELECT s FROM t WHERE s = 'small'"),
        (
            "SELECT id FROM (SELECT id, RANK() OVER (ORDER BY s) r FROM t) q WHERE r = 1",
            "SELECT id FROM (SELECT id, RANK() OVER (ORDER BY s::text) r FROM t) q WHERE r = 1",
        ),
    ],
)
def test_postgres_sorts_and_takes_extremes_by_declared_order(one: str, other: str) -> None:
    differ = found(one, other, POSTGRES, "postgres")
    assert (differ.verdict, differ.level) == (EquivalenceVerdict.DIFFERENT, Level.S0), differ


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT MIN(s) FROM t HAVING COUNT(*) > 0", f"SELECT s FROM t ORDER BY {PLACE}, id LIMIT 1"),
        ("SELECT s FROM t ORDER BY s DESC, id LIMIT 1", f"SELECT s FROM t ORDER BY {PLACE} DESC, id LIMIT 1"),
    ],
)
def test_the_same_order_written_out_is_no_difference(one: str, other: str) -> None:
    assert found(one, other, POSTGRES, "postgres").level in {None, Level.S3, Level.S6}


def test_a_type_has_every_value_that_it_is_given() -> None:
    wider = (
        f"{POSTGRES}; ALTER TYPE size ADD VALUE 'huge' AFTER 'large'; ALTER TYPE size ADD VALUE 'tiny' BEFORE 'small'"
    )
    differ = found("SELECT id FROM t WHERE s > 'medium'", "SELECT id FROM t WHERE s = 'large'", wider, "postgres")
    assert (differ.verdict, differ.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)
    same = found("SELECT id FROM t WHERE s < 'small'", "SELECT id FROM t WHERE s = 'tiny'", wider, "postgres")
    assert same.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND
    assert not any("TYPE" in each for each in same.notes)
    named = found(
        "SELECT id FROM t WHERE s > 'b'", "SELECT id FROM t WHERE s = 'c'",
        "CREATE TYPE \"Kind\" AS ENUM ('a', 'b'); ALTER TYPE public.\"Kind\" RENAME VALUE 'a' TO 'c';"
        "CREATE TABLE t (id INT PRIMARY KEY, s public.\"Kind\" NOT NULL)", "postgres",
    )  # fmt: skip
    assert (named.verdict, named.level) == (EquivalenceVerdict.DIFFERENT, Level.S0)


def test_a_given_enum_sorts_as_its_values_are_given() -> None:
    plain, given = "CREATE TABLE t (id INT PRIMARY KEY, s TEXT NOT NULL)", {"enum": [["t", "s", ["small", "large"]]]}
    one, other = "SELECT s FROM t ORDER BY s, id LIMIT 1", "SELECT s FROM t ORDER BY s::text, id LIMIT 1"
    assert found(one, other, plain, "postgres", constraints=given).level is Level.S0


def test_mysql_sorts_by_declared_order_and_compares_by_text() -> None:
    listed = {"semantics": Semantics.LIST}
    ordered, placed = "SELECT id FROM t ORDER BY s, id", f"SELECT id FROM t ORDER BY {PLACE}, id"
    assert found(ordered, placed, MYSQL, "mysql", **listed).verdict is not EquivalenceVerdict.DIFFERENT
    by_text = "SELECT id FROM t ORDER BY CONCAT(s, ''), id"
    assert found(ordered, by_text, MYSQL, "mysql", **listed).verdict is EquivalenceVerdict.DIFFERENT
    one, other = "SELECT id FROM t WHERE s > 'medium'", "SELECT id FROM t WHERE s = 'small'"
    assert found(one, other, MYSQL, "mysql").verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND


def test_members_of_a_set_are_combined_and_sort_by_their_bits() -> None:
    schema = "CREATE TABLE t (id INT PRIMARY KEY, c SET('red', 'blue') NOT NULL)"
    every = "SELECT id FROM t WHERE c IN ('', 'red', 'blue', 'red,blue')"
    assert found(every, "SELECT id FROM t", schema, "mysql").verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND
    one, other = (
        "SELECT c FROM t ORDER BY c DESC, id LIMIT 1",
        "SELECT c FROM t ORDER BY CONCAT(c, '') DESC, id LIMIT 1",
    )
    assert found(one, other, schema, "mysql").level is Level.S0
    many = schema.replace("'red'", "'a', 'b', 'c', 'd', 'e', 'red'")
    differ = found("SELECT id FROM t WHERE c = 'x'", "SELECT id FROM t", many, "mysql")
    assert any("SET" in note for note in differ.notes)


@pytest.mark.parametrize(
    ("schema", "dialect", "sql"),
    [
        (POSTGRES, "postgres", "SELECT id FROM t WHERE s > 'gigantic'"),
        (POSTGRES, "postgres", "SELECT id FROM t WHERE (s, n) > ('small', 2)"),
        (POSTGRES, "postgres", "SELECT MAX(s) OVER (PARTITION BY n) FROM t"),
        (POSTGRES, "postgres", "SELECT s FROM t UNION SELECT z FROM t ORDER BY s LIMIT 1"),
        (MYSQL, "mysql", "SELECT s + 0 FROM t"),
        (MYSQL, "mysql", "SELECT SUM(s) FROM t"),
        (MYSQL, "mysql", "SELECT CAST(s AS SIGNED) FROM t"),
        (MYSQL, "mysql", "SELECT id FROM t WHERE s > 1"),
        (MYSQL, "mysql", "SELECT MAX(s) AS x FROM t GROUP BY n ORDER BY x LIMIT 1"),
        (MYSQL.replace("ENUM(", "Enum8("), "clickhouse", "SELECT id FROM t ORDER BY s LIMIT 1"),
        (POSTGRES, "duckdb", "SELECT id FROM t WHERE s > 'medium'"),
        (POSTGRES, "duckdb", "SELECT MAX(s) FROM t"),
    ],
)
def test_an_order_that_has_no_form_here_is_unsupported(schema: str, dialect: str, sql: str) -> None:
    other = sql.replace("FROM t", "FROM t WHERE id > 3", 1) if "WHERE" not in sql else f"{sql} AND n = 3"
    assert found(sql, other, schema, dialect).verdict is EquivalenceVerdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("schema", "dialect", "one", "other"),
    [
        ("CREATE TABLE t (id INT PRIMARY KEY, n INT UNSIGNED)", "mysql", "n < 0", "1 = 0"),
        ("CREATE TABLE t (id INT PRIMARY KEY, n DECIMAL(6, 2) UNSIGNED NOT NULL)", "mysql", "n >= 0", "1 = 1"),
        ("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(3) NOT NULL)", "postgres", "LENGTH(s) > 3", "1 = 0"),
        ("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(3) NOT NULL)", "postgres", "s = 'abcdef'", "1 = 0"),
    ],
)
def test_what_a_type_forbids_no_row_has(schema: str, dialect: str, one: str, other: str) -> None:
    same = found(f"SELECT id FROM t WHERE {one}", f"SELECT id FROM t WHERE {other}", schema, dialect)
    assert same.verdict is not EquivalenceVerdict.DIFFERENT, same


def test_sqlite_stores_texts_of_any_length() -> None:
    schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR(3) NOT NULL)"
    one, other = "SELECT id FROM t WHERE s = 'abcdef'", "SELECT id FROM t WHERE 1 = 0"
    assert found(one, other, schema, "sqlite").verdict is EquivalenceVerdict.DIFFERENT


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE t (id INT, s TEXT UNIQUE NULLS NOT DISTINCT)",
        "CREATE TABLE t (id INT, s TEXT, UNIQUE NULLS NOT DISTINCT (s))",
        "CREATE TABLE t (id INT, s TEXT); ALTER TABLE t ADD CONSTRAINT u UNIQUE NULLS NOT DISTINCT (s)",
        "CREATE TABLE t (id INT, s TEXT); CREATE UNIQUE INDEX i ON t (s) NULLS NOT DISTINCT",
    ],
)
def test_a_key_that_holds_one_null_is_named(ddl: str) -> None:
    schema = read_schema(ddl, dialect="postgres")
    assert isinstance(schema, Schema)
    assert any("NULLS NOT DISTINCT" in each for each in schema.ignored)


@pytest.mark.parametrize(
    "constraints",
    [
        {"primary": [["t", ["nope"]]]},
        {"unique": [["t", ["id", "nope"]]]},
        {"not_null": [["t", "nope"]]},
        {"foreign": [["t", "nope", "t", "id"]]},
        {"foreign": [["t", "id", "t", "nope"]]},
        {"enum": [["t", "nope", ["a"]]]},
        {"generated": [["t", "nope", "id + 1"]]},
        {"not_null": [["nope", "id"]]},
        {"check": [["nope", "id > 1"]]},
        {"check": [["t", "nope > 1"]]},
    ],
)
def test_a_given_constraint_of_what_is_not_declared_is_named(constraints: object) -> None:
    schema = "CREATE TABLE t (id INT PRIMARY KEY)"
    differ = found("SELECT id FROM t", "SELECT 1", schema, "sqlite", constraints=constraints)
    assert any("constraint ignored" in note and "nope" in note for note in differ.notes), differ.notes
