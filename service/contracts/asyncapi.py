"""The topics as FastStream describes them for AsyncAPI: what stands on each, who writes and who reads it.

The subscribers read raw records (`consumers/stream/routers.py`), so that one bad record does not fail its batch. This
module says what they decode each record to.
"""

from datetime import datetime
from typing import Any, Literal

from faststream.kafka import KafkaBroker
from faststream.specification import AsyncAPI
from pydantic import BaseModel, ConfigDict, Field

from consumers.evaluation.outcomes import Trigger
from consumers.keep_labels import LabelDocument
from consumers.publishing.results import RESULT_TYPE
from consumers.references import REFERENCE_TYPE
from consumers.stream.dead_letters import PREFIX
from consumers.wire.events import QueryEvent
from scoring.query import UnscoredReason
from scoring.rules import Tier
from scoring.verdict import EnrichmentStatus, FilterStatus, Verdict
from service.pipeline.span_intake import TENANT_HEADER
from service.settings.stream_settings import KafkaSettings

_TEXT: dict[str, Any] = {"type": "string"}


class ScoreReason(BaseModel):
    """What moved the judge."""

    model_config = ConfigDict(extra="forbid")

    code: str
    detail: str


class ScoreEnrichment(BaseModel):
    """How faithful the enriched question is."""

    model_config = ConfigDict(extra="forbid")

    status: EnrichmentStatus | None
    score: float | None = Field(description="0 to 100.")


class QueryScore(BaseModel):
    """How an event ended. At least once, always with the same `evaluation_id`; keyed by event id."""

    model_config = ConfigDict(extra="forbid")

    evaluation_id: str
    event_id: str
    tenant: str
    source: str
    agent: str
    agent_version: str | None
    occurred_at: datetime
    trigger: Trigger
    score: float | None = Field(description="Φ, 0 to 100; null where `unscored` says why.")
    tier: Tier | None
    filter_status: FilterStatus | None
    verdict: Verdict | None
    confidence: float | None
    p_correct: float | None
    judge: str | None
    composite: dict[str, float] | None
    unscored: UnscoredReason | None
    evaluator_version: str
    rules_version: int
    reasons: list[ScoreReason]
    enrichment: ScoreEnrichment


class ReferenceSaid(BaseModel):
    """What an event's reference says of its answer, once it was judged. At least once, always with the same `ce_id`."""

    model_config = ConfigDict(extra="forbid")

    event_id: str
    tenant: str
    source: str
    agent: str
    agent_version: str | None
    evaluation_id: str = Field(description="The event's current evaluation.")
    reference: dict[str, Any] = Field(description="`verdict`, `level`, `counterexample` and what they rest on.")


def _headers(**names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: _TEXT | {"description": text} for name, text in names.items()}}


_CLOUD_EVENT = {
    "ce_specversion": "1.0; the `ce_` headers make it a CloudEvent, without any it is plain JSON.",
    "ce_id": "The event's identity, with its source.",
    "ce_source": "Where it was born.",
    "ce_type": "Any.",
    "ce_time": "RFC 3339.",
    "content-type": "application/json, or application/cloudevents+json for structured mode.",
}
_RESULT = {
    "ce_specversion": "1.0",
    "ce_id": "The evaluation's id.",
    "ce_source": "The event's source.",
    "ce_type": f"{RESULT_TYPE}, or {REFERENCE_TYPE}, whose id is its own.",
    "ce_time": "The event's time.",
    "content-type": "application/json",
}
_WHERE = {f"{PREFIX}{name}": f"The record's {name}." for name in ("topic", "partition", "offset", "timestamp")}
_DEAD = {f"{PREFIX}reason": "An invalid reason.", f"{PREFIX}detail": "One line for a person.", **_WHERE}


def _topics(settings: KafkaSettings) -> tuple[KafkaBroker, dict[str, dict[str, Any]]]:
    """A broker that is never started, and the headers of each topic's records."""
    broker = KafkaBroker(settings.bootstrap_servers or "localhost:9092")

    @broker.subscriber(settings.topic_events, title=settings.topic_events, description="Answers to score.")
    async def on_event(event: QueryEvent) -> None: ...

    spans = "OpenTelemetry ExportTraceServiceRequest, protobuf or JSON; keyed by trace id in hexadecimal."

    @broker.subscriber(settings.topic_spans, title=settings.topic_spans, description=spans)
    async def on_spans(spans: bytes) -> None: ...

    @broker.subscriber(settings.topic_labels, title=settings.topic_labels, description="What reviewers say.")
    async def on_label(label: LabelDocument) -> None: ...

    said = "Results: how an event ended, then, where it came with a reference, what that says of the answer."
    broker.publisher(
        settings.topic_scores, title=settings.topic_scores, description=said, schema=QueryScore | ReferenceSaid
    )
    dead = "Records that can never be an evaluation, as they came; a long one is cut."
    broker.publisher(settings.topic_dead, title=settings.topic_dead, description=dead, schema=bytes)
    return broker, {
        settings.topic_events: _headers(**_CLOUD_EVENT, ce_sampledrate="This event stands for so many."),
        settings.topic_spans: _headers(**{TENANT_HEADER: "The only tenant its sender may write for."}),
        settings.topic_labels: _headers(),
        settings.topic_scores: _headers(**_RESULT),
        settings.topic_dead: _headers(**_DEAD),
    }


def asyncapi(version: str, schema_version: Literal["3.0.0"] = "3.0.0") -> dict[str, Any]:
    """The AsyncAPI document of the topics by their default names."""
    broker, headers = _topics(KafkaSettings())
    described = AsyncAPI(
        broker,
        title="SQLAssay",
        version=version,
        description="Answers of text-to-SQL agents in, scores out.",
        schema_version=schema_version,
    )
    document: dict[str, Any] = described.to_specification().to_jsonable()
    for name, message in document["components"]["messages"].items():
        # FastStream's own header, which no record here has
        message.pop("correlationId", None)
        message["headers"] = headers[name.partition(":")[0]]
    return document
