"""One answer outside a run: whether it passes, for tests."""

from __future__ import annotations

from evals.runner.answers import Equivalence
from evals.runner.cases import BenchmarkCase
from service.commands.eval.runner.assessing import AssessmentPlan, check, compare_with_gold, prepare
from service.commands.gold.case_schemas import Sources

_PREPARED: list[AssessmentPlan] = []
"""The plan that this process is prepared for."""


def why_not(
    case: BenchmarkCase,
    sql: str,
    *,
    databases: str | None = None,
    schemas: str | None = None,
    dialect: str | None = None,
    least: float = 0.5,
) -> str | None:
    """Why an answer does not pass; `None` when it does."""
    plan = AssessmentPlan(
        sources=Sources(databases=databases, schemas=schemas),
        grounding=schemas is not None or (databases is not None and case.db_id is not None),
        dialect=dialect,
    )
    if plan not in _PREPARED:
        prepare(plan)
        _PREPARED[:] = [plan]
    structure, score = check(case, sql)
    if not structure.passed:
        return structure.detail if structure.parse_ok else f"it does not parse: {structure.detail}"
    if case.gold_sql:
        found = compare_with_gold(case, sql)
        passes = found.equivalence in {Equivalence.EQUIVALENT, Equivalence.PARTIAL}
        return None if passes else f"{found.equivalence.value}: {found.rationale}"
    if score.p_correct is not None and score.p_correct >= least:
        return None
    reasons = "; ".join(f"{each['code']}: {each['detail']}" for each in score.reasons[:3])
    return f"p_correct is {score.p_correct}, and must be at least {least:g}: {reasons}"
