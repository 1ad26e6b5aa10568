"""Opik: a feedback score of the span or the trace. It has one of each name, so that a second one replaces the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from service.settings.sink_settings import OpikSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore


@dataclass(frozen=True, slots=True)
class OpikBackend:
    """Gives feedback for each evaluation with a score whose event names Opik's own ids, which are UUIDs."""

    url: str
    settings: OpikSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for the spans, and one for the traces."""
        scored = [each for each in scores if each.score is not None]
        spans = {_uuid(each.span_id): each for each in scored}
        traces = {_uuid(each.trace_id): each for each in scored if _uuid(each.span_id) is None}
        return [*self._of("spans", spans), *self._of("traces", traces)]

    def _of(self, kind: str, scores: dict[str | None, StoredScore]) -> list[SinkRequest]:
        known = {id_: each for id_, each in scores.items() if id_ is not None}
        if not known:
            return []
        key, workspace = self.settings.api_key, self.settings.workspace
        headers = {"authorization": key.get_secret_value()} if key is not None else {}
        return [
            SinkRequest(
                method="PUT",
                url=f"{self.url}/v1/private/{kind}/feedback-scores",
                body=json_body({"scores": [_feedback(id_, each) for id_, each in known.items()]}),
                scores=[*known.values()],
                headers=headers | ({"comet-workspace": workspace} if workspace is not None else {}),
            )
        ]


def _feedback(id_: str, each: StoredScore) -> dict[str, object]:
    reason = f"{each.explanation()}\nevaluation {each.id}"
    return {"id": id_, "name": NAME, "value": each.score, "reason": reason, "source": "sdk"}


def _uuid(text: str | None) -> str | None:
    try:
        return str(UUID(text)) if text is not None and "-" in text else None
    except ValueError:
        return None
