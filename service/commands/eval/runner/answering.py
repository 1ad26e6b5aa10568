"""From a case to the finished record of its answer: generate, check, compare and score."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from evals.runner.answers import (
    AnsweredCase,
    AnswerScore,
    ComparedBy,
    Equivalence,
    EquivalenceFinding,
    StructuralCheck,
    failed_answer,
)
from evals.runner.cases import BenchmarkCase, GenerationFailure, GenerationResult
from evals.runner.cleaning import looks_plain
from evals.runner.verified import AnswerVerification, Verified
from service.commands.eval.runner.assessing import (
    AssessmentPlan,
    check,
    clean,
    compare_with_gold,
    dates_of,
    doubts_of_gold,
    verify_with_gold,
)
from service.commands.eval.runner.dry_runs import DryRun, TryQuery
from service.commands.eval.runner.generating import Asking
from service.commands.eval.runner.refuted import with_refutation
from service.commands.gold.comparing_processes import failed, seconds_to_compare, stopped
from service.commands.gold.model_opinions import ModelOpinions
from service.commands.score_lines import scorer_failed
from service.processes.limited_pool import CallStopped, LimitedPool

ScoreAnswer: TypeAlias = Callable[[BenchmarkCase, str], Awaitable[AnswerScore]]
"""Scores the SQL of a case."""
CHECK_SECONDS = 20.0
"""Clock time for parsing, checking the names and scoring one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Answers cases with one backend."""

    ask: Asking
    pool: LimitedPool
    plan: AssessmentPlan
    score: ScoreAnswer | None = None
    """Asks the judge's model; `None` where the local judge scores."""
    add_opinion: ModelOpinions | None = None
    """Asks a model about the gold SQL; `None` where none compares."""
    dry_run: TryQuery | None = None
    """Asks the warehouse whether it would run the answer; `None` without `--dry-run`."""

    async def __call__(self, case: BenchmarkCase, sample: int) -> dict[str, Any]:
        """The entry of the journal: the record of the answer, the trace of the backend, and what verifying took."""
        generated = await self.ask(case, sample)
        if isinstance(generated, GenerationFailure):
            answered = failed_answer(case, sample, self.ask.backend.name, generated, await self._doubts(case))
            found = AnswerVerification(ex_test=False) if self.plan.verify is not None else AnswerVerification()
        else:
            sql = await self._cleaned(case, generated.sql)
            # verified first: a model that compares is shown what refutes the answer
            found = await self._verified(case, sample, sql)
            answered = await self._assessed(case, sample, replace(generated, sql=sql), found)
            answered = replace(answered, cleaned=sql != generated.sql)
        answered = replace(
            answered, verification=found, method=self.ask.backend.method(sample), dated=await self._dated(case)
        )
        steps = () if isinstance(generated, GenerationFailure) else generated.trace
        return {
            "record": answered.record(),
            "trace": [asdict(step) for step in steps],
            "cpu_seconds": found.cpu_seconds,
        }

    async def _assessed(
        self, case: BenchmarkCase, sample: int, generated: GenerationResult, verified: AnswerVerification
    ) -> AnsweredCase:
        structure, score = await self._checked(case, generated.sql)
        tried: DryRun | None = None
        if structure.passed:
            if self.score is not None:
                score = await self._judged(case, generated.sql)
            tried = await self.dry_run(case, generated.sql) if self.dry_run is not None else None
            equivalence = _refused(tried) or await self._compared(case, generated.sql)
            equivalence = with_refutation(equivalence, verified, model_compares=self.add_opinion is not None)
            if self.add_opinion is not None:
                equivalence = await self.add_opinion(case, generated.sql, equivalence)
        else:
            what = structure.detail if structure.parse_ok else f"it does not parse: {structure.detail}"
            equivalence = EquivalenceFinding(equivalence=Equivalence.SKIPPED, rationale=what)
        return AnsweredCase(
            case=case,
            sample=sample,
            backend=self.ask.backend.name,
            generated=generated,
            structure=structure,
            equivalence=equivalence,
            score=score,
            gold_doubts=await self._doubts(case),
            dry_run=tried.record() if tried is not None else None,
        )

    async def _cleaned(self, case: BenchmarkCase, text: str) -> str:
        """The SQL without what an agent wrote around it, whatever the backend is."""
        if looks_plain(text):
            return text
        found = await self._call(clean, case, text, seconds=CHECK_SECONDS)
        return found if isinstance(found, str) else text

    async def _doubts(self, case: BenchmarkCase) -> list[dict[str, str]] | None:
        # each query of the gold SQL runs three times, with a limit for each
        found = await self._call(doubts_of_gold, case, seconds=self.plan.sources.seconds * 8 + 5)
        return None if isinstance(found, CallStopped) else found

    async def _dated(self, case: BenchmarkCase) -> frozenset[str]:
        found = await self._call(dates_of, case, seconds=CHECK_SECONDS + self.plan.sources.seconds)
        return frozenset() if isinstance(found, CallStopped) else found

    async def _checked(self, case: BenchmarkCase, sql: str) -> tuple[StructuralCheck, AnswerScore]:
        found = await self._call(check, case, sql, seconds=CHECK_SECONDS + self.plan.sources.seconds)
        if isinstance(found, CallStopped):
            detail = f"checking it was stopped: {found.detail}"
            return StructuralCheck(parse_ok=False, detail=detail), AnswerScore(unscored="TOO_COSTLY")
        return found

    async def _compared(self, case: BenchmarkCase, sql: str) -> EquivalenceFinding:
        seconds = seconds_to_compare(self.plan.sources, self.plan.budget)
        found = await self._call(compare_with_gold, case, sql, seconds=seconds)
        return stopped(found) if isinstance(found, CallStopped) else found

    async def _verified(self, case: BenchmarkCase, sample: int, sql: str) -> AnswerVerification:
        if self.plan.verify is None:
            return AnswerVerification()
        # the budget is CPU time, of which a busy machine gives little: this one is for an answer that hangs
        seconds = self.plan.verify.seconds * 20 + self.plan.sources.seconds * 4 + 5
        recorded = self.ask.backend.tested.get((case.case_id, sample))
        found = await self._call(verify_with_gold, case, sql, recorded, seconds=seconds)
        if isinstance(found, CallStopped):
            reason = f"verifying it was stopped: {found.detail}"
            return AnswerVerification(ex_test=recorded, outcome=Verified.NOT_REFUTED, reason=reason)
        return found

    async def _judged(self, case: BenchmarkCase, sql: str) -> AnswerScore:
        assert self.score is not None  # noqa: S101 the caller asked
        try:
            return await self.score(case, sql)
        except Exception as error:  # One answer that trips a bug must not cost the run.
            return AnswerScore(unscored=scorer_failed(error).reason.value)

    async def _call(self, function: Callable[..., Any], *arguments: object, seconds: float) -> Any:
        try:
            return await self.pool.call(function, *arguments, seconds=seconds)
        except Exception as error:  # One answer that trips a bug must not cost the run.
            return failed(error)


def _refused(tried: DryRun | None) -> EquivalenceFinding | None:
    """The finding of an answer that the warehouse would not run; `None` where it would, or was not asked."""
    if tried is None or tried.ok is not False:
        return None
    return EquivalenceFinding(
        equivalence=Equivalence.DIFFERENT,
        rationale=f"the answer gives no result: BigQuery would not run it: {tried.error}",
        compared_by=ComparedBy.DRY_RUN,
        settled=True,
    )
