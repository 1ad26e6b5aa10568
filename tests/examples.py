"""One answer, examined: what doctests and tests of scoring start from."""

from __future__ import annotations

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case


def example_case(question: str, sql: str, enriched: str | None = None) -> Case:
    """Stages 1 to 3 of an answer that can be read, by the default rules."""
    examined = examine(Query(question=question, sql=sql, enriched_question=enriched), Rules())
    assert isinstance(examined, Case), examined
    return examined
