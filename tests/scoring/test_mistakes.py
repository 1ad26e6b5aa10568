"""Plain mistakes are found in the wrong answer, and not in its honest twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query
from scoring.reasons import ReasonCode
from scoring.rules import Rules, UnparseablePolicy
from scoring.signals import SECTIONS, read_signals
from scoring.verdict import Case

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent.parent / "cases" / "mistakes.yaml").read_text(encoding="utf-8")
)
MISTAKES = frozenset(ReasonCode[signal.__name__.upper()] for signal in SECTIONS["Plain mistakes"])
PAIRS = [
    pytest.param(code, entry, id=f"{code}: {entry['question'][:40]} {number}")
    for code, entries in CASES.items()
    for number, entry in enumerate(entries)
]


def mistakes(entry: dict[str, Any], sql: str) -> set[ReasonCode]:
    """The plain mistakes that are found in one answer."""
    query = Query(
        question=entry["question"], sql=sql, enriched_question=entry.get("enriched"), dialect=entry.get("dialect")
    )
    case = examine(query, Rules())
    assert isinstance(case, Case), case
    return set(read_signals(case)) & MISTAKES


@pytest.mark.parametrize(("code", "entry"), PAIRS)
def test_a_wrong_answer_has_its_mistake(code: str, entry: dict[str, Any]) -> None:
    if entry["wrong"] is not None:
        assert ReasonCode[code] in mistakes(entry, entry["wrong"])


@pytest.mark.parametrize(("code", "entry"), PAIRS)
def test_its_honest_twin_has_no_mistake(code: str, entry: dict[str, Any]) -> None:
    assert mistakes(entry, entry["right"]) == set(), code


def test_no_signal_fails_on_sql_that_cannot_be_read() -> None:
    incorrect = Rules(unparseable=UnparseablePolicy.INCORRECT)
    for question in {entry["question"] for entries in CASES.values() for entry in entries}:
        case = examine(Query(question=question, sql="SELECT COUNT( FROM 'x"), incorrect)
        assert isinstance(case, Case), case
        assert set(read_signals(case)) <= set(ReasonCode)


def test_every_mistake_has_a_case() -> None:
    assert {ReasonCode[code] for code in CASES} == MISTAKES
