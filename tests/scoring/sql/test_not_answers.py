"""SQL that only looks at the database has no score; SQL about data has one (`tests/cases/not_answers.yaml`)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query, Unscored, UnscoredReason
from scoring.rules import Rules

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "not_answers.yaml").read_text(encoding="utf-8"))


def reason(case: str) -> UnscoredReason | None:
    dialect, _, sql = case.partition("|")
    end = examine(Query(question="How many hens live in Lisbon?", sql=sql, dialect=dialect or None), Rules())
    return end.reason if isinstance(end, Unscored) else None


@pytest.mark.parametrize("case", CASES["probes"])
def test_a_probe_is_not_an_answer(case: str) -> None:
    assert reason(case) is UnscoredReason.NOT_AN_ANSWER


@pytest.mark.parametrize("case", CASES["answers"])
def test_what_reads_data_or_makes_up_a_result_is_judged(case: str) -> None:
    assert reason(case) is None


@pytest.mark.parametrize(("sql", "expected"), CASES["refused"].items())
def test_what_begins_like_a_probe_keeps_its_own_reason(sql: str, expected: str) -> None:
    assert reason(f"|{sql}") is UnscoredReason(expected)
