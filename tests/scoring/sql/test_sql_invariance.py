"""What does not change the meaning of SQL does not change its specification."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlglot
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sql_notation import notation
from sqlglot import exp

from scoring.query import Unscored
from scoring.specification import SqlSpec
from scoring.sql import read_sql

pytestmark = pytest.mark.campaign

CASES: list[dict[str, Any]] = [
    case
    for path in sorted((Path(__file__).parents[2] / "cases" / "sql").glob("*.yaml"))
    for case in yaml.safe_load(path.read_text())
    if "```" not in case["sql"]
]
cases = st.sampled_from(CASES)
_OUTSIDE_QUOTES = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/)""", re.DOTALL)
_NUMBERS = re.compile(r"(?<=[:|])\d+")


def meaning(spec: SqlSpec | Unscored) -> dict[str, Any]:
    """The specification as sets; blocks of one role and groups of alternatives have no number."""
    assert isinstance(spec, SqlSpec), spec
    said = {part: lines for part, lines in notation(spec).items() if part != "dialect"}
    return {part: sorted(_NUMBERS.sub("", line) for line in lines) for part, lines in said.items()}  # type: ignore[attr-defined]


def outside_quotes(sql: str, change: Callable[[str], str]) -> str:
    parts = _OUTSIDE_QUOTES.split(sql)
    return "".join(part if index % 2 else change(part) for index, part in enumerate(parts))


def _spread(part: str) -> str:
    return part.replace(" ", "\n\t ").replace(",", ", /* ) ( */ ").replace("WHERE", "/* where */ WHERE -- ' \n")


def both(case: dict[str, Any], changed: str) -> None:
    before = read_sql(case["sql"], case.get("dialect"))
    assert isinstance(before, SqlSpec)
    assert meaning(read_sql(changed, before.dialect)) == meaning(read_sql(case["sql"], before.dialect))


@given(case=cases, upper=st.booleans())
@settings(max_examples=150, deadline=None)
def test_case_of_keywords_and_names(case: dict[str, Any], upper: bool) -> None:
    both(case, outside_quotes(case["sql"], str.upper if upper else str.lower))


@given(case=cases)
@settings(max_examples=150, deadline=None)
def test_comments_and_space(case: dict[str, Any]) -> None:
    both(case, outside_quotes(case["sql"], _spread) + " -- the end")


@given(case=cases, random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_order_of_and_terms(case: dict[str, Any], random: Random) -> None:
    spec = read_sql(case["sql"], case.get("dialect"))
    assert isinstance(spec, SqlSpec)
    tree = sqlglot.parse_one(case["sql"], dialect=spec.dialect)
    for place in [*tree.find_all(exp.Where, exp.Having)]:
        terms = [each.copy() for each in place.this.flatten()] if isinstance(place.this, exp.And) else []
        random.shuffle(terms)
        if terms:
            place.set("this", exp.and_(*terms, copy=False))
    plain = sqlglot.parse_one(case["sql"], dialect=spec.dialect).sql(spec.dialect)
    assert meaning(read_sql(tree.sql(spec.dialect), spec.dialect)) == meaning(read_sql(plain, spec.dialect))


@given(case=cases, suffix=st.sampled_from(["_q", "x9", "_t1"]))
@settings(max_examples=200, deadline=None)
def test_names_of_table_aliases(case: dict[str, Any], suffix: str) -> None:
    spec = read_sql(case["sql"], case.get("dialect"))
    assert isinstance(spec, SqlSpec)
    tree = sqlglot.parse_one(case["sql"], dialect=spec.dialect)
    plain = tree.sql(spec.dialect)
    tables = {table.name for table in tree.find_all(exp.Table)} | {cte.alias for cte in tree.find_all(exp.CTE)}
    renamed = {each.alias for each in tree.find_all(exp.Table, exp.Subquery) if each.alias} - tables
    for node in tree.find_all(exp.Table, exp.Subquery):
        if node.alias in renamed:
            node.args["alias"].set("this", exp.to_identifier(node.alias + suffix))
    for column in tree.find_all(exp.Column):
        if column.table in renamed:
            column.set("table", exp.to_identifier(column.table + suffix))
    assert meaning(read_sql(tree.sql(spec.dialect), spec.dialect)) == meaning(read_sql(plain, spec.dialect))


@given(
    case=st.sampled_from([case for case in CASES if case.get("dialect") in ("postgres", "snowflake", "mysql", "tsql")])
)
@settings(max_examples=100, deadline=None)
def test_quotes_around_names(case: dict[str, Any]) -> None:
    tree = sqlglot.parse_one(case["sql"], dialect=case["dialect"])
    quoted, plain = (tree.sql(case["dialect"], identify=flag) for flag in (True, False))
    assert meaning(read_sql(quoted, case["dialect"])) == meaning(read_sql(plain, case["dialect"]))


@pytest.mark.slow  # many texts
@given(
    case=cases,
    cut=st.floats(0, 1),
    junk=st.sampled_from(
        ["", "(", ")", "'", '"', "NOT ", ",", ".", "CASE ", "*", "WHERE ", "0x", "::", "[", "SELECT "]
    ),
)
@settings(max_examples=200, deadline=None)
def test_damaged_sql_never_raises(case: dict[str, Any], cut: float, junk: str) -> None:
    place = int(len(case["sql"]) * cut)
    for damaged in (case["sql"][:place] + junk, case["sql"][:place] + junk + case["sql"][place:]):
        assert isinstance(read_sql(damaged, case.get("dialect")), SqlSpec | Unscored)


@given(text=st.text(max_size=200), dialect=st.sampled_from(["sqlite", "postgres", "mysql", "bigquery", "tsql", None]))
@settings(max_examples=300, deadline=None)
def test_no_text_raises(text: str, dialect: str | None) -> None:
    assert isinstance(read_sql(text, dialect), SqlSpec | Unscored)
    assert isinstance(read_sql(f"SELECT {text} FROM t WHERE {text}", dialect), SqlSpec | Unscored)
