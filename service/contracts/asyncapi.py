"""The AsyncAPI document of the Kafka topics: the messages on each, and who writes and reads them.

The real subscribers read raw records (`consumers/stream/routers.py`), so that one bad record does not fail its batch.
The subscribers here only declare what each record decodes to.
"""

from datetime import datetime
from typing import Any

from faststream.kafka import KafkaBroker
from faststream.specification import AsyncAPI
from pydantic import BaseModel, ConfigDict, Field

from consumers.evaluation.outcomes import Trigger
from consumers.publishing.result_messages import RESULT_TYPE
from consumers.references import REFERENCE_TYPE
from consumers.stream.dead_letters import HEADER_PREFIX
from consumers.wire.events import QueryEvent
from consumers.wire.feedback import FeedbackDocument
from consumers.wire.labels import LabelDocument
from scoring.query import UnscoredReason
from scoring.rules import Tier
from scoring.verdict import EnrichmentStatus, FilterStatus, Verdict
from service.pipeline.span_intake import TENANT_HEADER
from service.settings.stream_settings import KafkaSettings

_TEXT: dict[str, Any] = {"type": "string"}


class ScoreReason(BaseModel):
    """One of the judge's reasons."""

    model_config = ConfigDict(extra="forbid")

    code: str
    detail: str


class ScoreEnrichment(BaseModel):
    """Whether the enriched question keeps the meaning of the user's question."""

    model_config = ConfigDict(extra="forbid")

    status: EnrichmentStatus | None
    score: float | None = Field(description="0 to 100.")


class QueryScore(BaseModel):
    """The outcome of an event, keyed by event id. Delivered at least once, always with the same `evaluation_id`."""

    model_config = ConfigDict(extra="forbid")

    evaluation_id: str
    event_id: str
    tenant: str
    source: str
    agent: str
    agent_version: str | None
    occurred_at: datetime
    trigger: Trigger
    score: float | None = Field(description="Φ, 0 to 100. Null without a score; `unscored` has the reason.")
    tier: Tier | None
    filter_status: FilterStatus | None
    verdict: Verdict | None
    confidence: float | None
    p_correct: float | None = Field(description="The probability that the answer is right, with memory where it is on.")
    p_alone: float | None = Field(description="The same from this answer alone: average this one over an agent.")
    judge: str | None
    composite: dict[str, float] | None
    unscored: UnscoredReason | None
    evaluator_version: str
    rules_version: int
    reasons: list[ScoreReason]
    enrichment: ScoreEnrichment


class ReferenceResult(BaseModel):
    """The comparison of an answer with its reference. Delivered at least once, always with the same `ce_id`."""

    model_config = ConfigDict(extra="forbid")

    event_id: str
    tenant: str
    source: str
    agent: str
    agent_version: str | None
    evaluation_id: str = Field(description="The event's current evaluation.")
    reference: dict[str, Any] = Field(description="`verdict`, `level`, `counterexample` and their assumptions.")


def _headers(**names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: _TEXT | {"description": text} for name, text in names.items()}}


_CLOUD_EVENT = {
    "ce_specversion": "1.0. A record with `ce_` headers is a CloudEvent; without them it is plain JSON.",
    "ce_id": "The event's id. Together with its source it identifies the event.",
    "ce_source": "Where the event comes from.",
    "ce_type": "Any value.",
    "ce_time": "RFC 3339.",
    "content-type": "application/json, or application/cloudevents+json for structured mode.",
}
_RESULT = {
    "ce_specversion": "1.0",
    "ce_id": "The evaluation's id.",
    "ce_source": "The event's source.",
    "ce_type": f"{RESULT_TYPE}, or {REFERENCE_TYPE} with an id of its own.",
    "ce_time": "The event's time.",
    "content-type": "application/json",
}
_WHERE = {f"{HEADER_PREFIX}{name}": f"The record's {name}." for name in ("topic", "partition", "offset", "timestamp")}
_DEAD = {f"{HEADER_PREFIX}reason": "An invalid reason.", f"{HEADER_PREFIX}detail": "Why, in one line.", **_WHERE}


def _topics(settings: KafkaSettings) -> tuple[KafkaBroker, dict[str, dict[str, Any]]]:
    """A broker that only declares the topics, and the headers of each topic's records."""
    broker = KafkaBroker(settings.bootstrap_servers or "localhost:9092")

    @broker.subscriber(settings.topic_events, title=settings.topic_events, description="Answers to score.")
    async def on_event(event: QueryEvent) -> None: ...

    spans = "OpenTelemetry ExportTraceServiceRequest, protobuf or JSON; keyed by trace id in hexadecimal."

    @broker.subscriber(settings.topic_spans, title=settings.topic_spans, description=spans)
    async def on_spans(spans: bytes) -> None: ...

    @broker.subscriber(settings.topic_labels, title=settings.topic_labels, description="Reviewers' labels.")
    async def on_label(label: LabelDocument) -> None: ...

    said = "What the people who asked say about answers."

    @broker.subscriber(settings.topic_feedback, title=settings.topic_feedback, description=said)
    async def on_feedback(feedback: FeedbackDocument) -> None: ...

    results = "Results: the outcome of each event and, for events with a reference, the comparison with it."
    broker.publisher(
        settings.topic_scores, title=settings.topic_scores, description=results, schema=QueryScore | ReferenceResult
    )
    dead = "Invalid records, unchanged except that long ones are cut."
    broker.publisher(settings.topic_dead, title=settings.topic_dead, description=dead, schema=bytes)
    return broker, {
        settings.topic_events: _headers(
            **_CLOUD_EVENT, ce_sampledrate="The number of events that this one represents."
        ),
        settings.topic_spans: _headers(**{TENANT_HEADER: "The only tenant that the sender may write for."}),
        settings.topic_labels: _headers(),
        settings.topic_feedback: _headers(),
        settings.topic_scores: _headers(**_RESULT),
        settings.topic_dead: _headers(**_DEAD),
    }


def asyncapi(version: str) -> dict[str, Any]:
    """Builds the AsyncAPI document with the default topic names."""
    broker, headers = _topics(KafkaSettings())
    described = AsyncAPI(
        broker,
        title="SQLAssay",
        version=version,
        description="Answers of text-to-SQL agents in, scores out.",
        schema_version="3.0.0",
    )
    document: dict[str, Any] = described.to_specification().to_jsonable()
    for name, message in document["components"]["messages"].items():
        # a header that FastStream adds and no record here has
        message.pop("correlationId", None)
        message["headers"] = headers[name.partition(":")[0]]
    return document
