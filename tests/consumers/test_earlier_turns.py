"""The earlier turns of the messages that hold the question, as agents and frameworks write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from consumers.spans import JoinLimits, Span, SpanJoin, SpanTable
from consumers.spans.earlier_turns import MOST_SPOKEN, turns_before
from consumers.wire.events import decode_event
from scoring.query import Turn

FIRST, SQL, LAST = "How many hens are there?", "SELECT COUNT(*) FROM hens", "and in Graz?"
TURN = [{"question": FIRST, "sql": SQL}]


def called(arguments: object) -> list[dict[str, object]]:
    return [{"function": {"name": "run", "arguments": arguments}}]


@pytest.mark.parametrize(
    "answer",
    [
        [{"role": "assistant", "content": "", "tool_calls": called(json.dumps({"query": SQL}))}],
        [{"role": "assistant", "parts": [{"type": "tool_call", "name": "run", "arguments": {"sql": SQL}}]}],
        [{"role": "assistant", "content": [{"type": "tool_use", "name": "run", "input": {"sql": SQL}}]}],
        [{"type": "ai", "data": {"content": "", "tool_calls": [{"name": "run", "args": {"sql": SQL}}]}}],
        [{"role": "assistant", "content": f"Here it is:\n```sql\n{SQL}\n```\nThere are 3."}],
        [{"role": "assistant", "content": SQL}, {"role": "tool", "content": "3"}],
        [
            {"role": "assistant", "tool_calls": called({"sql": "SELECT 1 FROM pens"})},
            {"role": "assistant", "tool_calls": called({"sql": SQL})},
        ],
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_the_last_sql_after_a_message_of_the_user_is_its_answer(answer: list[dict[str, Any]], *, as_json: bool) -> None:
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": FIRST}, *answer]
    messages = [*said, {"role": "user", "content": LAST}, {"role": "assistant", "content": "SELECT 7 FROM now_asked"}]
    assert turns_before(json.dumps(messages) if as_json else messages, LAST) == TURN


@pytest.mark.parametrize("value", [LAST, "", None, 7, [], ["a", 1], {"a": 1}, '[{"role": 1}]', [{"role": "user"}], "["])
def test_what_holds_no_messages_has_no_turns(value: object) -> None:
    assert turns_before(value, LAST) == []


def test_messages_of_another_question_are_no_turns() -> None:
    assert turns_before([{"role": "user", "content": FIRST}, {"role": "user", "content": "Stop"}], LAST) == []


def test_turns_that_are_long_or_cannot_be_stored_are_left_out_and_the_latest_are_kept() -> None:
    texts = [*(f"Question {place}?" for place in range(40)), "x" * 100_000, "a\0b", LAST]
    found = turns_before([{"role": "user", "content": each} for each in texts], LAST)
    assert [each["question"] for each in found] == [f"Question {place}?" for place in range(42 - MOST_SPOKEN, 40)]


def test_an_event_of_spans_has_the_turns_of_its_question() -> None:
    messages = [["user", FIRST], ["ai", SQL], ["user", LAST]]
    asked = Span(
        trace_id="t", span_id="a", attributes={"gen_ai.input.messages": json.dumps(messages), "gen_ai.agent.name": "x"}
    )
    answered = Span(trace_id="t", span_id="b", parent_id="a", attributes={"db.query.text": "SELECT 1 FROM hens"})
    join = SpanJoin(SpanTable(), JoinLimits())
    events = [*join.add([asked, answered], 0.0), *join.close_all().events]
    [event] = [decode_event(each.payload, require_id=True) for each in events]
    assert event.question == LAST
    assert event.query().history == (Turn(question=FIRST, sql=SQL),)
