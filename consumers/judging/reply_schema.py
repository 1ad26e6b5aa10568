"""The form of a model's reply, for servers with structured output."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.judging.proposals import OFFERED_OPERATORS
from scoring.reason_kinds import WITHOUT_SIGNAL
from scoring.reasons import ReasonCode
from scoring.verdict import Verdict

OFFERED_CODES = tuple(code.value for code in ReasonCode if code not in WITHOUT_SIGNAL)
"""The reason codes a model may give."""
_SCALAR: tuple[Mapping[str, str], ...] = ({"type": "string"}, {"type": "number"}, {"type": "boolean"})
_REQUIRED = ("rationale", "verdict", "confidence", "reason_codes", "question_filters")
_FIELDS: Mapping[str, object] = {
    "rationale": {"type": "string"},
    "verdict": {"type": "string", "enum": [verdict.value for verdict in Verdict]},
    "confidence": {"type": "number"},
    "reason_codes": {"type": "array", "items": {"type": "string", "enum": list(OFFERED_CODES)}},
    "question_filters": {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["lhs", "op", "rhs", "span"],
            "properties": {
                "lhs": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "op": {"type": "string", "enum": list(OFFERED_OPERATORS)},
                "rhs": {"anyOf": [*_SCALAR, {"type": "array", "items": {"anyOf": _SCALAR}}, {"type": "null"}]},
                "span": {"type": "string"},
            },
        },
    },
}


def closed_object(properties: Mapping[str, object], required: tuple[str, ...]) -> Mapping[str, object]:
    """The schema of an object with these properties and no others."""
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


REPLY_SCHEMA = closed_object(_FIELDS, _REQUIRED)
"""The schema of a reply."""
RULED_REPLY_SCHEMA = closed_object(
    {**_FIELDS, "rules_applied": {"type": "array", "items": {"type": "integer"}}}, (*_REQUIRED, "rules_applied")
)
"""The schema of a reply to a prompt with learned rules."""
