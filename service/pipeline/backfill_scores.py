"""A backfill: scores stored events again with the configured judges, and estimates the cost beforehand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore
from consumers.evaluation.event_evaluation import FILLABLE, Evaluation, EventKey, Scored, evaluate, event_key
from consumers.evaluation.outcomes import Trigger
from consumers.judging.budgets import MICROS, Price
from consumers.judging.panel import Panel
from consumers.queueing.isolation import isolate_failures
from scoring.evaluation import conclude
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case, Reply, Score
from service.processes.examining import Examine, examine_in_thread
from service.storage.partitions import Partitions
from service.storage.scores.added_rows import add_rows, already_scored, make_rows_current
from service.storage.scores.evaluation_pages import EvaluationFilter
from service.storage.scores.row_versions import RowKey
from service.storage.scores.stored_events import StoredEvent, TenantWorkload, stored_events

LETTERS_PER_TOKEN = 3.5
"""Rough value for questions and SQL: an estimate may be off by a third."""
PROMPT_TOKENS = 2_500
"""Tokens of the rest of the prompt: instructions, the record of Stage 3 and the rules."""
REPLY_TOKENS = 300
"""Tokens of a typical reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How many events a backfill scores, and what it costs."""

    events: int
    already: int
    """Those that have such a score already: they cost nothing."""
    model_calls: int
    tokens: int
    cost: float | None
    """In the currency of the price list; `None` if the model has no price."""


def estimate(
    workloads: Sequence[TenantWorkload],
    judges: Mapping[str, JudgeRules],
    price: Price | None,
    calls_for_each: int = 1,
) -> Estimate:
    """Under each tenant's policy a model judges no new events, all of them, or those with low local confidence.

    To the last, `random_share` of the others are added.

    `calls_for_each` is the most calls that one verdict takes.
    """
    calls = tokens_in = 0
    for each in workloads:
        rules = judges[each.tenant]
        new = each.events - each.already
        some = each.unsure + ceil(rules.random_share * (new - each.unsure))
        judged = {JudgePolicy.LOCAL: 0, JudgePolicy.LLM: new, JudgePolicy.CASCADE: some}[rules.policy]
        asked = calls_for_each * judged
        calls += asked
        if asked:
            tokens_in += round(asked * (PROMPT_TOKENS + each.letters / new / LETTERS_PER_TOKEN))
    tokens_out = calls * REPLY_TOKENS
    cost = None if price is None else round(price.of(tokens_in, tokens_out).micros / MICROS, 4)
    return Estimate(
        events=sum(each.events for each in workloads),
        already=sum(each.already for each in workloads),
        model_calls=calls,
        tokens=tokens_in + tokens_out,
        cost=cost if calls else 0.0,
    )


@dataclass(slots=True, kw_only=True)
class BackfillTally:
    """What a backfill did."""

    ended: Counter[str] = field(default_factory=Counter[str])
    """Events by result: scored, unscored, already (the same version is stored), not_judged, refused."""
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Examines, judges and concludes stored events again, and adds a row for each."""

    engine: AsyncEngine
    panel: Panel
    rules: Mapping[str, Rules]
    """Each tenant's rules, with their stored version. The judge may differ from the stored rules' judge."""
    judges: Mapping[JudgePolicy, Sequence[str]]
    """The judge names that verdicts under each policy can carry."""
    model: str | None
    """The configured model, if any."""
    make_current: bool
    clock: Callable[[], datetime]
    examine: Examine = examine_in_thread
    in_flight: int = 200

    async def __call__(self, wanted: EvaluationFilter, progress: Callable[[int], None]) -> BackfillTally:
        """Scores the events that `wanted` describes and calls `progress` with the size of each finished batch.

        Raises `StoreUnavailable`. Rows written before that stay, and a second run does not score them again.
        """
        done, partitions = BackfillTally(), Partitions(self.engine)
        async for batch in stored_events(self.engine, wanted):
            ready = [each for each in batch if each.event.tenant in self.rules]
            stored = await self._same_versions(ready)
            fresh = [each for each in ready if event_key(each.event) not in stored]
            done.ended["already"] += len(stored)
            if self.make_current:
                await make_rows_current(self.engine, stored)
            scored = await self._score(fresh)
            kept = [each for each in scored if not _is_judge_failure(each)]
            done.ended["not_judged"] += len(scored) - len(kept)
            await self._record(kept, partitions, done)
            progress(len(batch))
        return done

    async def _same_versions(self, batch: Sequence[StoredEvent]) -> dict[EventKey, RowKey]:
        """Stored rows by this evaluator, these rules and this judge."""
        found: dict[EventKey, RowKey] = {}
        for policy in {self.rules[each.event.tenant].judge.policy for each in batch}:
            of_policy = [each for each in batch if self.rules[each.event.tenant].judge.policy is policy]
            versions = {each.event.tenant: self.rules[each.event.tenant].version for each in of_policy}
            found |= await already_scored(
                self.engine, of_policy, rules=versions, judges=self.judges[policy], model=self.model
            )
        return found

    async def _score(self, batch: Sequence[StoredEvent]) -> list[Evaluation]:
        cases = await self.examine([(each.event.query(), self.rules[each.event.tenant]) for each in batch])
        gate = asyncio.Semaphore(self.in_flight)
        ends = await asyncio.gather(*(self._end(each, case, gate) for each, case in zip(batch, cases, strict=True)))
        return [self._evaluation(each, end) for each, end in zip(batch, ends, strict=True)]

    async def _end(self, each: StoredEvent, case: Case | Unscored, gate: asyncio.Semaphore) -> Score | Unscored:
        if isinstance(case, Unscored):
            return case
        reply = self.panel.at_once(case)
        if reply is not None:
            return conclude(case, reply)
        async with gate:
            answer = await self.panel.ask(case, tenant=each.event.tenant)
        if isinstance(answer, Reply):
            return conclude(case, answer)
        return answer if isinstance(answer, Unscored) else Unscored(UnscoredReason.JUDGE_UNAVAILABLE, answer.value)

    def _evaluation(self, each: StoredEvent, end: Score | Unscored) -> Evaluation:
        rules = self.rules[each.event.tenant]
        made = evaluate(each.event, end, rules, self.clock(), timestamp=each.occurred_at, trigger=Trigger.BACKFILL)
        return replace(made, occurred_at=each.occurred_at, current=self.make_current)

    async def _record(self, kept: Sequence[Evaluation], partitions: Partitions, done: BackfillTally) -> None:
        """Adds the rows and counts those that the store refuses."""

        async def write(part: Sequence[Evaluation]) -> None:
            added = await add_rows(self.engine, partitions, part, now=self.clock())
            done.ended["already"] += len(part) - len(added)
            for each in part:
                if each.id in added:
                    done.ended["scored" if isinstance(each.result, Scored) else "unscored"] += 1
                if isinstance(each.result, Scored):
                    done.cost += each.result.reply.cost

        for _ in await isolate_failures(write, kept, RefusedByStore):
            done.ended["refused"] += 1


def _is_judge_failure(each: Evaluation) -> bool:
    """Whether the event has no score because of the judge and not because of the answer."""
    return isinstance(each.result, Unscored) and each.result.reason in FILLABLE
