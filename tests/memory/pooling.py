"""A store and a model that tests can block, and records for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consumers.decoding import Record
from consumers.errors import StoreUnavailable
from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.panel import Panel
from consumers.pool.limits import PoolLimits
from scoring.query import Unscored
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge
from tests.memory.stores import MemoryScores

BY_MODEL = Rules(judge=JudgeRules(policy=JudgePolicy.LLM))
PATIENT = PoolLimits(linger=0, patience=None)


def record(id_: object = 1, sql: str = "SELECT COUNT(*) FROM ovens", **changes: object) -> Record:
    payload = {"event_id": str(id_), "question": "How many ovens are there?", "sql": sql, **changes}
    return Record(payload=payload, require_id=True, size=100)


async def until(condition: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 the code under test has no event that only tests would wait for
            await asyncio.sleep(0.001)


@dataclass
class Gate(MemoryScores):
    """A store that records only while it is open, and can be down."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it was asked to record."""
    down: int = 0
    """Calls that fail."""
    groups: list[int] = field(default_factory=list[int])

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        self.asked.set()
        await self.open.wait()
        if self.down:
            self.down -= 1
            raise StoreUnavailable("no answer")
        self.groups.append(len(evaluations))
        return await super().record(evaluations)


@dataclass(frozen=True, kw_only=True)
class Model(Panel):
    """A model that answers while it is open, with the local verdict or with `reply`."""

    local: Callable[[Case], Reply] = field(default_factory=lambda: local_judge().judge)
    reply: Reply | Unscored | DeferredReason | None = None
    open: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list[str])
    """The tenants of the cases it was asked about."""

    async def ask(self, case: Case, *, tenant: str) -> Reply | Unscored | DeferredReason:
        self.asked.append(tenant)
        await self.open.wait()
        return self.reply or self.local(case)


@dataclass(frozen=True, kw_only=True)
class RationedModel(Model):
    """A model that answers one call for each release of `left`."""

    left: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def ask(self, case: Case, *, tenant: str) -> Reply | Unscored | DeferredReason:
        async with asyncio.timeout(20):
            await self.left.acquire()
        return self.local(case)
