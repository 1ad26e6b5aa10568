"""How an event ended, as published on the topic of results: at least once, always with the same id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast
from uuid import UUID

import orjson

from consumers.evaluation.event_evaluation import Evaluation, EventKey
from consumers.stream.ports import Message

RESULT_TYPE = "sqlassay.evaluation.v1"
"""CloudEvents type of a result."""
_COPIED = (
    "score tier filter_status verdict confidence p_correct judge composite unscored evaluator_version rules_version"
).split()
"""Fields of the line out that a result carries as they are."""
_MOST_DETAIL = 300


def result_message(evaluation: Evaluation, topic: str) -> Message:
    """The result of an evaluation that was just written."""
    event = evaluation.event
    return _message(
        evaluation.key,
        evaluation.id,
        {
            "agent": event.agent,
            "agent_version": event.agent_version,
            "occurred_at": evaluation.occurred_at,
            "trigger": evaluation.trigger.value,
        },
        evaluation.record,
        topic,
    )


def stored_message(row: Mapping[str, object], topic: str) -> Message:
    """The same result, published again from the stored row."""
    key = EventKey(str(row["tenant"]), str(row["source"]), str(row["event_id"]))
    context = {name: row[name] for name in ("agent", "agent_version", "occurred_at", "trigger")}
    return _message(key, cast("UUID", row["id"]), context, cast("Mapping[str, object]", row["record"]), topic)


def _message(
    key: EventKey, id_: UUID, context: Mapping[str, object], record: Mapping[str, object], topic: str
) -> Message:
    reasons = cast("Sequence[Mapping[str, object]]", record.get("reasons") or ())
    enrichment = cast("Mapping[str, object]", record.get("enrichment") or {})
    document = {
        "evaluation_id": str(id_),
        "event_id": key.event_id,
        "tenant": key.tenant,
        "source": key.source,
        **context,
        **{name: record.get(name) for name in _COPIED},
        "p_alone": record.get("p_alone", record.get("p_correct")),
        "reasons": [{"code": each["code"], "detail": str(each["detail"])[:_MOST_DETAIL]} for each in reasons],
        "enrichment": {"status": enrichment.get("status"), "score": enrichment.get("score")},
    }
    moment = context["occurred_at"]
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_type", RESULT_TYPE.encode()),
        ("ce_id", str(id_).encode()),
        ("ce_source", key.source.encode()),
        ("ce_time", moment.isoformat().encode() if isinstance(moment, datetime) else b""),
        ("content-type", b"application/json"),
        ("ce_traceparent", str(record.get("traceparent") or "").encode()),
    ]
    return Message(
        topic=topic,
        key=key.event_id.encode(),
        value=orjson.dumps(document, option=orjson.OPT_UTC_Z),
        headers=[each for each in headers if each[1]],
    )
