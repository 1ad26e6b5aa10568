"""What the doctests of signals use: `case(question, sql, enriched=None)` examines one answer by the default rules."""

from __future__ import annotations

import pytest

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case


def example_case(question: str, sql: str, enriched: str | None = None) -> Case:
    """Stage 1 to 3 of one answer that can be read."""
    examined = examine(Query(question=question, sql=sql, enriched_question=enriched), Rules())
    assert isinstance(examined, Case), examined
    return examined


@pytest.fixture(autouse=True)
def _doctest_case(doctest_namespace: dict[str, object]) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    doctest_namespace["case"] = example_case
