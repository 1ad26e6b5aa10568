"""Writes the first evaluation of each event, in one transaction per batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from sqlalchemy import select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from service.storage.alarms.watched_answers import watch_answers
from service.storage.canaries.canary_rows import write_canaries
from service.storage.database import translate_errors
from service.storage.partitions import Partitions
from service.storage.reference_store import await_references
from service.storage.remembering.remembered_rows import write_answers
from service.storage.scores.evaluation_rows import copy_rows, evaluation_row
from service.storage.scores.event_keys import claim_free_keys, read_claims, take_over_claims
from service.storage.scores.row_versions import find_same_versions, make_row_current
from service.storage.tables import EVALUATIONS
from service.storage.unsent_scores import queue_scores

_ROWS = EVALUATIONS.c


@dataclass(frozen=True)
class PostgresScores:
    """A `ScoreStore` in PostgreSQL."""

    engine: AsyncEngine
    watched: bool = False
    """Whether the answers count for their agents' alarms."""
    sinks: Sequence[str] = ()
    """The names of the sinks that get the evaluations."""
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    @cached_property
    def partitions(self) -> Partitions:
        """The partitions this process has made or seen."""
        return Partitions(self.engine)

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims on those keys that are taken."""
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                return await read_claims(connection, keys)

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Writes the evaluations whose key is free, and those that fill a row without a score.

        Returns the claims of the others: their event was stored before. Canaries go to a table of their own.
        """
        await write_canaries(self.engine, evaluations)
        return await self._record([each for each in evaluations if each.event.canary is None])

    async def _record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        if not evaluations:
            return {}
        await self.partitions.ensure((each.occurred_at for each in evaluations), self.clock())
        # every transaction locks keys in this order, so that two batches with the same events cannot deadlock
        ordered = sorted(evaluations, key=lambda each: each.key)
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                claimed = await claim_free_keys(connection, ordered)
                new = [each for each in ordered if each.key in claimed]
                await copy_rows(connection, new)
                await await_references(connection, new)
                stored_before = await _fill(connection, [each for each in ordered if each.key not in claimed])
                # own rows of a lost acknowledgement are not among them: they were watched, queued and remembered then
                first = [each for each in ordered if each.key not in stored_before]
                if self.watched:
                    await watch_answers(connection, first)
                await queue_scores(connection, first, self.sinks)
                await write_answers(connection, first)
                return await _without_own(connection, ordered, stored_before)


async def _fill(connection: AsyncConnection, evaluations: Sequence[Evaluation]) -> dict[EventKey, Claim]:
    """Writes the evaluations that fill the row of the claim on their key; returns the claims of the others."""
    if not evaluations:
        return {}
    claims = await read_claims(connection, [each.key for each in evaluations])
    filling = [each for each in evaluations if each.key in claims and each.fills(claims[each.key])]
    if not filling:
        return claims
    taken_over = await take_over_claims(connection, filling, claims)
    by_backfill = await _write_filled(connection, [each for each in filling if each.key in taken_over])
    # another process filled these rows since the claims were read
    filled_by_others = await read_claims(connection, [each.key for each in filling if each.key not in taken_over])
    not_filled = {key: claim for key, claim in claims.items() if key not in taken_over}
    return not_filled | by_backfill | filled_by_others


async def _write_filled(connection: AsyncConnection, filling: Sequence[Evaluation]) -> dict[EventKey, Claim]:
    """Writes scores into rows that lack one.

    A backfill may already have added a row of the same version: that one becomes current, and its claim is returned.
    """
    if not filling:
        return {}
    rows = {each.id: evaluation_row(each) for each in filling}
    same_versions = await find_same_versions(connection, list(rows.values()))
    by_backfill: dict[EventKey, Claim] = {}
    for each in filling:
        same = same_versions.get(each.id)
        if same is not None:
            await make_row_current(connection, each.key, same)
            by_backfill[each.key] = Claim(each.payload_hash, same.id, same.occurred_at)
        elif not await _overwrite(connection, each, rows[each.id]):
            # retention deletes rows before their keys, so the row may be gone
            await copy_rows(connection, [each])
    return by_backfill


async def _overwrite(connection: AsyncConnection, each: Evaluation, row: Mapping[str, object]) -> bool:
    without_score = (_ROWS.occurred_at == each.occurred_at, _ROWS.id == each.id, _ROWS.score.is_(None))
    return (await connection.execute(update(EVALUATIONS).where(*without_score).values(row))).rowcount > 0


async def _without_own(
    connection: AsyncConnection, evaluations: Sequence[Evaluation], claims: Mapping[EventKey, Claim]
) -> Mapping[EventKey, Claim]:
    """The claims that other evaluations made, so that a retry after a lost commit acknowledgement is idempotent."""
    same_id = [each for each in evaluations if each.key in claims and claims[each.key].evaluation_id == each.id]
    if not same_id:
        return claims
    # a filled row keeps its id whoever fills it: only `received_at` tells which evaluation was written
    row = tuple_(_ROWS.occurred_at, _ROWS.id, _ROWS.received_at)
    written = [(each.occurred_at, each.id, each.received_at) for each in same_id]
    own = set(await connection.scalars(select(_ROWS.id).where(row.in_(written))))
    return {key: claim for key, claim in claims.items() if claim.evaluation_id not in own}
