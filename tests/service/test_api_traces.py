from __future__ import annotations

import gzip
import json
import time
import uuid
from dataclasses import replace
from typing import Any

import httpx
import pytest
from google.rpc.code_pb2 import Code
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from pydantic import SecretStr

from consumers.errors import Unavailable
from consumers.spans import Span
from service.api.errors import ApiError
from service.api.gzip_bodies import decompress
from service.application import build_app
from service.otlp import write_protobuf
from service.otlp.prepared_spans import preparing_for_kafka
from service.pipeline.span_intake import Rejected
from service.serving import running
from service.settings import Settings
from service.settings.intake_settings import HttpSettings, LimitSettings, SpanSettings
from service.settings.storage_settings import DatabaseSettings
from tests.conftest import copied
from tests.service.conftest import service_on

PROTOBUF = {"Content-Type": "application/x-protobuf"}
ASKED = {"sqlassay.question": "How many open orders are there?", "gen_ai.agent.name": "atlas"}
ANSWERED = {"db.query.text": "SELECT COUNT(*) FROM orders WHERE status = 'open'", "db.system.name": "postgresql"}


def trace(*attributes: dict[str, Any], parents: bool = True, **more: Any) -> list[Span]:
    """Spans of one new trace, each below the one before it."""
    trace_id, ids = uuid.uuid4().hex, [uuid.uuid4().hex[:16] for _ in attributes]
    above = [None if parents else "f" * 16, *ids]
    return [
        Span(trace_id=trace_id, span_id=own, parent_id=parent, attributes=said, **more)
        for own, parent, said in zip(ids, above, attributes, strict=False)
    ]


async def send(client: httpx.AsyncClient, spans: list[Span], **headers: str) -> httpx.Response:
    return await client.post("/v1/traces", content=write_protobuf(spans), headers=PROTOBUF | headers)


async def stored(client: httpx.AsyncClient, **headers: str) -> list[dict[str, Any]]:
    return (await client.get("/v1/evaluations", headers=headers)).json()["items"]


async def test_what_people_say_in_a_trace_is_feedback_of_its_answer(client, wait_until):
    score = {"langfuse.score.name": "user-feedback", "langfuse.score.value": 0, "langfuse.score.comment": "too many"}
    judged = {"gen_ai.evaluation.name": "Relevance", "gen_ai.evaluation.score.value": 1}
    rated = {"gen_ai.evaluation.name": "rating", "gen_ai.evaluation.score.value": 5, "user.id": "u2"}
    spans = trace(ASKED, ANSWERED, score | {"user.id": "u1"}, rated, judged)

    async def accepted() -> bool:
        # sent again after a 503, as exporters do
        return (await send(client, spans)).status_code == 200

    for _ in range(2):
        await wait_until(accepted)
    items = (await client.get("/v1/feedback")).json()["items"]
    [row] = await stored(client)
    said = {(each["thumb"], each["stars"], each["comment"], each["user_id"]) for each in items}
    assert said == {("down", None, "too many", "u1"), (None, 5, None, "u2")}
    assert {each["evaluation_id"] for each in items} == {row["id"]}


async def test_spans_in_protobuf_are_answers_scored_before_the_reply(client):
    reply = await send(client, trace(ASKED, {}, ANSWERED, resource={"service.version": "2"}))
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/x-protobuf")
    assert not ExportTraceServiceResponse.FromString(reply.content).HasField("partial_success")
    [row] = await stored(client)
    assert row["score"] is not None
    assert (row["question"], row["sql"], row["agent"]) == (
        *list(ASKED.values())[:1],
        ANSWERED["db.query.text"],
        "atlas",
    )


async def test_question_and_answer_may_come_in_two_requests_in_either_order(client):
    spans = trace(ASKED, ANSWERED)
    assert (await send(client, spans[1:])).status_code == 200
    assert await stored(client) == []
    assert (await send(client, spans[:1])).status_code == 200
    assert (await send(client, spans)).status_code == 200
    [row] = await stored(client)
    assert row["event_id"] == f"{spans[1].trace_id}-{spans[1].span_id}"


async def test_an_answer_whose_question_does_not_come_in_time_is_unscored(serving, wait_until):
    async with serving(spans=SpanSettings(window=0.05)) as client:
        await send(client, trace(ANSWERED, parents=False))

        async def is_stored() -> bool:
            return [row["unscored"] for row in await stored(client)] == ["NO_QUESTION"]

        await wait_until(is_stored)


async def test_what_waits_for_the_rest_of_its_trace_is_stored_when_the_service_stops(serving, database):
    async with serving() as client:
        await send(client, trace(ANSWERED, parents=False))
    async with serving() as client:
        assert [row["unscored"] for row in await stored(client)] == ["NO_QUESTION"]


async def test_spans_in_json_gzipped_are_read_with_the_attributes_of_ones_own(serving):
    said = {"ask": "How many open orders are there?", "answer": "SELECT COUNT(*) FROM orders"}
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    span = {"traceId": uuid.uuid4().hex, "spanId": uuid.uuid4().hex[:16], "attributes": attributes}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span, {"spanId": "?"}]}]}]}).encode()
    headers = {"Content-Type": "application/json; charset=utf-8", "Content-Encoding": "gzip"}
    async with serving(spans=SpanSettings(attributes={"question": ("ask",), "sql": ("answer",)})) as client:
        reply = await client.post("/v1/traces", content=gzip.compress(body), headers=headers)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
        partial = reply.json()["partialSuccess"]
        assert partial["rejectedSpans"] == "1"
        assert "hexadecimal" in partial["errorMessage"]
        [row] = await stored(client)
        assert row["question"] == said["ask"]


async def test_an_event_that_can_never_be_stored_is_a_rejected_span(client):
    reply = await send(client, trace(ASKED | ANSWERED | {"gen_ai.agent.name": "at\0las"}))
    partial = ExportTraceServiceResponse.FromString(reply.content).partial_success
    assert partial.rejected_spans == 1
    assert "U+0000" in partial.error_message


async def test_a_tenant_s_token_stores_its_own_answers_only(serving):
    own, every = "kites-token-for-tests-only", "all-token-for-tests-only"
    http = HttpSettings.model_validate({"tokens": {"kites": own, "*": every}})
    async with serving(http=http) as client:
        assert (await send(client, trace(ASKED | ANSWERED))).status_code == 401
        key = {"Authorization": f"Bearer {own}"}
        assert (await send(client, trace(ASKED | ANSWERED), **key)).status_code == 200
        foreign = await send(client, trace(ASKED | ANSWERED, resource={"sqlassay.tenant": "strings"}), **key)
        assert ExportTraceServiceResponse.FromString(foreign.content).partial_success.rejected_spans == 1
        assert [row["tenant"] for row in await stored(client, Authorization=f"Bearer {every}")] == ["kites"]


@pytest.fixture(scope="module")
async def bounded(postgres_url, template):
    """A service that takes 4 KiB at most, for requests that are refused."""
    limits = LimitSettings(max_body_bytes=4096)
    async with copied(postgres_url, template) as database, service_on(database, limits=limits) as client:
        yield client


@pytest.mark.parametrize(
    ("headers", "body", "status", "says"),
    [
        ({"Content-Type": "text/plain"}, b"", 415, "application/x-protobuf"),
        (PROTOBUF | {"Content-Encoding": "br"}, b"", 415, "'br'"),
        (PROTOBUF | {"Content-Encoding": "gzip"}, b"plain", 400, "not valid gzip"),
        (PROTOBUF, b"\xff\xff", 400, "protobuf"),
        ({"Content-Type": "application/json"}, b"[]", 400, "an array"),
        (PROTOBUF | {"Content-Encoding": "gzip"}, gzip.compress(b"\0" * 5000, mtime=0), 413, "decompressed"),
        (PROTOBUF, b"\0" * 5000, 413, "4096"),
    ],
)
async def test_a_refusal_is_a_status_in_the_encoding_of_the_request(bounded, headers, body, status, says):
    reply = await bounded.post("/v1/traces", content=body, headers=headers)
    assert reply.status_code == status
    as_json = headers["Content-Type"] == "application/json"
    told = reply.json()["message"] if as_json else Status.FromString(reply.content).message
    assert says in told


class Down:
    """Spans that cannot be taken."""

    prepare = staticmethod(preparing_for_kafka(1000))

    async def accept(self, export: object, tenant: str | None) -> Rejected:
        raise Unavailable("Kafka does not answer")


async def test_exporters_are_asked_to_resend_what_could_not_be_accepted(database):
    url = database.render_as_string(hide_password=False)
    async with running(Settings(database=DatabaseSettings(url=SecretStr(url)))) as service:
        transport = httpx.ASGITransport(build_app(replace(service, spans=Down())))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            reply = await send(client, trace(ASKED | ANSWERED))
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    assert Status.FromString(reply.content).code == Code.UNAVAILABLE


def test_a_bomb_is_not_unpacked():
    bomb = gzip.compress(b"\0" * 50_000_000)
    with pytest.raises(ApiError) as refusal:
        decompress(bomb, 1_000_000)
    assert refusal.value.status == 413


def test_gzip_of_several_parts_is_unpacked_and_a_cut_one_is_not():
    assert decompress(gzip.compress(b"a") + gzip.compress(b"b"), 2) == b"ab"
    with pytest.raises(ApiError) as refusal:
        decompress(gzip.compress(b"a" * 100)[:-3], 1000)
    assert refusal.value.status == 400


async def test_what_the_database_said_of_the_sql_is_read_from_its_span(client):
    failed, empty = {**ANSWERED, "error.type": "42P01"}, {**ANSWERED, "db.response.returned_rows": 0}
    for spans in (trace(ASKED, failed), trace(ASKED, empty)):
        assert (await send(client, spans)).status_code == 200
    said = [set(row["reason_codes"]) & {"SQL_FAILED", "RAN_EMPTY"} for row in await stored(client)]
    assert sorted(map(list, said)) == [["RAN_EMPTY"], ["SQL_FAILED"]]


async def test_a_dry_run_explains_the_spans_and_stores_nothing(client):
    spans = trace(ASKED, ANSWERED)
    reply = await client.post("/v1/traces?dry_run=true", content=write_protobuf(spans), headers=PROTOBUF)
    assert reply.status_code == 200
    told = reply.json()
    assert [(each["question"], each["agent"]) for each in told["answers"]] == [
        ("How many open orders are there?", "atlas")
    ]
    assert told["spans"][1]["role"] == "answer"
    assert told["spans"][1]["read"]["sql"]["from"] == "db.query.text"
    assert await stored(client) == []


async def test_a_trace_without_an_answer_is_counted_and_explained(client):
    unknown = [replace(each, unread=("my.question",)) for each in trace({})]
    reply = await client.post("/v1/traces?dry_run=true", content=write_protobuf(unknown), headers=PROTOBUF)
    [told] = reply.json()["without_answer"]
    assert (told["reason"], told["unread"]) == ("UNKNOWN_ATTRIBUTES", ["my.question"])


async def test_traces_that_close_without_an_answer_are_counted_by_reason(serving, wait_until):
    async with serving(spans=SpanSettings(window=0.05)) as client:
        await send(client, trace(ASKED))

        async def is_counted() -> bool:
            text = (await client.get("/metrics")).text
            return 'sqlassay_traces_without_answer_total{reason="NO_SQL"} 1.0' in text

        await wait_until(is_counted)


async def test_a_retry_is_one_row_with_its_attempt(client):
    agent, failed, ran = trace(ASKED, {**ANSWERED, "error.type": "42703"}, ANSWERED)
    now = time.time_ns()
    spans = [agent, replace(failed, start_nanos=now), replace(ran, parent_id=agent.span_id, start_nanos=now + 1)]
    assert (await send(client, spans)).status_code == 200
    [row] = await stored(client)
    assert row["event_id"].endswith(ran.span_id)


async def test_the_attempts_of_answers_are_counted(client):
    agent, failed, ran = trace(ASKED, {**ANSWERED, "error.type": "42703"}, ANSWERED)
    now = time.time_ns()
    spans = [agent, replace(failed, start_nanos=now), replace(ran, parent_id=agent.span_id, start_nanos=now + 1)]
    await send(client, spans)
    text = (await client.get("/metrics")).text
    assert 'sqlassay_answer_attempts_sum{agent="atlas",tenant="default"} 1.0' in text
