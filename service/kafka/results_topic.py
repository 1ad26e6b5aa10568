"""Publishes results of new rows, and again those of rows stored before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.pool.ports import ResultsTooLarge
from consumers.publishing.result_messages import result_message, stored_message
from consumers.stream.oversized import explain_refusal
from consumers.stream.ports import Message, Publisher
from service.storage.database import translate_errors
from service.storage.tables import EVALUATIONS

_ROW = EVALUATIONS.c
_PUBLISHED_COLUMNS = (
    _ROW.id,
    _ROW.tenant,
    _ROW.source,
    _ROW.event_id,
    _ROW.agent,
    _ROW.agent_version,
    _ROW.occurred_at,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaResults:
    """A `Results` that publishes to a topic."""

    publisher: Publisher
    topic: str
    engine: AsyncEngine

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Publishes the results of written evaluations, and again those of duplicates."""
        messages = [
            (key, result_message(each, self.topic)) for key, each in ends.items() if isinstance(each, Evaluation)
        ]
        claims = {key: each for key, each in ends.items() if isinstance(each, Claim)}
        if claims:
            messages.extend(await self._stored(claims))
        refused = await self.publisher.publish([each for _, each in messages])
        if refused:
            left = [messages[place] for place in sorted(refused)]
            raise ResultsTooLarge(explain_refusal([each for _, each in left]), {key for key, _ in left})

    async def _stored(self, stored: Mapping[EventKey, Claim]) -> list[tuple[EventKey, Message]]:
        claims, keys = stored.values(), {claim.evaluation_id: key for key, claim in stored.items()}
        # each row with its own time, because one range over all of them could search every day's partition
        rows = [(each.occurred_at, each.evaluation_id) for each in claims if each.occurred_at is not None]
        bare = [each.evaluation_id for each in claims if each.occurred_at is None]
        wanted = tuple_(_ROW.occurred_at, _ROW.id).in_(rows)
        query = select(*_PUBLISHED_COLUMNS, _ROW.trigger, _ROW.record).where(
            or_(wanted, _ROW.id.in_(bare)) if bare else wanted
        )
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                found = (await connection.execute(query)).mappings()
                named = [{str(name): value for name, value in row.items()} for row in found]
        return [(keys[row["id"]], stored_message(row, self.topic)) for row in named]
