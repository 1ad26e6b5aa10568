"""Keeps the feedback that people gave in traces, as `POST /v1/feedback` keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import OutcomeKind
from consumers.keep_feedback import FeedbackRecord, KeepFeedback
from consumers.spans import Span, SpanTable
from consumers.spans.span_feedback import span_feedback
from service.logs import log
from service.pipeline.process_parts import ProcessParts
from service.storage.feedback.feedback_store import PostgresFeedback

_FEW = 100
"""Spans that are read on the event loop: a thread would cost more."""


def keep_span_feedback(parts: ProcessParts) -> KeepSpanFeedback:
    """The use case with the parts of this process."""
    keep = KeepFeedback(store=PostgresFeedback(parts.engine), rules=parts.rules)
    return KeepSpanFeedback(keep=keep, table=parts.settings.spans.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepSpanFeedback:
    """Keeps what people say in spans; it is attached to the answer of its trace once that is stored."""

    keep: KeepFeedback
    table: SpanTable

    async def __call__(self, spans: Sequence[Span], tenant: str | None) -> None:
        """Raises `Unavailable` where it is not kept, and the spans must be sent again."""
        now = datetime.now(UTC)
        said = await self._said(spans)
        given = [FeedbackRecord(payload=each, tenant=tenant, sent_at=now) for each in said]
        faults = [each for each in (await self.keep(given) if given else []) if each is not None]
        if any(each.kind is OutcomeKind.DEFERRED for each in faults):
            raise Unavailable("feedback of these spans is not stored yet: send them again")
        for each in faults[:1]:
            log.warning("span_feedback_refused", reason=each.reason, refused=len(faults))

    async def _said(self, spans: Sequence[Span]) -> list[dict[str, JsonValue]]:
        if len(spans) <= _FEW:
            return span_feedback(spans, self.table)
        return await asyncio.to_thread(span_feedback, spans, self.table)
