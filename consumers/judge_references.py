"""Answers judged by their references after their rows stand: beside the score, never part of it.

What waits is kept by the store, written with the row, so that nothing waits in memory and no crash loses one. Whoever
takes some has them alone for the time of a lease; a verdict is told, then written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from consumers.errors import Unavailable
from consumers.ports import Outcomes, RuleSource
from consumers.references import (
    AwaitedReferences,
    AwaitingReference,
    ReferenceCounts,
    ReferenceJudge,
    ReferenceJudged,
    ReferencePolicy,
    reference_message,
)
from consumers.stream.ports import Publisher
from references.verdict import AnswerPair, NotJudged, ReferenceFinding, not_judged
from scoring.rules import Rules

_COUNTED_EVERY = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReferences:
    """Takes answers that wait, judges them, tells and writes what was found, for as long as it runs."""

    awaited: AwaitedReferences
    judge: ReferenceJudge
    rules: RuleSource
    policy: ReferencePolicy
    counts: ReferenceCounts
    outcomes: Outcomes
    clock: Callable[[], datetime]
    publisher: Publisher | None = None
    topic: str = ""
    """Of results; empty tells nobody."""
    pause: float = 1.0
    """Seconds between looks while nothing waits."""

    async def run(self) -> None:
        """Runs until cancelled; a store that is down is asked again later."""
        counted: datetime | None = None
        while True:
            try:
                if counted is None or self.clock() - counted >= _COUNTED_EVERY:
                    counted = self.clock()
                    self.counts.waits(await self.awaited.waiting())
                taken = await self()
            except Unavailable:
                self.outcomes.stalled("references")
                taken = 0
            except Exception as error:
                self.outcomes.failed("references", error)
                taken = 0
            if taken < self.policy.at_once:
                await asyncio.sleep(self.pause)

    async def __call__(self) -> int:
        """Judges some of those that wait, and returns how many were taken."""
        taken = await self.awaited.take(self.clock(), self.policy.at_once, self.policy.lease)
        if not taken:
            return 0
        rules = await self.rules.rules({each.tenant for each in taken})
        judged = await asyncio.gather(*(self._judged(each, rules) for each in taken))
        # told before it is written: whoever falls between the two has it judged, and told, once more
        if self.publisher is not None and self.topic:
            await self.publisher.publish([reference_message(each, self.topic) for each in judged])
        for each in await self.awaited.conclude(judged):
            self.counts.judged(each.awaiting.tenant, each.awaiting.agent, each.finding.verdict)
        return len(taken)

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
