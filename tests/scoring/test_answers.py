"""What answers give is read as people mean it (`tests/cases/answers.yaml`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.signals import read_signals
from scoring.verdict import Case

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "answers.yaml").read_text(encoding="utf-8"))
LOOKED_AT = frozenset(
    "OUTPUT_MISSING OUTPUT_UNLINKED OUTPUT_UNDEFINED COUNT_FOR_LIST LIST_FOR_COUNT AGGREGATE_MISSING AGGREGATE_SWAPPED"
    " AGGREGATE_UNLINKED COUNT_REPEATS AGGREGATE_REPEATS WHERE_FOR_HAVING ORDER_COLLAPSED DISTINCT_MISSING"
    " DISTINCT_UNASKED GROUPING_MISSING GROUPING_UNASKED TOTAL_PER_GROUP COLUMN_UNGROUPED"
    " COLUMN_OUTSIDE_GROUP_BY ORDER_MISSING ORDER_FLIPPED ORDER_UNLINKED ORDER_CHANGED EXTREME_PER_GROUP"
    " EXTREME_DROPPED LIMIT_MISSING LIMIT_WRONG LIMIT_UNASKED LIMIT_WITHOUT_ORDER RATIO_MISSING TABLE_UNUSED"
    " JOIN_WITHOUT_KEY NEGATION_PER_ROW SET_OPERATION_MISSING TOTALS_COMBINED PART_UNANSWERED"
    " ARITHMETIC_UNASKED OUTPUT_CONSTANT ORDER_CONSTANT UNIT_LEFT".split()
)


def right() -> list[Any]:
    return [
        pytest.param(each, sql, id=f"{each['question']} {number}")
        for each in CASES
        for number, sql in enumerate(each.get("right", ()), 1)
    ]


def wrong() -> list[Any]:
    return [
        pytest.param(each, code, sql, id=f"{each['question']} {code} {number}")
        for each in CASES
        for code, given in each.get("wrong", {}).items()
        for number, sql in enumerate(given, 1)
    ]


def found(each: dict[str, Any], sql: str) -> dict[ReasonCode, str]:
    query = Query(
        question=each["question"],
        sql=sql,
        enriched_question=each.get("enriched"),
        dialect=each.get("dialect", "postgres"),
    )
    case = examine(query, Rules())
    assert isinstance(case, Case), case
    return {code: finding.detail for code, finding in read_signals(case).items()}


@pytest.mark.parametrize(("each", "sql"), right())
def test_a_right_answer_has_no_fault_of_what_it_gives(each: dict[str, Any], sql: str) -> None:
    assert {code.value: detail for code, detail in found(each, sql).items() if code.value in LOOKED_AT} == {}


@pytest.mark.parametrize(("each", "code", "sql"), wrong())
def test_a_wrong_answer_has_the_fault_named(each: dict[str, Any], code: str, sql: str) -> None:
    assert code in found(each, sql)
