from __future__ import annotations

from datetime import UTC, datetime

import pytest

from consumers.keep_labels import decode_label
from consumers.wire.events import InvalidEvent
from consumers.wire.labels import ErrorType, LabelValue
from consumers.wire.said_records import MAX_SAID_BYTES

NOW = datetime(2026, 11, 2, tzinfo=UTC)
GOOD = {"event_id": "7", "agent": "crumb", "label": "wrong", "reviewer": "ann"}


def test_absent_fields_have_defaults():
    label = decode_label(GOOD, tenant="bakers", sent_at=NOW)
    assert label.target.key == ("bakers", "/bakers/crumb", "7")
    assert (label.label, label.error_type, label.labelled_at) == (LabelValue.WRONG, None, NOW)


def test_a_label_as_json_is_read_in_full():
    raw = b'{"tenant": "t", "event_id": "7", "source": "/s", "label": "unsure", "error_type": "join", "note": "n",'
    raw += b' "correction": "SELECT 1", "reviewer": "r", "labelled_at": "2026-11-01T10:00:00+02:00", "more": 1}'
    label = decode_label(raw, tenant=None, sent_at=NOW)
    assert label.target.key == ("t", "/s", "7")
    assert (label.error_type, label.note, label.correction) == (ErrorType.JOIN, "n", "SELECT 1")
    assert label.labelled_at == datetime(2026, 11, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        ({"label": None}, "MISSING_FIELD", "label"),
        ({"reviewer": None}, "MISSING_FIELD", "reviewer"),
        ({"event_id": None}, "INVALID_FIELD", "evaluation_id"),
        ({"label": "maybe"}, "INVALID_FIELD", "label"),
        ({"error_type": "vibes"}, "INVALID_FIELD", "error_type"),
        ({"evaluation_id": "7"}, "INVALID_FIELD", "evaluation_id"),
        ({"reviewer": " "}, "INVALID_FIELD", "reviewer"),
        ({"note": 7}, "INVALID_FIELD", "note"),
        ({"note": "x" * 10_001}, "INVALID_FIELD", "note"),
        ({"note": "a\0b"}, "INVALID_TEXT", "note"),
        ({"labelled_at": "9999-12-31T23:59:59-10:00"}, "INVALID_FIELD", "labelled_at"),
        ({"tenant": "millers"}, "TENANT_NOT_ALLOWED", "tenant"),
    ],
)
def test_an_invalid_label_is_refused_with_the_field_and_the_fix(change, reason, said):
    with pytest.raises(InvalidEvent) as refusal:
        decode_label(GOOD | change, tenant="bakers", sent_at=NOW)
    assert refusal.value.reason == reason
    assert said in refusal.value.detail


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{", "NOT_JSON"),
        (b"\xff", "INVALID_ENCODING"),
        (b"[1]", "NOT_AN_OBJECT"),
        (b"[" * 100_000, "NOT_JSON"),
        (b" " * (MAX_SAID_BYTES + 1), "EVENT_TOO_LARGE"),
        (b'{"note": "\\ud800"}', "INVALID_TEXT"),
        (None, "NOT_AN_OBJECT"),
    ],
)
def test_hostile_records_are_refused(raw, reason):
    with pytest.raises(InvalidEvent) as refusal:
        decode_label(raw, tenant=None, sent_at=NOW)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("field", ["label", "note", "evaluation_id"])
def test_a_label_that_nests_deeper_than_it_can_be_shown_is_refused(field):
    nested: object = "x"
    for _ in range(1010):
        nested = [nested]
    with pytest.raises(InvalidEvent) as refusal:
        decode_label(GOOD | {field: nested}, tenant=None, sent_at=NOW)
    assert refusal.value.reason == "INVALID_FIELD"
