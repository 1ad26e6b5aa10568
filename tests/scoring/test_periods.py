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


def _answers(kind: str) -> list[tuple[str, str, str]]:
    return [_answer(case["question"], answer) for case in CASES for answer in case.get(kind, ())]


def _answer(question: str, answer: str | dict[str, str]) -> tuple[str, str, str]:
    if isinstance(answer, str):
        return question, answer, "postgres"
    (dialect, sql) = next(iter(answer.items()))
    return question, sql, dialect


def _faults(question: str, sql: str, dialect: str) -> dict[str, str]:
    case = examine(Query(question=question, sql=sql, dialect=dialect, occurred_at=ASKED), Rules())
    assert isinstance(case, Case), case
    return {code.value: found.detail for code, found in read_signals(case, SIGNALS).items() if code in FAULTS}


@pytest.mark.parametrize(("question", "sql", "dialect"), _answers("right"))
def test_a_right_answer_has_no_fault_of_its_conditions(question: str, sql: str, dialect: str) -> None:
    assert _faults(question, sql, dialect) == {}


@pytest.mark.parametrize(("question", "sql", "dialect"), _answers("wrong"))
def test_a_wrong_answer_has_a_fault_of_its_conditions(question: str, sql: str, dialect: str) -> None:
    assert _faults(question, sql, dialect)
