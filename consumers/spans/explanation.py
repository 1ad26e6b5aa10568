"""Says for each span of an export what was read from it and which answer came, or why none did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from consumers.spans.attributes import SpanTable
from consumers.spans.join import Joined, JoinLimits, SpanJoin
from consumers.spans.span import Span
from consumers.spans.span_reader import SpanFields, SpanReader
from consumers.wire.span_source import ATTEMPTS

_LONGEST = 200
"""Characters of a value that are shown."""
_MOST_SPANS = 1_000
"""Spans that are explained one by one."""
Explanation = Mapping[str, JsonValue]


def explain(spans: Sequence[Span], table: SpanTable) -> Explanation:
    """What the spans of an export give, if no other span of their traces comes. Pure."""
    limits = JoinLimits(spans=len(spans) + 1, characters=1 << 62)
    join = SpanJoin(table, limits)
    steps = [Joined(events=join.add(spans, 0.0)), join.close_all()]
    roles = _roles(steps)
    reader = SpanReader(table)
    return {
        "answers": [_answer(cast("Mapping[str, JsonValue]", each.payload)) for step in steps for each in step.events],
        "without_answer": [
            {"trace_id": each.trace_id, "reason": each.reason.value, "read": [*each.read], "unread": [*each.unread]}
            for step in steps
            for each in step.unanswered
        ],
        "spans": [_span(each, reader.read(each), roles) for each in spans[:_MOST_SPANS]],
        "spans_left_out": max(0, len(spans) - _MOST_SPANS),
    }


_SHOWN = ("event_id", "tenant", "agent", "agent_version", "question", "sql", "dialect", "result", "attributes")


def _answer(payload: Mapping[str, JsonValue]) -> JsonValue:
    return {name: payload[name] for name in _SHOWN if payload.get(name) is not None}


def _roles(steps: Iterable[Joined]) -> Mapping[tuple[str, str], str]:
    """What became of each query."""
    roles: dict[tuple[str, str], str] = {}
    for event in (each for step in steps for each in step.events):
        held = cast("Mapping[str, object]", event.payload["attributes"])
        trace_id, span_id = event.trace.trace_id, str(held["span_id"])
        roles[trace_id, span_id] = "answer" if event.payload["question"] else "answer without a question"
        for each in cast("Sequence[Mapping[str, str]]", held.get(ATTEMPTS, ())):
            roles[trace_id, each["span_id"]] = f"attempt before {span_id}: {each['why']}"
    return roles


def _span(span: Span, fields: SpanFields, roles: Mapping[tuple[str, str], str]) -> JsonValue:
    role = roles.get((span.trace_id, span.span_id))
    if role is None and (fields.sql or fields.written):
        role = "SQL that another span of the question shows better"
    said: dict[str, JsonValue] = {
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "name": span.name,
        "kind": None if fields.kind is None else fields.kind.value,
        "role": role,
        "read": _read(fields),
        "unread": [*span.unread],
    }
    return {name: value for name, value in said.items() if value not in (None, [], {})}


def _read(fields: SpanFields) -> JsonValue:
    """For each field that was found, its attribute and its value."""
    values: dict[str, object] = {
        "sql": None if fields.called else fields.sql,
        "tool_sql": fields.sql if fields.called else None,
        "output": fields.written,
        "dialect": fields.dialect,
        "question": fields.question,
        "input": fields.input,
        "error": (fields.result or {}).get("error"),
        "rows": (fields.result or {}).get("rows"),
        **fields.inheritable,
    }
    sources = {"error": fields.sources.get("tool_output", ""), **fields.sources}
    return {
        row: {"from": sources.get(row, ""), "value": str(value)[:_LONGEST]}
        for row, value in values.items()
        if value is not None
    }
