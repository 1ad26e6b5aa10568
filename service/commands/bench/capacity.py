"""`sqlassay bench capacity`: what one stored answer costs in CPU time and in bytes, from which a cluster is planned.

CPU time varies less than seconds on a machine that does other work.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.bench.cpu_seconds import cpu_seconds, tree_seconds
from service.commands.bench.figures import print_figures
from service.commands.bench.rig import Rig, rigged
from service.commands.bench.stream_speed import MEMORY_AGENTS, events
from service.commands.exits import give_up
from service.settings import Settings

_TENANT, _WARM = "bench-capacity", "bench-warm"
_WARM_EVENTS = 400
_SECONDS = 0.5
"""The longest time, in seconds, that an answer may take on average before the command gives up."""
_SIZES = text(
    "SELECT coalesce(parent.relname, own.relname) AS name, sum(pg_table_size(own.oid)) AS rows,"
    " sum(pg_indexes_size(own.oid)) AS indexes FROM pg_class AS own"
    " LEFT JOIN pg_inherits ON inhrelid = own.oid LEFT JOIN pg_class AS parent ON parent.oid = inhparent"
    " WHERE own.relkind = 'r' AND own.relnamespace = current_schema()::regnamespace GROUP BY 1"
)
_TEXTS = text(
    "SELECT avg(octet_length(question) + octet_length(sql) + coalesce(octet_length(enriched_question), 0))"
    " FROM evaluations WHERE tenant = :tenant"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityFigures:
    """What one answer costs with default settings, as a mean of `answers`."""

    answers: int
    worker_cpu_ms: float
    """CPU of the worker and its scoring processes."""
    postgresql_cpu_ms: float | None
    """CPU of the database server; `None` where it is on another machine."""
    worker_answers_per_core: float
    """Answers a second that one core of workers scores and writes."""
    text_bytes: int
    """Of question, enriched question and SQL."""
    row_bytes: int
    """Of the row, with its record."""
    index_bytes: int
    """Of the row's indexes."""
    other_bytes: int
    """Of its rows in other tables, with their indexes: event key, memory and what is not counted yet."""
    stored_bytes: int
    """The sum of the three."""
    wal_bytes: int
    """What PostgreSQL writes to its log, and sends to a standby or an archive."""
    event_bytes: int
    """Of the event's record in Kafka, without headers and compression."""


def bench_capacity(*, answers: int, as_json: bool) -> None:
    """Prints the figures. Needs Kafka, and cleans up."""

    async def measured(settings: Settings) -> CapacityFigures:
        async with rigged(settings) as rig:
            return await _measured(rig, answers)

    print_figures(measured, as_json=as_json)


async def _measured(rig: Rig, answers: int) -> CapacityFigures:
    made = list(islice(events(_TENANT, MEMORY_AGENTS), answers))
    server = await cpu_seconds(rig.engine)
    with rig.worker() as worker:
        await _store(rig, _WARM, _WARM_EVENTS)
        before = tree_seconds(worker), server.read()[1], await _wal(rig.engine), await _sizes(rig.engine)
        await _store(rig, _TENANT, answers)
        after = tree_seconds(worker), server.read()[1], await _wal(rig.engine), await _sizes(rig.engine)
    worker_ms = 1000 * (after[0] - before[0]) / answers
    server_ms = None if after[1] is None or before[1] is None else 1000 * (after[1] - before[1]) / answers
    grown = {name: (rows, indexes) for name, (rows, indexes) in after[3].items()}
    for name, (rows, indexes) in before[3].items():
        grown[name] = (grown[name][0] - rows, grown[name][1] - indexes)
    row, index = (round(size / answers) for size in grown.pop("evaluations"))
    other = round(sum(rows + indexes for rows, indexes in grown.values()) / answers)
    return CapacityFigures(
        answers=answers,
        worker_cpu_ms=round(worker_ms, 2),
        postgresql_cpu_ms=None if server_ms is None else round(server_ms, 2),
        worker_answers_per_core=round(1000 / worker_ms, 1),
        text_bytes=await _text_bytes(rig.engine),
        row_bytes=row,
        index_bytes=index,
        other_bytes=other,
        stored_bytes=row + index + other,
        wal_bytes=round((after[2] - before[2]) / answers),
        event_bytes=round(sum(len(orjson.dumps(each)) for each in made) / answers),
    )


async def _store(rig: Rig, tenant: str, count: int) -> None:
    """Publishes events and waits until each has its row."""
    await rig.publish(islice(events(tenant, MEMORY_AGENTS), count))
    samples = await rig.watch(tenant, count, 60 + _SECONDS * count)
    if samples[-1].rows < count:
        give_up(f"{samples[-1].rows} of {count} answers were stored in time: the machine is too busy")


async def _wal(engine: AsyncEngine) -> int:
    """Bytes that the server has written to its log since it was made."""
    async with engine.connect() as connection:
        return int(await connection.scalar(text("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")) or 0)


async def _sizes(engine: AsyncEngine) -> dict[str, tuple[int, int]]:
    """Bytes of each table's rows and indexes; partitions count for their table."""
    async with engine.connect() as connection:
        return {row.name: (int(row.rows), int(row.indexes)) for row in await connection.execute(_SIZES)}


async def _text_bytes(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return round(await connection.scalar(_TEXTS, {"tenant": _TENANT}) or 0)
