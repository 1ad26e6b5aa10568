from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.evaluation.outcomes import Trigger
from consumers.stream.dead_letter_limit import DeadLetterLimit, DeadLetterPolicy
from consumers.stream.dead_letters import (
    MAX_KEPT_BYTES,
    PlainRecord,
    dead_letter,
    read_dead_letter,
    replay_message,
    trigger_of,
)


@dataclass
class Read:
    topic: str = "query-events"
    partition: int = 3
    offset: int = 41
    timestamp: int = 1_700_000_000_000
    key: bytes | None = b"k"
    value: bytes | None = b"{"
    headers: tuple = ()


def published(record: Read, **said: Any) -> Read:
    message = dead_letter(record, "dead", **{"reason": "NOT_JSON", "detail": "no object", **said})
    return Read(topic=message.topic, key=message.key, value=message.value, headers=tuple(message.headers))


@pytest.mark.slow  # takes over a second
@given(
    value=st.none() | st.binary(max_size=50),
    key=st.none() | st.binary(max_size=10),
    headers=st.lists(st.tuples(st.text(max_size=8), st.binary(max_size=8)), max_size=4),
    detail=st.text(max_size=900),
)
def test_a_dead_letter_has_the_place_reason_and_content_of_its_record(value, key, headers, detail):
    letter = read_dead_letter(published(Read(value=value, key=key, headers=tuple(headers)), detail=detail))
    assert (letter.reason, letter.topic, letter.partition, letter.offset) == ("NOT_JSON", "query-events", 3, 41)
    assert (letter.key, letter.value, letter.tombstone) == (key, value or b"", value is None)
    assert list(letter.headers) == headers


def test_a_huge_value_is_cut_with_its_length_noted_and_is_not_replayed():
    letter = read_dead_letter(published(Read(value=b"x" * 10_000_000)))
    assert (len(letter.value), letter.truncated) == (MAX_KEPT_BYTES, 10_000_000)
    assert "10000000" in (letter.cannot_be_replayed or "")


@pytest.mark.parametrize(
    "record",
    [Read(headers=(("x", b"y" * 10_000_000),)), Read(key=b"k" * 10_000_000), Read(headers=(("a", b"b"),) * 100_000)],
    ids=["header", "key", "headers"],
)
def test_a_dead_letter_fits_a_broker_however_large_the_record_was(record):
    letter = dead_letter(record, "dead", reason="NOT_JSON", detail="d" * 100_000)
    headers = sum(len(name) + len(raw) for name, raw in letter.headers)
    assert headers + len(letter.key or b"") + len(letter.value or b"") < 1_000_000


def test_a_replayed_record_is_the_original_with_a_mark_and_is_not_replayed_twice():
    came = Read(value=b'{"a": 1}', headers=(("ce_id", b"7"),))
    message = replay_message(read_dead_letter(published(came)), "query-events")
    assert (message.topic, message.key, message.value) == ("query-events", came.key, came.value)
    assert trigger_of(message.headers) is Trigger.REPLAY
    assert [each for each in message.headers if each in came.headers] == list(came.headers)
    again = read_dead_letter(published(Read(value=message.value, headers=tuple(message.headers))))
    assert again.is_replay
    assert "before" in (again.cannot_be_replayed or "")


def test_foreign_headers_are_read_as_unknown():
    letter = read_dead_letter(
        Read(headers=(("dead-letter-offset", b"9" * 5000), ("dead-letter-partition", b"\xff"), ("x", b"\xff")))
    )
    assert (letter.reason, letter.offset, letter.partition) == ("UNKNOWN", -1, -1)


@given(st.lists(st.booleans(), max_size=60))
def test_the_limit_is_exceeded_exactly_as_its_policy_defines(ends):
    policy = DeadLetterPolicy(consecutive=4, ratio=0.5, window=10)
    limit = DeadLetterLimit(policy)
    for dead in ends:
        limit.count(dead=dead)
    marks = "".join("x" if dead else "." for dead in ends)
    windows = [ends[start : start + 10] for start in range(max(0, len(ends) - 9))]
    expected = "xxxx" in marks or any(sum(window) > 5 for window in windows)
    assert (limit.exceeded is not None) is expected


def test_no_limits_are_never_exceeded():
    limit = DeadLetterLimit(DeadLetterPolicy(consecutive=0, ratio=1, window=5))
    for _ in range(1000):
        limit.count(dead=True)
    assert limit.exceeded is None


def test_dead_letters_of_events_without_a_topic_have_unique_keys():
    letters = [
        dead_letter(PlainRecord(topic="query-events", key=None, value=value), "dead", reason="ID_CONFLICT", detail="d")
        for value in (b"{}", b"{} ")
    ]
    assert len({letter.key for letter in letters}) == 2
