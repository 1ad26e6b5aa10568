"""One span of a trace, as far as events are made of it."""

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
    """The span it is part of; `None` is the trace's root."""
    parent_is_remote: bool = False
    """The parent ran in another process, as far as the producer knows."""
    start_nanos: int = 0
    """When it began, in ns since 1970 UTC; 0 is unknown."""
    attributes: Attributes = field(default_factory=dict[str, JsonValue])
    resource: Attributes = field(default_factory=dict[str, JsonValue])
    """Attributes of the process it ran in."""
