"""Bound parameters without their values: what they may meet (`tests/cases/parameters.yaml`)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.specification import SqlSpec
from scoring.sql import read_sql
from scoring.sql.parameters.binding import MOST_WRITTEN, bound
from scoring.sql.parameters.placeholders import with_numbers
from scoring.verdict import Case

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "parameters.yaml").read_text(encoding="utf-8"))
EACH = [(case["question"], sql, case.get("dialect"), case["status"]) for case in CASES for sql in case["sql"]]


@pytest.mark.parametrize(
    ("question", "condition", "dialect", "status"), EACH, ids=[f"{each[2]} {each[1]}" for each in EACH]
)
def test_a_parameter_may_be_what_is_asked_for(question: str, condition: str, dialect: str | None, status: str) -> None:
    case = examine(Query(question=question, sql=f"SELECT id FROM orders WHERE {condition}", dialect=dialect), Rules())
    assert isinstance(case, Case)
    assert case.filters.status.value == status
    assert status == "not_applied" or not case.filters.mismatched


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a::text FROM t WHERE b = '12:30' AND c[1:2] = x",
        "SELECT a FROM t WHERE data ? 'key' AND data ?| ARRAY['k'] AND b @> c",
        "SELECT a % s FROM t WHERE b LIKE '%s%' AND c = $$d$$ AND e = $x$ f $x$",
        "SELECT @rank := 1, @@version FROM t -- b = ?",
        "SELECT v.a FROM v$session AS v WHERE b = {'k': 1} /* = :x */",
    ],
)
def test_what_only_looks_like_a_placeholder_is_left(sql: str) -> None:
    assert with_numbers(sql) == sql


def test_a_value_cannot_leave_its_place() -> None:
    sql = bound("SELECT id FROM orders WHERE status = ? AND town = ?", ["x' OR 1 = 1 -- ?", "'"])
    assert sql == "SELECT id FROM orders WHERE status = 'x'' OR 1 = 1 -- ?' AND town = ''''"
    assert bound(sql, ["again", "again"]) == sql


def test_values_that_would_make_the_sql_huge_stay_unknown() -> None:
    sql = bound("SELECT id FROM orders WHERE " + " OR ".join(["status = :s"] * 500), {"s": "x" * 1_500})
    assert len(sql) < 2 * MOST_WRITTEN
    assert ":s" in sql


@given(value=st.text("ab'?:$%{}-; ", min_size=1, max_size=20) | st.integers(-(10**6), 10**6))
@settings(max_examples=60, deadline=None)
def test_a_bound_value_is_read_as_the_literal_that_it_is(value: str | int) -> None:
    literal = str(exp.convert(value).sql("sqlite"))
    found = read_sql(bound("SELECT a FROM t WHERE b = ? AND c = 1", [value]), "sqlite")
    assert isinstance(found, SqlSpec)
    assert found == read_sql(f"SELECT a FROM t WHERE b = {literal} AND c = 1", "sqlite")
