"""Reads the newest answers of one version, as the comparison of versions needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, literal_column, select
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.version_comparison import VersionAnswer
from service.storage.scores.evaluation_pages import SEARCH_SECONDS, EvaluationFilter, current_rows, fetch_in_time
from service.storage.scores.slice_parts import question_kind
from service.storage.scores.version_begin import times_of_version
from service.storage.sums.reading import AnswerScope
from service.storage.sums.statements import JUDGED_WRONG
from service.storage.tables import EVALUATIONS

MOST_COMPARED = 1_000
"""Newest answers of a version that are read."""
_ROWS = EVALUATIONS.c


async def version_answers(engine: AsyncEngine, scope: AnswerScope) -> Sequence[VersionAnswer]:
    """The newest scored answers in scope, newest first. Raises `SearchTooSlow` and `StoreUnavailable`."""
    scope = await times_of_version(engine, scope)
    names = {name: getattr(scope, name) for name in AnswerScope.__dataclass_fields__}
    kind = literal_column(question_kind(), Text).label("kind")
    columns: list[ColumnElement[Any]] = [_ROWS.id, _ROWS.question, _ROWS.withheld, _ROWS.verdict, kind]
    newest = select(*columns).where(*current_rows(EvaluationFilter(**names, unscored=False)))
    ordered = newest.order_by(_ROWS.occurred_at.desc(), _ROWS.id.desc()).limit(MOST_COMPARED)
    return [
        VersionAnswer(
            id=str(row["id"]),
            question="" if row["withheld"] else row["question"],
            kind=row["kind"] or "nothing of these",
            wrong=row["verdict"] in JUDGED_WRONG,
        )
        for row in await fetch_in_time(engine, ordered, SEARCH_SECONDS)
    ]
