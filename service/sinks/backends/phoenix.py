"""Phoenix: an annotation of the span. Its identifier is the evaluation's id: a second one replaces the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.settings.sink_settings import PhoenixSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore


@dataclass(frozen=True, slots=True)
class PhoenixBackend:
    """Annotates the span of each evaluation that has a score and a span of OpenTelemetry's."""

    url: str
    settings: PhoenixSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for all, which is answered when the annotations are stored."""
        key = self.settings.api_key
        annotated = [each for each in scores if each.score is not None and each.otel_span is not None]
        request = SinkRequest(
            url=f"{self.url}/v1/span_annotations?sync=true",
            body=json_body({"data": [_annotation(each) for each in annotated]}),
            scores=annotated,
            headers={} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"},
        )
        return [request] if annotated else []


def _annotation(each: StoredScore) -> dict[str, object]:
    return {
        "span_id": each.otel_span,
        "name": NAME,
        "annotator_kind": "CODE",
        "result": {"label": each.tier, "score": each.score, "explanation": each.explanation()},
        "metadata": each.metadata(),
        "identifier": str(each.id),
    }
