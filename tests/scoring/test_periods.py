"""Times, bounds and units of questions as people ask them: in every notation of the SQL, and the mistakes with them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules
from scoring.signals import SIGNALS, read_signals
from scoring.verdict import Case

ASKED = datetime(2026, 11, 20, 10)
CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "periods.yaml").read_text())
FAULTS = frozenset(
    {
        ReasonCode.FILTER_MISSING,
        ReasonCode.FILTER_MISMATCHED,
        ReasonCode.COMPARISON_FLIPPED,
        ReasonCode.BOUND_SHIFTED,
        ReasonCode.VALUE_UNUSED,
        ReasonCode.VALUE_PADDED,
        ReasonCode.NAME_UNUSED,
        ReasonCode.NEGATION_LOST,
        ReasonCode.CONDITIONS_EXCLUDE,
        ReasonCode.LAST_DAY_CUT,
        ReasonCode.PERIOD_WITHOUT_YEAR,
    }
)


def _answers(kind: str) -> list[tuple[dict[str, Any], str, str]]:
    return [(case, *_answer(answer)) for case in CASES for answer in case.get(kind, ())]


def _answer(answer: str | dict[str, str]) -> tuple[str, str]:
    if isinstance(answer, str):
        return answer, "postgres"
    (dialect, sql) = next(iter(answer.items()))
    return sql, dialect


def _faults(asked: dict[str, Any], sql: str, dialect: str) -> dict[str, str]:
    query = Query(
        question=asked["question"],
        enriched_question=asked.get("enriched"),
        sql=sql,
        dialect=dialect,
        occurred_at=ASKED,
    )
    case = examine(query, Rules())
    assert isinstance(case, Case), case
    return {code.value: found.detail for code, found in read_signals(case, SIGNALS).items() if code in FAULTS}


@pytest.mark.parametrize(("asked", "sql", "dialect"), _answers("right"))
def test_a_right_answer_has_no_fault_of_its_conditions(asked: dict[str, Any], sql: str, dialect: str) -> None:
    assert _faults(asked, sql, dialect) == {}


@pytest.mark.parametrize(("asked", "sql", "dialect"), _answers("wrong"))
def test_a_wrong_answer_has_a_fault_of_its_conditions(asked: dict[str, Any], sql: str, dialect: str) -> None:
    assert _faults(asked, sql, dialect)
