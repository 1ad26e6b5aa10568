"""Functions for SQL: what a warehouse calls for each row. Needs sqlglot alone, also from a ZIP file."""

from __future__ import annotations

import json
from functools import cache

from sqlassay.scorer import Scorer

_FIELDS = ("score", "tier", "verdict", "confidence", "p_correct", "unscored", "evaluator_version")


def assay(question: str | None, sql: str | None, dialect: str | None = None) -> dict[str, object]:
    """The score of an answer: the numbers, the verdict, and the reasons' codes, the strongest first.

    >>> assay("How many members joined in 2025?", "SELECT COUNT(*) FROM members")["reasons"][:2]
    ['VALUE_UNUSED', 'FILTER_MISSING']
    """
    answer = {"question": question, "sql": sql, "dialect": dialect}
    [scored] = _scorer().score_many([answer])
    return {**{name: getattr(scored, name) for name in _FIELDS}, "reasons": [each.code for each in scored.reasons]}


def assay_json(question: str | None, sql: str | None, dialect: str | None = None) -> str:
    """The same as JSON, for a warehouse whose functions return no objects."""
    return json.dumps(assay(question, sql, dialect))


@cache
def _scorer() -> Scorer:
    return Scorer()
