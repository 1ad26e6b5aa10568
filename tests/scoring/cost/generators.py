"""Every generator by name: of SQL, of questions, and of both together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.scoring.cost.mark_generators import MARKS
from tests.scoring.cost.question_generators import BOTH, ENRICHED, JOINED, QUESTIONS
from tests.scoring.cost.sql_generators import CONDITIONS, EXPRESSIONS, JOINS, SUBQUERIES
from tests.scoring.cost.texts import Make

GENERATORS: Mapping[str, Make] = MappingProxyType(
    {
        **JOINS,
        **SUBQUERIES,
        **CONDITIONS,
        **EXPRESSIONS,
        **{f"question: {name}": make for name, make in QUESTIONS.items()},
        **{f"enriched: {name}": make for name, make in ENRICHED.items()},
        **{f"both: {name}": make for name, make in BOTH.items()},
        **{f"marks: {name}": make for name, make in MARKS.items()},
        **{f"joined: {name}": make for name, make in JOINED.items()},
    }
)
"""Every generator, by name."""
