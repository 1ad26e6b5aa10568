"""The status page: what arrived, what became of it, and who fell silent."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta

from httpx import ASGITransport, AsyncClient
from pydantic import SecretStr

from consumers.judging.budgets import Bound
from service.serving import create_app, running
from service.settings import Settings
from service.settings.intake_settings import HttpSettings
from service.settings.storage_settings import DatabaseSettings
from service.storage.status.storage_growth import storage_growth
from tests.service.console_lists import event, read

PAGE = "/console/status"
NOW = datetime.now(UTC)


async def test_it_counts_what_arrived_and_why_the_rest_has_no_score(client):
    late = {"occurred_at": (NOW - timedelta(hours=3)).isoformat()}
    sent = [event(1), event(2, sql="DROP TABLE ovens"), event(3, agent="rye", agent_version="2", **late)]
    assert (await client.post("/v1/events", json=sent)).status_code == 202
    shown = html.unescape(await read(client, PAGE))
    rows = re.findall(r"<tr>(.*?)</tr>", shown, re.S)
    [hour] = [row for row in rows if ">last hour<" in row]
    [day] = [row for row in rows if ">last 24 hours<" in row]
    assert ['">2<' in hour, '">3<' in day] == [True, True]
    assert "NOT_A_SELECT 1" in hour
    assert "no model" in day
    # the longest silent first
    assert re.findall(r"<b>(3 h ago|just now)</b>", shown) == ["3 h ago", "just now"]
    assert "No event is deferred." in shown
    assert "It wrote no dead letter since its start." in shown


async def test_a_new_install_is_told_what_to_send_and_the_line_works(client):
    body = None
    for name in ("", "/evaluations", "/slices", "/review", "/compare", "/status"):
        path = f"/console{name}"
        shown = html.unescape(await read(client, path))
        body = re.search(r"-d '(\{.*\})'</pre>", shown)
        assert body is not None, path
        assert "curl -X POST http://localhost/v1/events" in shown
    assert body is not None
    sent = body[1].replace("'\\''", "'")
    headers = {"Content-Type": "application/json"}
    reply = await client.post("/v1/events", content=sent, headers=headers)
    assert reply.json()["results"][0]["status"] == "scored", reply.text
    assert "curl" not in await read(client, PAGE)
    # then the first label
    shown = html.unescape(await read(client, "/console/trust"))
    label = re.search(r"curl -X POST http://localhost/v1/labels .*-d '(\{.*\})'</pre>", shown)
    assert label is not None
    reply = await client.post("/v1/labels", content=label[1], headers=headers)
    assert reply.json()["kept"] == 1, reply.text
    assert "curl" not in await read(client, "/console/trust")


async def test_an_audit_log_without_changes_shows_one_to_make_and_the_line_works(client):
    shown = html.unescape(await read(client, "/console/audit"))
    change = re.search(r"curl -X PUT http://localhost(/\S+) .*-d '(\{.*\})'</pre>", shown)
    assert change is not None
    reply = await client.put(change[1], content=change[2], headers={"Content-Type": "application/json"})
    assert reply.status_code == 200, reply.text
    shown = await read(client, "/console/audit")
    assert "shop" in shown
    assert "curl" not in shown


async def test_a_tenants_token_sees_its_own_answers_and_neither_process_nor_database(serving):
    tokens = {"bakers": "a-token-for-tests-only-0001", "*": "a-token-for-tests-only-0003"}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        everybody, bakers = ({"Authorization": f"Bearer {tokens[each]}"} for each in ("*", "bakers"))
        sent = [event(1), event(2, tenant="millers", agent="rye")]
        assert (await client.post("/v1/events", json=sent, headers=everybody)).status_code == 202
        own = (await client.get(PAGE, headers=bakers)).text
        whole = (await client.get(PAGE, headers=everybody)).text
    assert "Storage" in whole
    assert "rye" in whole
    assert "Storage" not in own
    assert "dead letter" not in own
    assert "rye" not in own


async def test_the_days_of_the_database_have_a_size(client, engine):
    yesterday = {"occurred_at": (NOW - timedelta(days=1)).isoformat()}
    assert (await client.post("/v1/events", json=[event(1, **yesterday)])).status_code == 202
    found = await storage_growth(engine, NOW)
    assert found.database > sum(size for _, size in found.days) > 0
    assert found.a_day is not None
    assert (NOW - timedelta(days=1)).date() in dict(found.days)


async def test_a_range_without_an_agents_answers_says_when_it_answered_last(client):
    sent = [event(1), event(2, agent="rye", occurred_at=(NOW - timedelta(days=3)).isoformat())]
    assert (await client.post("/v1/events", json=sent)).status_code == 202
    today = html.unescape(await read(client, "/console", range="today"))
    assert re.search(r">rye</a> of bakers, last answer 3 days ago", today)
    assert "last answer just now" in today
    assert "Not in this list" not in await read(client, "/console")
    none = await read(client, "/console", agent="rye", range="today")
    assert "No answers match" in none
    assert ">rye</a> of bakers, last answer 3 days ago" in none
    agent = await read(client, "/console/agents", agent="rye", tenant="bakers")
    assert "<dt>last answer</dt><dd>3 days ago" in agent


async def test_what_is_left_of_a_days_budget_has_its_currency(database):
    settings = Settings(database=DatabaseSettings(url=SecretStr(database.render_as_string(hide_password=False))))
    async with running(settings) as service:
        transport = ASGITransport(create_app(settings, service))
        async with AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert "Left today" not in await read(client, PAGE)
            # as a call of the model does
            service.metrics.models.budget_left("bakers", Bound(tokens=1200, micros=3_250_000))
            shown = re.sub(r"<[^>]+>", "", await read(client, PAGE))
    assert "Left today, as of the last call by this process: bakers 3.25 USD, bakers 1,200 tokens." in shown
