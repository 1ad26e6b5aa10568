"""Numbers that nothing stands for: a score that the event's own text, scored in peace, does not give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from scoring import EVALUATOR_VERSION
from scoring.composite import compose
from scoring.evaluation import conclude, examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from scoring.verdict import Case, Verdict
from service.judges.weights import local_judge

MODELS_VERDICTS = frozenset({"Likely Correct", "Potentially Incorrect", "Incorrect"})
"""What the model of the suites says, "Likely Correct", or what its ceiling makes of that."""
_NUMBERS = ("score", "p_correct", "confidence", "tier", "verdict")


def is_invented(row: Mapping[str, Any]) -> bool:
    """Whether a stored row says a number that its text does not give, or one where it says that it has none.

    A row of another evaluator's is not scored again.
    """
    if row["unscored"] is not None:
        return any(row[name] is not None for name in _NUMBERS)
    if row.get("evaluator_version", EVALUATOR_VERSION) != EVALUATOR_VERSION:
        return row["score"] is None
    if row["judge"] is None or row["score"] is None:
        return True
    if row["judge"].startswith("local/"):
        score, p_correct, verdict = _local(row["question"], row["sql"])
        return (row["score"], row["p_correct"], row["verdict"]) != (score, p_correct, verdict)
    return bool(row["fallback"]) or not _is_models(row)


def _is_models(row: Mapping[str, Any]) -> bool:
    if row["verdict"] not in MODELS_VERDICTS:
        return False
    case = _case(row["question"], row["sql"])
    return compose(case.filters, Verdict(row["verdict"]), row["confidence"], by_model=True).score == row["score"]


@cache
def _case(question: str, sql: str) -> Case:
    case = examine(Query(question=question, sql=sql), Rules())
    assert not isinstance(case, Unscored), case
    return case


@cache
def _local(question: str, sql: str) -> tuple[float, float, str]:
    case = _case(question, sql)
    reply = _judge().judge(case)
    return conclude(case, reply).composite.score, reply.p_correct, reply.verdict.value


_judge = cache(local_judge)
