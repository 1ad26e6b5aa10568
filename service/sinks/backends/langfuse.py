"""Langfuse: a score of the observation. Its id is the evaluation's, so that a second one replaces the first."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from service.settings.sink_settings import LangfuseSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import NAME, StoredScore


@dataclass(frozen=True, slots=True)
class LangfuseBackend:
    """Creates a score for each evaluation that has one and a trace."""

    url: str
    settings: LangfuseSink

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for each."""
        secret = self.settings.secret_key.get_secret_value() if self.settings.secret_key else ""
        login = base64.b64encode(f"{self.settings.public_key}:{secret}".encode()).decode()
        return [
            SinkRequest(
                url=f"{self.url}/api/public/scores",
                body=json_body(_score(each)),
                scores=[each],
                headers={"authorization": f"Basic {login}"},
            )
            for each in scores
            if each.score is not None and each.trace_id is not None
        ]


def _score(each: StoredScore) -> dict[str, object]:
    return {
        "id": str(each.id),
        "traceId": each.trace_id,
        **({"observationId": each.span_id} if each.span_id is not None else {}),
        "name": NAME,
        "value": each.score,
        "dataType": "NUMERIC",
        "comment": each.explanation(),
        "metadata": each.metadata(),
    }
