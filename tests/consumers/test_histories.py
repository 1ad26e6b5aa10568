"""The field `history` of an event: what scoring reads of it, and what is refused."""

from __future__ import annotations

import pytest

from consumers.wire.events import InvalidEvent, InvalidReason, QueryEvent, decode_event
from consumers.wire.history import MAX_HISTORY, MAX_TURN, MOST_TURNS
from scoring.query import Turn

PLAIN = {"question": "and in Faro?", "sql": "SELECT COUNT(*) FROM members WHERE town = 'Faro'"}


def decoded(history: object) -> QueryEvent:
    return decode_event({**PLAIN, "history": history}, require_id=False)


def test_turns_keep_their_order_and_may_lack_sql() -> None:
    turns = [{"question": "How many members are there?", "sql": "SELECT 1", "at": 7}, {"question": "and in Graz?"}]
    read = decoded(turns).query().history
    assert read == (Turn(question="How many members are there?", sql="SELECT 1"), Turn(question="and in Graz?"))
    assert decoded(None).query().history == decoded([]).query().history == ()


@pytest.mark.parametrize(
    ("history", "says"),
    [
        ("Quillfeather", ["history", "a string"]),
        ([{"sql": "SELECT 'Quillfeather'"}], ["history.0", "a turn needs its question"]),
        ([{"question": 7}], ["history.0"]),
        ([{"question": "x" * (MAX_TURN + 1)}], ["history.0", str(MAX_TURN)]),
        ([{"question": "x"}] * (MOST_TURNS + 1), ["history", str(MOST_TURNS)]),
        ([{"question": "x" * MAX_TURN}] * 5, ["history", str(MAX_HISTORY), "send the latest turns"]),
    ],
)
def test_a_wrong_or_large_history_is_refused_with_the_fix(history: object, says: list[str]) -> None:
    with pytest.raises(InvalidEvent) as refusal:
        decoded(history)
    assert refusal.value.reason in (InvalidReason.INVALID_FIELD, InvalidReason.MISSING_FIELD)
    assert [word for word in says if word not in refusal.value.detail] == []
    assert "Quillfeather" not in refusal.value.detail


def test_a_character_that_no_database_stores_is_refused() -> None:
    with pytest.raises(InvalidEvent) as refusal:
        decoded([{"question": "a\0b"}])
    assert refusal.value.reason is InvalidReason.INVALID_TEXT


def test_an_event_that_was_written_and_read_again_has_the_same_hash() -> None:
    first = decoded([{"question": "How many members are there?", "sql": None}])
    assert decode_event(first.model_dump(), require_id=False).payload_hash == first.payload_hash
    assert first.payload_hash != decoded(None).payload_hash
    assert decoded([]).payload_hash == decoded(None).payload_hash
