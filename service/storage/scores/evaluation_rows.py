"""How an evaluation becomes a row of the table `evaluations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import orjson
from asyncpg import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.errors import RefusedByStore
from consumers.evaluation.event_evaluation import Evaluation, Scored
from scoring.memory.context import context_record
from scoring.query import ModelUnscored, Unscored
from scoring.verdict import Reply
from service.storage.tables import EVALUATIONS
from service.storage.tables.columns import Use, columns_for

_SCORED = [column.name for column in columns_for(EVALUATIONS, Use.SCORE)]
WITHHELD_TEXTS: Mapping[str, object] = {
    "question": "",
    "enriched_question": None,
    "sql": "",
    "reference_sql": None,
    "result": None,
    "history": None,
    "attributes": {},
}
"""Values of the text columns in a row whose texts are withheld."""


def evaluation_row(each: Evaluation) -> dict[str, object]:
    """The values of every column, by name."""
    record = each.record
    enrichment = cast("Mapping[str, object]", record.get("enrichment") or {})
    reasons = cast("Sequence[Mapping[str, object]]", record.get("reasons") or ())
    event = each.event.model_dump(exclude={"occurred_at", "canary"})
    return {
        "id": each.id,
        "event": each.key.digest,
        "occurred_at": each.occurred_at,
        "received_at": each.received_at,
        "trigger": each.trigger.value,
        "current": each.current,
        "withheld": each.withheld,
        **(event | dict(WITHHELD_TEXTS) if each.withheld else event),
        **{name: record.get(name) for name in _SCORED},
        "p_alone": each.result.reply.p_correct if isinstance(each.result, Scored) else None,
        "context": context_record(each.context) if each.context is not None else None,
        "enrichment_status": enrichment.get("status"),
        "enrichment_score": enrichment.get("score"),
        "reason_codes": [str(reason["code"]) for reason in reasons],
        "rules_version": each.rules_version,
        "evaluator_version": record["evaluator_version"],
        **_model_columns(each.result),
        "record": record,
    }


def _model_columns(result: Scored | Unscored) -> dict[str, object]:
    reply = result.reply if isinstance(result, Scored) else result
    if not isinstance(reply, Reply | ModelUnscored):
        return {"model": None, "prompt_hash": None, "tokens_in": 0, "tokens_out": 0, "cost": 0.0, "fallback": False}
    return {
        "model": reply.model or None,
        "prompt_hash": reply.prompt_hash or None,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost": reply.cost,
        "fallback": isinstance(reply, Reply) and reply.fallback,
    }


async def copy_rows(connection: AsyncConnection, evaluations: Sequence[Evaluation]) -> None:
    """Writes new rows with COPY. The transaction must hold their event keys, so that no row can conflict."""
    if not evaluations:
        return
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    rows = [evaluation_row(each) for each in evaluations]
    names = list(rows[0])
    records = [_encoded(row) for row in rows]
    try:
        await driver.copy_records_to_table("evaluations", records=records, columns=names)  # pyright: ignore[reportUnknownMemberType] its records are untyped
    except (OverflowError, ValueError, TypeError) as error:
        # the driver itself refuses what a column cannot hold, and its message repeats the value
        raise RefusedByStore(f"a value does not fit its column ({type(error).__name__})") from None


def _encoded(row: Mapping[str, object]) -> list[object]:
    # COPY bypasses SQLAlchemy, which otherwise turns objects into JSON
    return [
        orjson.dumps(value).decode() if isinstance(value, dict) or (name == "history" and value is not None) else value
        for name, value in row.items()
    ]
