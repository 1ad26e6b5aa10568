from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from service.samples import sample_events, sample_rules
from service.serving import create_app
from service.settings import Settings
from tests.conftest import copied
from tests.service.conftest import service_on


@pytest.fixture(scope="module")
async def full(postgres_url, template):
    """A service that holds the samples; no test may write to it."""
    async with copied(postgres_url, template) as database, service_on(database) as client:
        await send_samples(client)
        yield client


async def send_samples(client):
    for tenant, document in sample_rules().items():
        assert (await client.put(f"/v1/tenants/{tenant}/rules", json=document)).status_code == 200
    lines = "\n".join(json.dumps(each) for each in sample_events())
    reply = await client.post("/v1/events", content=lines, headers={"content-type": "application/x-ndjson"})
    assert reply.status_code == 202


async def pages(client, query: str) -> list[dict[str, Any]]:
    items, cursor = [], ""
    while True:
        page = (await client.get(f"/v1/evaluations?{query}{cursor}")).json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        cursor = f"&cursor={page['next_cursor']}"


async def test_pages_hold_every_row_once_newest_first(full):
    items = await pages(full, "limit=37")
    assert len(items) == len({each["id"] for each in items}) == len(list(sample_events()))
    assert [each["occurred_at"] for each in items] == sorted((each["occurred_at"] for each in items), reverse=True)


async def test_the_worst_come_by_p_correct_then_score_and_only_with_a_score(full):
    items = await pages(full, "order=worst&limit=41")
    ranks = [(each["p_correct"], each["score"]) for each in items]
    assert ranks == sorted(ranks)
    assert all(each["unscored"] is None for each in items)
    assert len(items) == len(await pages(full, "unscored=false&limit=500"))


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("tenant=meridian-retail", lambda each: each["tenant"] == "meridian-retail"),
        ("agent=comet", lambda each: each["agent"] == "comet"),
        ("tier=poor", lambda each: each["tier"] == "poor"),
        ("verdict=Incorrect", lambda each: each["verdict"] == "Incorrect"),
        ("filter_status=not_applied", lambda each: each["filter_status"] == "not_applied"),
        ("reason=FILTER_MISSING", lambda each: "FILTER_MISSING" in each["reason_codes"]),
        ("unscored=true", lambda each: each["score"] is None),
        ("unscored=false&min_score=40&max_score=80", lambda each: 40 <= each["score"] <= 80),
        ("since=2026-11-05", lambda each: each["occurred_at"] >= "2026-11-05"),
        ("until=2026-11-05T00:00:00Z", lambda each: each["occurred_at"] < "2026-11-05"),
        ("since=2026-11-05T00:00:00+00:00", lambda each: each["occurred_at"] >= "2026-11-05"),
    ],
)
async def test_a_filter_keeps_exactly_the_rows_it_names(full, query, holds):
    everything, kept = await pages(full, "limit=500"), await pages(full, f"limit=500&{query}")
    expected = {each["id"] for each in everything if each["score"] is not None or "_score=" not in query}
    expected = {each["id"] for each in everything if each["id"] in expected and holds(each)}
    assert {each["id"] for each in kept} == expected != set()


WRONG = "limit=0 limit=501 order=best tier=gold cursor=nonsense cursor=WyJ3b3JzdCJd ordr=worst agent=%00 min_score=x"


@pytest.mark.parametrize("query", [*WRONG.split(), "since=soon"])
async def test_a_wrong_parameter_is_named(shared_client, query):
    reply = await shared_client.get(f"/v1/evaluations?{query}")
    assert reply.status_code == 400
    assert query.split("=")[0] in reply.json()["error"]["message"]


LISTS = (
    "evaluations? report? slices? slices/changes? labels? review/disagreements?between=judge& incidents? feedback?"
    " canaries? audit?"
)


@pytest.mark.parametrize("start", LISTS.split())
async def test_an_unknown_parameter_is_refused_with_those_that_there_are(shared_client, start):
    paths = create_app(Settings()).openapi()["paths"]
    declared = paths[f"/v1/{start.partition('?')[0]}"]["get"]["parameters"]
    reply = await shared_client.get(f"/v1/{start}loaf=rye")
    said = reply.json()["error"]
    assert (reply.status_code, said["message"]) == (400, "loaf: there is no such parameter, got 'rye'")
    assert {each["name"] for each in declared} == set(re.findall(r"\w+", said["fix"].partition("parameters are ")[2]))


NOWHERE = [f"/v1/evaluations/{UUID(int=7)}", "/v1/tenants/bakers/rules/versions/3", "/v2"]


@pytest.mark.parametrize("path", NOWHERE, ids=["row", "rules", "route"])
async def test_what_is_not_there_is_a_404(shared_client, path):
    reply = await shared_client.get(path)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "NOT_FOUND")


async def test_the_report_agrees_with_the_rows(full):
    rows = (await full.get("/v1/report")).json()["rows"]
    everything = await pages(full, "limit=500")
    for row in rows:
        own = [each for each in everything if (each["tenant"], each["agent"]) == (row["tenant"], row["agent"])]
        scores = sorted(each["score"] for each in own if each["score"] is not None)
        wrong = [each for each in own if each["verdict"] in {"Incorrect", "Potentially Incorrect"}]
        place = 0.9 * (len(scores) - 1)
        low, high = scores[int(place)], scores[min(int(place) + 1, len(scores) - 1)]
        assert (row["received"], row["scored"]) == (len(own), len(scores))
        assert row["mean"] == pytest.approx(sum(scores) / len(scores), abs=0.01)
        assert low - 1 <= row["p90"] <= high + 1
        assert row["coverage"] == pytest.approx(len(scores) / len(own), abs=1e-4)
        assert row["judged_wrong"] == pytest.approx(len(wrong) / len(scores), abs=1e-4)


async def test_the_report_tells_releases_apart_on_request(full):
    rows = (await full.get("/v1/report?by=agent_version&tenant=meridian-retail")).json()["rows"]
    assert len({(row["agent"], row["agent_version"]) for row in rows}) == len(rows)
    assert all(row["agent_version"] for row in rows)
    assert {row["tenant"] for row in rows} == {"meridian-retail"}


async def test_the_report_shows_a_trend_on_request(full):
    whole = (await full.get("/v1/report")).json()["rows"]
    for every in ("day", "week"):
        reply = (await full.get(f"/v1/report?every={every}")).json()
        assert reply["every"] == every
        received: Counter[tuple[str, str]] = Counter()
        for row in reply["rows"]:
            received[row["tenant"], row["agent"]] += row["received"]
            assert row["low"] <= (row["estimate"] or row["low"]) <= row["high"]
        assert received == {(row["tenant"], row["agent"]): row["received"] for row in whole}
        begins = [(row["tenant"], row["agent"], row["period"]) for row in reply["rows"]]
        assert begins == sorted(set(begins))
        assert len(begins) > len(whole)


async def test_an_empty_window_is_an_empty_report(full):
    assert (await full.get("/v1/report?since=2031-01-01")).json()["rows"] == []


@pytest.mark.slow  # reads rules in processes
async def test_events_left_out_by_the_sample_rate_do_not_lower_coverage(client):
    await client.put("/v1/tenants/bakers/rules", json={"sample_rate": 0})
    event = {"event_id": "a", "tenant": "bakers", "question": "How many?", "sql": "SELECT COUNT(*) FROM ovens"}
    await client.post("/v1/events", json=event)
    [row] = (await client.get("/v1/report")).json()["rows"]
    assert (row["received"], row["scored"], row["coverage"], row["mean"]) == (0, 0, None, None)


@pytest.mark.slow  # takes over a second
async def test_a_change_of_rules_takes_effect_on_the_next_event_without_a_restart(client):
    sql = "SELECT COUNT(*) FROM ovens WHERE is_open = 1"
    event = {"tenant": "bakers", "question": "How many ovens are there?", "sql": sql}
    scored = []
    for number, document in enumerate([{}, {"benign_filters": ["is_open = 1"]}, {"ignore_filters": ["is_open"]}]):
        put = await client.put("/v1/tenants/bakers/rules", json=document)
        assert put.json()["version"] == number + 1
        [result] = (await client.post("/v1/events", json={**event, "event_id": str(number)})).json()["results"]
        scored.append((await client.get(f"/v1/evaluations/{result['evaluation_id']}")).json())
    assert [each["rules_version"] for each in scored] == [1, 2, 3]
    assert [each["record"]["composite"]["leniency"] for each in scored] == [0, 1, 0]
    assert [len(each["record"]["alignment"]["filters"]["ignored"]) for each in scored] == [0, 0, 1]


@pytest.mark.slow  # reads rules in processes
async def test_every_version_of_the_rules_stays_readable(client):
    assert (await client.get("/v1/tenants/bakers/rules")).json()["version"] == 0
    for lambda_min in (10, 20):
        await client.put("/v1/tenants/bakers/rules", json={"lambda_min": lambda_min})
    versions = (await client.get("/v1/tenants/bakers/rules/versions")).json()["versions"]
    assert [(each["version"], each["rules"]["lambda_min"]) for each in versions] == [(2, 20), (1, 10)]
    assert (await client.get("/v1/tenants/bakers/rules/versions/1")).json()["rules"]["lambda_min"] == 10


@pytest.mark.slow  # reads rules in processes
async def test_a_change_made_from_an_old_version_is_refused(client):
    put = await client.put("/v1/tenants/bakers/rules", json={}, headers={"if-match": '"0"'})
    assert put.headers["etag"] == '"1"'
    late = await client.put("/v1/tenants/bakers/rules", json={}, headers={"if-match": '"0"'})
    assert (late.status_code, late.json()["error"]["code"]) == (412, "RULES_CHANGED")


@pytest.mark.slow  # reads rules in processes
async def test_wrong_rules_leave_the_old_version_in_force(client):
    reply = await client.put("/v1/tenants/bakers/rules", json={"benign_filters": ["= ="]})
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_RULES")
    assert (await client.get("/v1/tenants/bakers/rules")).json()["version"] == 0


async def test_the_contract_has_an_example_and_a_summary_for_every_route(client):
    contract = (await client.get("/openapi.json")).json()
    known = {f"#/components/schemas/{name}" for name in contract["components"]["schemas"]}
    assert set(references(contract)) <= known
    for path, methods in contract["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], path
            assert "422" not in operation["responses"] or method in {"post", "put"}
    post = contract["paths"]["/v1/events"]["post"]["requestBody"]["content"]["application/json"]
    sent = await client.post("/v1/events", json=post["examples"]["one"]["value"])
    assert sent.json()["results"][0]["status"] == "scored"


def references(node: object) -> list[str]:
    if isinstance(node, dict):
        return [value for key, value in node.items() if key == "$ref"] + references(list(node.values()))
    return [each for item in node for each in references(item)] if isinstance(node, list) else []
