"""A scorer for MLflow: mlflow.genai.evaluate(data=…, scorers=[sql_answers])."""

from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer

from sqlassay import score


@scorer
def sql_answers(inputs: dict, outputs: str) -> Feedback:
    """The probability that the SQL answers the question, and why."""
    answer = score(question=inputs["question"], sql=outputs)
    return Feedback(value=answer.p_correct, rationale="; ".join(each.detail for each in answer.reasons))
