"""Adds scores that were made elsewhere as further rows of stored events: COPY into a staging table, then one insert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from asyncpg import Connection
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.outcomes import Trigger
from scoring.query import UnscoredReason
from service.storage.database import translate_errors
from service.storage.scores.row_versions import VERSION_COLUMNS
from service.storage.tables import EVALUATIONS
from service.storage.tables.columns import Use, columns_for

KEY_COLUMNS = ("tenant", "source", "event_id")
SCORE_COLUMNS = [column.name for column in columns_for(EVALUATIONS, Use.SCORE)]
"""The columns whose values come from the import."""
_NEW = ("id", "current", "trigger", "received_at", "context", "slices", *SCORE_COLUMNS)
_COPIED = [column.name for column in EVALUATIONS.c if column.name not in _NEW]
"""The columns that the new row has from the event's current row."""
_STAGED = ", ".join((*KEY_COLUMNS, *SCORE_COLUMNS))
_STAGE = text(f"CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT {_STAGED} FROM evaluations WITH NO DATA")  # noqa: S608 built from constants
# the order in which all writers lock keys
_LOCK = text(
    """
    SELECT occurred_at FROM event_keys WHERE (tenant, source, event_id) IN (SELECT tenant, source, event_id FROM staged)
    ORDER BY tenant, source, event_id FOR UPDATE
    """
)
_STORED = """
    FROM staged JOIN event_keys AS key USING (tenant, source, event_id)
    JOIN evaluations AS now ON now.occurred_at = key.occurred_at AND now.id = key.evaluation_id
    WHERE now.occurred_at BETWEEN :first AND :last
"""
_OPEN = "NOT now.withheld AND now.unscored IS DISTINCT FROM :not_sampled"
_COUNT = text(f"SELECT count(*) AS stored, count(*) FILTER (WHERE {_OPEN}) AS open {_STORED}")
# a UUID of version 7 with the time of the row, as the service writes it: one answer is found by it
_ID = (
    "CAST(lpad(to_hex(CAST(greatest(floor(extract(epoch FROM now.occurred_at) * 1000), 0) AS bigint)), 12, '0')"
    " || '7' || substr(replace(CAST(gen_random_uuid() AS text), '-', ''), 14) AS uuid)"
)
_INSERT = text(
    f"""
    INSERT INTO evaluations (id, current, trigger, received_at, {", ".join((*_COPIED, *SCORE_COLUMNS))})
    SELECT {_ID}, false, CAST(:trigger AS text), CAST(:received_at AS timestamptz),
        {", ".join(f"now.{name}" for name in _COPIED)},
        {", ".join(f"staged.{name}" for name in SCORE_COLUMNS)}
    {_STORED} AND {_OPEN}
    ON CONFLICT ({", ".join(VERSION_COLUMNS)}) DO NOTHING
    """
)
_CHOOSE = text(
    f"""
    CREATE TEMP TABLE chosen ON COMMIT DROP AS
    SELECT DISTINCT ON (other.event, other.occurred_at)
        other.event, other.occurred_at, other.id, now.id AS before, key.tenant, key.source, key.event_id
    FROM staged JOIN event_keys AS key USING (tenant, source, event_id)
    JOIN evaluations AS now ON now.occurred_at = key.occurred_at AND now.id = key.evaluation_id
    JOIN evaluations AS other ON other.occurred_at = now.occurred_at AND other.event = now.event
        AND other.evaluator_version = staged.evaluator_version AND other.rules_version = staged.rules_version
        AND other.judge IS NOT DISTINCT FROM staged.judge AND other.model IS NOT DISTINCT FROM staged.model
    WHERE now.occurred_at BETWEEN :first AND :last AND other.occurred_at BETWEEN :first AND :last
        AND {_OPEN} AND other.id <> now.id
    ORDER BY other.event, other.occurred_at, other.id
    """  # noqa: S608 built from constants
)
# one after the other: an event has one current row at any time
_MAKE_CURRENT = (
    "UPDATE evaluations SET current = false FROM chosen"
    " WHERE evaluations.occurred_at = chosen.occurred_at AND evaluations.id = chosen.before",
    "UPDATE evaluations SET current = true FROM chosen"
    " WHERE evaluations.occurred_at = chosen.occurred_at AND evaluations.id = chosen.id",
    "UPDATE event_keys AS key SET evaluation_id = chosen.id, fillable = false FROM chosen"
    " WHERE (key.tenant, key.source, key.event_id) = (chosen.tenant, chosen.source, chosen.event_id)",
)


class ScoreRow(NamedTuple):
    """A score of a stored event."""

    key: tuple[str, str, str]
    """The values of `KEY_COLUMNS`."""
    values: tuple[object, ...]
    """The values of `SCORE_COLUMNS`; the record is JSON text."""


@dataclass(slots=True, kw_only=True)
class ImportTally:
    """What became of the rows of an import."""

    added: int = 0
    already: int = 0
    """A row of the same event, evaluator, rules, judge and model is stored."""
    unknown: int = 0
    """No such event is stored."""
    left_out: int = 0
    """The event's texts are not stored, or it is not in its tenant's sample."""
    made_current: int = 0

    def add(self, other: ImportTally) -> None:
        for name in ImportTally.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


async def import_rows(
    engine: AsyncEngine, rows: Sequence[ScoreRow], *, now: datetime, make_current: bool = False
) -> ImportTally:
    """Adds the rows in one transaction; none twice, however often it is called. Alarms and sinks ignore them.

    With `make_current`, they are the rows that lists and reports read. Raises `StoreUnavailable` and `RefusedByStore`.
    """
    if not rows:
        return ImportTally()
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await _stage(connection, rows)
            moments = list(await connection.scalars(_LOCK))
            if not moments:
                return ImportTally(unknown=len(rows))
            of_rows = {"first": min(moments), "last": max(moments), "not_sampled": UnscoredReason.NOT_SAMPLED.value}
            stored, open_ = (await connection.execute(_COUNT, of_rows)).one()
            written = {"trigger": Trigger.BACKFILL.value, "received_at": now}
            added = (await connection.execute(_INSERT, of_rows | written)).rowcount
            return ImportTally(
                added=added,
                already=open_ - added,
                unknown=len(rows) - stored,
                left_out=stored - open_,
                made_current=await _make_current(connection, of_rows) if make_current else 0,
            )


async def _stage(connection: AsyncConnection, rows: Sequence[ScoreRow]) -> None:
    await connection.execute(_STAGE)
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    await driver.copy_records_to_table(  # pyright: ignore[reportUnknownMemberType] its records are untyped
        "staged", records=[(*each.key, *each.values) for each in rows], columns=[*KEY_COLUMNS, *SCORE_COLUMNS]
    )
    await connection.execute(text("ANALYZE staged"))


async def _make_current(connection: AsyncConnection, of_rows: Mapping[str, object]) -> int:
    await connection.execute(_CHOOSE, of_rows)
    changed = 0
    for statement in _MAKE_CURRENT:
        changed = (await connection.execute(text(statement))).rowcount
    return changed
