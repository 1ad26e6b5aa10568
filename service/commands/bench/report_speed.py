"""`sqlassay bench reports`: how long a report takes with many stored answers, and how that grows."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import uvloop
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import StoreUnavailable
from service.commands.bench.own_database import own_database
from service.commands.exits import give_up
from service.commands.rendering.terminal import print_to_terminal
from service.settings import Settings
from service.settings.loading import load_settings
from service.storage.partitions import make_partition
from service.storage.scores.reports import ReportRow, report
from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope

DAYS = 30
AGENTS = 20
_BATCH = 200_000
_READS = 100
# Rows without texts: a report reads none.
_FILL = text(
    """
    INSERT INTO evaluations (occurred_at, id, event, trigger, received_at, tenant, agent, source, event_id, question,
        sql, score, verdict, p_correct, judge, tokens_in, tokens_out, cost, reason_codes, rules_version,
        evaluator_version, attributes, record)
    SELECT
        CAST(:since AS timestamptz) + number * CAST(:seconds AS float8) / CAST(:of AS float8) * interval '1 second',
        gen_random_uuid(), gen_random_uuid(), 'live', now(), 'bench', 'agent-' || number % CAST(:agents AS int),
        '/bench', number::text, '', '', score, CASE WHEN score < 50 THEN 'Incorrect' ELSE 'Correct' END, score / 100,
        'local/bench', 0, 0, 0, '{}', 0, '0', '{}', '{}'
    FROM (SELECT number, (number * 7919 % 10001) / 100.0 AS score
        FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) AS number) AS numbers
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSpeed:
    """Reads of the report at one number of stored answers."""

    answers: int
    p50_ms: float
    p95_ms: float
    summing_seconds: float
    """Seconds in which the sums of all hours were made."""

    def __str__(self) -> str:
        return f"{self.answers:>12,} answers: report p50 {self.p50_ms:.1f} ms, p95 {self.p95_ms:.1f} ms"


def bench_reports(*, answers: int, as_json: bool) -> None:
    """Prints the time of a report with a tenth of the answers, then with all."""
    try:
        small, large = uvloop.run(_measure(load_settings(), answers))
    except StoreUnavailable as error:
        give_up(str(error))
    growth = round(large.p95_ms / small.p95_ms, 2)
    if as_json or not sys.stdout.isatty():
        print(json.dumps({"measured": [asdict(small), asdict(large)], "growth": growth}))
        return
    print_to_terminal(f"{small}\n{large}\nten times the answers take {growth} times as long")


async def _measure(settings: Settings, answers: int) -> tuple[ReportSpeed, ReportSpeed]:
    patient = settings.model_copy(update={"database": settings.database.model_copy(update={"timeout": 600.0})})
    now = datetime.now(UTC)
    async with own_database(patient, f"sqlassay_bench_{uuid.uuid4().hex[:8]}") as engine:
        for day in range(DAYS + 2):
            await make_partition(engine, (now - timedelta(days=DAYS - day)).date())
        tenth = answers // 10
        await _fill(engine, now, range(tenth), tenth)
        small = await _read(engine, tenth)
        await _fill(engine, now, range(tenth, answers), answers)
        return small, await _read(engine, answers)


async def _fill(engine: AsyncEngine, now: datetime, numbers: range, of: int) -> None:
    """Spreads answers evenly over the days before `now`."""
    values = {"since": now - timedelta(days=DAYS), "seconds": DAYS * 86_400.0, "of": of, "agents": AGENTS}
    for first in range(numbers.start, numbers.stop, _BATCH):
        async with engine.begin() as connection:
            last = min(first + _BATCH, numbers.stop) - 1
            await connection.execute(_FILL, {**values, "first": first, "last": last})


async def _read(engine: AsyncEngine, answers: int) -> ReportSpeed:
    began = time.perf_counter()
    await sum_stale_hours(engine, datetime.now(UTC))
    summing = time.perf_counter() - began
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(text("VACUUM (ANALYZE) answer_sums, stale_hours, evaluations"))
    times: list[float] = []
    for _ in range(_READS):
        began = time.perf_counter()
        rows = await report(engine, AnswerScope(tenant="bench"))
        times.append((time.perf_counter() - began) * 1e3)
        _check(rows, answers)
    p50, p95 = np.percentile(times, (50, 95))
    return ReportSpeed(
        answers=answers, p50_ms=round(float(p50), 1), p95_ms=round(float(p95), 1), summing_seconds=round(summing, 1)
    )


def _check(rows: Sequence[ReportRow], answers: int) -> None:
    received = sum(row.received for row in rows)
    if received != answers:
        give_up(f"the report counts {received} answers, {answers} are stored")
