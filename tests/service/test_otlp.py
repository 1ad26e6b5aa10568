from __future__ import annotations

import base64
import json

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

from consumers.spans import Span, SpanTable
from consumers.wire.events import InvalidEvent, InvalidReason
from service.otlp import Export, read_otlp, write_protobuf

TABLE = SpanTable(attributes=("number", "real", "yes", "list", "map", "raw", "nothing"))


def sdk_request():
    """What the OpenTelemetry SDK writes of an agent's span and the query below it."""
    provider = TracerProvider(resource=Resource({"service.name": "loom", "host.name": "left out"}))
    tracer = provider.get_tracer("test")
    with (
        tracer.start_as_current_span("ask", attributes={"sqlassay.question": "Which cloth?", "left": "out"}) as asked,
        tracer.start_as_current_span("query", attributes={"db.query.text": "SELECT 1", "number": 7}) as answered,
    ):
        pass
    return asked, encode_spans([each for each in (answered, asked) if isinstance(each, ReadableSpan)])


def as_json(request: ExportTraceServiceRequest) -> bytes:
    """The request as the Collector writes it in JSON: protobuf's own mapping, but ids in hexadecimal."""
    document = json_format.MessageToDict(request, use_integers_for_enums=True)
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64decode(span[name]).hex().upper()
    return json.dumps(document).encode()


@pytest.mark.parametrize("encode", [ExportTraceServiceRequest.SerializeToString, as_json], ids=["protobuf", "json"])
def test_what_the_sdk_writes_is_read(encode):
    asked, request = sdk_request()
    assert isinstance(asked, ReadableSpan)
    assert asked.context is not None
    export = read_otlp(encode(request), TABLE)
    assert (export.rejected, export.fault) == (0, "")
    child, root = export.spans
    assert root == Span(
        trace_id=f"{asked.context.trace_id:032x}",
        span_id=f"{asked.context.span_id:016x}",
        start_nanos=asked.start_time or 0,
        name="ask",
        attributes={"sqlassay.question": "Which cloth?"},
        unread=("left",),
        resource={"service.name": "loom"},
    )
    assert child.parent_id == root.span_id
    assert child.attributes == {"db.query.text": "SELECT 1", "number": 7}
    assert not child.parent_is_remote


@pytest.mark.parametrize("encode", [ExportTraceServiceRequest.SerializeToString, as_json], ids=["protobuf", "json"])
def test_messages_that_an_sdk_writes_as_events_are_read(encode):
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("ask", attributes={"gen_ai.prompt": "its own"}) as asked:
        for text in ("Hello", "Which cloth?"):
            asked.add_event("gen_ai.user.message", {"content": text})
        asked.add_event("details", {"gen_ai.input.messages": "first", "gen_ai.prompt": "other", "content": "left out"})
        asked.add_event("details", {"gen_ai.input.messages": "second", "sqlassay.tenant": "other"})
        asked.add_event("gen_ai.tool.message", {"content": "{}"})
    assert isinstance(asked, ReadableSpan)
    [read] = read_otlp(encode(encode_spans([asked])), SpanTable()).spans
    assert read.attributes == {
        "gen_ai.prompt": "its own",
        "gen_ai.user.message": "Which cloth?",
        "gen_ai.input.messages": "first",
        "gen_ai.tool.message": "{}",
    }


@pytest.mark.parametrize("encode", [ExportTraceServiceRequest.SerializeToString, as_json], ids=["protobuf", "json"])
def test_failures_and_the_names_of_what_is_not_read_are_read_and_passed_on(encode):
    tracer = TracerProvider().get_tracer("test")
    with (
        pytest.raises(ValueError, match="no such column"),
        tracer.start_as_current_span("run", attributes={"a.0.b": "secret", "a.1.b": "x", "z": 1}) as failed,
    ):
        raise ValueError("no such column: nam")
    assert isinstance(failed, ReadableSpan)
    export = read_otlp(encode(encode_spans([failed])), SpanTable())
    [read] = export.spans
    assert read.attributes == {
        "otel.status_code": "ERROR",
        "otel.status_description": "ValueError: no such column: nam",
        "exception.type": "ValueError",
        "exception.message": "no such column: nam",
    }
    assert (read.name, read.unread) == ("run", ("a.N.b", "z"))
    assert list(read_otlp(write_protobuf([read]), SpanTable()).spans) == [read]


def span(**more):
    return {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7", **more}


def request(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def test_every_kind_of_value_is_read_from_json():
    values = {
        "number": {"intValue": "-7"},
        "real": {"doubleValue": 2.5},
        "yes": {"boolValue": True},
        "list": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 1}]}},
        "map": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}},
        "raw": {"bytesValue": "AAE="},
        "nothing": {},
    }
    attributes = [{"key": key, "value": value} for key, value in values.items()]
    [read] = read_otlp(request(span(attributes=attributes, flags=0x301, parentSpanId="0" * 15 + "1")), TABLE).spans
    assert read.attributes == {
        "number": -7,
        "real": 2.5,
        "yes": True,
        "list": ["a", 1],
        "map": {"k": "v"},
        "raw": "AAE=",
        "nothing": None,
    }
    assert read.parent_is_remote
    assert list(read_otlp(write_protobuf([read]), TABLE).spans) == [read]


@pytest.mark.parametrize(
    ("spans", "says"),
    [
        ([span(traceId="abc")], "traceId 'abc' is not hexadecimal"),
        ([span(traceId="00" * 16)], "trace id has 16 bytes"),
        ([span(traceId="S/kvNXezTaajzpKdDg5HNg==")], "not hexadecimal"),
        ([span(spanId="")], "span id has 0 bytes"),
        ([span(parentSpanId="ff")], "parent span id has 1 bytes"),
        ([{"name": "no ids"}], "trace id has 0 bytes"),
        (["not an object"], "trace id has 0 bytes"),
        ([span(attributes=[{"key": "real", "value": {"stringValue": "\ud800"}}])], "lone surrogate"),
    ],
)
def test_what_cannot_be_a_span_is_rejected_and_the_others_are_not(spans, says):
    export = read_otlp(request(*spans, span()), TABLE)
    assert export.rejected == 1
    assert says in export.fault
    assert len(export.spans) == 1


def test_values_nested_too_deep_are_left_out():
    deep = {"stringValue": "x"}
    for _ in range(200):
        deep = {"arrayValue": {"values": [deep]}}
    [read] = read_otlp(request(span(attributes=[{"key": "list", "value": deep}])), TABLE).spans
    assert json.dumps(read.attributes["list"]).count("[") < 20


@pytest.mark.parametrize("body", [b"", b"{}", b'{"resourceSpans": null}', b'{"resourceSpans": []}'])
def test_an_export_of_nothing_is_one(body):
    assert read_otlp(body, TABLE) == Export(spans=[])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"SELECT 1", InvalidReason.NOT_OTLP),
        (b'{"question": "q", "sql": "s"}', InvalidReason.NOT_OTLP),
        (b"\xff" * 20, InvalidReason.NOT_OTLP),
        (b"{", InvalidReason.NOT_JSON),
        (b'{"a": "\xff"}', InvalidReason.INVALID_ENCODING),
    ],
)
def test_what_is_no_trace_data_is_refused(body, reason):
    with pytest.raises(InvalidEvent) as refusal:
        read_otlp(body, TABLE)
    assert refusal.value.reason is reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["key", "value", "values", "stringValue", "arrayValue"]), inner)
    ),
    max_leaves=10,
)
SPANS = st.dictionaries(st.sampled_from(["traceId", "spanId", "attributes", "flags", "startTimeUnixNano"]), JSON)


@given(st.binary(max_size=60) | st.lists(SPANS | JSON, max_size=3).map(lambda spans: request(span(), *spans)))
def test_any_bytes_are_spans_or_refused(body):
    try:
        export = read_otlp(body, TABLE)
    except InvalidEvent:
        return
    assert export.rejected or not export.fault
    assert list(read_otlp(write_protobuf(export.spans), TABLE).spans) == [*export.spans] or "nan" in str(export.spans)
