"""One backfill: what it would cost, and the scoring of what is stored by the judges that are set up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore
from consumers.evaluation.evaluation import FILLABLE, Evaluation, EventKey, Scored, evaluate, event_key
from consumers.evaluation.outcomes import Trigger
from consumers.judging.budgets import MICROS, Price
from consumers.judging.panel import Panel
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Case, Reply, Score
from service.storage.partitions import Partitions
from service.storage.reports import Wanted
from service.storage.stored_events import (
    Stored,
    TenantShare,
    already_scored,
    make_current,
    record_again,
    stored_events,
)
from service.storage.versions import StoredRow

LETTERS_PER_TOKEN = 3.5
"""Of questions and SQL, roughly; an estimate may be off by a third."""
PROMPT_TOKENS = 2_500
"""Of the prompt around them: its instructions, the record of Stage 3 and the rules."""
REPLY_TOKENS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a backfill is expected to do and to cost."""

    events: int
    model_calls: int
    tokens: int
    cost: float | None
    """In the currency of the price list; `None` where a model is asked that has no price."""


def estimate(shares: Sequence[TenantShare], policies: Mapping[str, JudgePolicy], price: Price | None) -> Estimate:
    """Under each tenant's policy: none asks a model, all do, or those do of which the local judge was unsure."""
    calls = tokens_in = 0
    for share in shares:
        policy = policies[share.tenant]
        asked = {JudgePolicy.LOCAL: 0, JudgePolicy.LLM: share.events, JudgePolicy.CASCADE: share.unsure}[policy]
        calls += asked
        if asked:
            tokens_in += round(asked * (PROMPT_TOKENS + share.letters / share.events / LETTERS_PER_TOKEN))
    tokens_out = calls * REPLY_TOKENS
    cost = None if price is None else round(price.of(tokens_in, tokens_out).micros / MICROS, 4)
    return Estimate(
        events=sum(share.events for share in shares),
        model_calls=calls,
        tokens=tokens_in + tokens_out,
        cost=cost if calls else 0.0,
    )


@dataclass(slots=True, kw_only=True)
class Rescored:
    """What a backfill did."""

    ended: Counter[str] = field(default_factory=Counter[str])
    """Events by their end: scored, unscored, already (the same row stands), not_judged, refused."""
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescore:
    """Examine → judge → conclude → add a row, for every event that is stored and wanted."""

    engine: AsyncEngine
    panel: Panel
    rules: Mapping[str, Rules]
    """Of each tenant, by their version in the store; its judge may be another than the rules'."""
    judges: Mapping[JudgePolicy, Sequence[str]]
    """The names that verdicts under each policy can carry."""
    model: str | None
    """The model that is set up, if one is."""
    make_current: bool
    clock: Callable[[], datetime]
    in_flight: int = 200

    async def __call__(self, wanted: Wanted, told: Callable[[int], None]) -> Rescored:
        """Scores them; raises `StoreUnavailable`, and what was written until then stays and is not scored again."""
        done, partitions = Rescored(), Partitions(self.engine)
        async for batch in stored_events(self.engine, wanted):
            ready = [each for each in batch if each.event.tenant in self.rules]
            standing = await self._standing(ready)
            fresh = [each for each in ready if event_key(each.event) not in standing]
            done.ended["already"] += len(standing)
            if self.make_current:
                await make_current(self.engine, standing)
            scored = await self._score(fresh)
            kept = [each for each in scored if not _is_in_vain(each)]
            done.ended["not_judged"] += len(scored) - len(kept)
            await self._record(kept, partitions, done)
            told(len(batch))
        return done

    async def _standing(self, batch: Sequence[Stored]) -> dict[EventKey, StoredRow]:
        """The rows there are by this evaluator, these rules and this judge."""
        found: dict[EventKey, StoredRow] = {}
        for policy in {self.rules[each.event.tenant].judge.policy for each in batch}:
            mine = [each for each in batch if self.rules[each.event.tenant].judge.policy is policy]
            versions = {each.event.tenant: self.rules[each.event.tenant].version for each in mine}
            found |= await already_scored(
                self.engine, mine, rules=versions, judges=self.judges[policy], model=self.model
            )
        return found

    async def _score(self, batch: Sequence[Stored]) -> list[Evaluation]:
        cases = await asyncio.to_thread(lambda: [self._examine(each) for each in batch])
        gate = asyncio.Semaphore(self.in_flight)
        ends = await asyncio.gather(*(self._end(each, case, gate) for each, case in zip(batch, cases, strict=True)))
        return [self._evaluation(each, end) for each, end in zip(batch, ends, strict=True)]

    def _examine(self, each: Stored) -> tuple[Case | Unscored, Reply | None]:
        case = examine(each.event.query(), self.rules[each.event.tenant])
        return case, None if isinstance(case, Unscored) else self.panel.at_once(case)

    async def _end(
        self, each: Stored, examined: tuple[Case | Unscored, Reply | None], gate: asyncio.Semaphore
    ) -> Score | Unscored:
        case, reply = examined
        if isinstance(case, Unscored):
            return case
        if reply is not None:
            return conclude(case, reply)
        async with gate:
            said = await self.panel.ask(case, tenant=each.event.tenant)
        if isinstance(said, Reply):
            return conclude(case, said)
        return said if isinstance(said, Unscored) else Unscored(UnscoredReason.JUDGE_UNAVAILABLE, said.value)

    def _evaluation(self, each: Stored, end: Score | Unscored) -> Evaluation:
        rules = self.rules[each.event.tenant]
        made = evaluate(each.event, end, rules, self.clock(), timestamp=each.occurred_at, trigger=Trigger.BACKFILL)
        return replace(made, occurred_at=each.occurred_at, current=self.make_current)

    async def _record(self, kept: Sequence[Evaluation], partitions: Partitions, done: Rescored) -> None:
        """One refused row must not cost the others theirs."""
        try:
            added = await record_again(self.engine, partitions, kept, now=self.clock())
        except RefusedByStore:
            if len(kept) == 1:
                done.ended["refused"] += 1
                return
            half = len(kept) // 2
            await self._record(kept[:half], partitions, done)
            await self._record(kept[half:], partitions, done)
            return
        done.ended["already"] += len(kept) - len(added)
        for each in kept:
            if each.id in added:
                done.ended["scored" if isinstance(each.result, Scored) else "unscored"] += 1
            if isinstance(each.result, Scored):
                done.cost += each.result.reply.cost


def _is_in_vain(each: Evaluation) -> bool:
    """Nothing was learnt of the answer, only that a judge could not be had."""
    return isinstance(each.result, Unscored) and each.result.reason in FILLABLE
