"""What the overview reads: the numbers are those of the rows, and rows of other days are not read for them."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, text

from service.storage.partitions import make_partition
from service.storage.scores.recent_findings import recent_findings
from service.storage.scores.score_store import PostgresScores
from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope, read_sums
from tests.recounted_sums import sum_differences
from tests.storage.conftest import NOW, evaluation

MIDNIGHT = NOW.replace(hour=0)
DAYS = 5


@pytest.fixture
async def five_days(engine):
    for back in range(DAYS):
        await make_partition(engine, (NOW - timedelta(days=back)).date())
    hours = range(0, 24 * DAYS, 6)
    times = [MIDNIGHT - timedelta(hours=hour, microseconds=early) for hour in hours for early in (0, 1)]
    await PostgresScores(engine).record([evaluation(f"e{n}", occurred_at=at.isoformat()) for n, at in enumerate(times)])
    await sum_stale_hours(engine, NOW + timedelta(hours=2))
    return engine


class Reads:
    """The statements that read rows of evaluations, each with the partitions that its plan reads."""

    def __init__(self, engine):
        self.engine = engine
        self.found = []

    def note(self, _connection, _cursor, statement, parameters, *_others):
        if "evaluations AS e" in statement:
            self.found.append((statement, parameters))

    async def of(self, scope):
        self.found.clear()
        event.listen(self.engine.sync_engine, "before_cursor_execute", self.note)
        await read_sums(self.engine, scope)
        event.remove(self.engine.sync_engine, "before_cursor_execute", self.note)
        return [await self.partitions(*each) for each in self.found]

    async def partitions(self, statement, parameters):
        async with self.engine.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            plan = "\n".join(row[0] for row in await driver.fetch(f"EXPLAIN {statement}", *parameters))
        return {name for name in plan.split() if name.startswith("evaluations_20") and name[12:].isdigit()}


async def test_times_that_begin_and_end_with_an_hour_need_no_rows(five_days):
    reads = Reads(five_days)
    for since, until in [(3, 0), (2, 1), (3.25, 0.5)]:
        scope = AnswerScope(since=MIDNIGHT - timedelta(days=since), until=MIDNIGHT - timedelta(days=until))
        assert await reads.of(scope) == []
        assert await sum_differences(five_days, scope.since, scope.until) == []


async def test_hours_far_apart_need_no_rows_of_the_days_between(five_days):
    reads = Reads(five_days)
    scope = AnswerScope(since=MIDNIGHT - timedelta(days=3, minutes=-1), until=MIDNIGHT + timedelta(minutes=1))
    (partitions,) = await reads.of(scope)
    assert partitions == {"evaluations_20261030", "evaluations_20261102"}


async def test_sums_between_any_two_times_are_what_the_rows_say(five_days):
    draw = random.Random(7)
    later = [evaluation(f"late{n}", occurred_at=(MIDNIGHT - timedelta(hours=n * 9)).isoformat()) for n in range(12)]
    await PostgresScores(five_days).record(later)
    ends = [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC), MIDNIGHT]
    steps = (timedelta(0), timedelta(microseconds=1), timedelta(microseconds=-1))
    ends += [MIDNIGHT - timedelta(hours=draw.randrange(24 * DAYS)) + draw.choice(steps) for _ in range(12)]
    for _ in range(8):
        since, until = sorted(draw.sample(ends, 2))
        assert await sum_differences(five_days, since, until) == [], (since, until)
        assert await sum_differences(five_days, since, None) == [], since
        assert await sum_differences(five_days, None, until) == [], until


async def test_findings_are_those_of_the_newest_rows(five_days):
    draw = random.Random(3)
    codes = ["FILTER_MISSING", "EXTRA_FILTER", "FILTERS_MATCHED"]
    expected, statuses = Counter[str](), Counter[str]()
    async with five_days.begin() as connection:
        ids = (await connection.scalars(text("SELECT id FROM evaluations ORDER BY occurred_at DESC"))).all()
        for place, id_ in enumerate(ids):
            # a code that a row has twice counts once
            given = draw.choices(codes, k=draw.randrange(4))
            status = draw.choice([None, "FAITHFUL", "MISSING"])
            values = {"id": id_, "codes": given, "status": status}
            await connection.execute(
                text("UPDATE evaluations SET reason_codes = :codes, enrichment_status = :status WHERE id = :id"), values
            )
            if place < 20:
                expected.update(set(given))
                statuses.update([status] if status else [])
    who = ("default", "default")
    (found,) = await recent_findings(five_days, [(AnswerScope(), [who, ("default", "nobody")])], most=20)
    assert list(found) == [who]
    assert (found[who].answers, found[who].reasons, found[who].enrichments) == (20, expected, statuses)
