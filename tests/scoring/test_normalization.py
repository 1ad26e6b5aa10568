"""The four normalisation rules on the paper's own listings, and where each must not fire."""

from __future__ import annotations

import pytest

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case, FilterStatus, NormalizationRule
from tests.examples import example_case

QUESTION = "What is the total spend in China by year?"
LISTING_2 = (
    "SELECT Year, Country, SUM(Spend) AS TotalSpend FROM spend_table "
    "WHERE Country ILIKE '%China%' GROUP BY Year, Country"
)
LISTING_3 = "SELECT Country, SUM(Spend) AS TotalSpend FROM spend_table WHERE Country ILIKE '%China%' GROUP BY Country"
LISTING_4 = LISTING_2 + " ORDER BY SUM(Spend) DESC"
LISTING_5 = LISTING_4 + " LIMIT 20000"

REQUIRED = NormalizationRule.REQUIRED_GROUP_BY
BENIGN = NormalizationRule.BENIGN_GROUP_BY
ORDER = NormalizationRule.DEFAULT_ORDER_BY
LIMIT = NormalizationRule.SAFETY_LIMIT


def fired(question: str, sql: str) -> set[NormalizationRule]:
    return {each.rule for each in example_case(question, sql).normalizations}


@pytest.mark.parametrize(
    ("sql", "rules"),
    [
        (LISTING_2, {REQUIRED, BENIGN}),
        (LISTING_3, {REQUIRED, BENIGN}),
        (LISTING_4, {REQUIRED, BENIGN, ORDER}),
        (LISTING_5, {REQUIRED, BENIGN, ORDER, LIMIT}),
    ],
    ids=["listing 2", "listing 3", "listing 4", "listings 5 and 6"],
)
def test_the_papers_listings_are_excused(sql: str, rules: set[NormalizationRule]) -> None:
    case = example_case(QUESTION, sql)
    assert {each.rule for each in case.normalizations} == rules
    assert case.filters.status is FilterStatus.FULLY_APPLIED
    assert case.grouping.match


def test_each_rule_names_the_construct_it_excused() -> None:
    constructs = {each.rule: each.construct for each in example_case(QUESTION, LISTING_5).normalizations}
    assert constructs == {
        REQUIRED: "GROUP BY year, country",
        BENIGN: "GROUP BY country",
        ORDER: "ORDER BY sum(spend) DESC",
        LIMIT: "LIMIT 20000",
    }


@pytest.mark.parametrize(
    ("question", "sql", "absent"),
    [
        ("Total spend?", "SELECT year, country, SUM(spend) FROM t GROUP BY year", REQUIRED),
        ("Total spend?", "SELECT SUM(spend) FROM t GROUP BY year", REQUIRED),
        ("Countries?", "SELECT country FROM t GROUP BY country", REQUIRED),
        ("Total spend?", "SELECT country, SUM(spend) FROM t WHERE country <> 'China' GROUP BY country", BENIGN),
        ("Total spend?", "SELECT country, SUM(spend) FROM t WHERE country IN ('a', 'b') GROUP BY country", BENIGN),
        ("Total spend?", "SELECT year, SUM(spend) FROM t WHERE country = 'China' GROUP BY year", BENIGN),
        ("Total spend by year?", "SELECT year, SUM(spend) FROM t GROUP BY year ORDER BY SUM(spend)", ORDER),
        ("Total spend by year?", "SELECT year, SUM(spend) FROM t GROUP BY year ORDER BY year DESC", ORDER),
        ("Total spend by year?", "SELECT year, SUM(spend) FROM t GROUP BY year ORDER BY region", ORDER),
        ("Total spend by year, sorted by year", "SELECT year, SUM(spend) FROM t GROUP BY year ORDER BY year", ORDER),
        ("Total spend by year?", "SELECT year, SUM(spend) FROM t GROUP BY year LIMIT 999", LIMIT),
        ("The top 2000 customers by spend", "SELECT name FROM t ORDER BY spend DESC LIMIT 2000", LIMIT),
    ],
)
def test_a_rule_does_not_fire_outside_its_condition(question: str, sql: str, absent: NormalizationRule) -> None:
    assert absent not in fired(question, sql)


def test_order_by_a_grouped_column_ascending_is_a_sensible_default() -> None:
    assert ORDER in fired("Total spend by year?", "SELECT year, SUM(spend) FROM t GROUP BY year ORDER BY year")


def test_an_alias_in_order_by_is_the_aggregate_it_names() -> None:
    sql = "SELECT year, SUM(spend) AS total FROM t GROUP BY year ORDER BY total DESC"
    assert ORDER in fired("Total spend by year?", sql)


def test_lambda_min_is_the_tenants() -> None:
    query = Query(question="List the customers", sql="SELECT name FROM customers LIMIT 200")
    by_default, lowered = examine(query, Rules()), examine(query, Rules(lambda_min=200))
    assert isinstance(by_default, Case)
    assert isinstance(lowered, Case)
    assert not by_default.normalizations
    assert [each.construct for each in lowered.normalizations] == ["LIMIT 200"]
