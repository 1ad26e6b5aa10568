"""Scores of the pairs, as the service's local judge gives them."""

from __future__ import annotations

from scoring.evaluation import examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge

JUDGE = local_judge()


def judged(question: str, sql: str, dialect: str) -> Reply:
    """The local judge's reply to an answer that can be scored."""
    return JUDGE.judge(examined(question, sql, dialect))


def examined(question: str, sql: str, dialect: str) -> Case:
    """The case of an answer that can be scored."""
    case = examine(Query(question=question, sql=sql, dialect=dialect), Rules())
    assert not isinstance(case, Unscored), (case, sql)
    return case
