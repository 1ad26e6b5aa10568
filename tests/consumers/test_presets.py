"""What is read of instrumentations that no recording has, in the attributes that they write."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from consumers.spans.attributes import is_read
from consumers.spans.indexed import gathered
from consumers.spans.kinds import SpanKind, kind_of
from consumers.spans.presets import PRESETS
from tests.consumers.test_spans import join, span

QUESTION, SQL = "How many kites flew?", "SELECT COUNT(*) FROM flights"
FAILED = "Error: no such column: wnd"
ARGUMENTS = json.dumps({"query": SQL})
VERCEL = {"ai.telemetry.functionId": "weaver"}
ADK = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_sql"}


def named(attributes):
    return replace(span("a", attributes=attributes), name="weaver")


TRACES = {
    "Vercel AI SDK, without a tool": [
        span(
            "a",
            attributes=VERCEL | {"ai.operationId": "ai.generateText", "ai.prompt": json.dumps({"prompt": QUESTION})},
        ),
        span(
            "b",
            "a",
            VERCEL | {"ai.operationId": "ai.generateText.doGenerate", "ai.response.text": f"```sql\n{SQL}\n```"},
        ),
    ],
    "Vercel AI SDK, a structured answer": [
        span(
            "a",
            attributes=VERCEL
            | {
                "ai.operationId": "ai.generateObject.doGenerate",
                "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]),
                "ai.response.object": json.dumps({"sql": SQL}),
            },
        )
    ],
    "Vercel AI SDK, with a tool": [
        span(
            "a", attributes=VERCEL | {"ai.operationId": "ai.streamText", "ai.prompt": json.dumps({"prompt": QUESTION})}
        ),
        span(
            "b",
            "a",
            VERCEL | {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "run_sql", "ai.toolCall.args": ARGUMENTS},
        ),
    ],
    "Google ADK": [
        span("a", attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "weaver"}),
        span(
            "b",
            "a",
            {
                "gcp.vertex.agent.llm_request": json.dumps(
                    {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}, {"role": "model", "parts": []}]}
                )
            },
        ),
        span("c", "a", ADK | {"gcp.vertex.agent.tool_call_args": ARGUMENTS}),
    ],
    "OpenInference, messages by place": [
        span("a", attributes={"openinference.span.kind": "AGENT", "graph.node.id": "weaver"}),
        span(
            "b",
            "a",
            {
                "openinference.span.kind": "LLM",
                "llm.input_messages.0.message.role": "system",
                "llm.input_messages.0.message.content": "Write SQL.",
                "llm.input_messages.1.message.role": "user",
                "llm.input_messages.1.message.contents.0.message_content.type": "text",
                "llm.input_messages.1.message.contents.0.message_content.text": QUESTION,
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": ARGUMENTS,
            },
        ),
    ],
    "Traceloop, messages by place": [
        span("a", attributes={"traceloop.span.kind": "agent", "traceloop.entity.name": "weaver"}),
        span(
            "b",
            "a",
            {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": QUESTION,
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": f"```sql\n{SQL}\n```",
            },
        ),
    ],
    "MLflow": [
        named({"mlflow.spanType": '"AGENT"', "mlflow.spanInputs": json.dumps({"question": QUESTION})}),
        span("b", "a", {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": ARGUMENTS, "mlflow.spanOutputs": '"[[3]]"'}),
    ],
    "CrewAI and DSPy through OpenInference": [
        named({"openinference.span.kind": "AGENT", "input.value": json.dumps({"task": QUESTION})}),
        span("b", "a", {"openinference.span.kind": "LLM", "output.value": json.dumps({"reasoning": "", "sql": SQL})}),
    ],
}


@pytest.mark.parametrize("spans", TRACES.values(), ids=TRACES.keys())
def test_each_instrumentation_gives_question_sql_and_agent(spans):
    [event] = join(*spans).values()
    assert (event["question"], event["sql"], event["agent"]) == (QUESTION, SQL, "weaver")


@pytest.mark.parametrize(
    "attributes",
    [
        ADK
        | {
            "gcp.vertex.agent.tool_call_args": ARGUMENTS,
            "gcp.vertex.agent.tool_response": json.dumps({"result": FAILED}),
        },
        {"ai.operationId": "ai.toolCall", "ai.toolCall.args": ARGUMENTS, "ai.toolCall.result": json.dumps(FAILED)},
        {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": ARGUMENTS, "mlflow.spanOutputs": json.dumps(FAILED)},
        {
            "langfuse.observation.type": "tool",
            "langfuse.observation.input": ARGUMENTS,
            "langfuse.observation.output": FAILED,
        },
        {"tool.name": "run_sql", "input.value": ARGUMENTS, "output.value": json.dumps({"blocks": [{"text": FAILED}]})},
    ],
)
def test_the_error_that_a_tool_gave_back_is_the_result(attributes):
    [event] = join(span("a", attributes={"sqlassay.question": QUESTION}), span("b", "a", attributes)).values()
    assert event["result"] == {"executed": False, "error": FAILED}


def test_the_template_of_a_prompt_is_no_question():
    template = {"prompt": "PromptTemplate(metadata={}, template='{query_str}')"}
    spans = [span("a", attributes={"input.value": QUESTION}), span("b", "a", {"input.value": json.dumps(template)})]
    [event] = join(*spans, span("c", "b", {"openinference.span.kind": "LLM", "output.value": SQL})).values()
    assert event["question"] == QUESTION


def test_what_a_search_found_is_no_answer():
    found = {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps({"sql": SQL})}
    assert join(span("a", attributes={"sqlassay.question": QUESTION}), span("b", "a", found)) == {}


def test_places_in_lists_are_read_and_other_numbers_are_not():
    assert gathered({"a.1.b": 2, "a.0.b": 1, "c": 3, "db.query.parameter.0.x": 4}) == {
        "c": 3,
        "db.query.parameter.0.x": 4,
        "a": [{"b": 1}, {"b": 2}],
    }
    assert gathered({"a": 1, "a.0.b": 2}) == {"a": 1}
    assert not is_read("llm.tools.0.name", frozenset({"llm.input_messages"}))


def test_presets_have_names_of_their_own_and_kinds_are_known():
    assert len({each.name for each in PRESETS}) == len(PRESETS)
    assert [kind_of(each) for each in ("LLM", "ai.toolCall", "invoke_agent", "chain", 7)] == [
        SpanKind.MODEL,
        SpanKind.TOOL,
        SpanKind.AGENT,
        None,
        None,
    ]
