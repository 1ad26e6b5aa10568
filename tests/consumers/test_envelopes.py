from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from consumers.wire.envelopes import read_envelope, read_structured
from consumers.wire.events import InvalidEvent, InvalidReason, decode_event

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/wire/envelopes.yaml").read_text())


def envelope_of(case):
    headers = case.get("headers", {})
    pairs = headers if isinstance(headers, list) else headers.items()
    value = case["value"] if isinstance(case["value"], str) else json.dumps(case["value"])
    return read_envelope(value.encode(), [(name, said.encode()) for name, said in pairs])


def plain(value):
    return value.isoformat() if hasattr(value, "isoformat") else value


def read(thing, names):
    return {name: plain(getattr(thing, name)) for name in names}


@pytest.mark.parametrize("case", [case for case in CASES if "refused" not in case], ids=lambda case: case["name"])
def test_a_record_is_taken_out_of_its_envelope(case):
    envelope = envelope_of(case)
    assert read(envelope, case.get("reads", {})) == case.get("reads", {})
    event = decode_event(envelope.payload, require_id=envelope.id is not None)
    assert read(event, case.get("event", {})) == case.get("event", {})


@pytest.mark.parametrize("case", [case for case in CASES if "refused" in case], ids=lambda case: case["name"])
def test_an_invalid_envelope_is_refused_with_a_fix(case):
    with pytest.raises(InvalidEvent) as refusal:
        envelope_of(case)
    assert refusal.value.reason.value == case["refused"]
    assert [word for word in case.get("says", []) if word not in refusal.value.detail] == []


CLOUD = [("ce_specversion", b"1.0"), ("ce_id", b"1"), ("ce_source", b"/s"), ("ce_type", b"t")]


def refused(value, headers, **options):
    with pytest.raises(InvalidEvent) as refusal:
        read_envelope(value, headers, **options)
    return refusal.value


def test_a_tombstone_is_refused():
    assert refused(None, []).reason is InvalidReason.NO_VALUE


def test_bytes_of_our_headers_that_are_not_utf8_are_named_by_header_and_position():
    error = refused(b"{}", [*CLOUD, ("ce_subject", b"ab\xff")])
    assert error.reason is InvalidReason.INVALID_ENCODING
    assert "ce_subject" in error.detail
    assert "byte 2" in error.detail
    assert refused(b"{}", [("ce-id", b"%ff")]).reason is InvalidReason.INVALID_ENCODING


def test_foreign_headers_may_hold_any_bytes():
    assert read_envelope(b"{}", [("__TypeId__", b"\xff\xfe"), ("", b""), ("baggage", None)]).id is None


def test_a_header_without_a_value_is_not_there():
    assert "ce_id is absent" in refused(b"{}", [*CLOUD[:1], ("ce_id", None), *CLOUD[2:]]).detail


def test_a_value_over_the_bound_is_refused_unread():
    large = b'{"question": "q", "sql": "' + b"x" * 5000 + b'"}'
    for headers in ([], CLOUD, [("content-type", b"application/cloudevents+json")]):
        assert refused(large, headers, max_bytes=4096).reason is InvalidReason.EVENT_TOO_LARGE


def test_a_message_repeats_neither_long_nor_deep_values():
    deep = json.loads('{"specversion":' + "[" * 900 + "]" * 900 + "}")
    for attributes in (deep, {"specversion": "1" * 100_000}):
        with pytest.raises(InvalidEvent) as refusal:
            read_structured(attributes)
        assert len(refusal.value.detail) < 300


NAMES = st.sampled_from([*[name for name, _ in CLOUD], "ce_time", "ce_sampledrate", "ce-id", "content-type", "x"])
VALUES = st.binary(max_size=20) | st.sampled_from([b"1.0", b"application/json", b"application/cloudevents+json"])
ATTRIBUTES = ["specversion", "id", "source", "type", "time", "data", "datacontenttype", "sampledrate", "data_base64"]
JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("1.0") | st.just({"sql": "s"})


@given(st.none() | st.binary(max_size=40), st.lists(st.tuples(NAMES, st.none() | VALUES), max_size=8))
def test_any_record_is_an_envelope_or_an_invalid_event(value, headers):
    try:
        envelope = read_envelope(value, headers)
    except InvalidEvent:
        return
    assert envelope.payload is not None


@given(st.dictionaries(st.sampled_from(ATTRIBUTES), JSON) | JSON)
def test_any_object_is_a_cloud_event_or_an_invalid_event(document):
    try:
        envelope = read_structured(document)
    except InvalidEvent:
        return
    assert envelope.id
    assert envelope.source
