"""Finds out whether the same person asked nearly the same question shortly before or after."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring.memory.asked import SAME_QUESTION
from service.storage.database import fetch_rows
from service.storage.tables import EVALUATIONS

WITHIN = timedelta(minutes=10)
"""How far apart two questions may be of which one repeats the other."""
PEOPLE = (
    *("user_id", "user", "user.id", "enduser.id", "session_id", "session.id"),
    *("conversation_id", "gen_ai.conversation.id", "gcp.vertex.agent.session_id"),
)
"""Attributes of an event that tell one person, or one conversation, from another."""
_MOST_READ = 200
_ROWS = EVALUATIONS.c
_READ: list[ColumnElement[Any]] = [_ROWS.id, _ROWS.occurred_at, _ROWS.question]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """Another answer that the same person got to nearly the same question."""

    id: UUID
    later: bool
    """Whether the person asked it after the answer of the page."""
    apart: timedelta
    question: str


async def asked_again(engine: AsyncEngine, row: Mapping[str, Any]) -> list[AskedAgain]:
    """The nearest in time first; empty where no attribute says who asked. Raises `StoreUnavailable`."""
    people = {name: row["attributes"].get(name) for name in PEOPLE}
    said = {name: value for name, value in people.items() if isinstance(value, str) and value}
    if not said or not row["question"]:
        return []
    moment: datetime = row["occurred_at"]
    near = _ROWS.occurred_at.between(moment - WITHIN, moment + WITHIN)
    same_person = or_(*(_ROWS.attributes[name].astext == value for name, value in said.items()))
    query = (
        select(*_READ)
        .where(_ROWS.tenant == row["tenant"], _ROWS.agent == row["agent"], near, same_person)
        .where(_ROWS.current, _ROWS.event != row["event"])
        .order_by(_ROWS.occurred_at)
        .limit(_MOST_READ)
    )
    found = [
        AskedAgain(
            id=each["id"],
            later=each["occurred_at"] >= moment,
            apart=abs(each["occurred_at"] - moment),
            question=each["question"],
        )
        for each in await fetch_rows(engine, query)
        if is_nearly_same(row["question"], each["question"])
    ]
    return sorted(found, key=lambda each: each.apart)


def is_nearly_same(one: str, other: str) -> bool:
    """Whether two questions share most words, and all that have a digit.

    >>> is_nearly_same("How many loaves in May?", "how many loaves, in may"), is_nearly_same("Loaves?", "Rolls?")
    (True, False)
    >>> is_nearly_same("How many loaves were sold in 2025?", "How many loaves were sold in 2026?")
    False
    """
    first, second = ({*_WORD.findall(each.casefold())} for each in (one, other))
    differing = first ^ second
    if not first or any(any(map(str.isdigit, word)) for word in differing):
        return False
    return len(first & second) >= SAME_QUESTION * len(first | second)
