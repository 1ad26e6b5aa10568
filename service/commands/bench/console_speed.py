"""`sqlassay bench console`: how long the queries of the console's lists, searches and overview take."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
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
from service.console.overview.agent_weeks import agent_weeks
from service.settings.loading import load_settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.partitions import make_partition
from service.storage.scores.estimated_reports import estimated_report
from service.storage.scores.evaluation_pages import EvaluationFilter, Order, SearchTooSlow, evaluation_page
from service.storage.scores.recent_findings import recent_findings
from service.storage.scores.search_index import make_search_index
from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope

DAYS, AGENTS = 30, 20
_BATCH, _READS = 50_000, 20
# Rows of about two kilobytes, as answers of real agents have.
_FILL = text(
    """
    INSERT INTO evaluations (occurred_at, id, event, trigger, received_at, tenant, agent, source, event_id, question,
        sql, score, tier, verdict, p_correct, judge, tokens_in, tokens_out, cost, reason_codes, rules_version,
        evaluator_version, attributes, record)
    SELECT
        CAST(:since AS timestamptz) + number * CAST(:seconds AS float8) / CAST(:of AS float8) * interval '1 second',
        gen_random_uuid(), gen_random_uuid(), 'live', now(), 'bench', 'agent-' || number % CAST(:agents AS int),
        '/bench', number::text, 'How many orders of town ' || number || ' are open? ' || repeat(md5(number::text), 6),
        'SELECT COUNT(*) FROM orders WHERE town = ' || number || ' /* ' || repeat(md5(number::text), 10) || ' */',
        score, CASE WHEN score < 50 THEN 'poor' ELSE 'good' END,
        CASE WHEN score < 50 THEN 'Incorrect' ELSE 'Correct' END, score / 100, 'local/bench', 0, 0, 0,
        CASE WHEN number % 3 = 0 THEN ARRAY['FILTER_MISSING'] ELSE ARRAY['FILTERS_MATCHED'] END, 0, '0', '{}',
        jsonb_build_object('reasons', repeat(md5(number::text), 30))
    FROM (SELECT number, (number * 7919 % 10001) / 100.0 AS score
        FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) AS number) AS numbers
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpeed:
    """The time of the queries behind one page."""

    page: str
    p50_ms: float
    p95_ms: float
    ended: bool
    """False: at least one search was given up."""

    def __str__(self) -> str:
        return (
            f"{self.page:<24} p50 {self.p50_ms:8.1f} ms, p95 {self.p95_ms:8.1f} ms{'' if self.ended else ', given up'}"
        )


def bench_console(*, answers: int, as_json: bool) -> None:
    """Prints the time of each page's queries with so many stored answers."""
    try:
        pages = uvloop.run(_measure(answers))
    except StoreUnavailable as error:
        give_up(str(error))
    if as_json or not sys.stdout.isatty():
        print(json.dumps({"answers": answers, "pages": [asdict(page) for page in pages]}))
        return
    print_to_terminal("\n".join(map(str, pages)))


async def _measure(answers: int) -> list[PageSpeed]:
    settings = load_settings()
    patient = settings.model_copy(update={"database": settings.database.model_copy(update={"timeout": 600.0})})
    now = datetime.now(UTC)
    async with own_database(patient, f"sqlassay_bench_{uuid.uuid4().hex[:8]}") as engine:
        await _fill(engine, settings.database, now, answers)
        return [await _timed(name, read) for name, read in _pages(engine, now).items()]


async def _fill(engine: AsyncEngine, settings: DatabaseSettings, now: datetime, answers: int) -> None:
    for day in range(DAYS + 2):
        await make_partition(engine, (now - timedelta(days=DAYS - day)).date())
    values = {"since": now - timedelta(days=DAYS), "seconds": DAYS * 86_400.0, "of": answers, "agents": AGENTS}
    for first in range(0, answers, _BATCH):
        async with engine.begin() as connection:
            await connection.execute(_FILL, {**values, "first": first, "last": min(first + _BATCH, answers) - 1})
    if settings.search_index:
        await make_search_index(engine.url, settings)
    await sum_stale_hours(engine, now)
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(text("VACUUM (ANALYZE) answer_sums, stale_hours, evaluations"))


def _pages(engine: AsyncEngine, now: datetime) -> Mapping[str, Callable[[], Awaitable[object]]]:
    def listed(
        order: Order = Order.NEWEST, agent: str | None = None, reason: str | None = None, search: str | None = None
    ) -> Callable[[], Awaitable[object]]:
        wanted = EvaluationFilter(tenant="bench", agent=agent, reason=reason, search=search)
        return lambda: evaluation_page(engine, wanted, order=order)

    scope = AnswerScope(tenant="bench")
    agents = [("bench", f"agent-{number}") for number in range(AGENTS)]
    return {
        "newest answers": listed(),
        "worst answers": listed(Order.WORST),
        "worst of an agent": listed(Order.WORST, agent="agent-7"),
        "newest with a reason": listed(reason="FILTER_MISSING"),
        "search, common text": listed(search="orders of town"),
        "search, one answer": listed(search="orders of town 17 are"),
        "overview, estimates": lambda: estimated_report(engine, scope),
        "overview, trends": lambda: agent_weeks(engine, scope, now),
        "overview, reasons": lambda: recent_findings(engine, scope, agents),
    }


async def _timed(name: str, read: Callable[[], Awaitable[object]]) -> PageSpeed:
    times: list[float] = []
    ended = True
    for _ in range(_READS):
        began = time.perf_counter()
        try:
            await read()
        except SearchTooSlow:
            ended = False
        times.append((time.perf_counter() - began) * 1e3)
    p50, p95 = np.percentile(times, (50, 95))
    return PageSpeed(page=name, p50_ms=round(float(p50), 1), p95_ms=round(float(p95), 1), ended=ended)
