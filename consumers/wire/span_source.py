"""How events that are joined from spans differ from others."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

SPAN_SOURCE = "/opentelemetry"
"""Source of events that are joined from spans. A blank question in such an event was not found in its trace."""
ATTEMPTS = "attempts"
"""Their attribute that lists the other queries of the trace for the question."""


def identifying(source: str, attributes: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The attributes that an event is known by: a trace that is sent again may show other attempts of an answer."""
    return (
        attributes if source != SPAN_SOURCE else {name: value for name, value in attributes.items() if name != ATTEMPTS}
    )
