"""What users say about answers: kept once, also before its event, and never beyond its tenant."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from service.settings.intake_settings import HttpSettings
from service.storage.feedback.feedback_store import PostgresFeedback

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
EVENT = {"event_id": "7", "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves", "agent": "crumb"}
DOWN = {"event_id": "7", "agent": "crumb", "thumb": "down", "comment": "too many", "user": "u1"}


async def stored(client, **query):
    return (await client.get("/v1/feedback", params=query)).json()["items"]


async def test_feedback_is_kept_once_and_listed_beside_its_answer(client):
    [event] = (await client.post("/v1/events", json=EVENT)).json()["results"]
    for _ in range(2):
        reply = await client.post("/v1/feedback", json=DOWN)
        assert (reply.status_code, reply.json()) == (200, {"kept": 1, "errors": [None]})
    [item] = await stored(client)
    assert (item["thumb"], item["satisfied"], item["kind"], item["comment"]) == ("down", False, "user", "too many")
    assert (item["evaluation_id"], item["sql"]) == (event["evaluation_id"], EVENT["sql"])


async def test_of_one_user_the_latest_counts_and_strangers_count_each(client):
    at = {"given_at": "2026-11-02T10:00:00Z"}
    later = DOWN | {"thumb": "up", "given_at": "2026-11-02T11:00:00Z"}
    for each in (DOWN | at, later, DOWN | at):
        await client.post("/v1/feedback", json=each)
    assert [each["thumb"] for each in await stored(client)] == ["up"]
    nobody = {"event_id": "7", "agent": "crumb", "stars": 1}
    assert (await client.post("/v1/feedback", json=[nobody, nobody | {"stars": 2}, nobody])).json()["kept"] == 3
    assert len(await stored(client, satisfied="false")) == 2


async def test_of_one_user_the_latest_counts_however_the_event_is_named(client):
    at = "2026-11-02T10:0{}:00Z".format
    named = ({"agent": "crumb"}, {"source": "/default/crumb"}, {"agent": "crumb", "trace_id": TRACE})
    for minute, names in enumerate(named):
        said = {"event_id": "7", **names, "stars": minute + 1, "user": "u1", "given_at": at(minute)}
        await client.post("/v1/feedback", json=said)
    assert [each["stars"] for each in await stored(client)] == [3]


async def test_the_latest_of_an_id_replaces_what_it_said_and_of_whom(client):
    await client.post("/v1/events", json=[EVENT, EVENT | {"event_id": "8"}])
    first = {"feedback_id": "f", "event_id": "7", "agent": "crumb", "stars": 2}
    await client.post("/v1/feedback", json=first)
    await client.post("/v1/feedback", json=first | {"event_id": "8", "stars": 5})
    [item] = await stored(client)
    assert (item["feedback_id"], item["event_id"], item["stars"], item["satisfied"]) == ("id:f", "8", 5, True)


async def test_feedback_that_arrives_before_its_event_is_attached_to_it(client, engine):
    about = [DOWN, {"trace_id": TRACE, "stars": 5}, {"trace_id": "lang-1", "edited_sql": "SELECT 2"}]
    assert (await client.post("/v1/feedback", json=about)).json()["kept"] == 3
    assert [each["evaluation_id"] for each in await stored(client)] == [None] * 3
    parent = f"00-{TRACE}-00f067aa0ba902b7-01"
    [named] = (await client.post("/v1/events", json=EVENT)).json()["results"]
    traced = await client.post("/v1/events", json=EVENT | {"event_id": "8"}, headers={"traceparent": parent})
    told = EVENT | {"event_id": "9", "attributes": {"trace_id": "lang-1"}}
    attribute = await client.post("/v1/events", json=told)
    async with asyncio.timeout(60):
        while any(each["evaluation_id"] is None for each in await stored(client)):
            await PostgresFeedback(engine).attach_waiting(datetime.now(UTC))
    found = {
        each["thumb"] or each["stars"] or each["edited_sql"]: each["evaluation_id"] for each in await stored(client)
    }
    assert found == {
        "down": named["evaluation_id"],
        5: traced.json()["results"][0]["evaluation_id"],
        "SELECT 2": attribute.json()["results"][0]["evaluation_id"],
    }


async def test_a_trace_finds_the_newest_of_its_answers_at_once(client):
    trace = {"attributes": {"trace_id": TRACE}}
    now = datetime.now(UTC)
    sent = [
        EVENT | trace | {"event_id": id_, "occurred_at": (now - timedelta(minutes=ago)).isoformat()}
        for id_, ago in (("8", 9), ("9", 1), ("10", 5))
    ]
    await client.post("/v1/events", json=sent)
    await client.post("/v1/feedback", json={"trace_id": TRACE, "thumb": "up"})
    assert [each["event_id"] for each in await stored(client, trace_id=TRACE)] == ["9"]


async def test_what_no_answer_comes_for_is_looked_for_only_some_days(client, engine):
    await client.post("/v1/feedback", json={"trace_id": TRACE, "thumb": "up"})
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE feedback SET received_at = received_at - interval '3 days'"))
    await client.post("/v1/events", json=EVENT | {"attributes": {"trace_id": TRACE}})
    assert await PostgresFeedback(engine).attach_waiting(datetime.now(UTC)) == 0


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"thumb": "sideways"}, "INVALID_FIELD", "thumb"),
        ({"stars": 6}, "INVALID_FIELD", "stars"),
        ({"stars": True}, "INVALID_FIELD", "stars"),
        ({"event_id": None}, "INVALID_FIELD", "event_id and its source or agent, or by trace_id"),
        ({"thumb": None, "comment": None}, "INVALID_FIELD", "needs thumb, stars, edited_sql or comment"),
        ({"kind": "model"}, "INVALID_FIELD", "kind"),
        ({"comment": "a\0b"}, "INVALID_TEXT", "comment"),
        ({"tenant": "a b/"}, "INVALID_FIELD", "tenant"),
    ],
)
async def test_bad_feedback_is_refused_by_name_and_costs_its_neighbours_nothing(shared_client, wrong, code, said):
    lines = "\n".join(json.dumps(each) for each in (DOWN | wrong, DOWN))
    reply = await shared_client.post("/v1/feedback", content=lines, headers={"content-type": "application/x-ndjson"})
    assert (reply.status_code, reply.json()["kept"]) == (200, 1)
    assert reply.json()["errors"][1] is None
    assert reply.json()["errors"][0]["code"] == code
    assert said in reply.json()["errors"][0]["message"]
    alone = await shared_client.post("/v1/feedback", json=DOWN | wrong)
    assert (alone.status_code, alone.json()["error"]["code"]) == (422, code)


async def test_tenants_give_and_see_only_feedback_on_their_own_answers(serving):
    tokens = {name: f"{name}-token-for-tests-only" for name in ("bakers", "millers")}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        bakers, millers = ({"Authorization": f"Bearer {each}"} for each in tokens.values())
        trace = {"attributes": {"trace_id": TRACE}}
        await client.post("/v1/events", json=EVENT | trace, headers=bakers)
        assert (await client.post("/v1/feedback", json=DOWN)).status_code == 401
        foreign = await client.post("/v1/feedback", json=DOWN | {"tenant": "bakers"}, headers=millers)
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "TENANT_NOT_ALLOWED")
        mine = await client.post("/v1/feedback", json=[DOWN, {"trace_id": TRACE, "stars": 1}], headers=millers)
        assert mine.json()["kept"] == 2
        found = (await client.get("/v1/feedback", headers=millers)).json()["items"]
        assert [(each["tenant"], each["evaluation_id"]) for each in found] == [("millers", None)] * 2
        assert (await client.get("/v1/feedback", headers=bakers)).json()["items"] == []
        assert (await client.get("/v1/feedback?tenant=bakers", headers=millers)).status_code == 403


async def test_a_token_that_may_only_read_sends_no_feedback(serving):
    tokens = {"default": {"token": "reader-token-for-tests-only", "scopes": ["read"]}}
    async with serving(http=HttpSettings.model_validate({"tokens": tokens})) as client:
        reader = {"Authorization": "Bearer reader-token-for-tests-only"}
        assert (await client.post("/v1/feedback", json=DOWN, headers=reader)).status_code == 403
        assert (await client.get("/v1/feedback", headers=reader)).status_code == 200


async def test_a_tenant_that_stores_no_texts_keeps_only_the_thumb(client):
    assert (await client.put("/v1/tenants/default/rules", json={"store_raw": False})).status_code == 200
    await client.post("/v1/feedback", json=DOWN | {"edited_sql": "SELECT 1"})
    [item] = await stored(client)
    assert (item["thumb"], item["comment"], item["edited_sql"]) == ("down", None, None)


async def test_pages_hold_all_feedback_once_newest_first(client):
    given = [DOWN | {"user": f"u{number}", "given_at": "2026-11-02T09:00:00Z"} for number in range(7)]
    await client.post("/v1/feedback", json=given)
    seen, cursor = [], {}
    while True:
        page = (await client.get("/v1/feedback", params={"limit": 3, **cursor})).json()
        seen += [each["user_id"] for each in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(seen) == [f"u{number}" for number in range(7)]
    assert (await client.get("/v1/feedback?cursor=x")).json()["error"]["code"] == "INVALID_CURSOR"
