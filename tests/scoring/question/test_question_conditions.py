"""A definition's condition and the same predicate in SQL are one filter."""

from __future__ import annotations

import pytest

from scoring.question.definitions import read_formula
from scoring.specification import SqlFilter
from scoring.sql import read_predicate

_PREDICATES = (
    "paint = 'Deep  Red'",
    "tails > 3",
    "fee BETWEEN 10 AND 20",
    "flown_on BETWEEN '2013-01-01' AND '2013-12-31'",
    "kind IN ('a', 'b')",
    "kind IN ('a')",
    "kind NOT IN ('a', 'b')",
    "name LIKE '%y%'",
    "name LIKE 'y%'",
    "name LIKE '%y'",
    "name LIKE 'plain'",
    "name NOT LIKE '%y%'",
    "torn IS NULL",
    "torn IS NOT NULL",
    "strftime('%Y', flown_on) = '2012'",
    "strftime('%Y', flown_on) > '2012'",
    "strftime('%Y-%m', flown_on) = '2012-05'",
    "strftime('%m', flown_on) = '05'",
    "strftime('%Y', flown_on) BETWEEN '1981' AND '1991'",
    "substr(flown_on, 1, 4) = '2012'",
    "flown_on = '2012-07-12'",
    "flown_on > '2012-07-12'",
    "flown_on = '2012-07-12 09:08:18'",
    "flown_on LIKE '2012-07%'",
    "birth_year < 1945",
    "build_year = 1990",
    "yearmonth = '201309'",
    "yearmonth BETWEEN 201201 AND 201212",
    "price != 4.5",
    "price <> 4",
    "depth >= -3",
    "COUNT(kite_id) > 5",
    "COUNT(DISTINCT kite_id) = 2",
    "kite.paint = 'R'",
)


@pytest.mark.parametrize("predicate", _PREDICATES)
def test_a_definition_and_sql_fold_a_condition_to_the_same_filter(predicate: str) -> None:
    there = read_predicate(predicate, "sqlite")
    assert isinstance(there, tuple)
    assert all(isinstance(each, SqlFilter) for each in there)
    here = read_formula(predicate).filters
    assert {(each.lhs and each.lhs.name, each.op, each.rhs) for each in here} == {
        (each.lhs and each.lhs.name, each.op, each.rhs) for each in there
    }


def test_conditions_of_one_column_joined_by_or_are_one_list() -> None:
    found = read_formula("kind = 'a' or kind = 'b'").filters
    assert [(str(each.op), str(each.rhs)) for each in found] == [("in", "('a', 'b')")]


def test_pseudo_sql_outside_any_grammar_is_read_all_the_same() -> None:
    formula = read_formula("DIVIDE(SUM(paint = 'R' WHERE sex = 'F'), COUNT(kite_id)) * 100")
    assert [str(each.rhs) for each in formula.filters] == ["'r'", "'f'"]
    assert formula.functions == ("DIVIDE", "SUM", "COUNT", "MULTIPLY")
