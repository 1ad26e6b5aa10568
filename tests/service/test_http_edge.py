"""What a hostile client may send: slow, dropped, packed and crowded bodies, and what web pages make browsers send."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import zlib
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1 import trace_pb2
from sqlalchemy import URL

from consumers.spans import SpanTable
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.json_values import count_values
from service.api.bodies import Arrival
from service.api.errors import ApiError
from service.api.gzip_bodies import decompress
from service.api.request_guard import is_own_name
from service.logs import LimitedLine
from service.otlp import MAX_SPANS, read_otlp
from service.otlp.protobuf_outline import outline
from service.pipeline.body_budget import BodyBudget
from service.settings.intake_settings import HttpSettings, LimitSettings
from tests.costs import Call, times_as_costly
from tests.served import served

JSON = {"content-type": "application/json"}
EVENT = {"event_id": "a", "question": "How many rafts are there?", "sql": "SELECT COUNT(*) FROM rafts"}


# --- gzip


@pytest.mark.parametrize("sizes", [(0,), (1,), (70_000, 3), (200_000, 200_000, 0, 9)])
def test_gzip_of_any_members_is_unpacked(sizes):
    texts = [bytes(range(256)) * (size // 256) + b"x" * (size % 256) for size in sizes]
    packed = b"".join(gzip.compress(text) for text in texts)
    assert decompress(packed, sum(sizes)) == b"".join(texts)
    with pytest.raises(ApiError) as refusal:
        decompress(packed, sum(sizes) - 1) if sum(sizes) else decompress(packed[:-1], 1)
    assert refusal.value.status == (413 if sum(sizes) else 400)


def test_many_members_are_refused_at_once():
    few, many = (gzip.compress(b"", mtime=0) * count for count in (60, 160_000))
    assert decompress(few, 10) == b""
    with pytest.raises(ApiError, match="members"):
        decompress(many, 10)


def test_unpacking_costs_what_the_bytes_do():
    def unpacking(size: int) -> Call:
        empty_blocks = b"\x00\x00\x00\xff\xff" * size
        packed = gzip.compress(b"", mtime=0)[:10] + empty_blocks + b"\x01\x00\x00\xff\xff" + b"\0" * 8
        return lambda: decompress(packed, 100)

    assert times_as_costly(unpacking(800_000), unpacking(400_000), 3) <= 3


# --- counting before parsing


def values_of(document: Any) -> int:
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return 1 + sum(values_of(each) for each in inner)


JSONS = st.recursive(
    st.none() | st.integers() | st.text('",[{}]\\é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('",[\\', max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(JSONS, st.booleans())
def test_a_count_is_never_below_the_values_that_a_parser_builds(document, pretty):
    body = json.dumps(document, indent=2 if pretty else None).encode()
    assert values_of(document) <= count_values(body, 3) or count_values(body, 3) > 3
    assert values_of(document) <= count_values(b" " * 70_000 + body, 1000) <= 2 * values_of(document) + 1


@pytest.mark.parametrize("escapes", [65_535, 65_536, 65_537])
def test_a_string_across_parts_hides_its_commas(escapes):
    body = b'["' + b"\\\\" * escapes + b'\\",,,,", 1]'
    assert count_values(body, 10) == 3


async def test_a_body_with_too_many_values_is_refused_before_it_is_parsed(serving):
    async with serving(limits=LimitSettings(max_values=1000)) as client:
        for path in ("/v1/events", "/v1/labels", "/v1/traces"):
            reply = await client.post(path, content=b"[" + b"{}," * 2000 + b"{}]", headers=JSON)
            assert reply.status_code == 413, reply.text


async def test_an_event_with_too_many_values_is_rejected_and_its_neighbour_is_not(client):
    crowded = {**EVENT, "event_id": "b", "attributes": {"all": [[]] * 60_000}}
    for sent in (
        {"json": [crowded, EVENT]},
        {"content": b"\n".join(json.dumps(each).encode() for each in (crowded, EVENT))},
    ):
        reply = await client.post("/v1/events", **sent, headers={} if "json" in sent else NDJSON)
        first, second = reply.json()["results"]
        assert first["error"]["code"] == "EVENT_TOO_LARGE"
        assert second["status"] in {"scored", "duplicate"}


# --- protobuf, one span at a time


def export(*groups: Any) -> bytes:
    return ExportTraceServiceRequest(resource_spans=groups).SerializeToString()


@given(st.binary(max_size=60))
def test_an_outline_finds_what_the_parser_finds(tail):
    spans = [trace_pb2.Span(name="a", trace_id=b"1" * 16, span_id=b"2" * 8)] * 2
    body = export({"scope_spans": [{"spans": spans}, {}]}, {"scope_spans": [{"spans": spans}]}) + tail
    try:
        parsed = ExportTraceServiceRequest.FromString(body)
        found = outline(body, 1000)
    except Exception:
        return
    expected = [each for group in parsed.resource_spans for scope in group.scope_spans for each in scope.spans]
    assert [trace_pb2.Span.FromString(body[a:b]) for group in found for a, b in group.spans] == expected


CROWDS = {
    "resources": b"\x0a\x00" * (MAX_SPANS + 1),
    "scopes": export({"scope_spans": [{}] * (MAX_SPANS + 1)}),
    "spans": export({"scope_spans": [{"spans": [trace_pb2.Span()] * (MAX_SPANS + 1)}]}),
    "attributes": export({"scope_spans": [{"spans": [{"attributes": [{}] * 400_000}] * 3}]}),
    "values": export(
        {"scope_spans": [{"spans": [{"attributes": [
            {"key": "db.query.text", "value": {"array_value": {"values": [{}] * 400_000}}}]}] * 3}]}
    ),
}  # fmt: skip


@pytest.mark.slow  # large bodies
@pytest.mark.parametrize("body", CROWDS.values(), ids=CROWDS)
def test_a_crowded_export_is_refused(body):
    with pytest.raises(InvalidEvent) as refusal:
        read_otlp(body, SpanTable(), as_json=False)
    assert refusal.value.reason is InvalidReason.EVENT_TOO_LARGE


# --- shares of memory, and time


def test_one_sender_leaves_room_for_the_next_and_that_one_for_a_third():
    budget = BodyBudget(most=100)
    hogs = [budget.hold("hog") for _ in range(10)]
    assert [each.grow(10) for each in hogs] == [True] * 5 + [False] * 5
    second = [budget.hold("second") for _ in range(10)]
    assert [each.grow(10) for each in second][:3] == [True, True, False]
    assert budget.hold("third").grow(10)
    for each in [*hogs, *second]:
        each.release()
    assert (budget.held, dict(budget.by_sender)) == (10, {"third": 10})


def test_a_body_larger_than_the_share_passes_when_it_is_alone():
    budget = BodyBudget(most=100)
    alone = budget.hold("one")
    assert [alone.grow(60), alone.grow(60)] == [True, True]
    assert not budget.hold("one").grow(1)


def test_a_body_must_keep_coming_and_end_in_time():
    arrival = Arrival.begun(LimitSettings(body_seconds=60, stall_seconds=10), now=100.0)
    assert arrival.deadline == 110
    arrival.received(100, now=109.0)
    assert arrival.deadline == 110, "a trickle buys no time"
    arrival.received(16 * 1024, now=109.0)
    assert arrival.deadline == 119
    arrival.received(16 * 1024, now=155.0)
    assert arrival.deadline == 160


def test_a_line_that_senders_cause_is_written_once_a_second_and_says_how_many_were_left_out():
    times = iter([1.0, 1.1, 1.2, 2.5])
    line = LimitedLine("upload_dropped", timer=lambda: next(times))
    with structlog.testing.capture_logs() as lines:
        for number in range(4):
            line.warning(number=number)
    assert [(each["number"], each["left_out"]) for each in lines] == [(0, 0), (3, 2)]


# --- what a web page can make a browser send

WRITES = ["/v1/events", "/v1/labels", "/v1/traces", "/v1/tenants/library/rules", "/v1/tenants/library/schema"]
NDJSON = {"content-type": "application/x-ndjson"}


SIMPLE_TYPES = [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"]


async def test_a_type_that_browsers_send_without_asking_is_refused(client):
    body = json.dumps(EVENT).encode()
    for path, kind in itertools.product(WRITES, SIMPLE_TYPES):
        headers = {} if kind is None else {"content-type": kind}
        reply = await client.request("PUT" if "/tenants/" in path else "POST", path, content=body, headers=headers)
        assert reply.status_code == 415
        assert b"Content-Type" in reply.content
        assert b"application/json" in reply.content


ORIGINS = {
    "http://localhost": 202,
    "http://evil.example": 403,
    "null": 403,
    "http://localhost:1": 403,
    "[": 403,
}


async def test_a_page_of_another_site_may_not_write(client):
    for origin, status in ORIGINS.items():
        reply = await client.post("/v1/events", json=EVENT, headers={"origin": origin})
        assert reply.status_code == status
        assert (await client.get("/v1/report", headers={"origin": origin})).status_code == 200


HOSTS = {
    "localhost:8321": 200,
    "127.0.0.1": 200,
    "[::1]:8321": 200,
    "10.0.0.7:8321": 200,
    "evil.example": 421,
    "localhost.evil.example": 421,
    "127.0.0.1.evil.example": 421,
    "localhost:21600.evil.example": 421,
    "localhost:80@evil.example": 421,
    "127.0.0.1:1:evil.example": 421,
    "[::1].evil.example": 421,
    "[::1]evil.example:80": 421,
    "[::1%evil.example]": 421,
    "[fe80::1%25eth0]:8321": 421,
    "[::1%]": 421,
    "127.0.0.1%evil.example": 421,
    "localhost:": 200,
    "": 421,
}


@pytest.mark.slow  # takes over a second
async def test_a_name_that_is_not_the_service_s_is_not_answered(client):
    for host, status in HOSTS.items():
        for path in ("/v1/report", "/console", "/metrics", "/openapi.json", "/docs"):
            assert (await client.get(path, headers={"host": host})).status_code == status, host
        for probe in ("/healthz", "/readyz"):
            assert (await client.get(probe, headers={"host": host})).status_code == 200


async def answered(raw: bytes, url: str) -> bytes:
    """All that a server sends until it closes the connection."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(raw)
    async with asyncio.timeout(60):
        found = await reader.read()
    writer.close()
    return found


@pytest.mark.slow  # a process of its own
async def test_a_request_with_two_ends_is_refused_and_its_connection_closed(database: URL):
    smuggled = b"0\r\n\r\nGET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    old = b"Transfer-Encoding: chunked\r\n\r\n"
    async with served(database) as url:
        for head in (
            b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + both,
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + both,
            b"POST /v1/events HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n" + old,
        ):
            reply = await answered(head + smuggled, url)
            assert reply.startswith(b"HTTP/1.1 400")
            assert reply.count(b"HTTP/1.1 ") == 1


def test_names_are_allowed_by_the_setting_and_any_name_behind_tokens():
    named = HttpSettings(allowed_hosts=frozenset({"Assay.Example"}))
    local = HttpSettings(host="fe80::1%eth0", allowed_hosts=frozenset({"assay.example"}))
    assert [is_own_name(name, local) for name in ("fe80::1", "fe80::1%eth0", "::1%eth0")] == [True, True, False]
    asked = ("::1", "::1%evil.example", "::1%eth0")
    assert [is_own_name(name, HttpSettings()) for name in asked] == [True, False, False]
    assert [is_own_name(name, named) for name in ("assay.example", "other.example", "localhost")] == [True, False, True]
    open_to_all = HttpSettings(host="0.0.0.0")
    assert is_own_name("assay.team.svc", open_to_all)
    both = HttpSettings(host="0.0.0.0", allowed_hosts=frozenset({"assay.example"}))
    assert [is_own_name(name, both) for name in ("assay.example", "assay.team.svc", "10.1.2.3")] == [True, False, True]


@pytest.mark.parametrize("path", WRITES[:3])
async def test_every_write_reads_gzip_and_names_other_encodings(client, path):
    body = json.dumps({"resourceSpans": []} if path == "/v1/traces" else [EVENT]).encode()
    plain: httpx.Response = await client.post(path, content=body, headers=JSON)
    packed = await client.post(path, content=gzip.compress(body), headers={**JSON, "content-encoding": "gzip"})
    assert (packed.status_code, len(packed.content) > 0) == (plain.status_code, len(plain.content) > 0)
    other = await client.post(path, content=zlib.compress(body), headers={**JSON, "content-encoding": "deflate"})
    assert other.status_code == 415
