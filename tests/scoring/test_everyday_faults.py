"""Everyday questions: which codes an answer must have and which not."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.signals import SIGNALS, read_signals
from scoring.verdict import Case

ASKED = datetime(2026, 11, 20, 10)
CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "everyday_faults.yaml").read_text())


@pytest.mark.parametrize("asked", CASES, ids=[f"{each['question'][:30]} {each['sql'][:30]}" for each in CASES])
def test_an_answer_has_the_faults_that_it_has_and_no_others(asked: dict[str, Any]) -> None:
    query = Query(
        question=asked["question"],
        sql=asked["sql"],
        enriched_question=asked.get("enriched"),
        dialect=asked.get("dialect", "postgres"),
        occurred_at=ASKED,
    )
    case = examine(query, Rules())
    assert isinstance(case, Case)
    found = {code.value: each.detail for code, each in read_signals(case, SIGNALS).items()}
    assert not {code: found[code] for code in asked.get("without", ()) if code in found}
    assert set(asked.get("with", ())) <= set(found)
