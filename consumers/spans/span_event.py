"""Writes the answer of a trace as an event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from consumers.spans.answers import Chosen
from consumers.spans.span_reader import INHERITED, SpanFields
from consumers.wire.span_source import ATTEMPTS, SPAN_SOURCE


def payload_of(trace_id: str, chosen: Chosen) -> dict[str, object]:
    """The fields of the event."""
    answer = chosen.answer
    fields = answer.fields
    asked = place_of_question(fields, from_output=answer.from_output)
    own = {"trace_id": trace_id, "span_id": answer.span_id}
    attempts = {ATTEMPTS: chosen.described_attempts()} if chosen.attempts else {}
    payload: dict[str, object] = {
        **_inherited(fields, asked),
        "event_id": f"{trace_id}-{answer.span_id}",
        "source": SPAN_SOURCE,
        "question": answer.question,
        "sql": answer.sql,
        "dialect": None if answer.from_output else fields[0].dialect,
        "occurred_at": _moment(answer.start_nanos),
        "attributes": _attributes(fields) | own | attempts,
    }
    if asked < len(fields) and fields[asked].history:
        payload["history"] = fields[asked].history
    if fields[0].result is not None and not answer.from_output:
        payload["result"] = fields[0].result
    return payload


def question_of(fields: Sequence[SpanFields], *, from_output: bool = False) -> str:
    """The question of a chain of spans, from the query upwards; empty where it has none."""
    place = place_of_question(fields, from_output=from_output)
    return (fields[place].question or fields[place].input or "") if place < len(fields) else ""


def place_of_question(fields: Sequence[SpanFields], *, from_output: bool = False) -> int:
    """Which span of a chain has the question; one past the last where none has.

    Above a model that wrote the SQL, what a step was called with counts before the model's prompt, which may hold more
    than the question.
    """
    if from_output:
        above = place_of_question(fields[1:]) + 1
        return above if above < len(fields) or not _asks(fields[0]) else 0
    asked = (place for place, each in enumerate(fields) if each.question is not None)
    called = (place for place, each in enumerate(fields) if each.input is not None)
    return next(asked, next(called, len(fields)))


def _asks(fields: SpanFields) -> bool:
    return fields.question is not None or fields.input is not None


def _inherited(fields: Sequence[SpanFields], asked: int) -> dict[str, object]:
    """For each field, the value of the nearest span; an enriched question above the span of the question is ignored."""
    found: dict[str, object] = dict(fields[0].fallback)
    for place in reversed(range(len(fields))):
        names = INHERITED if place <= asked else INHERITED - {"enriched_question"}
        found |= {name: text for name, text in fields[place].inheritable.items() if name in names}
    return found


def _attributes(fields: Sequence[SpanFields]) -> dict[str, object]:
    return {name: value for each in reversed(fields) for name, value in each.attributes.items()}


def _moment(nanos: int) -> str | None:
    return (_EPOCH + timedelta(microseconds=nanos // 1000)).isoformat() if 0 < nanos < 1 << 64 else None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
