"""Judges evaluations with their tenants' memory, right before they are written."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore, StoreUnavailable
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.remembering import is_weighed, with_memory
from scoring.judging.local import Thresholds
from scoring.memory.agreement import Agreement
from scoring.memory.context import NOTHING_KNOWN
from scoring.memory.remembered import RememberedAnswer
from scoring.memory.tenant_memory import TenantMemory
from service.logs import log
from service.storage.database import translate_errors
from service.storage.pooler import single_statements
from service.storage.remembering.bounds import MemoryBounds, delete_answers, keep_within
from service.storage.remembering.known_answers import questions_of, read_known, superseded
from service.storage.remembering.remembered_rows import KnownAnswer
from service.storage.remembering.tenant_habits import REFRESH_SECONDS, KeptHabits


@dataclass(slots=True)
class PostgresMemory:
    """The tenants' memory. `PostgresScores` writes what it learns, in the transaction of the rows."""

    engine: AsyncEngine
    thresholds: Thresholds
    bounds: MemoryBounds
    timer: Callable[[], float] = time.monotonic
    refresh_seconds: float = REFRESH_SECONDS
    _habits: KeptHabits = field(init=False)
    _reading: AsyncEngine = field(init=False)
    """The same connections, if possible without transactions: beginning and ending one costs as much as the query."""

    def __post_init__(self) -> None:
        self._reading = single_statements(self.engine)
        self._habits = KeptHabits(self.timer, self.refresh_seconds, most_learnt=max(1, self.bounds.answers // 4))

    @asynccontextmanager
    async def recalled(self, evaluations: Sequence[Evaluation]) -> AsyncGenerator[Sequence[Evaluation]]:
        """The evaluations as memory judges them, to be written while the context is open.

        They are judged in the order in which they were received, each with those before it. Raises `StoreUnavailable`.
        """
        learnt = Counter(each.event.tenant for each in evaluations if each.compared is not None)
        if not learnt:
            yield evaluations
            return
        with translate_errors(self.engine.url):
            stale = self._habits.stale(learnt)
            if stale:
                await keep_within(self.engine, stale, self.bounds)
            async with self._reading.connect() as connection:
                own = [each.key.digest for each in evaluations]
                known, memories = await self._read(connection, evaluations, learnt, own)
        judged = [_judge(each, memories, self.thresholds) for each in sorted(evaluations, key=_order)]
        try:
            by_id = {each.id: each for each in judged}
            yield [by_id[each.id] for each in evaluations]
        except BaseException:
            # what was counted may not be stored
            self._habits.drop(learnt)
            raise
        self._habits.note(learnt)
        await self._delete_superseded([*known, *(_known(each) for each in judged if each.compared is not None)])

    async def judged_now(self, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
        """Evaluations of stored events as memory judges them with all it knows now, of later events too.

        Memory learns nothing. Raises `StoreUnavailable`.
        """
        tenants = {each.event.tenant for each in evaluations}
        with translate_errors(self.engine.url):
            async with self._reading.connect() as connection:
                _, memories = await self._read(connection, evaluations, tenants, ())
        return [
            each if each.answer is None else _weigh(each, each.answer, memories[each.event.tenant], self.thresholds)
            for each in evaluations
        ]

    async def _read(
        self,
        connection: AsyncConnection,
        evaluations: Sequence[Evaluation],
        tenants: Collection[str],
        left_out: Sequence[UUID],
    ) -> tuple[list[KnownAnswer], dict[str, TenantMemory]]:
        habits = await self._habits.of(connection, list(tenants))
        asked = [(each.event.tenant, each.compared.asked) for each in evaluations if each.compared is not None]
        known = await read_known(connection, asked, left_out)
        questions = questions_of(known)
        memories: dict[str, TenantMemory] = {}
        for tenant, each in habits.items():
            memory = memories[tenant] = TenantMemory(max_answers=sys.maxsize, max_bytes=None, habits=each)
            for question in questions.get(tenant, ()):
                memory.load(question)
        return known, memories

    async def _delete_superseded(self, known: Sequence[KnownAnswer]) -> None:
        gone = superseded(sorted(known, key=lambda each: (each.remembered_at, each.event)))
        try:
            with translate_errors(self.engine.url):
                await delete_answers(self.engine, gone)
        except (StoreUnavailable, RefusedByStore) as error:
            # the rows are written; the next answer to the question deletes these
            log.warning("superseded_answers_kept", error=str(error))


def _order(each: Evaluation) -> tuple[object, ...]:
    return each.received_at, each.key


def _judge(each: Evaluation, memories: Mapping[str, TenantMemory], thresholds: Thresholds) -> Evaluation:
    """The evaluation with what its tenant's memory says, which learns from it."""
    answer = each.answer
    if answer is None:
        return each
    memory = memories[each.event.tenant]
    judged = _weigh(each, answer, memory, thresholds)
    memory.learn(answer, judged.context or NOTHING_KNOWN)
    return judged


def _weigh(each: Evaluation, answer: RememberedAnswer, memory: TenantMemory, thresholds: Thresholds) -> Evaluation:
    """The evaluation with what its tenant's memory says."""
    return with_memory(each, memory.recall(answer), thresholds) if is_weighed(each) else each


def _known(each: Evaluation) -> KnownAnswer:
    answer = each.answer
    assert isinstance(answer, RememberedAnswer)  # noqa: S101 only those that are learnt come here
    return KnownAnswer(each.key.digest, each.event.tenant, answer, Agreement(0.0, 0.0), each.received_at, None)
