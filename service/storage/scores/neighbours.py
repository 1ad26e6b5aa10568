"""The answers before and after one in the list that it was found in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.scores.evaluation_pages import (
    EvaluationFilter,
    Order,
    SearchTooSlow,
    fetch_in_time,
    listed_rows,
    sort_keys,
)
from service.storage.tables import EVALUATIONS

_ROWS = EVALUATIONS.c
_SECONDS = 0.15
"""Seconds until a neighbour that filters make hard to find is given up: the page does not wait for it."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The ids of the answers beside one; `None` at an end of the list, and where finding one takes too long."""

    previous: UUID | None
    following: UUID | None


async def neighbours(engine: AsyncEngine, wanted: EvaluationFilter, order: Order, row: Mapping[str, Any]) -> Neighbours:
    """The neighbours of a stored answer; raises `StoreUnavailable`."""
    if not row["current"] or (order is Order.WORST and row["score"] is None):
        return Neighbours(None, None)
    return Neighbours(
        *await asyncio.gather(*(_beside(engine, wanted, order, row, after=after) for after in (False, True)))
    )


async def _beside(
    engine: AsyncEngine, wanted: EvaluationFilter, order: Order, row: Mapping[str, Any], *, after: bool
) -> UUID | None:
    keys = sort_keys(order)
    values = [row[key.name] for key in keys]
    rising = after if order is Order.WORST else not after
    position, here = tuple_(*keys), tuple_(*values)
    query = select(_ROWS.id).where(*await listed_rows(engine, wanted), position > here if rising else position < here)
    if order is Order.WORST:
        query = query.where(_ROWS.score.is_not(None))
    query = query.order_by(*(key if rising else key.desc() for key in keys)).limit(1)
    try:
        found = await fetch_in_time(engine, query, _SECONDS)
    except SearchTooSlow:
        return None
    return found[0]["id"] if found else None
