"""Judges answers by their references once their rows are stored; the verdict never changes the score.

The store keeps the answers that wait, so a crash loses none. A worker leases some, judges them, publishes the verdicts
and then writes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from consumers.errors import TooLargeForBroker
from consumers.ports import Outcomes, RuleSource
from consumers.queueing.retrying import work_for_ever
from consumers.references import (
    AwaitedReferences,
    AwaitingReference,
    ReferenceCounts,
    ReferenceJudge,
    ReferenceJudged,
    ReferencePolicy,
    reference_message,
)
from consumers.stream.oversized import explain_refusal
from consumers.stream.ports import Message, Publisher
from references.reference_verdict import AnswerPair, NotJudged, ReferenceFinding, not_judged
from scoring.rules import Rules

_COUNTED_EVERY = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReferences:
    """Leases answers that wait, judges them, and publishes and writes their verdicts."""

    awaited: AwaitedReferences
    judge: ReferenceJudge
    rules: RuleSource
    policy: ReferencePolicy
    counts: ReferenceCounts
    outcomes: Outcomes
    clock: Callable[[], datetime]
    publisher: Publisher | None = None
    topic: str = ""
    """The topic of results; empty publishes nothing."""
    pause: float = 1.0
    """Seconds between looks while nothing waits."""

    async def run(self) -> None:
        """Runs until cancelled; after an outage of the store or a bug it goes on after a pause."""
        counted: datetime | None = None

        async def count_and_judge() -> bool:
            nonlocal counted
            if counted is None or self.clock() - counted >= _COUNTED_EVERY:
                counted = self.clock()
                self.counts.waits(await self.awaited.waiting())
            return await self() >= self.policy.at_once

        await work_for_ever(
            count_and_judge,
            pause=self.pause,
            on_unavailable=partial(self.outcomes.stalled, "references"),
            on_bug=partial(self.outcomes.failed, "references"),
        )

    async def __call__(self) -> int:
        """Judges some of the answers that wait, and returns how many it leased."""
        leased = await self.awaited.lease(self.clock(), self.policy.at_once, self.policy.lease)
        if not leased:
            return 0
        rules = await self.rules.rules({each.tenant for each in leased})
        judged = await asyncio.gather(*(self._judged(each, rules) for each in leased))
        # published before it is written: after a crash between the two, the answer is judged and published again
        refused = await self._publish(judged)
        accepted = [each for place, each in enumerate(judged) if place not in refused]
        for each in await self.awaited.write_verdicts(accepted):
            self.counts.judged(each.awaiting.tenant, each.awaiting.agent, each.finding.verdict)
        if refused:
            raise TooLargeForBroker(explain_refusal(list(refused.values())))
        return len(leased)

    async def _publish(self, judged: Sequence[ReferenceJudged]) -> Mapping[int, Message]:
        """Publishes the verdicts; returns those that are too large for the broker, by their positions."""
        if self.publisher is None or not self.topic:
            return {}
        messages = [reference_message(each, self.topic) for each in judged]
        return {place: messages[place] for place in sorted(await self.publisher.publish(messages))}

    async def _judged(self, awaiting: AwaitingReference, rules: Mapping[str, Rules]) -> ReferenceJudged:
        why = self.policy.refuses(awaiting, self.clock())
        finding = not_judged(why) if why is not None else await self._found(awaiting, rules)
        return ReferenceJudged(awaiting=awaiting, finding=finding)

    async def _found(self, awaiting: AwaitingReference, rules: Mapping[str, Rules]) -> ReferenceFinding:
        theirs = rules.get(awaiting.tenant)
        dialect = awaiting.dialect or (theirs.dialect if theirs is not None else None)
        pair = AnswerPair(reference=awaiting.reference_sql or "", answer=awaiting.sql, dialect=dialect)
        try:
            return await self.judge.judge(pair)
        except Exception as error:
            self.outcomes.failed(f"reference {awaiting.tenant}{awaiting.source} {awaiting.event_id}", error)
            return not_judged(NotJudged.FAILED)
