"""What a sink is told of a stored evaluation: its score and reasons, and where its trace is. No question and no SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

NAME = "sqlassay"
"""The name of the score in every backend."""
_MOST_REASONS = 5
_TRACE_DIGITS, _SPAN_DIGITS = 32, 16


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScore:
    """One evaluation."""

    id: UUID
    tenant: str
    agent: str
    agent_version: str | None
    source: str
    event_id: str
    occurred_at: datetime
    score: float | None
    """In [0, 100]; `None` has the reason in `unscored`."""
    tier: str | None
    verdict: str | None
    filter_status: str | None
    p_correct: float | None
    unscored: str | None
    reasons: Sequence[Mapping[str, Any]]
    """Each with `code`, `kind`, `detail` and `weight`."""
    judge: str | None
    evaluator_version: str
    rules_version: int
    trace_id: str | None
    """As the producer wrote it; in hexadecimal if it is OpenTelemetry's."""
    span_id: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> StoredScore:
        """Reads a row of the table `evaluations`."""
        record = cast("Mapping[str, Any]", row["record"])
        trace_id, span_id = _place(row["attributes"], record.get("traceparent"))
        same = {name: row[name] for name in _SAME}
        return cls(**same, reasons=record.get("reasons") or (), trace_id=trace_id, span_id=span_id)

    @property
    def otel_trace(self) -> str | None:
        """The trace's id, if it is OpenTelemetry's: 32 hexadecimal digits."""
        return _hexadecimal(self.trace_id, _TRACE_DIGITS)

    @property
    def otel_span(self) -> str | None:
        """The span's id, if it is OpenTelemetry's: 16 hexadecimal digits."""
        return _hexadecimal(self.span_id, _SPAN_DIGITS)

    def explanation(self) -> str:
        """The verdict, the filter status, and the reasons that moved the judge most with what each found."""
        lines = [f"{each['code']}: {each['detail']}".removesuffix(": ") for each in self.reasons[:_MOST_REASONS]]
        head = "; ".join(each for each in (self.verdict, self.filter_status, self.unscored) if each)
        return "\n".join([head, *lines])

    def metadata(self) -> dict[str, Any]:
        """What a backend keeps beside the score."""
        return {
            "evaluation_id": str(self.id),
            "tier": self.tier,
            "verdict": self.verdict,
            "p_correct": self.p_correct,
            "reason_codes": [each["code"] for each in self.reasons],
            "judge": self.judge,
            "evaluator_version": self.evaluator_version,
            "rules_version": self.rules_version,
            "agent": self.agent,
            "tenant": self.tenant,
        }


_SAME = (
    *("id", "tenant", "agent", "agent_version", "source", "event_id", "occurred_at", "score", "tier", "verdict"),
    *("filter_status", "p_correct", "unscored", "judge", "evaluator_version", "rules_version"),
)
"""The fields that are columns."""


def _place(attributes: object, traceparent: object) -> tuple[str | None, str | None]:
    """The trace and span that the answer came from, or else those that its producer was in."""
    named = cast("Mapping[str, object]", attributes if isinstance(attributes, Mapping) else {})
    trace_id, span_id = (_text(named.get(name)) for name in ("trace_id", "span_id"))
    parts = traceparent.split("-") if isinstance(traceparent, str) else []
    if trace_id is None and len(parts) == 4:
        return parts[1], parts[2]
    return trace_id, span_id


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _hexadecimal(text: str | None, digits: int) -> str | None:
    known = text is not None and len(text) == digits and set(text.lower()) <= set("0123456789abcdef")
    return text.lower() if text is not None and known else None
