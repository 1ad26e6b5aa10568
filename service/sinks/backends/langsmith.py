"""LangSmith: feedback on the run. Its id is the evaluation's, and a second one with it is refused as known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from service.settings.sink_settings import LangsmithSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore

_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class LangsmithBackend:
    """Gives feedback for each evaluation that has a score and a run."""

    url: str
    settings: LangsmithSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for each."""
        key = self.settings.api_key.get_secret_value() if self.settings.api_key else ""
        return [
            SinkRequest(
                url=f"{self.url}/feedback",
                body=json_body(_feedback(each, run)),
                scores=[each],
                headers={"x-api-key": key},
                delivered=frozenset({_CONFLICT}),
            )
            for each in scores
            if each.score is not None and (run := _run(each)) is not None
        ]


def _run(each: StoredScore) -> UUID | None:
    """The run that the event names, or the root run: its id has the same 128 bits as the trace of OpenTelemetry's."""
    for text in (each.span_id, each.trace_id):
        try:
            return UUID(text or "")
        except ValueError:
            continue
    return None


def _feedback(each: StoredScore, run: UUID) -> dict[str, object]:
    return {
        "id": str(each.id),
        "run_id": str(run),
        "key": NAME,
        "score": each.score,
        "comment": each.explanation(),
        "feedback_source": {"type": "api", "metadata": each.metadata()},
    }
