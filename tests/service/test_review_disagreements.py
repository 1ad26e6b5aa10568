"""The lists of answers about which reviewers disagree with each other, or with the judge."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.service.review_visits import shown
from tests.service.test_review import events


async def test_disagreements_are_listed_for_people_and_programs(client):
    await client.post("/v1/events", json=events(6))
    said = {0: ("right", "wrong"), 1: ("wrong", "wrong"), 2: ("right", "right"), 3: ("right", "unsure"), 4: ("wrong",)}
    given = [
        {**events(6)[place], "reviewer": f"r{number}", "label": label}
        for place, each in said.items()
        for number, label in enumerate(each)
    ]
    await client.post("/v1/labels", json=given)
    listed = (await client.get("/v1/review/disagreements?between=reviewers&tenant=bakers")).json()["items"]
    assert [(each["event_id"], each["right"], each["wrong"]) for each in listed] == [("crumb-0", 1, 1)]
    assert [each["label"] for each in listed[0]["labels"]] == ["right", "wrong"]
    judged = (await client.get("/v1/review/disagreements?between=judge&tenant=bakers")).json()["items"]
    majority = {"crumb-1": False, "crumb-2": True, "crumb-3": True, "crumb-4": False}
    stored = (await client.get("/v1/evaluations?tenant=bakers")).json()["items"]
    apart = {
        each["event_id"] for each in stored if majority.get(each["event_id"]) not in {None, each["p_correct"] >= 0.5}
    }
    assert apart
    assert apart < set(majority)
    assert {each["event_id"] for each in judged} == apart
    page = await shown(client, "/console/review/disagreements?between=judge")
    assert page.count("Label it too") == len(apart)
    assert f"/console/review/{judged[0]['evaluation_id']}?blind=false" in page, "the list shows what others say"
    assert f"/console/evaluations/{judged[0]['evaluation_id']}" in page
    for empty in ("agent=nobody", f"since={datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}", "agent_version=9"):
        assert (await client.get(f"/v1/review/disagreements?between=judge&{empty}")).json()["items"] == []
        assert "No labels disagree" in await shown(client, f"/console/review/disagreements?between=judge&{empty}")


@pytest.mark.slow
async def test_lists_of_disagreements_have_pages(client):
    await client.post("/v1/events", json=events(5))
    at = "2026-11-02T09:00:00Z"
    both = [
        each | {"reviewer": f"r{label}", "label": label, "labelled_at": at}
        for each in events(5)
        for label in ("right", "wrong")
    ]
    await client.post("/v1/labels", json=both)
    seen: list[str] = []
    query = {"between": "reviewers", "limit": "2"}
    while (page := (await client.get("/v1/review/disagreements", params=query)).json())["next_cursor"]:
        assert len(page["items"]) == 2
        seen += [each["event_id"] for each in page["items"]]
        query["cursor"] = page["next_cursor"]
    seen += [each["event_id"] for each in page["items"]]
    assert sorted(seen) == [f"crumb-{place}" for place in range(5)]
    first = await shown(client, "/console/review/disagreements?limit=3")
    following = html.unescape(re.search(r'class="next" href="([^"]+)"', first)[1])
    assert (await shown(client, following)).count("Label it too") == 2
    refused = await client.get("/v1/review/disagreements?between=reviewers&cursor=x")
    assert refused.json()["error"]["code"] == "INVALID_CURSOR"
    assert (await client.get("/v1/review/disagreements")).status_code == 400
    assert (await client.get("/console/review/disagreements?between=moon")).status_code == 400
