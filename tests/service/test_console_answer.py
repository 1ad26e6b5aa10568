"""The page of one answer: what it links to, and for whom."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scoring.rules import Tier
from service.settings.intake_settings import HttpSettings
from service.settings.observability_settings import TelemetrySettings
from tests.service.test_answer_texts import QUESTION, SQL

EVENT = {"tenant": "bakers", "agent": "crumb", "question": QUESTION, "sql": SQL}
LIST = "/console/evaluations"


async def read(client, path: str) -> str:
    reply = await client.get(path)
    assert reply.status_code == 200, reply.text
    return reply.text


def link(shown: str, words: str) -> str:
    return html.unescape(re.search(rf'<a[^>]*href="([^"]*)"[^>]*>{words}</a>', shown)[1])


async def test_the_page_says_what_to_do_at_the_tier_of_the_score(client):
    [result] = (await client.post("/v1/events", json=[{**EVENT, "event_id": "tier"}])).json()["results"]
    shown = await read(client, f"{LIST}/{result['evaluation_id']}")
    [(tier, action)] = re.findall(r'class="who">(excellent|good|marginal|poor): ([^<]+)<', shown)
    assert action == Tier(tier).action


@pytest.mark.slow
async def test_previous_and_next_follow_the_list_and_keep_its_filters(client):
    events = [
        {
            **EVENT,
            "event_id": str(n),
            "occurred_at": f"2026-11-0{n + 1}T00:00:00Z",
            "agent": "rye" if n == 2 else "crumb",
        }
        for n in range(5)
    ]
    results = (await client.post("/v1/events", json=events)).json()["results"]
    ids = [each["evaluation_id"] for each in results]
    for order in ("newest", "worst"):
        listed = await read(client, f"{LIST}?agent=crumb&order={order}")
        expected = list(dict.fromkeys(re.findall(rf'href="{LIST}/([0-9a-f-]{{36}})', listed)))
        assert set(expected) == {each for n, each in enumerate(ids) if n != 2}
        walked = [expected[0]]
        shown = await read(client, f"{LIST}/{expected[0]}?agent=crumb&order={order}")
        assert "← Previous" not in shown
        while "Next →" in shown:
            following = link(shown, "Next →")
            assert parse_qs(urlsplit(following).query)["agent"] == ["crumb"]
            walked.append(urlsplit(following).path.rsplit("/", 1)[1])
            shown = await read(client, following)
        assert walked == expected
        assert link(shown, "← Previous").startswith(f"{LIST}/{expected[-2]}?")


async def test_the_page_links_words_sql_reasons_and_a_test_case(client):
    reply = (await client.post("/v1/events", json={**EVENT, "event_id": "1"})).json()["results"][0]
    path = f"{LIST}/{reply['evaluation_id']}"
    shown = await read(client, f"{path}?range=30d")
    (number,) = re.findall(
        r'id="pair-(\d+)" data-pairs="\d+"><td[^>]*>\d+</td><td[^>]*>filter</td><td[^>]*><span class="code mism', shown
    )
    for side in ("asked", "written"):
        assert f'id="{side}-{number}"' in shown
        assert f'href="#{side}-{number}"' in shown
    assert "/console/reasons?range=30d#FILTER_MISMATCHED" in shown
    case = json.loads(await read(client, f"{path}/case.jsonl"))
    assert case["question"] == QUESTION
    assert html.escape(json.dumps(case["case_id"]), quote=True) in shown.replace("&#34;", "&quot;")
    assert "<style" not in shown
    assert not re.search(r'\sstyle="', shown)


async def test_every_reason_that_a_page_names_is_explained(client):
    shown = await read(client, "/console/reasons?agent=crumb")
    assert 'id="FILTER_MISMATCHED"' in shown
    assert "/console/evaluations?agent=crumb&amp;reason=EMPTY_SQL" in shown


@pytest.mark.slow
async def test_a_trace_is_linked_where_its_address_is_known(serving):
    trace = "0af7651916cd43dd8448eb211c80319c"
    telemetry = TelemetrySettings(trace_url="https://traces.example/{trace_id}?x=1")
    async with serving(telemetry=telemetry) as client:
        events = [
            {**EVENT, "event_id": "1", "attributes": {"trace_id": trace}},
            {**EVENT, "event_id": "2", "attributes": {"trace_id": "javascript:alert(1)"}},
        ]
        results = (await client.post("/v1/events", json=events)).json()["results"]
        good, evil = [await read(client, f"{LIST}/{each['evaluation_id']}") for each in results]
    assert f'href="https://traces.example/{trace}?x=1"' in good
    assert "traces.example" not in evil


@pytest.mark.slow
async def test_other_answers_are_linked_within_the_tenant_alone(serving, database):
    own, other = (f"{name}-token-for-tests-only" for name in ("bakers", "millers"))
    http = HttpSettings.model_validate({"tokens": {"bakers": own, "millers": other}})
    async with serving(http=http) as client:
        replies = {}
        for tenant, token in (("millers", other), ("bakers", own)):
            for agent, sql in (("rye", SQL.replace("> 4", "> 3")), ("crumb", SQL)):
                event = {**EVENT, "event_id": "same", "tenant": tenant, "agent": agent, "sql": sql}
                bearer = {"Authorization": f"Bearer {token}"}
                replies[tenant, agent] = (await client.post("/v1/events", json=event, headers=bearer)).json()[
                    "results"
                ][0]
        voice = {"event_id": "same", "same": False, "filters": False, "tables": True, "weight": 1.0, "reviewed": None}
        voices = [{"agent": agent, **voice} for agent in ("rye", "gone")]
        context = {"answers": 2, "usual": 0.0, "joins": [], "voices": voices}
        engine = create_async_engine(database)
        async with engine.begin() as connection:
            await connection.execute(
                text("UPDATE evaluations SET context = CAST(:context AS jsonb)"), {"context": json.dumps(context)}
            )
        await engine.dispose()
        page = await client.get(f"{LIST}/{replies['bakers', 'crumb']['evaluation_id']}", auth=("me", own))
    assert f"{LIST}/{replies['bakers', 'rye']['evaluation_id']}" in page.text
    assert replies["millers", "rye"]["evaluation_id"] not in page.text
    assert "only here <code>employees &gt; 4</code>; only there <code>employees &gt; 3</code>" in page.text
    assert "no longer stored" in page.text


@pytest.mark.slow
async def test_case_files_are_for_the_own_tenant(serving):
    own, other = (f"{name}-token-for-tests-only" for name in ("bakers", "millers"))
    http = HttpSettings.model_validate({"tokens": {"bakers": own, "millers": other}})
    async with serving(http=http) as client:
        bearer = {"Authorization": f"Bearer {own}"}
        reply = (await client.post("/v1/events", json={**EVENT, "event_id": "1"}, headers=bearer)).json()["results"][0]
        path = f"{LIST}/{reply['evaluation_id']}/case.jsonl"
        assert (await client.get(path)).status_code == 401
        assert (await client.get(path, auth=("me", other))).status_code == 404
        assert (await client.get(path, auth=("me", own))).status_code == 200


async def test_replaced_and_withdrawn_labels_are_shown(client):
    event = {"event_id": "a", "tenant": "bakers", "agent": "crumb", "question": "How many ovens?"}
    event["sql"] = "SELECT COUNT(*) FROM ovens"
    evaluation_id = (await client.post("/v1/events", json=event)).json()["results"][0]["evaluation_id"]
    address = f"/console/evaluations/{evaluation_id}"
    assert "past-labels" not in (await client.get(address)).text
    for said, note in (("wrong", "<b>too fast</b>"), ("right", "")):
        label = {"evaluation_id": evaluation_id, "label": said, "reviewer": "noor", "note": note or None}
        assert (await client.post("/v1/labels", json=label)).status_code == 200
    shown = (await client.get(address)).text
    past = shown[shown.index('id="past-labels"') :]
    assert "&lt;b&gt;too fast" in past
    assert "replaced" in past
