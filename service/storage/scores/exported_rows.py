"""Reads the stored scores of a range, oldest first, with a cursor of the server: memory holds one batch of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.events import QueryEvent
from scoring.record import MODEL_FIELDS, SCORED_FIELDS
from service.storage.database import translate_errors
from service.storage.scores.evaluation_pages import EvaluationFilter, current_rows
from service.storage.scores.stored_events import stored_event
from service.storage.tables import EVALUATIONS, EVENT_KEYS

BATCH = 500
"""Most rows that are held at a time."""
ANSWER_FIELDS = (
    "event_id source tenant agent agent_version answered_at occurred_at question enriched_question sql dialect"
    " reference_sql history attributes"
).split()
"""The event, as `sqlassay score` reads it. `occurred_at` is the event's own time; `answered_at` is the row's."""
EXPORTED_FIELDS = (
    *ANSWER_FIELDS,
    *SCORED_FIELDS,
    *MODEL_FIELDS,
    "p_alone",
    "unscored",
    "evaluator_version",
    "rules_version",
)
"""What is said of each row, in this order."""
_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c
_SAME_EVENT = and_(*(_ROWS[name] == _KEYS[name] for name in ("tenant", "source", "event_id")))


async def exported_rows(
    engine: AsyncEngine, wanted: EvaluationFilter, evaluator_version: str | None = None
) -> AsyncGenerator[list[dict[str, object]]]:
    """The `EXPORTED_FIELDS` of the current rows, or of all rows of one evaluator version, as of the first batch.

    Batches hold at most `BATCH` rows. Raises `StoreUnavailable`.
    """
    query = (
        select(EVALUATIONS, _KEYS.payload_hash)
        .join(EVENT_KEYS, _SAME_EVENT)
        .where(*_conditions(wanted, evaluator_version))
        .order_by(_ROWS.occurred_at, _ROWS.id)
    )
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            found = await connection.stream(query, execution_options={"yield_per": BATCH})
            async for batch in found.mappings().partitions(BATCH):
                yield [_exported(cast("Mapping[str, Any]", row)) for row in batch]


def _conditions(wanted: EvaluationFilter, evaluator_version: str | None) -> list[ColumnElement[bool]]:
    conditions = current_rows(wanted)
    if evaluator_version is None:
        return conditions
    return [*(each for each in conditions if each is not _ROWS.current), _ROWS.evaluator_version == evaluator_version]


def _exported(row: Mapping[str, Any]) -> dict[str, object]:
    own = stored_event(row).event
    record: Mapping[str, object] = row["record"]
    texts = {name: row[name] for name in ANSWER_FIELDS if name in QueryEvent.model_fields}
    values = {**texts, "occurred_at": own.occurred_at, "answered_at": row["occurred_at"], "p_alone": row["p_alone"]}
    return {name: values[name] if name in values else record.get(name) for name in EXPORTED_FIELDS}
