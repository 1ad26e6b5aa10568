"""Lists that an index or another form of the query makes quick hold the rows that the plain query finds."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text

from service.storage.partitions import make_partition
from service.storage.scores.answer_counts import answer_count
from service.storage.scores.estimated_reports import estimated_report
from service.storage.scores.evaluation_pages import (
    EvaluationFilter,
    Order,
    evaluation_page,
    fetch_in_time,
)
from service.storage.scores.labelled_groups import LatestLabels
from service.storage.scores.score_store import PostgresScores
from service.storage.sums.reading import AnswerScope
from tests.storage.conftest import NOW, evaluation

DAYS, ROWS = 4, 90
JUDGES, VERDICTS = ["local/4", "model/a", None], ["Correct", "Likely Correct", "Incorrect"]
_EARLIER_VERSION = """
    INSERT INTO evaluations SELECT (jsonb_populate_record(e, jsonb_build_object(
        'id', gen_random_uuid(), 'current', false, 'rules_version', 9, 'p_correct', 0))).*
    FROM evaluations AS e WHERE random() < 0.5
"""
_LABELLED = "EXISTS (SELECT FROM labels AS l WHERE (l.tenant, l.source, l.event_id) = (e.tenant, e.source, e.event_id)"
_WRONG_JOIN = f"{_LABELLED} AND error_type = 'join')"
FILTERS = [
    (EvaluationFilter(judge="model/a"), "judge = 'model/a'"),
    (EvaluationFilter(judge="nobody"), "judge = 'nobody'"),
    (EvaluationFilter(verdict="Likely Correct"), "verdict = 'Likely Correct'"),
    (EvaluationFilter(verdict="Correct", tenant="bakers"), "verdict = 'Correct' AND tenant = 'bakers'"),
    (EvaluationFilter(reviewed=True), f"{_LABELLED})"),
    (EvaluationFilter(reviewed=False), f"NOT {_LABELLED})"),
    (EvaluationFilter(reviewed=True, tenant="bakers"), f"{_LABELLED}) AND tenant = 'bakers'"),
    (EvaluationFilter(error_type="join"), _WRONG_JOIN),
    (EvaluationFilter(error_type="join", reviewed=True, judge="model/a"), f"{_WRONG_JOIN} AND judge = 'model/a'"),
    (EvaluationFilter(error_type="join", reviewed=False), "false"),
]


@pytest.fixture
async def stored(engine):
    """Answers of two tenants with scores, labels and earlier versions, drawn at random."""
    draw = random.Random(5)
    for back in range(DAYS):
        await make_partition(engine, (NOW - timedelta(days=back)).date())
    rows = [
        evaluation(
            f"e{number}",
            tenant=draw.choice(["bakers", "millers"]),
            agent=draw.choice(["a", "b"]),
            occurred_at=(NOW - timedelta(hours=draw.randrange(24 * (DAYS + 1)))).isoformat(),
        )
        for number in range(ROWS)
    ]
    await PostgresScores(engine).record(rows)
    async with engine.begin() as connection:
        for each in rows:
            scored = draw.random() < 0.9
            values = {
                "event": each.key.digest,
                "score": draw.randrange(5) if scored else None,
                "p": draw.randrange(5) / 10 if scored else None,
                "verdict": draw.choice(VERDICTS) if scored else None,
                "judge": draw.choice(JUDGES),
            }
            await connection.execute(
                text(
                    "UPDATE evaluations SET score = :score, p_correct = :p, verdict = :verdict, judge = :judge"
                    " WHERE event = :event"
                ),
                values,
            )
            for reviewer in draw.sample(["noor", "sam"], draw.choice([0, 0, 1, 2])):
                label = {**each.key._asdict(), "by": reviewer, "kind": draw.choice([None, "join"]), "at": NOW}
                await connection.execute(
                    text(
                        "INSERT INTO labels (tenant, source, event_id, reviewer, label, error_type, labelled_at)"
                        " VALUES (:tenant, :source, :event_id, :by, 'wrong', :kind, :at)"
                    ),
                    label,
                )
        await connection.execute(text("SELECT setseed(0.5)"))
        await connection.execute(text(_EARLIER_VERSION))
    return engine


async def plain(engine, condition, order):
    sorting = {
        Order.NEWEST: "true ORDER BY occurred_at DESC, id DESC",
        Order.WORST: "score IS NOT NULL ORDER BY p_correct, score, id",
    }
    async with engine.connect() as connection:
        found = f"SELECT id FROM evaluations AS e WHERE current AND {condition} AND {sorting[order]}"
        return list((await connection.scalars(text(found))).all())


async def pages(engine, wanted, order):
    ids, cursor = [], None
    while True:
        page = await evaluation_page(engine, wanted, order=order, limit=7, cursor=cursor)
        ids += [row["id"] for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return ids


@pytest.mark.parametrize("order", list(Order))
async def test_every_page_of_a_list_has_the_rows_of_the_plain_query(stored, order):
    sizes = set()
    for wanted, condition in FILTERS:
        expected = await plain(stored, condition, order)
        assert await pages(stored, wanted, order) == expected, condition
        sizes.add(len(expected))
    assert 0 in sizes
    assert len(sizes) > 4


async def test_a_list_with_more_labels_than_are_looked_up_is_the_same(stored):
    expected = await plain(stored, f"{_LABELLED})", Order.WORST)
    wanted = EvaluationFilter(reviewed=True)
    assert await pages(stored, wanted, Order.WORST) == expected
    async with stored.begin() as connection:
        # of events that are not stored
        await connection.execute(
            text(
                "INSERT INTO labels (tenant, source, event_id, reviewer, label, labelled_at)"
                " SELECT 'bakers', '/other', CAST(n AS text), 'sam', 'right', now() FROM generate_series(1, 10000) AS n"
            )
        )
    assert await pages(stored, wanted, Order.WORST) == expected


async def test_counts_are_those_of_the_list(stored):
    for wanted, condition in FILTERS:
        ids = await plain(stored, condition, Order.NEWEST)
        count = await answer_count(stored, wanted, seconds=10)
        assert count is not None
        assert (count.answers, count.more) == (len(ids), False)


async def test_estimates_use_each_answer_with_a_label_that_is_sure(stored):
    async with stored.begin() as connection:
        drawn = "sampling_probability = 0.5, label = (ARRAY['unsure', 'right', 'wrong'])[1 + floor(random() * 3)::int]"
        await connection.execute(text(f"UPDATE labels SET {drawn}"))
    scopes = [
        (AnswerScope(), None, "true"),
        (AnswerScope(tenant="bakers", agent="a"), None, "tenant = 'bakers' AND agent = 'a'"),
        (AnswerScope(since=NOW - timedelta(days=2)), None, f"occurred_at >= '{NOW - timedelta(days=2)}'"),
        (AnswerScope(), LatestLabels(reviewer="noor", since=NOW), "true"),
    ]
    for scope, without, condition in scopes:
        kept = "" if without is None else " AND reviewer <> 'noor'"
        counted = (
            "SELECT tenant, agent, count(*) AS labels FROM evaluations AS e"
            f" WHERE current AND {condition} AND {_LABELLED} AND label <> 'unsure'{kept}) GROUP BY tenant, agent"
        )
        async with stored.connect() as connection:
            expected = {(row.tenant, row.agent): row.labels for row in await connection.execute(text(counted))}
        report = await estimated_report(stored, scope, without=without)
        assert {(row.tenant, row.agent): row.labels for row in report if row.labels} == expected
        assert expected


async def test_each_list_is_planned_for_its_own_filters_and_the_next_statement_is_not(engine):
    names = ("plan_cache_mode", "statement_timeout")
    read = select(*(func.current_setting(name).label(name) for name in names))
    assert await fetch_in_time(engine, read, 2.5) == [dict(zip(names, ("force_custom_plan", "2500ms"), strict=True))]
    async with engine.connect() as connection:
        assert (await connection.execute(read)).one().plan_cache_mode == "auto"
