"""An evaluator for LangSmith: client.evaluate(target, data=…, evaluators=[sql_answers])."""

from sqlassay import score


def sql_answers(inputs: dict, outputs: dict) -> dict:
    """The probability that the SQL answers the question, and why; no score for an answer that has none."""
    answer = score(question=inputs["question"], sql=outputs["sql"])
    return {"score": answer.p_correct, "comment": "; ".join(each.detail for each in answer.reasons)}
