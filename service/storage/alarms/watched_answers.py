"""The answers that alarms have not counted yet: written with the rows of their events, in the same transaction.

So an alarm counts an answer exactly once, however often its event is delivered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import cast
from uuid import UUID

from asyncpg import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.evaluation.event_evaluation import Evaluation, Scored
from consumers.evaluation.outcomes import Trigger
from scoring import EVALUATOR_VERSION

_COLUMNS = ("alarm event tenant agent judge evaluator_version moment p_alone score question received_at").split()


async def watch_answers(connection: AsyncConnection, evaluations: Iterable[Evaluation]) -> None:
    """Keeps the answers for their agents' alarms: those with a score that the judge of the agent's tenant gave."""
    records = [_record(each, score) for each in evaluations if (score := _evidence(each)) is not None]
    if not records:
        return
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    await driver.copy_records_to_table("watched_answers", records=records, columns=_COLUMNS)  # pyright: ignore[reportUnknownMemberType] its records are untyped


def _evidence(each: Evaluation) -> Scored | None:
    """The score that says how good the agent is now; `None` without one, of a backfill, and of a fallback verdict."""
    counts = isinstance(each.result, Scored) and each.trigger is not Trigger.BACKFILL
    return each.result if counts and isinstance(each.result, Scored) and not each.result.reply.fallback else None


def _record(each: Evaluation, score: Scored) -> tuple[object, ...]:
    event, judge = each.event, score.judge_label
    return (
        alarm_id(event.tenant, event.agent, judge, EVALUATOR_VERSION),
        each.key.digest,
        event.tenant,
        event.agent,
        judge,
        EVALUATOR_VERSION,
        # a sender's clock may be ahead, and time to come is no time in which a false alarm may come
        min(each.occurred_at, each.received_at).timestamp(),
        score.reply.p_correct,
        score.composite.score,
        question_digest(event.question),
        each.received_at,
    )


# a batch holds many answers of few agents
@lru_cache(maxsize=2048)
def alarm_id(tenant: str, agent: str, judge: str, evaluator: str) -> UUID:
    """The alarm of an agent under a judge and evaluator, in 16 bytes, however long the names are."""
    lengths = ":".join(str(len(name)) for name in (tenant, agent, judge))
    return UUID(bytes=hashlib.sha256(f"{lengths}:{tenant}{agent}{judge}{evaluator}".encode()).digest()[:16])


def question_digest(question: str) -> int:
    """A question in 8 bytes, whatever its letters' case and its spaces.

    >>> question_digest("How many  loaves?") == question_digest("how many loaves? ") != question_digest("how many")
    True
    """
    said = " ".join(question.casefold().split())
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "big", signed=True)
