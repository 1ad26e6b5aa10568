"""Values that T-SQL declares before its query: put in place where they are used, and no evidence where they are not."""

from __future__ import annotations

import pytest

from sqlassay import ScoredAnswer, score

QUESTION = "Parcels over 20 kg"


def declared(before: str, condition: str) -> ScoredAnswer:
    return score(question=QUESTION, sql=f"{before} SELECT id FROM parcels WHERE {condition}", dialect="tsql")


def test_a_declared_value_is_what_the_query_compares_with() -> None:
    given = declared("DECLARE @least int = 20; DECLARE @bound int = @least;", "weight_kg > @bound")
    assert [each["text"] for each in given.sql_spec["filters"]] == ["weight_kg > 20"]
    assert given.p_correct == declared("", "weight_kg > 20").p_correct


def test_another_declared_value_is_not_the_one_asked_for() -> None:
    assert declared("DECLARE @any int = 1;", "heavy = @any").p_correct == declared("", "heavy = 1").p_correct


@pytest.mark.parametrize(
    "before",
    ["DECLARE @idle int = 20;", "declare @a int = 20; declare @idle int = @a;", "DECLARE @idle varchar(9) = 'a;20';"],
)
def test_a_value_that_nothing_uses_is_no_evidence(before: str) -> None:
    assert declared(before, "heavy = 1").p_correct == declared("", "heavy = 1").p_correct


@pytest.mark.parametrize("before", ["SELECT 1;", "DECLARE @a int = 1; SELECT 1;", "DECLARE @a int = 1; DELETE FROM t;"])
def test_no_other_statement_may_stand_before_the_query(before: str) -> None:
    assert declared(before, "heavy = 1").unscored == "MULTIPLE_STATEMENTS"
