"""The table `event_keys`: which events are stored, and which row is current for each.

A *claim* is one row of it. The first evaluation of an event inserts the claim. A later evaluation may take over a claim
whose row has no score yet, and then writes the score into that row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import ARRAY, Boolean, DateTime, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey

_KEY_ARRAYS = ("tenants", "sources", "ids")
_INSERT_FREE = text(
    """
    INSERT INTO event_keys (tenant, source, event_id, payload_hash, evaluation_id, occurred_at, fillable)
    SELECT * FROM unnest(:tenants, :sources, :ids, :hashes, :evaluations, :moments, :fillable)
    ON CONFLICT DO NOTHING
    RETURNING tenant, source, event_id
    """
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in (*_KEY_ARRAYS, "hashes")),
    bindparam("evaluations", type_=ARRAY(Uuid)),
    bindparam("moments", type_=ARRAY(DateTime(timezone=True))),
    bindparam("fillable", type_=ARRAY(Boolean)),
)
_SELECT = text(
    """
    SELECT event_keys.* FROM event_keys
    JOIN unnest(:tenants, :sources, :ids) AS wanted (tenant, source, event_id) USING (tenant, source, event_id)
    """
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in _KEY_ARRAYS))
_TAKE_OVER = text(
    """
    UPDATE event_keys SET fillable = filled.fillable, payload_hash = filled.payload_hash
    FROM unnest(:tenants, :sources, :ids, :evaluations, :old_hashes, :hashes, :fillable)
      AS filled (tenant, source, event_id, evaluation_id, old_hash, payload_hash, fillable)
    WHERE event_keys.tenant = filled.tenant AND event_keys.source = filled.source
      AND event_keys.event_id = filled.event_id AND event_keys.evaluation_id = filled.evaluation_id
      AND event_keys.payload_hash = filled.old_hash AND (event_keys.fillable OR filled.old_hash <> filled.payload_hash)
    RETURNING event_keys.tenant, event_keys.source, event_keys.event_id
    """
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in (*_KEY_ARRAYS, "old_hashes", "hashes")),
    bindparam("evaluations", type_=ARRAY(Uuid)),
    bindparam("fillable", type_=ARRAY(Boolean)),
)


async def read_claims(connection: AsyncConnection, keys: Collection[EventKey]) -> dict[EventKey, Claim]:
    """The claims on those keys that are taken."""
    found = await connection.execute(_SELECT, _key_arrays(keys))
    return {
        EventKey(row.tenant, row.source, row.event_id): Claim(
            row.payload_hash, row.evaluation_id, _aware(row.occurred_at), row.fillable
        )
        for row in found
    }


async def claim_free_keys(connection: AsyncConnection, evaluations: Sequence[Evaluation]) -> set[EventKey]:
    """Claims the keys that are free and returns them."""
    inserted = await connection.execute(
        _INSERT_FREE,
        {
            **_key_arrays([each.key for each in evaluations]),
            "hashes": [each.payload_hash for each in evaluations],
            "evaluations": [each.id for each in evaluations],
            "moments": [each.occurred_at for each in evaluations],
            "fillable": [each.fillable for each in evaluations],
        },
    )
    return {EventKey(*row) for row in inserted}


async def take_over_claims(
    connection: AsyncConnection, filling: Sequence[Evaluation], claims: Mapping[EventKey, Claim]
) -> set[EventKey]:
    """Takes over the claims that are still as `claims` says, and returns their keys."""
    updated = await connection.execute(
        _TAKE_OVER,
        {
            **_key_arrays([each.key for each in filling]),
            "evaluations": [each.id for each in filling],
            "old_hashes": [claims[each.key].payload_hash for each in filling],
            "hashes": [each.payload_hash for each in filling],
            "fillable": [each.fillable for each in filling],
        },
    )
    return {EventKey(*row) for row in updated}


def _key_arrays(keys: Collection[EventKey]) -> dict[str, list[str]]:
    return {
        "tenants": [key.tenant for key in keys],
        "sources": [key.source for key in keys],
        "ids": [key.event_id for key in keys],
    }


def _aware(moment: datetime) -> datetime:
    # the driver stores datetime.min and datetime.max as infinity and reads them back without a time zone
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
