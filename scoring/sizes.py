"""How much a query and a question may hold to be aligned: parts are compared in pairs, so their number is bounded.

Each bound is at least four times the most that any query or question of the development sets holds.
"""

from __future__ import annotations

from types import MappingProxyType

from scoring.patterns import lazy
from scoring.query import Unscored, UnscoredReason
from scoring.specification import QuestionSpec, SqlSpec
from scoring.values import Choices, Text
from scoring.words import identifier_words

SQL_PARTS = MappingProxyType(
    {
        "filters": ("conditions", 200),
        "projections": ("columns in SELECT lists", 400),
        "aggregations": ("aggregates", 300),
        "columns": ("different columns", 1200),
        "blocks": ("query blocks", 200),
        "joins": ("joins", 200),
        "subqueries": ("subqueries", 200),
        "set_operations": ("set operations", 200),
        "group_by": ("keys of GROUP BY", 300),
        "order_by": ("keys of ORDER BY", 300),
        "limits": ("limits", 200),
        "windows": ("windows", 300),
        "divisions": ("divisions", 300),
        "ctes": ("CTEs", 200),
    }
)
"""What each part of a query is called, and how many of them are compared."""
QUESTION_PARTS = MappingProxyType(
    {
        "tokens": ("words and marks", 1500),
        "filters": ("conditions", 40),
        "outputs": ("things asked for", 60),
        "aggregations": ("aggregates", 60),
        "group_by": ("groupings", 60),
        "superlatives": ("superlatives", 60),
        "ratios": ("ratios", 60),
        "negations": ("negations", 60),
        "definitions": ("definitions", 100),
    }
)
"""What each part of a question is called, and how many of them are compared."""


def refuse_large_sql(spec: SqlSpec) -> Unscored | None:
    """Why a query holds too much to be aligned, if so."""
    for part, (name, most) in SQL_PARTS.items():
        found = len(getattr(spec, part))
        if found > most:
            return Unscored(UnscoredReason.SQL_TOO_LARGE, f"{found} {name}; at most {most} are compared")
    return None


def refuse_large_question(field: str, spec: QuestionSpec) -> Unscored | None:
    """Why a question holds too much to be aligned, if so."""
    if len(spec.text) <= _SHORT:
        return None
    for part, (name, most) in QUESTION_PARTS.items():
        found = _words(spec) if part == "tokens" else len(getattr(spec, part))
        if found > most:
            detail = f"{field} holds {found} {name}: at most {most} are compared"
            return Unscored(UnscoredReason.QUESTION_TOO_LONG, detail)
    return None


_JOINT = lazy(r"(?<=[^\W_])[-_.:/'’&@+]+(?=[^\W_])")
_PARTS = 4
"""Parts of a name (`order_line_id` has three) that are compared like one more name."""


def _words(spec: QuestionSpec) -> int:
    """Words and marks; each part of a word that hyphens or other marks join counts."""
    return len(spec.tokens) + len(_JOINT.findall(spec.text))


_SHORT = 300
"""Characters of a question that is too short to hold too much."""
MAX_PAIRS = 100_000
"""Pairs of a word of the questions and a name or listed text of the query."""


def refuse_many_pairs(question: QuestionSpec, enriched: QuestionSpec | None, sql: SqlSpec) -> Unscored | None:
    """Why the questions and the query together hold too much to be compared, if so: long lists and long questions."""
    parts = sum([len(identifier_words(column.name)) // _PARTS for column in sql.columns])
    names = len(sql.columns) + parts + len(sql.blocks)
    lists = [each.rhs.members for each in sql.filters if isinstance(each.rhs, Choices)]
    values = sum([1 for members in lists for each in members if isinstance(each, Text)])
    if names + values <= _FEW:
        return None
    words = _words(question) + (_words(enriched) if enriched is not None else 0)
    pairs = words * (names + values)
    if pairs <= MAX_PAIRS:
        return None
    detail = (
        f"{names + values} names and listed texts of the SQL × {words} words; at most {MAX_PAIRS} pairs are compared"
    )
    return Unscored(UnscoredReason.SQL_TOO_LARGE, detail)


_FEW = 100
"""Names and texts of a query that may be compared with any question."""
