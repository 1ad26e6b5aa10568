"""What a backend module gives the writer: requests, each for some scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from service.sinks.stored_score import StoredScore


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBefore:
    """How to find out whether a score that may have been sent before has arrived."""

    url: str
    """Read with GET."""
    arrived: Callable[[Any], bool]
    """Whether the JSON that is read shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkRequest:
    """One request to a backend."""

    url: str
    body: bytes
    scores: Sequence[StoredScore]
    """Whose delivery it is. A request that is refused is sent again for each of them alone."""
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delivered: frozenset[int] = frozenset()
    """Status codes that say that it was delivered before, beside those of 200 to 299."""
    sent_before: SentBefore | None = None
    """For a backend that would keep a score twice."""


class SinkBackend(Protocol):
    """A kind of place for scores."""

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """The requests for some scores, at least one. One that the backend has no place for is in none of them."""
        ...


def json_body(value: object) -> bytes:
    """A value as JSON."""
    return orjson.dumps(value, default=str)  # the driver has a UUID of its own
