"""A metric for Opik: evaluate(dataset=…, task=…, scoring_metrics=[SqlAnswers()]); a task returns input and output."""

from typing import Any

from opik.evaluation.metrics import base_metric, score_result

from sqlassay import score


class SqlAnswers(base_metric.BaseMetric):
    def score(self, input: str, output: str, **_: Any) -> score_result.ScoreResult:
        """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
        answer = score(question=input, sql=output)
        reason = "; ".join(each.detail for each in answer.reasons)
        return score_result.ScoreResult(name=self.name, value=answer.p_correct or 0.0, reason=reason)
