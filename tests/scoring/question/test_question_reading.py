"""The case files of `tests/cases/question`: questions and what the reader makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from question_notation import described, filter_text

from scoring.question import read_enriched, read_question
from scoring.specification import Definition, FilterOrigin, QuestionSpec

CASES = Path(__file__).parents[2] / "cases" / "question"
NOTHING = described(QuestionSpec(text=""))


def _cases(*names: str) -> list[Any]:
    return [
        pytest.param(case, id=case.get("enriched", case["question"]))
        for name in names
        for case in yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    "case",
    _cases("literals", "numbers", "times", "negations", "superlatives", "aggregations", "outputs", "grouping"),
)
def test_a_question_reads_as_its_case_says(case: dict[str, Any]) -> None:
    expected = NOTHING | {part: value for part, value in case.items() if part != "question"}
    assert described(read_question(case["question"])) == expected


@pytest.mark.parametrize("case", _cases("definitions"))
def test_definitions_read_as_their_case_says(case: dict[str, Any]) -> None:
    spec = read_enriched(case["enriched"], read_question(case["question"]))
    assert [_definition(each) for each in spec.definitions] == (case["definitions"] or [])
    defined = [each for definition in spec.definitions for each in definition.filters]
    assert [filter_text(each) for each in spec.filters if each not in defined] == case.get("filters", [])


def _definition(definition: Definition) -> dict[str, Any]:
    filters = [
        filter_text(each) if each.source is FilterOrigin.DEFINITION else f"permitted: {filter_text(each)}"
        for each in definition.filters
    ]
    parts = {"filters": filters, "columns": list(definition.columns), "functions": list(definition.functions)}
    return {"phrase": definition.phrase} | {name: value for name, value in parts.items() if value}


def test_there_are_cases_enough_to_trust() -> None:
    counts = [len(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in CASES.glob("*.yaml")]
    assert sum(counts) >= 150
