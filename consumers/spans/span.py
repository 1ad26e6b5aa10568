"""One span of a trace, with the fields that events are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

Attributes = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One unit of work of a trace."""

    trace_id: str
    """32 hexadecimal digits, lower case."""
    span_id: str
    """16 hexadecimal digits, lower case."""
    parent_id: str | None = None
    """The parent span; `None` for the trace's root."""
    parent_is_remote: bool = False
    """Whether the producer knows that the parent ran in another process."""
    start_nanos: int = 0
    """Start in ns since 1970 UTC; 0 is unknown."""
    name: str = ""
    attributes: Attributes = field(default_factory=dict[str, JsonValue])
    """Only those that the table reads."""
    unread: tuple[str, ...] = ()
    """Names of its other attributes, without their values: sorted, each once, with `N` for a number between dots."""
    resource: Attributes = field(default_factory=dict[str, JsonValue])
    """Attributes of the process it ran in."""
