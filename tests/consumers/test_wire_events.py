from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from consumers.wire.events import InvalidEvent, InvalidReason, QueryEvent, decode_event

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/wire/events.yaml").read_text())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
EVENTISH = st.fixed_dictionaries({}, optional=dict.fromkeys([*QueryEvent.model_fields, "id"], JSON))


def raw(event: object) -> bytes:
    return event.encode() if isinstance(event, str) else json.dumps(event).encode()


@pytest.mark.parametrize("case", [case for case in CASES if "reads" in case], ids=lambda case: case["name"])
def test_the_wire_reads(case):
    event = decode_event(raw(case["event"]), require_id=False)
    read = {name: getattr(event, name) for name in case["reads"]}
    if read.get("occurred_at"):
        read["occurred_at"] = read["occurred_at"].isoformat()
    assert read == case["reads"]


@pytest.mark.parametrize("case", [case for case in CASES if "refused" in case], ids=lambda case: case["name"])
def test_the_wire_refuses(case):
    with pytest.raises(InvalidEvent) as refusal:
        decode_event(raw(case["event"]), require_id=False)
    assert refusal.value.reason.value == case["refused"]
    assert [word for word in case.get("says", []) if word not in refusal.value.detail] == []


def test_an_id_is_missed_only_where_it_is_required():
    payload = {"question": "q", "sql": "s"}
    with pytest.raises(InvalidEvent) as refusal:
        decode_event(payload, require_id=True)
    assert refusal.value.reason is InvalidReason.MISSING_ID
    event = decode_event(payload, require_id=False)
    assert event.event_id == event.payload_hash


FULL = {
    **{"tenant": "t", "agent": "a", "occurred_at": "2026-11-02T09:30:00Z", "attributes": {"b": [1, 2.5]}},
    **{"question": "q", "sql": "s", "enriched_question": "e"},
}


@pytest.mark.parametrize(
    ("event", "identity"),
    [
        ({"question": "q", "sql": "s"}, "2cba60995c4f6cde0ad5d8dd7e30046a8290360b9b00d6b8bdca6d7a9829130d"),
        (FULL, "47ece0209df20ebe614df32387514ec59a597a649dc3aaad33d1b35176c474f4"),
    ],
)
def test_an_id_made_from_the_payload_stays_what_it_is_in_later_releases(event: dict, identity: str):
    assert decode_event(event, require_id=False).event_id == identity


def test_an_id_made_from_the_payload_ignores_keys_that_say_nothing_about_the_score():
    event = {"question": "q", "sql": "s"}
    other = {"sql": "s", "label": 0, "reference_sql": "SELECT 2", "question": "q", "db_id": "x"}
    ids = {decode_event(each, require_id=False).event_id for each in (event, other)}
    assert len(ids) == 1
    assert decode_event({**event, "sql": "t"}, require_id=False).event_id not in ids


def test_bytes_that_are_not_utf8_are_named_by_position():
    with pytest.raises(InvalidEvent) as refusal:
        decode_event(b'{"question": "\xff"}', require_id=False)
    assert refusal.value.reason is InvalidReason.INVALID_ENCODING
    assert "byte 14" in refusal.value.detail


def test_an_event_over_the_bound_is_refused_whether_parsed_or_not():
    event = {"question": "q", "sql": "x" * 5000}
    for payload in (event, json.dumps(event).encode(), {"question": "q", "sql": "s", "attributes": {"a": "x" * 5000}}):
        with pytest.raises(InvalidEvent) as refusal:
            decode_event(payload, require_id=False, max_bytes=4096)
        assert refusal.value.reason is InvalidReason.EVENT_TOO_LARGE


def test_a_long_query_within_the_event_bound_is_an_event():
    assert len(decode_event({"question": "q", "sql": "x" * 900_000}, require_id=False).sql) == 900_000


DEEP = ["[" * 40_000, '{"a":' * 40_000, '{"question":"q","sql":"s","attributes":' + '{"a":' * 900 + "1" + "}" * 901]


@pytest.mark.parametrize("text", DEEP, ids=["brackets", "braces", "attributes"])
def test_deep_json_is_refused(text):
    with pytest.raises(InvalidEvent) as refusal:
        decode_event(text, require_id=False)
    assert refusal.value.reason in {InvalidReason.NOT_JSON, InvalidReason.INVALID_FIELD}


def test_a_message_never_repeats_a_long_value():
    with pytest.raises(InvalidEvent) as refusal:
        decode_event({"question": ["x" * 100_000], "sql": "s"}, require_id=False)
    assert len(refusal.value.detail) < 300


@given(st.binary(max_size=60) | st.text(max_size=60) | JSON | EVENTISH | EVENTISH.map(json.dumps))
def test_anything_is_an_event_or_an_invalid_event(garbage):
    try:
        event = decode_event(garbage, require_id=False)
    except InvalidEvent:
        return
    assert decode_event(event.model_dump(), require_id=True) == event


@pytest.mark.parametrize("field", ["question", "event_id", "attributes"])
@pytest.mark.parametrize("depth", [300, 990, 1010])
def test_what_nests_deeper_than_it_can_be_shown_is_refused_like_any_other(field, depth):
    nested: object = "x"
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(InvalidEvent) as refusal:
        decode_event({"event_id": "1", "question": "q", "sql": "s", field: nested}, require_id=True)
    assert refusal.value.reason is InvalidReason.INVALID_FIELD


def test_a_number_larger_than_json_numbers_are_stored_is_refused():
    event = {"event_id": "1", "question": "q", "sql": "s", "attributes": {"count": 10**30}}
    with pytest.raises(InvalidEvent) as refusal:
        decode_event(event, require_id=True)
    assert refusal.value.reason is InvalidReason.INVALID_FIELD
