from __future__ import annotations

import itertools
import json
import random
import re
import string
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.spans import JoinLimits, Span, SpanJoin, SpanTable, TraceKey
from consumers.spans.model_input import question_in
from consumers.spans.span_reader import SpanReader
from consumers.wire.events import InvalidEvent, decode_event
from scoring.evaluation import check_question
from scoring.query import UnscoredReason
from tests.costs import times_as_costly

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ASKED = {"sqlassay.question": "How many kites flew?", "gen_ai.agent.name": "gust"}
ANSWERED = {"db.query.text": "SELECT COUNT(*) FROM flights", "db.system.name": "postgresql"}


def span(name, parent=None, attributes=None, *, trace=TRACE, **more):
    def identity(letter):
        return letter.encode().hex().zfill(16)

    parent_id = identity(parent) if parent else None
    return Span(trace_id=trace, span_id=identity(name), parent_id=parent_id, attributes=attributes or {}, **more)


def join(*spans, table=None, **limits):
    """All events of the spans, each by its SQL span's letter."""
    opened = SpanJoin(table or SpanTable(), JoinLimits(**limits))
    events = [*opened.add(spans, 0.0), *opened.close_all().events]
    found: list[Any] = [each.payload for each in events]
    return {bytes.fromhex(each["attributes"]["span_id"]).decode().strip("\0"): each for each in found}


def test_question_and_sql_of_one_span_are_an_event():
    [event] = join(span("a", attributes=ASKED | ANSWERED, start_nanos=1_793_000_000_123_456_789)).values()
    assert decode_event(event, require_id=True).model_dump(mode="json") == {
        "event_id": f"{TRACE}-{span('a').span_id}",
        "source": "/opentelemetry",
        "tenant": "default",
        "agent": "gust",
        "agent_version": None,
        "occurred_at": "2026-10-26T07:33:20.123456Z",
        "question": "How many kites flew?",
        "enriched_question": None,
        "sql": "SELECT COUNT(*) FROM flights",
        "dialect": "postgres",
        "result": None,
        "history": None,
        "canary": None,
        "reference_sql": None,
        "attributes": {"trace_id": TRACE, "span_id": span("a").span_id},
    }


def test_the_nearest_question_above_the_sql_is_its_question():
    spans = [
        span("a", attributes=ASKED | {"sqlassay.question": "What is up?"}),
        span("b", "a", {"sqlassay.question": "How many kites flew?"}),
        span("c", "b"),
        span("d", "c", ANSWERED),
        span("e", "a", ANSWERED),
    ]
    asked = {name: event["question"] for name, event in join(*spans).items()}
    assert asked == {"d": "How many kites flew?", "e": "What is up?"}


def test_an_answer_beside_the_only_question_of_its_trace_answers_it():
    asked, answered = span("b", "a", ASKED), span("c", "a", ANSWERED)
    assert join(asked, answered)["c"]["question"] == "How many kites flew?"
    other = span("d", "a", {"sqlassay.question": "And today?"})
    assert join(asked, answered, other)["c"]["question"] == ""


def test_an_answer_without_a_question_is_unscored_for_that_reason():
    [event] = join(span("a", "b", ANSWERED)).values()
    unscored = check_question(decode_event(event, require_id=True).query())
    assert unscored is not None
    assert unscored.reason is UnscoredReason.NO_QUESTION


def test_a_blank_question_from_another_source_is_not_a_missing_one():
    unscored = check_question(decode_event({"question": " ", "sql": "s"}, require_id=False).query())
    assert unscored is not None
    assert unscored.reason is UnscoredReason.EMPTY_QUESTION


def test_an_enriched_question_above_the_question_belongs_to_another():
    outer, inner = {"sqlassay.enriched_question": "outer"}, {"sqlassay.enriched_question": "inner"}
    above = join(span("a", attributes=outer), span("b", "a", ASKED), span("c", "b", ANSWERED))
    assert "enriched_question" not in above["c"]
    below = join(span("a", attributes=outer | ASKED), span("b", "a", inner), span("c", "b", ANSWERED))
    assert below["c"]["enriched_question"] == "inner"
    beside = join(span("a", attributes=outer | ASKED), span("c", "a", ANSWERED))
    assert beside["c"]["enriched_question"] == "outer"


def test_agent_release_and_tenant_come_from_the_nearest_span_and_then_from_the_process():
    resource = {"service.name": "kite-api", "service.version": "9", "sqlassay.tenant": "kites"}
    [event] = join(span("a", attributes={"sqlassay.question": "q"} | ANSWERED, resource=resource)).values()
    assert (event["agent"], event["agent_version"], event["tenant"]) == ("kite-api", "9", "kites")
    agent = {"gen_ai.agent.name": "gust", "gen_ai.agent.version": "2", "sqlassay.tenant": "strings"}
    spans = span("a", attributes=agent | ASKED), span("b", "a", ANSWERED, resource=resource)
    [event] = join(*spans).values()
    assert (event["agent"], event["agent_version"], event["tenant"]) == ("gust", "2", "strings")


def test_the_table_lists_the_attributes_that_are_read():
    table = SpanTable(question=("ask",), sql=("answer",), attributes=("wind",))
    spans = [span("a", attributes={"ask": "q", "wind": 7, "other": 1} | ASKED), span("b", "a", {"answer": "s"})]
    [event] = join(*spans, span("c", "a", ANSWERED), table=table).values()
    assert (event["question"], event["sql"], event["attributes"]["wind"]) == ("q", "s", 7)
    assert "other" not in event["attributes"]
    assert {"ask", "answer", "wind"} <= table.span_names()
    assert table.resource_names() == {"sqlassay.tenant", "service.name", "service.version"}


@pytest.mark.parametrize("system", ["redis", "mongodb"])
def test_a_query_of_a_store_without_sql_is_not_an_answer(system):
    assert join(span("a", attributes=ASKED | {"db.query.text": "GET kite", "db.system.name": system})) == {}


@pytest.mark.parametrize("sql", ["BEGIN", "commit;", "START TRANSACTION READ ONLY", "ROLLBACK TO SAVEPOINT a"])
def test_a_transaction_statement_is_not_an_answer(sql):
    assert join(span("a", attributes=ASKED | {"db.query.text": sql})) == {}


@pytest.mark.parametrize("sql", ["", "DROP TABLE kites", "BEGIN " + "SELECT 1; " * 20 + "END"])
def test_every_other_statement_is_an_answer(sql):
    assert join(span("a", attributes=ASKED | {"db.query.text": sql}))["a"]["sql"] == sql


MESSAGES = [
    ("plain text", "How many?", "How many?"),
    ("blank text", "  ", None),
    ("text that only looks like JSON", "[urgent] How many?", "[urgent] How many?"),
    ("JSON that is no messages", '{"a": 1}', '{"a": 1}'),
    ("a number", 7, None),
    ("messages without a user", [{"role": "system", "content": "Be brief."}], None),
    (
        "the user's last words",
        [{"role": "user", "content": "Hi"}, {"role": "user", "content": "How many?"}],
        "How many?",
    ),
    (
        "an answer after them",
        [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "3"}],
        "How many?",
    ),
    (
        "a tool's result after them",
        [{"role": "user", "content": "q"}, {"role": "user", "parts": [{"type": "tool"}]}],
        "q",
    ),
    (
        "parts",
        [{"role": "user", "parts": [{"type": "text", "content": "How"}, {"type": "blob"}, "many?"]}],
        "How\nmany?",
    ),
    ("parts with text", [{"role": "human", "content": [{"type": "text", "text": "How many?"}]}], "How many?"),
    ("one message", {"role": "user", "content": "How many?"}, "How many?"),
    ("messages by name", {"messages": [{"role": "USER", "content": "How many?"}]}, "How many?"),
]


@pytest.mark.parametrize(("value", "question"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_the_question_is_the_users_last_message(value, question):
    assert question_in(value) == question
    if not isinstance(value, str):
        assert question_in(json.dumps(value)) == (question if question or isinstance(value, list) else str(value))


def test_an_event_is_given_as_soon_as_its_chain_is_complete():
    opened = SpanJoin(SpanTable(), JoinLimits())
    assert not opened.add([span("c", "b", ANSWERED), span("b", "a")], 0.0)
    assert len(opened.add([span("a", attributes=ASKED)], 5.0)) == 1
    assert not opened.add([span("a", attributes=ASKED), span("c", "b", ANSWERED)], 6.0)
    step = opened.close_due(60.0)
    assert not step.events
    assert [key.trace_id for key in step.closed] == [TRACE]
    assert (opened.spans, opened.characters, opened.due_at()) == (0, 0, None)


def test_a_caller_in_another_process_is_waited_for_only_while_something_is_missing():
    opened = SpanJoin(SpanTable(), JoinLimits())
    told = span("b", "a", ASKED, parent_is_remote=True)
    assert len(opened.add([span("c", "b", ANSWERED), told], 0.0)) == 1
    untold = span("e", "d", {"sqlassay.question": "q"}, parent_is_remote=True)
    assert not opened.add([span("f", "e", ANSWERED), untold], 0.0)
    [event] = opened.add([span("d", attributes={"gen_ai.agent.name": "gale"})], 0.0)
    assert event.payload["agent"] == "gale"


def test_a_trace_closes_when_its_time_is_up_counted_from_its_first_span():
    opened = SpanJoin(SpanTable(), JoinLimits(seconds=10))
    opened.add([span("b", "a", ANSWERED)], 0.0)
    assert opened.due_at() == 10.0
    opened.add([span("c", "a", trace="0" * 31 + "1")], 9.0)
    assert not opened.close_due(9.0).closed
    step = opened.close_due(10.0)
    assert [event.payload["question"] for event in step.events] == [""]
    assert [key.trace_id for key in step.closed] == [TRACE]


def test_the_oldest_trace_closes_early_when_a_bound_is_passed():
    for limits in (JoinLimits(spans=2), JoinLimits(characters=8000)):
        opened = SpanJoin(SpanTable(), limits)
        spans = [span("b", "a", ANSWERED, trace=f"{number:032x}") for number in range(1, 4)]
        opened.add(spans, 0.0)
        assert [key.trace_id for key in opened.close_due(0.0).closed] == [spans[0].trace_id]
        assert opened.spans == 2


def test_the_sender_that_holds_most_pays_for_a_bound_that_is_passed():
    opened = SpanJoin(SpanTable(), JoinLimits(spans=10))
    opened.add([span("b", "a", ANSWERED, trace=f"{1:032x}")], 0.0, tenant="kites")
    opened.add([span("b", "a", ANSWERED, trace=f"{number:032x}") for number in range(1, 21)], 1.0, tenant="strings")
    assert {key.tenant for key in opened.close_due(1.0).closed} == {"strings"}
    assert opened.spans == 10
    assert [key.tenant for key in opened.close_due(60.0).closed] == ["kites"]


def test_traces_close_in_slices_and_every_sender_alike():
    opened = SpanJoin(SpanTable(), JoinLimits())
    for tenant, count in (("strings", 500), ("kites", 5)):
        opened.add([span("b", "a", trace=f"{number:032x}") for number in range(1, count + 1)], 0.0, tenant=tenant)
    closed = [key.tenant for key in opened.close_due(60.0, most=10).closed]
    assert (closed.count("strings"), closed.count("kites")) == (5, 5)
    assert not opened.close_due(60.0, waiting={"strings"}).closed
    assert opened.due_at({"strings"}) is None
    assert len(opened.close_due(60.0).closed) == 495


def test_a_dropped_trace_gives_no_event():
    opened = SpanJoin(SpanTable(), JoinLimits())
    opened.add([span("b", "a", ANSWERED)], 0.0, tenant="kites")
    opened.drop([TraceKey("strings", TRACE)])
    assert opened.spans == 1
    opened.drop([TraceKey("kites", TRACE)])
    assert (opened.spans, opened.characters) == (0, 0)
    assert not opened.close_all().events


def test_spans_of_different_senders_are_not_joined():
    opened = SpanJoin(SpanTable(), JoinLimits())
    opened.add([span("b", "a", ANSWERED)], 0.0, tenant="kites")
    opened.add([span("a", attributes=ASKED)], 0.0, tenant="strings")
    assert [event.payload["question"] for event in opened.close_all().events] == [""]


def test_hostile_traces_cost_little_and_end():
    circle = [span(name, parent, ANSWERED) for name, parent in zip("abc", "bca", strict=True)]
    assert len(join(*circle, span("d", "d", ANSWERED))) == 1
    assert times_as_costly(joining_of_a_chain(2_000), joining_of_a_chain(1_000), 3) <= 3


def joining_of_a_chain(length):
    chain = [
        Span(trace_id=TRACE, span_id=f"{number:016x}", parent_id=f"{number + 1:016x}", attributes=dict(ANSWERED))
        for number in range(length)
    ]
    random.Random(7).shuffle(chain)

    def joined():
        opened = SpanJoin(SpanTable(), JoinLimits())
        assert len([*opened.add(chain, 0.0), *opened.close_all().events]) == 1

    return joined


LETTERS = string.ascii_lowercase[:7]
SAID = st.fixed_dictionaries(
    {},
    optional={
        "sqlassay.question": st.sampled_from(["q1", "q2", " "]),
        "sqlassay.enriched_question": st.sampled_from(["e1", "e2"]),
        "db.query.text": st.sampled_from(["SELECT 1", ""]),
        "gen_ai.agent.name": st.sampled_from(["gust", "gale"]),
        "gen_ai.conversation.id": st.sampled_from(["c1", "c2"]),
    },
)


@st.composite
def traces(draw):
    """Spans of one or two traces whose parents may be absent, remote, circular or themselves."""
    spans = []
    for trace, letter in itertools.product(["1" * 32, "2" * 32][: draw(st.integers(1, 2))], LETTERS):
        if draw(st.booleans()):
            parent = draw(st.none() | st.sampled_from(LETTERS))
            spans.append(span(letter, parent, draw(SAID), trace=trace, parent_is_remote=draw(st.booleans())))
    return spans


@pytest.mark.slow  # takes over a second
@given(traces(), st.data())
def test_any_order_within_an_export_gives_the_same_events(spans, data):
    def events(ordered):
        opened = SpanJoin(SpanTable(), JoinLimits())
        found = [*opened.add(ordered, 0.0), *opened.close_all().events]
        return sorted(json.dumps(each.payload, sort_keys=True) for each in found)

    again = data.draw(st.lists(st.sampled_from(spans), max_size=3)) if spans else []
    assert events([*data.draw(st.permutations(spans)), *again]) == events(spans)


@pytest.mark.slow  # takes over a second
@given(traces(), st.data())
def test_however_spans_arrive_no_query_is_lost_and_none_is_given_twice(spans, data):
    opened = SpanJoin(SpanTable(), JoinLimits())
    found = []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(spans)), max_size=4)))
    order = data.draw(st.permutations(spans))
    for start, end in itertools.pairwise([0, *cuts, len(order)]):
        found += opened.add(order[start:end], float(start))
    found += opened.close_all().events
    ids = [each.payload["event_id"] for each in found]
    assert len(ids) == len(set(ids))
    asked = {each.trace_id for each in spans if "db.query.text" in each.attributes}
    assert {each.trace.trace_id for each in found} == asked


JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3))


@given(st.dictionaries(st.sampled_from(sorted(SpanTable().span_names())), JSON | st.text()))
def test_any_attributes_are_read_as_an_event_or_an_invalid_one(attributes):
    only = span("a", attributes=attributes, resource=attributes)
    assert SpanReader(SpanTable()).read(only).size >= 0
    for event in join(only).values():
        try:
            assert decode_event(event, require_id=True).event_id
        except InvalidEvent:
            continue


def test_the_attribute_table_is_documented():
    page = (Path(__file__).parents[2] / "docs/events.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ((?:`[\w.:]+`(?:, )?)+) \|", page, flags=re.MULTILINE)
    documented = {field: tuple(re.findall(r"`(.+?)`", names)) for field, names in rows}
    assert documented == asdict(SpanTable())


def test_parameters_of_the_span_are_put_into_its_sql():
    bound = {
        "db.query.text": "SELECT id FROM kites WHERE colour = :c AND age > :n",
        "db.query.parameter.c": "r'd",
        "db.query.parameter.n": "5",
    }
    [event] = join(span("a", None, ASKED), span("b", "a", bound)).values()
    assert event["sql"] == "SELECT id FROM kites WHERE colour = 'r''d' AND age > 5"
    placed = {"db.query.text": "SELECT id FROM kites WHERE colour = ?", "db.query.parameter.0": "red"}
    [event] = join(span("a", None, ASKED), span("b", "a", placed)).values()
    assert event["sql"] == "SELECT id FROM kites WHERE colour = 'red'"
