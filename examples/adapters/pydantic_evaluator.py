"""An evaluator for Pydantic Evals: Dataset(cases=…, evaluators=[SqlAnswers()]); a case's input is the question."""

from dataclasses import dataclass

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from sqlassay import score


@dataclass
class SqlAnswers(Evaluator[str, str]):
    def evaluate(self, ctx: EvaluatorContext[str, str]) -> EvaluationReason:
        """The probability that the SQL answers the question, and why; 0 for an answer without a score."""
        answer = score(question=ctx.inputs, sql=ctx.output)
        return EvaluationReason(answer.p_correct or 0.0, "; ".join(each.detail for each in answer.reasons))
