"""What a backend gets and gives: a case of a benchmark, and the SQL that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_SQL = 100_000
"""Characters of SQL that a backend may return."""
MOST_METADATA = 64 * 1024
"""Bytes of metadata, as JSON, that a backend may return."""
MOST_TRACE = 1024 * 1024
"""Bytes of a trace, as JSON, that a backend may return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkCase:
    """A question of a benchmark with the SQL that answers it, and its labels."""

    case_id: str
    question: str
    gold_sql: str
    """May stand for several queries, in the notation of `sqlassay compare`."""
    schema: str
    complexity: str
    category: str
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Anything else: `db_id` names the database, `dialect` the dialect of the gold SQL."""

    @property
    def db_id(self) -> str | None:
        """The name of the case's database."""
        found = self.metadata.get("db_id")
        return str(found) if isinstance(found, str | int) and str(found) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One step of how a backend came to its SQL: a message of the conversation, or a call of a tool."""

    kind: str
    """`system`, `user`, `assistant`, `tool` or another word for who spoke."""
    content: str = ""
    tool: str | None = None
    """The name of the tool that was called."""
    seconds: float | None = None
    ok: bool | None = None
    """Whether the call succeeded; `None` when it is not known."""


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """SQL with what the backend wants to be reported beside it."""

    sql: str
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Model, prompt version, context level, tokens: whatever runs are compared by."""
    trace: Sequence[TraceStep] = ()
    """Written as a Markdown page for the question."""


@dataclass(frozen=True, slots=True)
class GenerationFailure:
    """Why a backend gave no SQL for a case."""

    kind: str
    """`raised`, `timeout`, `too_large`, `invalid`, `no_prediction`, `unreachable` or `ended`."""
    detail: str
