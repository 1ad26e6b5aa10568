"""Answers that only a tool call shows, in the shapes in which agents' SDKs write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.spans import JoinLimits, SpanJoin, SpanTable
from tests.consumers.test_spans import ANSWERED, ASKED, join, span

SQL = "SELECT COUNT(*) FROM flights"
QUESTION = "How many kites flew?"
ARGUMENTS = [
    ("the conventions of OpenTelemetry", {"gen_ai.tool.name": "run_sql", "gen_ai.tool.call.arguments": {"query": SQL}}),
    ("as JSON", {"gen_ai.tool.name": "run_sql", "gen_ai.tool.call.arguments": json.dumps({"sql": SQL, "limit": 5})}),
    (
        "as a Python dictionary in JSON",
        {"gen_ai.tool.name": "q", "gen_ai.tool.call.arguments": json.dumps({"input_str": repr({"query": SQL})})},
    ),
    ("an event", {"gen_ai.tool.name": "run_sql", "gen_ai.tool.message": json.dumps({"query": SQL})}),
    ("plain SQL", {"tool.name": "sql_db_query", "input.value": SQL}),
    ("arguments by name", {"tool.name": "sql", "input.value": json.dumps({"args": [], "kwargs": {"query": SQL}})}),
]
NO_SQL = [
    {"gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": '{"query": "kites with two lines"}'},
    {"gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": '{"query": "select a kite"}'},
    {"gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": '{"input_str": "' + "[" * 5000 + '"}'},
    {"openinference.span.kind": "CHAIN", "input.value": SQL},
]
INPUTS = [
    ("plain words", QUESTION),
    ("a task", json.dumps({"task": QUESTION, "stream": False})),
    ("pairs", json.dumps({"messages": [["user", "Hi"], ["assistant", "Hello"], ["user", QUESTION]]})),
    ("typed messages", json.dumps({"messages": [{"type": "human", "data": {"content": QUESTION}}]})),
    ("wrapped", json.dumps({"inputs": {"messages": [["human", QUESTION]]}, "tags": []})),
    ("a bundle", json.dumps({"query_bundle": {"query_str": QUESTION, "image_path": None}})),
]


@pytest.mark.parametrize("call", [case[1] for case in ARGUMENTS], ids=[case[0] for case in ARGUMENTS])
def test_the_sql_of_a_tool_call_is_an_answer(call):
    [event] = join(span("a", attributes=ASKED), span("b", "a", call)).values()
    assert (event["sql"], event["question"], event["agent"]) == (SQL, QUESTION, "gust")


@pytest.mark.parametrize("attributes", NO_SQL)
def test_other_calls_and_steps_are_no_answers(attributes):
    assert join(span("a", attributes=ASKED), span("b", "a", attributes)) == {}


def test_the_sql_that_the_database_shows_is_the_answer_and_not_the_call_above_it():
    call = span("b", "a", {"gen_ai.tool.name": "run_sql", "gen_ai.tool.call.arguments": {"query": SQL}})
    assert [*join(span("a", attributes=ASKED), call, span("c", "b"), span("d", "c", ANSWERED))] == ["d"]
    nested = span("c", "b", {"tool.name": "sql", "input.value": SQL})
    assert [*join(span("a", attributes=ASKED), call, nested)] == ["c"]


@pytest.mark.parametrize("value", [case[1] for case in INPUTS], ids=[case[0] for case in INPUTS])
def test_the_question_is_found_in_what_the_agent_was_called_with(value):
    for name in ("input.value", "traceloop.entity.input"):
        [event] = join(span("a", attributes={name: value}), span("b", "a", ANSWERED)).values()
        assert event["question"] == QUESTION


def test_a_question_that_is_named_as_one_wins_over_what_a_step_was_called_with():
    step = span("b", "a", {"input.value": "Write a query"})
    [event] = join(span("a", attributes=ASKED), step, span("c", "b", ANSWERED)).values()
    assert event["question"] == QUESTION


def test_the_model_calls_beside_a_tool_call_tell_its_question():
    messages = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    model = span("b", "a", {"gen_ai.input.messages": json.dumps(messages)})
    called = span("c", "a", {"gen_ai.tool.name": "run_sql", "gen_ai.tool.call.arguments": {"query": SQL}})
    assert join(span("a"), model, called)["c"]["question"] == QUESTION


def test_the_messages_of_an_agents_run_and_the_events_of_a_user_are_questions():
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}])
    for attributes in ({"pydantic_ai.all_messages": messages}, {"gen_ai.user.message": f'[{{"text": "{QUESTION}"}}]'}):
        assert join(span("a", attributes=attributes), span("b", "a", ANSWERED))["b"]["question"] == QUESTION


SAID = st.sampled_from(
    [
        {"gen_ai.tool.name": "run_sql", "gen_ai.tool.call.arguments": {"query": SQL}},
        {"input.value": QUESTION},
        {"input.value": "Which?"},
        ASKED,
        ANSWERED,
        {},
    ]
)


@pytest.mark.slow  # takes over a second
@given(st.lists(st.tuples(st.none() | st.sampled_from("abcdef"), SAID), min_size=1, max_size=6), st.data())
def test_any_order_gives_the_same_answers_of_calls(said, data):
    def events(spans):
        opened = SpanJoin(SpanTable(), JoinLimits())
        found = [*opened.add(spans, 0.0), *opened.close_all().events]
        return sorted(json.dumps(each.payload, sort_keys=True) for each in found)

    spans = [span(name, parent, attributes) for name, (parent, attributes) in zip("abcdef", said, strict=False)]
    assert events(data.draw(st.permutations(spans))) == events(spans)
