"""The review's pages with hostile text, another tenant's token, no data and bad parameters."""

from __future__ import annotations

import re

import pytest

from service.settings.intake_settings import HttpSettings
from tests.service.review_visits import START, fields, send, shown
from tests.service.test_review import events

HOSTILE = {
    "question": "<script>alert(1)</script>\u202egnirts \u05e9\u05dc\u05d5\u05dd =1+1 {{ 7*7 }}",
    "enriched_question": '"><img src=x onerror=alert(1)>',
    "sql": "SELECT '</pre><script>alert(2)</script>'\n" + "\n".join(f"  , c{place}" for place in range(500)),
    "result": {"error": "</dd><script>alert(3)</script>"},
}


async def test_hostile_text_is_text_on_every_page(client):
    event = events(1)[0] | HOSTILE | {"agent": "<i>crumb</i>", "agent_version": "\"'><b>"}
    found = (await client.post("/v1/events", json=event)).json()["results"][0]["evaluation_id"]
    path = f"/console/review/{found}"
    name = "<u>ann</u>"
    for reviewer, label in ((name, "wrong"), ("ben", "right")):
        page = await shown(client, path, params={"reviewer": reviewer})
        sent = fields(page, path) | {"label": label, "note": "<script>alert(4)</script>", "correction": "SELECT '<s>'"}
        reply = await send(client, path, sent)
        assert reply.status_code == 303, reply.text
    pages = [
        await shown(client, path, params={"reviewer": name}),
        await shown(client, "/console/review", params={"reviewer": name}),
        await shown(client, "/console/review/disagreements"),
        (await send(client, path, {**sent, "error_type": "<script>"})).text,
    ]
    for page in pages:
        own = re.findall(r'<script src="/console/(?:review|times)\.js" defer></script>', page)
        assert page.count("<script") == len(own)
        for raw in ("<script>alert", "<img src=x", "<i>crumb", "<u>ann", "'<s>'", "</pre><script"):
            assert raw not in page


async def test_a_tenants_reviewer_sees_and_labels_only_its_answers(serving):
    secrets = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers", "readers")}
    tokens = {name: secrets[name] for name in ("bakers", "millers")}
    tokens |= {"readers": {"token": secrets["readers"], "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bearer = {"Authorization": f"Bearer {secrets['bakers']}"}
        found = (await client.post("/v1/events", json=events(2), headers=bearer)).json()["results"][0]["evaluation_id"]
        path, own, other = f"/console/review/{found}", ("me", secrets["bakers"]), ("me", secrets["millers"])
        page = await shown(client, path, auth=own)
        sent = fields(page, path) | {"label": "right"}
        assert (await send(client, path, sent)).status_code == 401
        assert (await send(client, path, sent | {"csrf": "x"}, auth=own)).status_code == 403
        assert (await send(client, path, sent | {"tenant": ""}, auth=other)).status_code == 404
        assert (await send(client, f"{path}/skip", sent, auth=other)).status_code == 404
        assert (await send(client, f"{path}/undo", sent | {"labelled_at": "x"}, auth=other)).status_code == 404
        for each in ("/console/review", "/console/review/disagreements"):
            assert "crumb" not in await shown(client, each, auth=other)
            assert (await client.get(f"{each}?tenant=bakers", auth=other)).status_code == 403
        assert (await client.get(path, auth=other)).status_code == 404
        foreign = await send(client, "/console/review/next", sent | {"tenant": "bakers"}, auth=other)
        assert foreign.status_code == 403
        reader = ("me", secrets["readers"])
        assert (await send(client, path, sent, auth=reader)).status_code == 403
        assert (await send(client, path, sent, auth=own)).status_code == 303
        [label] = (await client.get("/v1/labels", headers=bearer)).json()["items"]
        assert label["reviewer"] == "bakers"


@pytest.mark.slow
async def test_empty_data_and_bad_parameters_have_a_way_out(client):
    assert "No answers in 30 days" in await shown(client, "/console/review")
    assert "No labels disagree" in await shown(client, "/console/review/disagreements")
    assert 'href="/console/review"' in await shown(client, "/console")
    await client.post("/v1/events", json=events(1))
    assert "Answers are handed to this name" in await shown(client, "/console/review")
    assert "No answers of these 30 days match" in await shown(client, "/console/review?agent=nobody")
    page = await shown(client, START)
    sent = fields(page, "/console/review/next")
    for changed, said in (({"reviewer": ""}, "Enter your name first"), ({"tenant": ""}, "Choose a tenant first")):
        reply = await send(client, "/console/review/next", sent | changed)
        assert said in await shown(client, reply.headers["location"])
    for bad in ("blind=moon", "reviewer=a%00b", "notice=x"):
        reply = await client.get(f"/console/review?{bad}")
        assert (reply.status_code, reply.headers["content-type"]) == (400, "text/html; charset=utf-8")
        assert "/console" in reply.text
    assert (await send(client, "/console/review/next", sent | {"blind": "moon"})).status_code == 400
    assert (await client.get("/console/review/not-an-id")).status_code == 400
    assert (await send(client, "/console/review/019a4b1e-5c40-7000-8000-000000000001/skip", sent)).status_code == 404
