"""An evaluator for Phoenix: client.experiments.run_experiment(…, evaluators=[sql_answers])."""

from phoenix.client.experiments import create_evaluator

from sqlassay import score


@create_evaluator(name="sql_answers", kind="CODE")
def sql_answers(input: dict, output: str) -> dict:
    """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
    answer = score(question=input["question"], sql=output)
    reason = "; ".join(each.detail for each in answer.reasons)
    return {"score": answer.p_correct or 0.0, "label": answer.tier, "explanation": reason}
