"""A prompt is not a question: its question is found, or it asks none (`tests/cases/prompts.yaml`)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scoring.evaluation import examine
from scoring.query import Query, Unscored, UnscoredReason
from scoring.question.prompts.finding import question_asked
from scoring.rules import Rules
from scoring.verdict import Case

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "prompts.yaml").read_text(encoding="utf-8"))
SQL = "SELECT COUNT(*) FROM hens WHERE city = 'Lisbon'"


@pytest.mark.parametrize("case", CASES, ids=[each["text"][:40] for each in CASES])
def test_the_question_of_a_text(case: dict[str, str | None]) -> None:
    text = str(case["text"])
    assert question_asked(text) == (text if case["asks"] == "same" else case["asks"])


def test_a_prompt_is_judged_by_its_question_alone() -> None:
    plain = examine(Query(question="How many hens live in Lisbon?", sql=SQL), Rules())
    asked = examine(Query(question=str(CASES[0]["text"]), sql=SQL), Rules())
    assert isinstance(plain, Case)
    assert isinstance(asked, Case)
    assert asked.question == plain.question


def test_a_prompt_without_a_question_has_no_score() -> None:
    end = examine(Query(question="CREATE TABLE hens (id INT);\nWrite the SQL.", sql=SQL), Rules())
    assert isinstance(end, Unscored)
    assert end.reason is UnscoredReason.NO_QUESTION


def test_a_prompt_longer_than_a_question_may_be_is_read_for_its_question() -> None:
    schema = "".join(f"CREATE TABLE t{n} (id INT, name TEXT);\n" for n in range(1000))
    case = examine(Query(question=f"{schema}\nHow many hens live in Lisbon?", sql=SQL), Rules())
    assert isinstance(case, Case)
    assert case.query.question == "How many hens live in Lisbon?"
