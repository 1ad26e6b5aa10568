"""Why a trace gave no answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from consumers.spans.span_reader import SpanFields

MOST_NAMES = 60
"""Attribute names of a trace that are listed."""


class NoAnswerReason(StrEnum):
    """Why a trace gave no answer. `docs/events.md` documents each member."""

    UNKNOWN_ATTRIBUTES = "UNKNOWN_ATTRIBUTES"
    """No span has an attribute that is read."""
    NO_SQL = "NO_SQL"
    """Attributes were read, and none of them holds SQL."""
    ONLY_CATALOGUE = "ONLY_CATALOGUE"
    """All its SQL reads the catalogue of the database or sets up the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """A trace that gave no answer."""

    trace_id: str
    reason: NoAnswerReason
    read: tuple[str, ...]
    """Names of the attributes from which fields were read."""
    unread: tuple[str, ...]
    """Names of others that its spans have."""


def no_answer(trace_id: str, spans: Iterable[tuple[SpanFields, tuple[str, ...]]]) -> NoAnswer:
    """Why spans gave no answer; with each come the names of its attributes that are not read."""
    read, unread, has_sql = set[str](), set[str](), False
    for fields, names in spans:
        read.update(fields.sources.values(), fields.attributes)
        unread.update(names)
        has_sql = has_sql or fields.sql is not None
    reason = NoAnswerReason.NO_SQL if read else NoAnswerReason.UNKNOWN_ATTRIBUTES
    return NoAnswer(
        trace_id=trace_id,
        reason=NoAnswerReason.ONLY_CATALOGUE if has_sql else reason,
        read=tuple(sorted(read)[:MOST_NAMES]),
        unread=tuple(sorted(unread - read)[:MOST_NAMES]),
    )
