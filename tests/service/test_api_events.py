from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from consumers.wire.events import decode_event
from service.settings.intake_settings import HttpSettings, LimitSettings
from service.settings.stream_settings import PoolSettings
from tests.conftest import copied
from tests.service.conftest import service_on

NDJSON = {"content-type": "application/x-ndjson"}
B_TOKEN, M_TOKEN, ALL_TOKEN = (f"{name}-token-for-tests-only" for name in ("bakers", "millers", "all"))
TOKENS = HttpSettings.model_validate({"tokens": {"bakers": B_TOKEN, "millers": M_TOKEN, "*": ALL_TOKEN}})


def event(id_: str, **changes: Any) -> dict[str, Any]:
    return {
        "event_id": id_,
        "question": "How many ovens are in Bergen?",
        "sql": "SELECT COUNT(*) FROM ovens WHERE city = 'Bergen'",
        **changes,
    }


def events(count: int) -> list[dict[str, Any]]:
    return [event(str(number)) for number in range(count)]


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def rows_of(database) -> int:
    engine = create_async_engine(database)
    async with engine.connect() as connection:
        count = await connection.scalar(text("SELECT count(*) FROM evaluations"))
    await engine.dispose()
    return count


async def test_one_event_is_scored_and_its_row_can_be_read_at_once(client):
    reply = await client.post("/v1/events", json=event("a"))
    assert reply.status_code == 202
    [result] = reply.json()["results"]
    assert (result["event_id"], result["status"], result["error"]) == ("a", "scored", None)
    found = (await client.get(f"/v1/evaluations/{result['evaluation_id']}")).json()
    assert found["score"] == result["score"] == found["record"]["score"]
    assert found["question"] == event("a")["question"]


async def test_an_event_without_an_id_has_that_of_its_content(client):
    plain = event("a")
    del plain["event_id"]
    for status in ("scored", "duplicate"):
        [result] = (await client.post("/v1/events", json=plain)).json()["results"]
        assert (result["event_id"], result["status"]) == (decode_event(plain, require_id=False).payload_hash, status)


async def test_an_array_is_answered_event_by_event_in_order(client):
    deleting, conflicting = event("b", sql="DELETE FROM ovens"), event("a", sql="SELECT 9")
    batch = [event("a"), {"question": "q"}, deleting, 7, event("a"), conflicting]
    reply = await client.post("/v1/events", json=batch)
    assert reply.status_code == 202
    body = reply.json()
    assert [each["status"] for each in body["results"]] == [
        "scored",
        "rejected",
        "unscored",
        "rejected",
        "duplicate",
        "rejected",
    ]
    assert [each["error"] and each["error"]["code"] for each in body["results"]] == [
        None,
        "MISSING_FIELD",
        "NOT_A_SELECT",
        "NOT_AN_OBJECT",
        None,
        "ID_CONFLICT",
    ]
    assert (body["accepted"], body["rejected"]) == (3, 3)


async def test_ndjson_is_answered_line_by_line(client):
    lines = b"\n".join([json.dumps(event("a")).encode(), b"{broken", b"", json.dumps(event("b")).encode(), b"\xff"])
    reply = await client.post("/v1/events", content=lines, headers=NDJSON)
    assert [each["status"] for each in reply.json()["results"]] == ["scored", "rejected", "scored", "rejected"]


async def test_sending_again_is_told_apart_and_writes_nothing(client, database):
    first = (await client.post("/v1/events", json=events(20))).json()["results"]
    again = (await client.post("/v1/events", json=events(20))).json()["results"]
    assert {each["status"] for each in again} == {"duplicate"}
    assert [each["evaluation_id"] for each in again] == [each["evaluation_id"] for each in first]
    assert await rows_of(database) == 20


async def test_many_senders_of_the_same_events_at_once_write_each_once(client, database):
    replies = await asyncio.gather(*(client.post("/v1/events", json=events(30)) for _ in range(4)))
    ended = [each["status"] for reply in replies for each in reply.json()["results"]]
    assert (ended.count("scored"), ended.count("duplicate")) == (30, 90)
    assert await rows_of(database) == 30


async def test_if_every_event_is_refused_so_is_the_request(client):
    reply = await client.post("/v1/events", json=[{"question": "q"}, 1])
    assert reply.status_code == 422
    assert reply.json()["error"]["code"] == "MISSING_FIELD"
    assert len(reply.json()["results"]) == 2


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"{", {}, 400, "NOT_JSON"),
        (b"\xff\xfe", {}, 400, "INVALID_ENCODING"),
        (b"[" * 200_000, {}, 400, "NOT_JSON"),
        (b"[]", {}, 400, "NO_EVENTS"),
        (b"\n\n", NDJSON, 400, "NO_EVENTS"),
        (b"a: 1", {"content-type": "application/yaml"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        (b"[" + b"1," * 20_000 + b"1]", {}, 413, "TOO_MANY_EVENTS"),
        (b'{"question": "\\ud800", "sql": "s", "event_id": "a"}', {}, 422, "INVALID_TEXT"),
        (b"null", {}, 422, "NOT_AN_OBJECT"),
    ],
)
async def test_a_body_that_holds_no_event_is_refused_and_the_next_is_scored(
    shared_client, content, headers, status, code
):
    given = {"content-type": "application/json", **headers}
    reply = await shared_client.post("/v1/events", content=content, headers=given)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert set(reply.json()["error"]) == {"code", "message", "fix"}
    assert (await shared_client.post("/v1/events", json=event(uuid4().hex))).status_code == 202


HOSTILE = {
    "ten thousand brackets": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "a query of 900 kB": "SELECT '" + "x" * 900_000 + "'",
    "two statements": "SELECT 1; SELECT 2",
    "a drop": "DROP TABLE ovens",
    "prose": "I am sorry, I cannot answer that.",
    "nothing": "",
    "a number out of range": "SELECT a FROM b WHERE c = 1e999",
}


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE)
async def test_hostile_sql_is_stored_without_a_fault(shared_client, sql):
    reply = await shared_client.post("/v1/events", json=event(uuid4().hex, sql=sql))
    assert reply.status_code == 202
    assert reply.json()["results"][0]["status"] in {"scored", "unscored"}
    assert "sqlassay_faults_total 0.0" in (await shared_client.get("/metrics")).text


async def test_a_body_over_the_bound_is_refused(serving):
    async with serving(limits=LimitSettings(max_body_bytes=2048)) as client:
        reply = await client.post("/v1/events", json=event("a", sql="x" * 4096))
        assert (reply.status_code, reply.json()["error"]["code"]) == (413, "BODY_TOO_LARGE")


async def test_an_event_over_the_bound_is_rejected_and_its_neighbours_are_not(serving):
    async with serving(limits=LimitSettings(max_event_bytes=2048)) as client:
        reply = await client.post("/v1/events", json=[event("a", sql="x" * 4096), event("b")])
        assert [each["status"] for each in reply.json()["results"]] == ["rejected", "scored"]


async def test_small_queues_hold_senders_back_but_lose_nothing(serving, database):
    async with serving(pool=PoolSettings(in_flight=2), limits=LimitSettings(batch_size=3, linger_ms=0)) as client:
        bodies = [[event(f"{sender}-{number}") for number in range(10)] for sender in range(4)]
        replies = await asyncio.gather(*(client.post("/v1/events", json=body) for body in bodies))
    assert all(reply.status_code == 202 for reply in replies)
    assert await rows_of(database) == 40


async def test_without_a_token_nothing_is_told(serving):
    async with serving(http=TOKENS) as client:
        for path in ("/v1/report", "/v1/evaluations", "/v1/tenants/bakers/rules", "/metrics"):
            assert (await client.get(path)).status_code == 401
            assert (await client.get(path, headers=bearer("guess"))).status_code == 401
        assert (await client.post("/v1/events", json=event("a"))).status_code == 401
        assert (await client.get("/healthz")).status_code == 200


async def test_a_tenants_token_writes_and_reads_only_its_own_rows(serving):
    async with serving(http=TOKENS) as client:
        batch = [event("a"), event("b", tenant="millers")]
        mine = await client.post("/v1/events", json=batch, headers=bearer(B_TOKEN))
        assert [each["status"] for each in mine.json()["results"]] == ["scored", "rejected"]
        await client.post("/v1/events", json=event("c"), headers=bearer(M_TOKEN))
        seen = (await client.get("/v1/evaluations", headers=bearer(B_TOKEN))).json()["items"]
        assert [(each["tenant"], each["event_id"]) for each in seen] == [("bakers", "a")]
        theirs = f"/v1/evaluations/{seen[0]['id']}"
        assert (await client.get(theirs, headers=bearer(M_TOKEN))).status_code == 404
        assert (await client.get(theirs, headers=bearer(ALL_TOKEN))).status_code == 200
        report = (await client.get("/v1/report", headers=bearer(ALL_TOKEN))).json()["rows"]
        assert {row["tenant"] for row in report} == {"bakers", "millers"}


@pytest.fixture(scope="module")
async def guarded(postgres_url, template):
    """A service with tokens, for requests that are refused."""
    async with copied(postgres_url, template) as database, service_on(database, http=TOKENS) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/report?tenant=millers"),
        ("GET", "/v1/evaluations?tenant=millers"),
        ("GET", "/v1/tenants/millers/rules"),
        ("PUT", "/v1/tenants/millers/rules"),
        ("GET", "/v1/tenants/millers/rules/versions"),
        ("GET", "/v1/tenants/millers/schema"),
        ("PUT", "/v1/tenants/millers/schema"),
        ("DELETE", "/v1/tenants/millers/schema"),
        ("GET", "/v1/tenants/millers/schema/versions/1"),
        ("GET", "/metrics"),
    ],
)
async def test_another_tenants_things_are_forbidden(guarded, method, path):
    reply = await guarded.request(method, path, headers=bearer(B_TOKEN), content=b"{}")
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "FORBIDDEN")


async def test_events_only_of_another_tenant_are_forbidden(guarded):
    reply = await guarded.post("/v1/events", json=event("a", tenant="millers"), headers=bearer(B_TOKEN))
    assert reply.status_code == 403


@pytest.mark.slow  # waits for a database that is away
async def test_with_the_database_gone_events_are_asked_for_again(serving, database, postgres_url):
    async with serving() as client:
        assert (await client.get("/readyz")).status_code == 200
        await close_database(postgres_url, database.database, allow=False)
        reply = await client.post("/v1/events", json=event("a"))
        assert (reply.status_code, reply.json()["results"][0]["status"]) == (503, "deferred")
        assert reply.headers["retry-after"]
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/v1/report")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200
        await close_database(postgres_url, database.database, allow=True)
        assert (await client.post("/v1/events", json=event("a"))).json()["results"][0]["status"] == "scored"


async def close_database(postgres_url, name: str, *, allow: bool) -> None:
    engine = create_async_engine(postgres_url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allow}"))
        if not allow:
            closing = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name")
            await connection.execute(closing, {"name": name})
    await engine.dispose()


LOAF = {"question": "How many loaves are there?", "sql": "SELECT COUNT(*) FROM loaves"}


def cloud(number: int, **more: Any) -> dict[str, Any]:
    return {"specversion": "1.0", "id": f"loaf-{number}", "source": "/oven", "type": "answer", "data": LOAF, **more}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/cloudevents+json", cloud(1)),
        ("application/cloudevents-batch+json", [cloud(1), cloud(2, specversion="0.3"), cloud(3, data=None)]),
        ("application/json", cloud(1)),
        ("application/json", [cloud(1), LOAF]),
    ],
)
async def test_cloud_events_are_taken_one_or_many_with_or_without_their_content_type(client, kind, body):
    reply = (await client.post("/v1/events", content=json.dumps(body), headers={"Content-Type": kind})).json()
    assert (reply["results"][0]["event_id"], reply["results"][0]["status"]) == ("loaf-1", "scored")
    refused = [result["error"] and result["error"]["code"] for result in reply["results"][1:]]
    assert refused == {3: ["INVALID_ENVELOPE", "NOT_AN_OBJECT"], 2: [None], 1: []}[len(reply["results"])]


async def test_a_cloud_event_in_headers_is_taken(client):
    headers = {"ce-specversion": "1.0", "ce-id": "loaf%201", "ce-source": "/oven", "ce-type": "answer"}
    for status in ("scored", "duplicate"):
        reply = await client.post("/v1/events", json=LOAF, headers=headers)
        [result] = reply.json()["results"]
        assert (result["event_id"], result["status"]) == ("loaf 1", status)
    reply = await client.post("/v1/events", json=LOAF, headers=headers | {"content-type": "text/plain"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    reply = await client.post("/v1/events", json=LOAF, headers=headers | {"content-type": "application/vnd.oven+json"})
    assert reply.json()["results"][0]["status"] == "duplicate"
