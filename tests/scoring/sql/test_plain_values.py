"""Conditions and outputs that are not folded because they are plain: folding must find nothing in them."""

from __future__ import annotations

from itertools import product

import pytest
import sqlglot
from sqlglot import exp

from scoring.evaluation import examine
from scoring.query import Query, Unscored
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.specification import SqlSpec
from scoring.sql import read_sql
from scoring.sql.blocks import read_query
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.evaluation.rules import rules_of
from scoring.sql.folding.folder import fold
from scoring.sql.folding.plain_conditions import is_plain
from scoring.sql.folding.plain_values import is_plain_arithmetic
from scoring.sql.from_clause import read_from
from scoring.sql.from_items import CteScope
from scoring.sql.reader import READERS
from scoring.sql.scopes import BlockPlace, Scope, Walk
from scoring.sql.subqueries import read_subquery
from service.judges.weights import local_judge

VALUES = ("kg", "h.kg", "eggs", "'x'", "'X'", "0", "1", "-1", "TRUE", "NULL", "LOWER(name)", "UPPER(name)", "COUNT(*)",
          "COUNT(DISTINCT kg)", "SUM(kg)", "MAX(kg)", "CAST('2024-01-01' AS DATE)", "CURRENT_DATE - INTERVAL '7 days'",
          "(SELECT MAX(kg) FROM hens)", "(SELECT kg)", "(SELECT 1)", "kg + 0", "LENGTH(name)")  # fmt: skip
COMPARED = ("=", "<>", "<", ">=", "LIKE")
PARTS = ("kg", "eggs", "SUM(kg)", "SUM(eggs)", "COUNT(*)", "COUNT(DISTINCT kg)", "100", "1.0", "0", "5",
         "NULLIF(kg, 0)", "CAST(SUM(kg) AS REAL)", "ROUND(AVG(kg), 2)", "SUM(CASE WHEN kg > 2 THEN 1 ELSE 0 END)",
         "SUM(CASE WHEN kg > 2 THEN 0.00 ELSE 0 END)", "SUM(CASE WHEN 1 = 1 THEN 1 ELSE 0 END)", "(SELECT 3)",
         "(SELECT MAX(kg) FROM hens)")  # fmt: skip


def scope_of(select: exp.Expr) -> Scope:
    walk = Walk(
        SpecificationBuilder(""),
        rules_of(None),
        lenient=False,
        readers=READERS,
        read_query=read_query,
        read_subquery=read_subquery,
    )
    scope = Scope(walk, BlockPlace(path="main", outer=None, ctes=CteScope(), is_output=True))
    read_from(scope, select)
    return scope


def test_a_plain_condition_depends_on_the_row() -> None:
    plain = 0
    for left, operator, right in [*product(VALUES, COMPARED, VALUES)][::11]:
        select = sqlglot.parse_one(f"SELECT name FROM hens AS h WHERE {left} {operator} {right}", read="postgres")
        scope, condition = scope_of(select), select.args["where"].args["this"]
        if is_plain(scope, condition):
            plain += 1
            assert not fold(scope, condition).constant, condition.sql()
    assert plain > 10


def test_plain_arithmetic_depends_on_the_rows() -> None:
    plain = 0
    for one, first, two, second, three in [*product(PARTS, "-/", PARTS, "*", ("100", "0", "AVG(kg)"))][::11]:
        select = sqlglot.parse_one(f"SELECT ({one} {first} {two}) {second} {three} FROM hens", read="postgres")
        scope, output = scope_of(select), select.args["expressions"][0]
        if is_plain_arithmetic(scope, output):
            plain += 1
            assert not fold(scope, output).constant, output.sql()
    assert plain > 10


def spec_of(sql: str) -> SqlSpec:
    spec = read_sql(sql, None)
    assert isinstance(spec, SqlSpec)
    return spec


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT coop, COUNT(*) AS n FROM hens GROUP BY coop HAVING n >= 0",
        "SELECT coop FROM (SELECT coop, COUNT(*) AS n FROM hens GROUP BY coop) t WHERE t.n >= 0",
        "WITH a AS (SELECT * FROM hens) SELECT name FROM hens WHERE id IN (SELECT id FROM a)",
        "SELECT name FROM hens WHERE id IN (SELECT id FROM (SELECT id FROM hens) x)",
        "SELECT name FROM hens WHERE LEAST(coop, 'north') = 'north'",
        "SELECT name FROM hens WHERE GREATEST(coop, 'north') IN ('north')",
    ],
)
def test_a_forged_condition_is_noted(sql: str) -> None:
    assert spec_of(sql).voids


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT coop, COUNT(*) AS n FROM hens GROUP BY coop HAVING n >= 3",
        "SELECT f.name FROM farms f LEFT JOIN (SELECT farm, COUNT(*) AS n FROM hens GROUP BY farm) t ON t.farm = f.id "
        "WHERE t.n >= 0",
        "WITH a AS (SELECT id FROM hens WHERE kg > 2) SELECT name FROM hens WHERE id IN (SELECT id FROM a)",
        "WITH a AS (SELECT id FROM hens ORDER BY kg LIMIT 1), b AS (SELECT id FROM a) "
        "SELECT name FROM hens WHERE id IN (SELECT id FROM b)",
        "WITH a AS (SELECT h.id FROM hens h JOIN eggs e ON e.hen = h.id) "
        "SELECT name FROM hens WHERE id IN (SELECT id FROM a)",
        "SELECT name FROM hens WHERE id IN (SELECT id FROM (SELECT id FROM hens LIMIT 2) x)",
    ],
)
def test_an_honest_condition_is_not_noted(sql: str) -> None:
    assert not spec_of(sql).voids


@pytest.mark.parametrize(
    ("sql", "weakens"),
    [
        ("SELECT name FROM hens WHERE hgb < 29 OR hgb > 52", False),
        ("SELECT name FROM hens", True),
        ("WITH s AS (SELECT *, 1 AS hgb FROM hens) SELECT name FROM s WHERE hgb = 1", True),
    ],
)
def test_a_column_that_abbreviates_a_phrase_applies_its_definition(sql: str, *, weakens: bool) -> None:
    question = "Which hens have a level of Hemoglobin that isn't normal?"
    query = Query(
        question=question, sql=sql, enriched_question=f"{question} (Hemoglobin is normal refers to 29 < N < 52)"
    )
    case = examine(query, Rules())
    assert not isinstance(case, Unscored)
    reasons = {each.code for each in local_judge().judge(case).reasons}
    assert (ReasonCode.DEFINITION_WEAKENS in reasons) is weakens
