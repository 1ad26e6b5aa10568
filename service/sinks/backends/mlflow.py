"""MLflow: feedback on the span. MLflow gives each assessment an id of its own, so one may exist before a second try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from service.settings.sink_settings import MlflowSink
from service.sinks.sink_request import SentBefore, SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore


@dataclass(frozen=True, slots=True)
class MlflowBackend:
    """Logs feedback for each evaluation that has a score and a trace of OpenTelemetry's, or of MLflow's own."""

    url: str
    settings: MlflowSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for each."""
        token = self.settings.token
        headers = {} if token is None else {"authorization": f"Bearer {token.get_secret_value()}"}
        return [
            SinkRequest(
                url=f"{self._of(trace)}/assessments",
                body=json_body({"assessment": _assessment(each, trace)}),
                scores=[each],
                headers=headers,
                sent_before=SentBefore(url=self._of(trace), arrived=partial(_has, str(each.id))),
            )
            for each in scores
            if each.score is not None and (trace := _trace(each)) is not None
        ]

    def _of(self, trace: str) -> str:
        return f"{self.url}/api/3.0/mlflow/traces/{trace}"


def _trace(each: StoredScore) -> str | None:
    if each.trace_id is not None and each.trace_id.startswith("tr-"):
        return each.trace_id
    return None if each.otel_trace is None else f"tr-{each.otel_trace}"


def _assessment(each: StoredScore, trace: str) -> dict[str, object]:
    at = f"{each.occurred_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    metadata = {name: value if isinstance(value, str) else str(value) for name, value in each.metadata().items()}
    return {
        "assessment_name": NAME,
        "trace_id": trace,
        **({"span_id": each.otel_span} if each.otel_span is not None else {}),
        "source": {"source_type": "CODE", "source_id": NAME},
        "create_time": at,
        "last_update_time": at,
        "feedback": {"value": each.score},
        "rationale": each.explanation(),
        "metadata": metadata,
    }


def _has(id_: str, found: Any) -> bool:
    """Whether an assessment of a trace is that of the evaluation."""
    info = found["trace"]["trace_info"]
    return any(each.get("metadata", {}).get("evaluation_id") == id_ for each in info.get("assessments", []))
