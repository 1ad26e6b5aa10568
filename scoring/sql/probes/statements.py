"""Probes that are no queries: SHOW, DESCRIBE, EXPLAIN, PRAGMA, USE, SET and the commands of database shells."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.query import Unscored, UnscoredReason

_PROBES = frozenset("describe desc explain help pragma reset set show summarize use".split())
"""First words of statements that look at the database, or at the session, and read no rows."""
_CHANGES = lazy(
    r"explain\s+(?:\(?[\w\s,]*\banaly[sz]e\b[\w\s,]*\)?\s+)(?:insert|update|delete|merge|create|replace|drop|truncate)\b"
    r"|set\s+(?:global|persist|persist_only|password|resource)\b"
    r"|pragma\s+[\w.]+\s*=",
    re.IGNORECASE,
)
"""Statements that begin like a probe and change data or settings that outlive the session."""
_PROCEDURES = lazy(
    r"(?:exec(?:ute)?\s+)?(?:\w*\.){0,3}\[?sp_(?:help\w*|columns\w*|tables\w*|fkeys|pkeys|statistics|databases|spaceused"
    r"|stored_procedures|special_columns|depends|describe\w+|who2?)\b",
    re.IGNORECASE,
)
"""SQL Server's procedures that describe the database."""
_SHELL = lazy(r"\\[a-z+]{1,6}\b|\.(?:tables|schemas?|indexes|databases|dump|fullschema|show)\b", re.IGNORECASE)
"""Commands of psql and of SQLite's shell."""


def probing_statement(first: str, text: str) -> Unscored | None:
    """Why a statement is no answer, if it only looks at the database; `first` is its first word in lower case.

    >>> probing_statement("show", "SHOW TABLES").reason.value
    'NOT_AN_ANSWER'
    >>> probing_statement("explain", "EXPLAIN ANALYZE DELETE FROM hens"), probing_statement("drop", "DROP TABLE hens")
    (None, None)
    """
    if first in _PROBES and not _CHANGES.match(text):
        return probe(f"{first.upper()} looks at the database and reads no rows")
    if _PROCEDURES.match(text) or _SHELL.match(text):
        return probe("a command that describes the database and reads no rows")
    return None


def probe(what: str) -> Unscored:
    """The refusal of a probe."""
    return Unscored(UnscoredReason.NOT_AN_ANSWER, f"{what}: publish only the query that answers the question")
