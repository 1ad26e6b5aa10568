"""A metric for DeepEval: evaluate(test_cases=…, metrics=[SqlAnswers()])."""

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from sqlassay import score


class SqlAnswers(BaseMetric):
    threshold = 0.5

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
        answer = score(question=test_case.input, sql=test_case.actual_output)
        self.score, self.reason = answer.p_correct or 0.0, "; ".join(each.detail for each in answer.reasons)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """As `measure`."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether it reaches the threshold."""
        return bool(self.success)

    __name__ = "SqlAnswers"
