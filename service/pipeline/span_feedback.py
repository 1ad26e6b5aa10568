"""Keeps the feedback that people gave in traces, as `POST /v1/feedback` keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import OutcomeKind
from consumers.keep_feedback import FeedbackRecord, KeepFeedback
from service.logs import log
from service.pipeline.process_parts import ProcessParts
from service.storage.feedback.feedback_store import PostgresFeedback


def keep_span_feedback(parts: ProcessParts) -> KeepSpanFeedback:
    """The use case with the parts of this process."""
    return KeepSpanFeedback(keep=KeepFeedback(store=PostgresFeedback(parts.engine), rules=parts.rules))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepSpanFeedback:
    """Keeps what people say in spans; it is attached to the answer of its trace once that is stored."""

    keep: KeepFeedback

    async def __call__(self, said: Sequence[dict[str, JsonValue]], tenant: str | None) -> None:
        """Raises `Unavailable` where it is not kept, and the spans must be sent again."""
        now = datetime.now(UTC)
        given = [FeedbackRecord(payload=each, tenant=tenant, sent_at=now) for each in said]
        faults = [each for each in (await self.keep(given) if given else []) if each is not None]
        if any(each.kind is OutcomeKind.DEFERRED for each in faults):
            raise Unavailable("feedback of these spans is not stored yet: send them again")
        for each in faults[:1]:
            log.warning("span_feedback_refused", reason=each.reason, refused=len(faults))
