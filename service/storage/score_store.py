"""PostgreSQL behind the ports: event keys and evaluations, written in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import cast

import orjson
from asyncpg import Connection
from sqlalchemy import ARRAY, Boolean, DateTime, Text, Uuid, bindparam, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore
from consumers.evaluation.evaluation import Claim, Evaluation, EventKey, Scored
from scoring.verdict import Reply
from service.storage.database import translated
from service.storage.partitions import Partitions
from service.storage.reference_store import keep_awaited
from service.storage.tables import EVALUATIONS
from service.storage.versions import promote, twins

_NAMES = ("tenants", "sources", "ids")
_CLAIM = text(
    """
    INSERT INTO event_keys (tenant, source, event_id, payload_hash, evaluation_id, occurred_at, fillable)
    SELECT * FROM unnest(:tenants, :sources, :ids, :hashes, :evaluations, :moments, :fillable)
    ON CONFLICT DO NOTHING
    RETURNING tenant, source, event_id
    """
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in (*_NAMES, "hashes")),
    bindparam("evaluations", type_=ARRAY(Uuid)),
    bindparam("moments", type_=ARRAY(DateTime(timezone=True))),
    bindparam("fillable", type_=ARRAY(Boolean)),
)
_CLAIMS = text(
    """
    SELECT event_keys.* FROM event_keys
    JOIN unnest(:tenants, :sources, :ids) AS wanted (tenant, source, event_id) USING (tenant, source, event_id)
    """
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in _NAMES))
_FILL = text(
    """
    UPDATE event_keys SET fillable = filled.fillable, payload_hash = filled.payload_hash
    FROM unnest(:tenants, :sources, :ids, :evaluations, :stood, :hashes, :fillable)
      AS filled (tenant, source, event_id, evaluation_id, stood, payload_hash, fillable)
    WHERE event_keys.tenant = filled.tenant AND event_keys.source = filled.source
      AND event_keys.event_id = filled.event_id AND event_keys.evaluation_id = filled.evaluation_id
      AND event_keys.payload_hash = filled.stood AND (event_keys.fillable OR filled.stood <> filled.payload_hash)
    RETURNING event_keys.tenant, event_keys.source, event_keys.event_id
    """
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in (*_NAMES, "stood", "hashes")),
    bindparam("evaluations", type_=ARRAY(Uuid)),
    bindparam("fillable", type_=ARRAY(Boolean)),
)


@dataclass(frozen=True)
class PostgresScores:
    """A `ScoreStore` whose rows outlive the process."""

    engine: AsyncEngine
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    @cached_property
    def partitions(self) -> Partitions:
        """The days known to have a partition."""
        return Partitions(self.engine)

    async def claims(self, keys: Collection[EventKey]) -> Mapping[EventKey, Claim]:
        """The claims that stand on these keys."""
        with translated(self.engine.url):
            async with self.engine.connect() as connection:
                return await _claims(connection, keys)

    async def record(self, evaluations: Sequence[Evaluation]) -> Mapping[EventKey, Claim]:
        """Claims the keys and writes the rows whose key was free or whose row they fill, in one transaction."""
        if not evaluations:
            return {}
        await self.partitions.ensure((each.occurred_at for each in evaluations), self.clock())
        # in one order everywhere, so that two batches with the same events cannot wait for each other in a circle
        ordered = sorted(evaluations, key=lambda each: each.key)
        with translated(self.engine.url):
            async with self.engine.begin() as connection:
                won = await _claim(connection, ordered)
                await copy_rows(connection, [each for each in ordered if each.key in won])
                await keep_awaited(connection, [each for each in ordered if each.key in won])
                stood = await _fill(connection, [each for each in ordered if each.key not in won])
                return await _of_others(connection, ordered, stood)


async def _claim(connection: AsyncConnection, ordered: Sequence[Evaluation]) -> set[EventKey]:
    taken = await connection.execute(
        _CLAIM,
        {
            **_columns([each.key for each in ordered]),
            "hashes": [each.payload_hash for each in ordered],
            "evaluations": [each.id for each in ordered],
            "moments": [each.occurred_at for each in ordered],
            "fillable": [each.fillable for each in ordered],
        },
    )
    return {EventKey(*row) for row in taken}


async def copy_rows(connection: AsyncConnection, won: Sequence[Evaluation]) -> None:
    """Writes rows that nothing can be in conflict with, since this transaction holds their keys."""
    if not won:
        return
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    rows = [evaluation_row(each) for each in won]
    names = list(rows[0])
    records = [_encoded(row) for row in rows]
    try:
        await driver.copy_records_to_table("evaluations", records=records, columns=names)  # pyright: ignore[reportUnknownMemberType] its records are untyped
    except (OverflowError, ValueError, TypeError) as error:
        # what a column cannot hold the driver refuses itself, in words that repeat the value
        raise RefusedByStore(f"a value does not fit its column ({type(error).__name__})") from None


def _encoded(row: Mapping[str, object]) -> list[object]:
    # beside SQLAlchemy nobody turns objects into JSON
    return [orjson.dumps(value).decode() if isinstance(value, dict) else value for value in row.values()]


async def _fill(connection: AsyncConnection, lost: Sequence[Evaluation]) -> dict[EventKey, Claim]:
    """Writes those that fill the row of the claim that stands; returns the claims of the others."""
    if not lost:
        return {}
    stood = await _claims(connection, [each.key for each in lost])
    filling = [each for each in lost if each.key in stood and each.fills(stood[each.key])]
    if not filling:
        return stood
    taken = await connection.execute(
        _FILL,
        {
            **_columns([each.key for each in filling]),
            "evaluations": [each.id for each in filling],
            "stood": [stood[each.key].payload_hash for each in filling],
            "hashes": [each.payload_hash for each in filling],
            "fillable": [each.fillable for each in filling],
        },
    )
    mine = {EventKey(*row) for row in taken}
    before = await _write_filled(connection, [each for each in filling if each.key in mine])
    # another was faster: what stands now is what it wrote
    lost_again = await _claims(connection, [each.key for each in filling if each.key not in mine])
    return {key: claim for key, claim in stood.items() if key not in mine} | before | lost_again


async def _write_filled(connection: AsyncConnection, filling: Sequence[Evaluation]) -> dict[EventKey, Claim]:
    """Writes scores into rows that lack one; a backfill may have written the same beside, which then is current."""
    if not filling:
        return {}
    rows = {each.id: evaluation_row(each) for each in filling}
    same, before = await twins(connection, list(rows.values())), dict[EventKey, Claim]()
    for each in filling:
        twin = same.get(each.id)
        if twin is not None:
            await promote(connection, each.key, twin)
            before[each.key] = Claim(each.payload_hash, twin.id, twin.occurred_at)
        elif not await _overwrite(connection, each, rows[each.id]):
            # retention took the row before its key
            await copy_rows(connection, [each])
    return before


async def _overwrite(connection: AsyncConnection, each: Evaluation, row: Mapping[str, object]) -> bool:
    table = EVALUATIONS.c
    mine = (table.occurred_at == each.occurred_at, table.id == each.id, table.score.is_(None))
    return (await connection.execute(update(EVALUATIONS).where(*mine).values(row))).rowcount > 0


async def _of_others(
    connection: AsyncConnection, ordered: Sequence[Evaluation], stood: Mapping[EventKey, Claim]
) -> Mapping[EventKey, Claim]:
    """The claims without those that these very evaluations made: whose commit was not heard of, and is made again."""
    alike = [each for each in ordered if each.key in stood and stood[each.key].evaluation_id == each.id]
    if not alike:
        return stood
    table = EVALUATIONS.c
    # a row that is filled keeps its id, whoever fills it; only what was written then says who it was
    row = tuple_(table.occurred_at, table.id, table.received_at)
    wanted = [(each.occurred_at, each.id, each.received_at) for each in alike]
    own = set(await connection.scalars(select(table.id).where(row.in_(wanted))))
    return {key: claim for key, claim in stood.items() if claim.evaluation_id not in own}


async def _claims(connection: AsyncConnection, keys: Collection[EventKey]) -> dict[EventKey, Claim]:
    found = await connection.execute(_CLAIMS, _columns(keys))
    return {
        EventKey(row.tenant, row.source, row.event_id): Claim(
            row.payload_hash, row.evaluation_id, _aware(row.occurred_at), row.fillable
        )
        for row in found
    }


def _aware(moment: datetime) -> datetime:
    # the driver writes the first and the last moment there is as infinite, and reads those without a zone
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _columns(keys: Collection[EventKey]) -> dict[str, list[str]]:
    return {
        "tenants": [key.tenant for key in keys],
        "sources": [key.source for key in keys],
        "ids": [key.event_id for key in keys],
    }


_SAME = ("score", "tier", "filter_status", "verdict", "confidence", "p_correct", "judge", "unscored")
"""Columns that are fields of the record."""
NO_TEXTS: Mapping[str, object] = {
    "question": "",
    "enriched_question": None,
    "sql": "",
    "reference_sql": None,
    "attributes": {},
}
"""Columns of a row whose texts are withheld."""


def evaluation_row(each: Evaluation) -> dict[str, object]:
    """An evaluation as a row of `evaluations`."""
    record = each.record
    enrichment = cast("Mapping[str, object]", record.get("enrichment") or {})
    reasons = cast("Sequence[Mapping[str, object]]", record.get("reasons") or ())
    event = each.event.model_dump(exclude={"occurred_at"})
    return {
        "id": each.id,
        "event": each.key.digest,
        "occurred_at": each.occurred_at,
        "received_at": each.received_at,
        "trigger": each.trigger.value,
        "current": each.current,
        "withheld": each.withheld,
        **(event | dict(NO_TEXTS) if each.withheld else event),
        **{name: record.get(name) for name in _SAME},
        "enrichment_status": enrichment.get("status"),
        "enrichment_score": enrichment.get("score"),
        "reason_codes": [str(reason["code"]) for reason in reasons],
        "rules_version": each.rules_version,
        "evaluator_version": record["evaluator_version"],
        **_spent(each.result.reply if isinstance(each.result, Scored) else None),
        "record": record,
    }


def _spent(reply: Reply | None) -> dict[str, object]:
    if reply is None:
        return {"model": None, "prompt_hash": None, "tokens_in": 0, "tokens_out": 0, "cost": 0.0, "fallback": False}
    return {
        "model": reply.model or None,
        "prompt_hash": reply.prompt_hash or None,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost": reply.cost,
        "fallback": reply.fallback,
    }
