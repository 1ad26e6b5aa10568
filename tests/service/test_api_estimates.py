"""The report's estimates, over HTTP: from labels that may be used; without any, nothing is claimed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from service.metrics import Metrics
from service.samples import LABELS, sample_events, sample_labels
from service.settings.observability_settings import MetricSettings
from service.storage.scores.estimated_reports import labelled_estimates
from tests.conftest import copied
from tests.service.conftest import service_on
from tests.service.test_api_reading import pages, send_samples

pytestmark = pytest.mark.slow  # two services take all samples


@pytest.fixture(scope="module")
async def held(postgres_url, template):
    async with copied(postgres_url, template) as database:
        yield database


@pytest.fixture(scope="module")
async def labelled(held):
    """A service that holds the samples and their labels; no test may write to it."""
    async with service_on(held) as client:
        await send_samples(client)
        assert (await post(client, list(sample_labels(sample_events())))) == 180
        yield client


@pytest.fixture(scope="module")
async def other(postgres_url, template):
    """A service that holds the samples; each test labels answers of another agent."""
    async with copied(postgres_url, template) as database, service_on(database) as client:
        await send_samples(client)
        yield client


async def post(client, labels: list[dict[str, Any]]) -> int:
    reply = await client.post("/v1/labels", json=labels)
    assert reply.status_code == 200, reply.text
    return reply.json()["kept"]


async def report(client, query: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    rows = (await client.get(f"/v1/report?{query}")).json()["rows"]
    return {(row["tenant"], row["agent"]): row for row in rows}


def true_share(tenant: str, agent: str) -> float:
    right = [e["attributes"]["answers"] for e in sample_events() if (e["tenant"], e["agent"]) == (tenant, agent)]
    return sum(right) / len(right)


async def test_labels_of_some_answers_tell_the_share_of_right_ones(labelled):
    rows = await report(labelled)
    assert len(rows) == 6
    assert {(row["labels"], row["method"]) for row in rows.values()} == {(LABELS, "ppi++")}
    held = [row["low"] - 1e-4 <= true_share(*who) <= row["high"] + 1e-4 for who, row in rows.items()]
    assert sum(held) >= 5  # one of six intervals at 90 % misses with a probability of .47
    assert rows["meridian-retail", "atlas"]["estimate"] > 0.85 > rows["meridian-retail", "atlas"]["mean_p_correct"]


async def test_a_filter_restricts_the_labels_too(labelled):
    whole, part = await report(labelled), await report(labelled, "agent=beacon&until=2026-10-30")
    assert {agent for _, agent in part} == {"beacon"}
    for who, row in part.items():
        assert 0 < row["labels"] < whole[who]["labels"]
    versions = (await labelled.get("/v1/report?by=agent_version&agent=beacon")).json()["rows"]
    assert sum(row["labels"] for row in versions) == 2 * LABELS


async def test_without_labels_no_share_is_claimed(other):
    row = (await report(other))["meridian-retail", "atlas"]
    assert (row["labels"], row["method"]) == (0, "no labels")
    assert (row["estimate"], row["low"], row["high"]) == (None, 0.0, 1.0)


async def test_labels_of_the_worst_answers_are_not_taken_for_a_random_draw(other):
    worst = (await pages(other, "tenant=northline-freight&agent=comet&order=worst&limit=500"))[:20]
    labels = [{"evaluation_id": each["id"], "label": "wrong", "reviewer": "ann"} for each in worst]
    before = (await report(other))["northline-freight", "comet"]
    assert await post(other, labels) == 20
    assert (await report(other))["northline-freight", "comet"] == before


async def test_where_enough_probabilities_are_recorded_only_those_labels_count(other):
    answers = await pages(other, "tenant=meridian-retail&agent=comet&limit=500")
    drawn = [
        {"evaluation_id": each["id"], "label": "right", "reviewer": "ann", "sampling_probability": 0.1 + n / 50}
        for n, each in enumerate(answers[:20])
    ]
    chosen = [{"evaluation_id": each["id"], "label": "wrong", "reviewer": "ann"} for each in answers[20:40]]
    assert await post(other, [*drawn, *chosen]) == 40
    row = (await report(other))["meridian-retail", "comet"]
    assert (row["labels"], row["estimate"], row["method"]) == (20, 1.0, "ppi++ weighted")


async def test_what_users_say_corrects_the_estimate_where_labels_go_with_it(other):
    answers = await pages(other, "tenant=meridian-retail&agent=beacon&limit=500")
    picked, wrong = answers[::3], {each["id"] for each in answers[::4]}
    labels = [
        {"evaluation_id": each["id"], "label": "wrong" if each["id"] in wrong else "right", "reviewer": "ann"}
        for each in picked
    ]
    assert await post(other, labels) == len(picked)
    before = (await report(other))["meridian-retail", "beacon"]
    feedback = [
        {
            **{name: each[name] for name in ("tenant", "source", "event_id")},
            "feedback_id": f"f{n}",
            "thumb": "down" if each["id"] in wrong else "up",
        }
        for n, each in enumerate(answers)
    ]
    reply = await other.post("/v1/feedback", json=feedback)
    assert reply.status_code == 200, reply.text
    row = (await report(other))["meridian-retail", "beacon"]
    assert (before["method"], row["method"]) == ("ppi++", "ppi++ with feedback")
    assert row["high"] - row["low"] < 0.8 * (before["high"] - before["low"])
    assert row["low"] <= 1 - len(wrong) / len(answers) <= row["high"]


async def test_several_reviewers_count_once_and_the_unsure_do_not(other):
    answers = await pages(other, "tenant=northline-freight&agent=beacon&limit=500")
    votes = [("a", 0, "right"), ("b", 0, "right"), ("c", 0, "wrong"), ("a", 1, "unsure"), ("a", 2, "wrong")]
    labels = [{"evaluation_id": answers[at]["id"], "label": said, "reviewer": who} for who, at, said in votes]
    assert await post(other, labels) == 5
    row = (await report(other))["northline-freight", "beacon"]
    assert (row["labels"], row["estimate"], row["method"]) == (2, 0.5, "exact")


async def test_the_console_shows_the_estimate(labelled):
    page = (await labelled.get("/console?tenant=meridian-retail")).text
    row = (await report(labelled))["meridian-retail", "atlas"]
    assert "right (estimate)" in page
    assert f"<b>{row['estimate']:.0%}".replace("%", " %</b>") in page


async def test_metrics_show_the_estimates_of_agents_with_labels_and_no_others(labelled, held):
    metrics, engine = Metrics(MetricSettings(), judge="local/4"), create_async_engine(held)
    metrics.estimates.show(await labelled_estimates(engine, datetime(2026, 10, 1, tzinfo=UTC)))
    row = (await report(labelled))["meridian-retail", "atlas"]
    for name in ("", "_low", "_high", "_labels"):
        labels = {"tenant": "meridian-retail", "agent": "atlas"}
        shown = metrics.registry.get_sample_value(f"sqlassay_estimate{name}", labels)
        assert shown == row[name.removeprefix("_") or "estimate"]
    surely = metrics.registry.get_sample_value("sqlassay_estimate_surely_below", labels)
    assert row["high"] <= (surely or 0.0) <= 1
    metrics.estimates.show(await labelled_estimates(engine, datetime(2030, 1, 1, tzinfo=UTC)))
    assert "sqlassay_estimate{" not in metrics.exposition().decode()
    await engine.dispose()
