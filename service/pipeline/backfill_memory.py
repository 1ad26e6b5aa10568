"""`sqlassay backfill --memory`: judges stored answers again with what their tenants' memory knows now."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation, evaluate, line_out
from consumers.evaluation.outcomes import Trigger
from scoring import EVALUATOR_VERSION
from scoring.calibration import uncalibrated_judge
from scoring.evaluation import conclude
from scoring.judging.local import LocalJudge
from scoring.rules import Rules
from scoring.verdict import Case
from service.pipeline.backfill_scores import BackfillTally
from service.processes.examining import Examine
from service.storage.remembering.bounds import MemoryBounds
from service.storage.remembering.postgres_memory import PostgresMemory
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.judged_rows import remember_answers, remembered_of, rewrite_rows
from service.storage.scores.stored_events import StoredEvent, stored_events


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillWithMemory:
    """First remembers every answer that is not remembered, oldest first; then judges each with all that is known.

    Only rows of this evaluator, the local judge and the tenant's rules in force change, in place: `p_correct`, the
    reasons and the context.
    """

    engine: AsyncEngine
    judge: LocalJudge
    rules: Mapping[str, Rules]
    bounds: MemoryBounds
    examine: Examine

    async def __call__(self, wanted: EvaluationFilter, progress: Callable[[int], None]) -> BackfillTally:
        """Calls `progress` with the size of each finished batch. Raises `StoreUnavailable`; a second run goes on."""
        done, memory = BackfillTally(), self._memory()
        async for _, evaluations in self._alone(wanted):
            held = await remembered_of(self.engine, [each.key.digest for each in evaluations])
            fresh = [each for each in evaluations if each.key.digest not in held]
            async with memory.recalled(fresh) as judged:
                await remember_answers(self.engine, judged)
        memory = self._memory()
        async for batch, evaluations in self._alone(wanted):
            written = await rewrite_rows(self.engine, await memory.judged_now(evaluations))
            done.ended["scored"] += written
            done.ended["not_judged"] += len(batch) - written
            progress(len(batch))
        return done

    def _memory(self) -> PostgresMemory:
        return PostgresMemory(self.engine, self.judge.weights.thresholds, self.bounds)

    async def _alone(self, wanted: EvaluationFilter) -> AsyncGenerator[tuple[Sequence[StoredEvent], list[Evaluation]]]:
        """Each batch of stored events, with the evaluations that memory can judge, as they are without it."""
        async for batch in stored_events(self.engine, wanted):
            ready = [each for each in batch if self._is_current(each)]
            cases = await self.examine([(each.event.query(), self.rules[each.event.tenant]) for each in ready])
            judged = [
                self._evaluation(each, case)
                for each, case in zip(ready, cases, strict=True)
                if isinstance(case, Case) and not case.ran_nothing
            ]
            yield batch, judged

    def _is_current(self, each: StoredEvent) -> bool:
        rules = self.rules.get(each.event.tenant)
        if rules is None or not rules.store_raw or not rules.memory:
            return False
        version = (self.judge.name, EVALUATOR_VERSION, rules.version)
        return (uncalibrated_judge(each.row.judge or ""), each.row.evaluator_version, each.row.rules_version) == version

    def _evaluation(self, each: StoredEvent, case: Case) -> Evaluation:
        rules = self.rules[each.event.tenant]
        line = line_out(each.event.event_id, conclude(case, self.judge.judge(case)), rules, remember=True)
        made = evaluate(
            each.event, line, rules, each.row.received_at, timestamp=each.occurred_at, trigger=Trigger.BACKFILL
        )
        return replace(made, id=each.row.id, occurred_at=each.occurred_at)
