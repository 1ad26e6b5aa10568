"""Which query of a trace is the answer, and what is told of the others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from consumers.spans import JoinLimits, NoAnswerReason, SpanJoin, SpanTable
from consumers.spans.answers import AttemptReason, is_catalogue_read
from consumers.spans.model_output import sql_of_output
from consumers.spans.tool_outputs import error_of_output
from consumers.wire.events import decode_event
from tests.consumers.test_spans import ASKED, join, span

GOOD, BAD = "SELECT COUNT(*) FROM flights WHERE wind > 5", "SELECT COUNT(*) FROM flights WHERE wnd > 5"
MODEL = {"openinference.span.kind": "LLM"}


def call(name, sql, place, output="[[3]]", tool="run_sql"):
    attributes = {"tool.name": tool, "input.value": json.dumps({"query": sql}), "output.value": output}
    return span(name, "a", attributes, start_nanos=place)


def database(name, sql, place, parent="a", **more):
    return span(name, parent, {"db.query.text": sql, **more}, start_nanos=place)


def attempts(event):
    return [(each["why"], each["sql"]) for each in event["attributes"].get("attempts", [])]


def test_a_retry_gives_one_answer_and_its_failed_attempt():
    failed = call("b", BAD, 1, "Error: (sqlite3.OperationalError) no such column: wnd")
    [event] = join(span("a", attributes=ASKED), failed, call("c", GOOD, 2)).values()
    assert (event["sql"], event.get("result"), attempts(event)) == (GOOD, None, [("failed", BAD)])


def test_retries_of_a_database_give_one_answer_as_soon_as_the_trace_is_complete():
    opened = SpanJoin(SpanTable(), JoinLimits())
    failed = database("b", BAD, 1, **{"error.type": "42703"})
    events = opened.add([failed, database("c", GOOD, 2), span("a", attributes=ASKED)], 0.0)
    assert [event.payload["sql"] for event in events] == [GOOD]
    assert not opened.close_all().unanswered


def test_where_every_try_failed_the_last_one_is_a_failed_answer():
    spans = [call("b", BAD, 1, "Error: no such column"), call("c", GOOD, 2, '{"is_error": true, "content": "boom"}')]
    [event] = join(span("a", attributes=ASKED), *spans).values()
    assert (event["sql"], event["result"]) == (GOOD, {"executed": False, "error": "boom"})


def test_looks_at_the_catalogue_checks_and_probes_are_attempts():
    spans = [
        database("b", "SELECT name FROM sqlite_master", 1),
        call("c", "SELECT DISTINCT wind FROM flights", 2),
        call("d", GOOD, 9, tool="sql_db_query_checker"),
        call("e", GOOD, 4),
    ]
    [event] = join(span("a", attributes=ASKED), *spans).values()
    assert bytes.fromhex(event["attributes"]["span_id"]).decode().strip("\0") == "e"
    assert [why for why, _ in attempts(event)] == ["catalogue", "earlier", "checked"]


def test_a_query_of_the_application_is_not_the_answer_of_the_agent():
    spans = [call("b", GOOD, 1), database("c", "SELECT id FROM chats", 2)]
    [event] = join(span("a", attributes=ASKED), *spans).values()
    assert (event["sql"], attempts(event)) == (GOOD, [("other", "SELECT id FROM chats")])


def test_each_question_of_a_trace_has_its_answer():
    asked = {"sqlassay.question": "And today?"}
    spans = [span("a", attributes=ASKED), database("b", GOOD, 1), span("c", "a", asked), database("d", BAD, 2, "c")]
    assert {event["question"]: event["sql"] for event in join(*spans).values()} == {
        "How many kites flew?": GOOD,
        "And today?": BAD,
    }


def test_a_query_that_arrives_after_its_answer_is_an_answer_unless_it_is_known():
    opened = SpanJoin(SpanTable(), JoinLimits())
    opened.add([database("b", GOOD, 1), span("a", attributes=ASKED)], 0.0)
    assert not opened.add([database("c", GOOD, 2)], 1.0)
    assert [event.payload["sql"] for event in opened.add([database("d", BAD, 3)], 2.0)] == [BAD]


@pytest.mark.parametrize(
    "output",
    [
        f"Here it is:\n```sql\n{GOOD}\n```\nDone.",
        GOOD,
        json.dumps({"answer": {"sql": GOOD}}),
        json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": f"```\n{GOOD}\n```"}]}]),
        [{"role": "assistant", "tool_calls": [{"function": {"arguments": json.dumps({"query": GOOD})}}]}],
    ],
)
def test_sql_that_a_model_gave_back_is_an_answer_where_nothing_ran_it(output):
    spans = [span("a", attributes=ASKED), span("b", "a", MODEL | {"output.value": output})]
    [event] = join(*spans).values()
    assert (event["sql"], event["question"], "result" in event) == (GOOD, "How many kites flew?", False)
    assert [*join(*spans, database("c", GOOD, 1))] == ["c"]


def test_what_a_step_was_called_with_is_the_question_before_the_prompt_of_the_model():
    prompt = json.dumps([{"role": "user", "content": "Tables: flights. Answer in SQL: How many kites flew?"}])
    model = span("b", "a", MODEL | {"gen_ai.input.messages": prompt, "output.value": GOOD})
    [event] = join(span("a", attributes={"input.value": '{"question": "How many kites flew?"}'}), model).values()
    assert event["question"] == "How many kites flew?"


@pytest.mark.parametrize(
    "output",
    [
        "SELECT it, please",
        "```python\nselect(1)\n```",
        [{"role": "user", "content": GOOD}],
        {"a": GOOD},
        7,
        None,
        [
            {"role": "assistant", "content": GOOD},
            {"role": "user", "content": "Thanks"},
            {"role": "assistant", "content": "Bye"},
        ],
        {"messages": [{"kwargs": {"type": "ai", "content": GOOD}}, {"kwargs": {"type": "human", "content": "Thanks"}}]},
    ],
)
def test_other_outputs_hold_no_sql(output):
    assert sql_of_output(output) is None


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("OperationalError: no such table: kites", True),
        ("sqlalchemy.exc.ProgrammingError: (psycopg.errors.UndefinedColumn)", True),
        ('{"status": "error", "content": [{"text": "relation does not exist"}]}', True),
        ('{"type": "tool", "content": "Error: near FORM", "status": "success"}', True),
        ('{"error": "syntax error"}', True),
        ("[]", False),
        ("errors: 0", False),
        ('[{"status": "failed", "count": 3}]', False),
        ('{"status": "failed", "count": 3}', False),
        ('[["Error", 3]]', False),
        ("3 kites failed", False),
    ],
)
def test_the_error_of_a_database_is_known_from_rows(output, error):
    assert (error_of_output(output) is not None) == error


@pytest.mark.parametrize(
    ("attributes", "error"),
    [
        ({"otel.status_code": "ERROR"}, "error"),
        ({"otel.status_code": "ERROR", "otel.status_description": "no such column"}, "no such column"),
        ({"exception.message": "no such column", "exception.type": "OperationalError"}, "no such column"),
        ({"db.response.status_code": "42P01"}, "42P01"),
    ],
)
def test_what_a_span_says_of_a_failure_is_the_result(attributes, error):
    [event] = join(span("a", attributes=ASKED), database("b", BAD, 1, **attributes)).values()
    assert event["result"] == {"executed": False, "error": error}
    assert decode_event(event, require_id=True).result is not None


def test_a_status_code_of_success_is_no_error():
    [event] = join(span("a", attributes=ASKED), database("b", GOOD, 1, **{"db.response.status_code": "00000"})).values()
    assert "result" not in event


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([span("a", unread=("my.question",))], NoAnswerReason.UNKNOWN_ATTRIBUTES),
        ([span("a", attributes=ASKED)], NoAnswerReason.NO_SQL),
        ([span("a", attributes=ASKED), database("b", "PRAGMA table_info(kites)", 1)], NoAnswerReason.ONLY_CATALOGUE),
    ],
)
def test_a_trace_without_an_answer_says_why(spans, reason):
    opened = SpanJoin(SpanTable(), JoinLimits())
    opened.add(spans, 0.0)
    [told] = opened.close_all().unanswered
    assert told.reason is reason
    assert set(told.unread) == {name for each in spans for name in each.unread}


def test_the_same_answer_with_other_attempts_is_a_duplicate():
    spans = [span("a", attributes=ASKED), call("b", BAD, 1, "Error: x"), call("c", GOOD, 2)]
    [whole], [part] = join(*spans).values(), join(spans[0], spans[2]).values()
    first, second = (decode_event(each, require_id=True) for each in (whole, part))
    assert first.attributes != second.attributes
    assert first.payload_hash == second.payload_hash


@pytest.mark.parametrize("sql", ["SHOW TABLES", "SELECT * FROM information_schema.columns", "select version()"])
def test_reads_of_the_catalogue_are_recognised(sql):
    assert is_catalogue_read(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM shows",
        "SELECT 1",
        "SELECT system FROM kites",
        "SET x = 1; SELECT id FROM kites",
        "WITH a AS (SELECT 1) SELECT 2",
    ],
)
def test_other_queries_are_no_reads_of_the_catalogue(sql):
    assert not is_catalogue_read(sql)


def test_every_reason_is_documented_and_no_other():
    page = (Path(__file__).parents[2] / "docs/events.md").read_text(encoding="utf-8")
    attempts = page.partition("Its `why`:\n\n")[2].partition("\n\n")[0]
    assert set(re.findall(r"^- `(\w+)`:", attempts, flags=re.MULTILINE)) == {each.value for each in AttemptReason}
    table = page.partition("| `reason` |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE)) == {each.value for each in NoAnswerReason}
