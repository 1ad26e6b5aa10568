"""One answer, examined: what doctests and tests of scoring start from."""

from __future__ import annotations

from datetime import datetime

from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case


def example_case(question: str, sql: str, enriched: str | None = None, *, asked: str | None = None) -> Case:
    """Stages 1 to 3 of an answer that can be read, by the default rules; `asked` is an ISO date."""
    moment = datetime.fromisoformat(asked) if asked is not None else None
    examined = examine(
        Query(question=question, sql=sql, enriched_question=enriched, occurred_at=moment),
        Rules(),
    )
    assert isinstance(examined, Case), examined
    return examined
