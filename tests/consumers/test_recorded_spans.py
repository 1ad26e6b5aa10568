"""Traces that real instrumentations wrote of an agent with a scripted model, without their long texts.

`S` wrote SQL without a tool; `R` ran a query that failed and then the right one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from consumers.spans import SpanTable
from consumers.spans.explanation import explain
from service.otlp import read_otlp

RECORDINGS = sorted((Path(__file__).parents[1] / "cases/spans").glob("*.json"))
SQL = "SELECT COUNT(*) FROM looms WHERE status = 'idle'"
FAILED = "SELECT COUNT(*) FROM looms WHERE stat = 'idle'"
NO_AGENT = {
    **dict.fromkeys(("langchain-oi-S", "langchain-lf-S", "llama-index-S", "llama-index-R", "dspy-S", "dspy-R"), "mill"),
    "langchain-tl-S": "RunnableSequence",
}
"""What is named where no attribute names the agent."""


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recorded_trace_gives_one_answer(path):
    explained: dict[str, Any] = {**explain(read_otlp(path.read_bytes(), SpanTable()).spans, SpanTable())}
    [answer] = explained["answers"]
    assert (answer["question"], answer["sql"]) == ("How many looms are idle?", SQL)
    assert answer["agent"] == NO_AGENT.get(path.stem, "weaver")
    assert "result" not in answer
    told = [(each["why"], each["sql"]) for each in answer["attributes"].get("attempts", [])]
    assert told == ([("failed", FAILED)] if path.stem.endswith("-R") else [])
