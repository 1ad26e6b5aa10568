"""Datadog: an evaluation of the span. A second one has the same span, label, time and tag of the evaluation's id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.settings.sink_settings import DatadogSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore


@dataclass(frozen=True, slots=True)
class DatadogBackend:
    """Submits each evaluation that has a score and a span of OpenTelemetry's."""

    url: str
    settings: DatadogSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for all."""
        metrics = {each.id: found for each in scores if (found := self._metric(each)) is not None}
        if not metrics:
            return []
        data = {"type": "evaluation_metric", "attributes": {"metrics": [*metrics.values()]}}
        return [
            SinkRequest(
                url=f"{self.url}/api/intake/llm-obs/v2/eval-metric",
                body=json_body({"data": data}),
                scores=[each for each in scores if each.id in metrics],
                headers={"dd-api-key": self.settings.api_key.get_secret_value() if self.settings.api_key else ""},
            )
        ]

    def _metric(self, each: StoredScore) -> dict[str, object] | None:
        if each.score is None or each.otel_trace is None or each.otel_span is None:
            return None
        app = self.settings.ml_app or each.agent
        return {
            "event_kind": "evaluation",
            # Datadog writes the ids of OpenTelemetry in decimal
            "join_on": {"span": {"span_id": str(int(each.otel_span, 16)), "trace_id": str(int(each.otel_trace, 16))}},
            "label": NAME,
            "metric_type": "score",
            "score_value": each.score,
            "timestamp_ms": int(each.occurred_at.timestamp() * 1000),
            "ml_app": app,
            "tags": [f"ml_app:{app}", "source:otel", f"evaluation_id:{each.id}", f"agent:{each.agent}"],
            "eval_scope": "span",
            "reasoning": each.explanation(),
            "metadata": each.metadata(),
        }
