"""`GET /v1/slices`, `GET /v1/slices/changes` and `sqlassay slices`: what the page of slices shows, as JSON."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from sqlalchemy import URL

from service.settings.intake_settings import HttpSettings
from tests.service.commands.command_line import sqlassay
from tests.service.test_slices_page import bad, good, send

NOW = datetime.now(UTC)
TOKENS = {"bakers": "a-token-for-tests-only-0001", "millers": "a-token-for-tests-only-0002"}


async def read(client: httpx.AsyncClient, path: str = "/v1/slices", **parameters: Any) -> dict[str, Any]:
    reply = await client.get(path, params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


def named(items: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(each["kind"], each["value"]): each for each in items}


async def test_the_slices_are_those_of_the_page(client: httpx.AsyncClient, database: URL) -> None:
    await send(client, [good(n) for n in range(30)] + [bad(n + 40) for n in range(12)])
    found = await read(client)
    assert (found["answers"], found["agents"][0]["answers"]) == (42, 42)
    assert isinstance(found["few"], int)
    slices = named(found["items"])
    sales, ovens = slices["table", "sales"], slices["table", "ovens"]
    assert (sales["answers"], sales["questions"], sales["sure"]) == (12, 12, True)
    assert sales["low"] < sales["wrong_share"] < sales["high"]
    assert sales["lost"] > 0 > ovens["lost"]
    assert found["items"][0]["lost"] == max(each["lost"] for each in found["items"])
    assert "column price" in sales["same_as"]
    assert (await read(client, f"/v1/evaluations/{sales['example']}"))["sql"].startswith("SELECT price")
    of_kind = await read(client, kind="reason")
    assert {each["kind"] for each in of_kind["items"]} == {"reason"}
    assert of_kind["tested"] == found["tested"]
    assert len((await read(client, limit=2))["items"]) == 2
    assert (await read(client, agent="nobody"))["items"] == []
    url = database.render_as_string(hide_password=False)
    done = await asyncio.to_thread(sqlassay, "slices", "--kind", "table", "--most", "1", SQLASSAY_DATABASE__URL=url)
    assert json.loads(done.stdout) == [sales], done.stderr
    empty = await asyncio.to_thread(sqlassay, "slices", "--tenant", "nobody", SQLASSAY_DATABASE__URL=url)
    assert (empty.returncode, json.loads(empty.stdout)) == (1, [])


async def test_what_got_worse_is_compared_with_the_time_before(client: httpx.AsyncClient) -> None:
    before = [good(n, occurred_at=(NOW - timedelta(days=9)).isoformat()) for n in range(25)]
    now = [
        bad(n + 50, occurred_at=(NOW - timedelta(days=1, minutes=n)).isoformat(), agent_version="2") for n in range(25)
    ]
    await send(client, before + now)
    found = await read(client, "/v1/slices/changes")
    [agent] = found["agents"]
    assert (agent["answers"], agent["before"]["answers"], agent["sure"]) == (25, 25, True)
    assert agent["wrong_share"] > agent["before"]["wrong_share"]
    assert agent["worse_since"] in {(NOW - timedelta(days=days)).date().isoformat() for days in (1, 2)}
    since, until, earlier = (datetime.fromisoformat(found[name]) for name in ("since", "until", "before_since"))
    assert until - since == since - earlier == timedelta(days=7)
    refused = await client.get("/v1/slices/changes", params={"since": "2026-03-02", "until": "2026-03-01"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_a_tenants_token_reads_its_own_slices_only(serving: Any) -> None:
    async with serving(http=HttpSettings.model_validate({"tokens": TOKENS})) as client:
        for tenant, table in (("bakers", "ovens"), ("millers", "mills")):
            events = [good(n, tenant=tenant, sql=f"SELECT COUNT(*) FROM {table} WHERE kind = {n}") for n in range(8)]
            others = [bad(n + 20, tenant=tenant, sql=f"SELECT price FROM {table}_sales") for n in range(8)]
            own = {"Authorization": f"Bearer {TOKENS[tenant]}"}
            assert (await client.post("/v1/events", json=events + others, headers=own)).status_code == 202
        own = {"Authorization": f"Bearer {TOKENS['bakers']}"}
        for path in ("/v1/slices", "/v1/slices/changes"):
            reply = await client.get(path, headers=own)
            assert reply.json()["answers"] == 16
            assert "mills" not in reply.text
            assert "millers" not in reply.text
            refused = await client.get(path, params={"tenant": "millers"}, headers=own)
            assert refused.status_code == 403
        assert "ovens" in (await client.get("/v1/slices", headers=own)).text
