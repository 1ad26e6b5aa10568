"""Chooses the answer to a question among the queries of a trace. The other queries are its attempts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from consumers.spans.span_reader import SpanFields
from consumers.spans.tool_calls import is_query
from consumers.wire.span_source import ATTEMPTS

MOST_ATTEMPTS = 20
"""Attempts that an event lists; more are left out."""
_LONGEST = 2_000
"""Characters of an attempt's SQL that are kept."""


class AttemptReason(StrEnum):
    """Why a query is not the answer."""

    FAILED = "failed"
    """The database did not run it."""
    CATALOGUE = "catalogue"
    """It reads the catalogue of the database, or sets up the session."""
    CHECKED = "checked"
    """It was sent to a tool that only checks it."""
    EARLIER = "earlier"
    """A later query of the same question is the answer."""
    OTHER = "other"
    """No tool of the agent ran it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A query of a trace with the spans above it."""

    chain: Sequence[str]
    """Span ids from the query's span upwards."""
    fields: Sequence[SpanFields]
    """What each of them holds."""
    start_nanos: int
    question: str
    """Empty where the trace has none for it."""
    from_output: bool = False
    """Whether it stands in what a model gave back, so that nobody is known to have run it."""

    @property
    def span_id(self) -> str:
        """The span of the query."""
        return self.chain[0]

    @property
    def sql(self) -> str:
        """The query."""
        return (self.fields[0].written if self.from_output else self.fields[0].sql) or ""

    @property
    def _is_of_tool(self) -> bool:
        return any(each.tool is not None for each in self.fields)

    @property
    def _is_checked(self) -> bool:
        return any("checker" in (each.tool or "").lower() for each in self.fields)

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, int, str]:
        """Orders the queries of a question: the last is the answer."""
        of_tool, query = self._is_of_tool, is_query(self.sql)
        return not self._is_checked, of_tool, query, not self.fields[0].failed, self.start_nanos, self.span_id

    def role_beside(self, answer: Candidate) -> AttemptReason:
        """Why it is not the answer."""
        if is_catalogue_read(self.sql):
            return AttemptReason.CATALOGUE
        if self.fields[0].failed:
            return AttemptReason.FAILED
        if self._is_checked:
            return AttemptReason.CHECKED
        return AttemptReason.OTHER if answer._is_of_tool and not self._is_of_tool else AttemptReason.EARLIER


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The answer to one question, with the other queries for it in order of time."""

    answer: Candidate
    attempts: Sequence[Candidate]

    def described_attempts(self) -> list[Mapping[str, str]]:
        """What the event lists of each attempt."""
        return [
            {"span_id": each.span_id, "why": each.role_beside(self.answer).value, "sql": each.sql[:_LONGEST]}
            for each in self.attempts[:MOST_ATTEMPTS]
        ]


def attempts_of(attributes: Mapping[str, object]) -> int:
    """How many attempts the attributes of an event list."""
    held = attributes.get(ATTEMPTS)
    return len(cast("list[object]", held)) if isinstance(held, list) else 0


def choose(candidates: Iterable[Candidate]) -> list[Chosen]:
    """One answer for each question, by the order of their first queries; none where all read the catalogue."""
    asked: dict[str, list[Candidate]] = {}
    for each in sorted(candidates, key=lambda each: (each.start_nanos, each.span_id)):
        asked.setdefault(words_of(each.question), []).append(each)
    return [chosen for group in asked.values() if (chosen := _chosen(group)) is not None]


def words_of(text: str) -> str:
    """A text without the spaces and the semicolon at its end by which two copies of it may differ."""
    return " ".join(text.split()).rstrip("; ")


def _chosen(group: Sequence[Candidate]) -> Chosen | None:
    answers = [each for each in group if not is_catalogue_read(each.sql)]
    if not answers:
        return None
    answer = max(answers, key=lambda each: each.rank)
    return Chosen(answer=answer, attempts=[each for each in group if each is not answer])


_SESSION = re.compile(r"\s*(?:pragma|describe|desc|show|explain|set|use|reset|discard|analyze)\b", re.IGNORECASE)
_CATALOGUE = re.compile(
    r"\b(?:from|join)\s+[\"`\[]?(?:information_schema|pg_catalog|pg_\w+|sqlite_(?:temp_)?(?:master|schema)|sys|sysobjects"
    r"|(?:all|user|dba)_(?:tables|tab_columns|objects|constraints|views)|duckdb_\w+|system\.(?:tables|columns)|\w+\.information_schema)\b"
    r"|^\s*select\s+(?:pg_catalog\.)?(?:version|current_schema|current_database|current_setting)\s*\(|^\s*select\s+@@",
    re.IGNORECASE,
)
_LATER = re.compile(r";\s*(?:select|with)\b", re.IGNORECASE)
_READ = 5_000
"""Characters of a query in which the catalogue is looked for."""


def is_catalogue_read(sql: str) -> bool:
    """Whether a statement only looks at the database's catalogue or sets up a session.

    >>> is_catalogue_read("PRAGMA table_info(kites)"), is_catalogue_read("SELECT name FROM sqlite_master")
    (True, True)
    >>> is_catalogue_read("SELECT name FROM kites"), is_catalogue_read("EXPLAIN SELECT 1")
    (False, True)
    """
    if _SESSION.match(sql) is not None:
        return _LATER.search(sql) is None
    return _CATALOGUE.search(sql[:_READ]) is not None
