"""Right answers to plain questions of daily work are `Correct`, in the forms of each dialect."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.verdict import Verdict
from sqlassay import score

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "plain_answers.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("each", CASES, ids=lambda each: f"{each['question']} ({each.get('dialect', 'any')})")
def test_a_right_answer_to_a_plain_question_is_correct(each: dict[str, Any]) -> None:
    given = score(**each)

    assert given.verdict == Verdict.CORRECT, [(reason.code, reason.detail) for reason in given.reasons]
