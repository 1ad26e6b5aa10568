"""What a scored answer is: the fields of a line out, as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReason:
    """One reason for a score, or why there is none."""

    code: str
    detail: str
    weight: float
    """By how much it moves the log-odds that the answer is right."""
    kind: str | None = None
    """`fault`, `hint`, `form` or `favour`; None without a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """The evaluation of one answer. Without a score, all is None but the reason and the versions."""

    score: float | None
    """Φ in [0, 100]."""
    tier: str | None
    """`excellent`, `good`, `marginal` or `poor`."""
    filter_status: str | None
    verdict: str | None
    confidence: float | None
    """γ in [0, 1]."""
    p_correct: float | None
    """The probability, in [0, 1], that the SQL answers the question."""
    judge: str | None
    reasons: tuple[AnswerReason, ...]
    follow_up: Mapping[str, Any] | None
    """What a question that needs earlier turns was read as."""
    enrichment: Mapping[str, Any] | None
    alignment: Mapping[str, Any] | None
    composite: Mapping[str, Any] | None
    normalizations: list[dict[str, Any]]
    question_spec: Mapping[str, Any] | None
    sql_spec: Mapping[str, Any] | None
    unscored: str | None
    """Why there is no score."""
    evaluator_version: str
    rules_version: int
    record: Mapping[str, Any] = field(repr=False, compare=False)
    """The line out as plain data."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> ScoredAnswer:
        """The answer of a line out."""
        known: dict[str, Any] = {name: record[name] for name in _NAMES}
        known["reasons"] = tuple(AnswerReason(**each) for each in record["reasons"])
        return cls(**known, record=record)

    def to_json(self) -> bytes:
        """The line out as JSON: byte for byte what `sqlassay score` and the service write after the event's names."""
        from pydantic_core import to_json  # noqa: PLC0415 loaded when first used

        return to_json(self.record, inf_nan_mode="null")


_NAMES = tuple(each.name for each in fields(ScoredAnswer) if each.name != "record")
