"""A metric for Ragas: sql_answers.score(user_input=…, response=…), or in an experiment."""

from ragas.metrics import MetricResult, numeric_metric

from sqlassay import score


@numeric_metric(name="sql_answers", allowed_values=(0, 1))
def sql_answers(user_input: str, response: str) -> MetricResult:
    """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
    answer = score(question=user_input, sql=response)
    return MetricResult(value=answer.p_correct or 0.0, reason="; ".join(each.detail for each in answer.reasons))
