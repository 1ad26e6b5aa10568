"""An evaluator for Langfuse: langfuse.run_experiment(…, evaluators=[sql_answers]); an item's input is the question."""

from typing import Any

from langfuse import Evaluation

from sqlassay import score


def sql_answers(*, input: str, output: str, **_: Any) -> Evaluation:
    """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
    answer = score(question=input, sql=output)
    reason = "; ".join(each.detail for each in answer.reasons)
    return Evaluation(name="sql_answers", value=answer.p_correct or 0.0, comment=reason)
