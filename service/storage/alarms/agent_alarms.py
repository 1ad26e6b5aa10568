"""Reads what the agents' alarms say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.tables import AGENT_ALARMS

_ALARMS = AGENT_ALARMS.c
_MOST = 10_000
"""Agents that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAlarmState:
    """What the alarms of an agent say under the judge and evaluator that scored its latest answer."""

    tenant: str
    agent: str
    judge: str
    evaluator_version: str
    fall: bool
    """Whether its answers became worse than its own earlier ones."""
    below: bool
    """Whether its mean score is below the tenant's bound."""
    wrong: bool
    """Whether more of its answers are judged wrong than may be."""
    fall_evidence: float
    """Share of the evidence that turns the alarm on: 1 does."""
    below_evidence: float
    wrong_evidence: float
    answers: int
    """Answers since an alarm last went on or off."""
    answered_at: datetime

    @property
    def on(self) -> bool:
        return self.fall or self.below


async def agent_alarms(
    engine: AsyncEngine, *, tenant: str | None = None, agent: str | None = None
) -> Sequence[AgentAlarmState]:
    """The alarms of every agent, or of a tenant's, or of one; raises `StoreUnavailable`."""
    shown = _ALARMS.state["wrong_shown"]
    wrong = {
        "wrong": func.coalesce(shown["on"].as_boolean(), False).label("wrong"),
        "wrong_evidence": func.coalesce(shown["evidence"].as_float(), 0.0).label("wrong_evidence"),
    }
    columns = [wrong[name] if name in wrong else _ALARMS[name] for name in AgentAlarmState.__dataclass_fields__]
    latest = select(*columns).ext(distinct_on(_ALARMS.tenant, _ALARMS.agent))
    if tenant is not None:
        latest = latest.where(_ALARMS.tenant == tenant)
    if agent is not None:
        latest = latest.where(_ALARMS.agent == agent)
    ordered = latest.order_by(_ALARMS.tenant, _ALARMS.agent, _ALARMS.answered_at.desc()).limit(_MOST)
    return [AgentAlarmState(**row) for row in await fetch_rows(engine, ordered)]
