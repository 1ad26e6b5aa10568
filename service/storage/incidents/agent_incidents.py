"""Reads incidents. What an incident says of a fall is said here, once, for the alert, the API and every page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.mean_change import SIGNIFICANT
from evals.share_change import share_change
from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import AGENT_INCIDENTS

_INCIDENTS = AGENT_INCIDENTS.c
MOST_LISTED = 200
"""Newest incidents of a list."""


class IncidentState(StrEnum):
    """What became of an incident."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    """Somebody looks into it."""
    EXPLAINED = "explained"
    """Somebody wrote down the cause."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShare:
    """How many of some scored answers are judged wrong."""

    answers: int
    wrong: int

    @property
    def share(self) -> float | None:
        """`None` without answers."""
        return self.wrong / self.answers if self.answers else None

    @property
    def percent(self) -> str:
        """The share as every page and alert shows it.

        >>> JudgedShare(answers=80, wrong=54).percent
        '68 %'
        """
        return "no answers" if self.share is None else f"{100 * self.share:.0f} %"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIncident:
    """One fall of an agent, with the figures of the last look at its answers."""

    id: UUID
    tenant: str
    agent: str
    judge: str
    evaluator_version: str
    fall: bool
    """Whether its answers became worse than its own earlier ones."""
    below: bool
    """Whether its mean score was below the tenant's bound."""
    agent_version: str | None
    """The version that answers worse; `None` where no new version does."""
    version_before: str | None
    before_since: datetime
    """When the answers before begin that the fall is measured against."""
    since: datetime
    until: datetime
    """Event time of the last answer counted."""
    answers_before: int
    wrong_before: int
    answers_after: int
    wrong_after: int
    opened_at: datetime
    over_at: datetime | None
    """When the agent's alarm went off."""
    closed_at: datetime | None
    explanation: str | None
    history: Sequence[dict[str, Any]]
    """What was done, oldest first: `at`, `action` and `actor`, who is `None` where the service itself did it."""

    @property
    def before(self) -> JudgedShare:
        return JudgedShare(answers=self.answers_before, wrong=self.wrong_before)

    @property
    def after(self) -> JudgedShare:
        return JudgedShare(answers=self.answers_after, wrong=self.wrong_after)

    @property
    def change(self) -> str:
        """The size of the fall: the one figure that the alert and every page show. Only the later share without answers
        before."""
        return f"{self.before.percent} → {self.after.percent}" if self.answers_before else self.after.percent

    @property
    def began(self) -> str:
        """Since when, to the minute in UTC."""
        return f"{self.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

    @property
    def whose(self) -> str:
        """Which version."""
        return f"version {self.agent_version}" if self.agent_version else "no new version"

    @property
    def summary(self) -> str:
        """What happened, in one line."""
        happened = "became worse" if self.answers_before else "answers badly"
        fell = f"{self.whose}, since {self.began}, judged wrong {self.change}"
        return f"{self.agent} of {self.tenant} {happened}: {fell}"

    @property
    def p_value(self) -> float | None:
        """How often chance alone makes shares so far apart: Fisher's exact test. `None` without answers before."""
        return share_change((self.wrong_before, self.answers_before), (self.wrong_after, self.answers_after))

    @property
    def real(self) -> bool:
        """Whether the shares differ by more than chance explains, to the worse."""
        worse = (self.after.share or 0.0) > (self.before.share or 0.0)
        return self.p_value is not None and self.p_value < SIGNIFICANT and worse

    @property
    def state(self) -> IncidentState:
        """Closed, or the furthest step that was taken."""
        if self.closed_at is not None:
            return IncidentState.CLOSED
        done = {each["action"] for each in self.history}
        for state in (IncidentState.EXPLAINED, IncidentState.ACKNOWLEDGED):
            if state.value in done:
                return state
        return IncidentState.OPEN

    @property
    def scope_before(self) -> AnswerScope:
        """The answers before the fall."""
        return AnswerScope(
            tenant=self.tenant,
            agent=self.agent,
            agent_version=self.version_before if self.agent_version else None,
            since=self.before_since,
            until=self.since,
        )

    @property
    def scope_after(self) -> AnswerScope:
        """The answers since the fall: of the version that is worse, where one is."""
        return AnswerScope(
            tenant=self.tenant, agent=self.agent, agent_version=self.agent_version or None, since=self.since
        )


async def agent_incidents(
    engine: AsyncEngine,
    *,
    tenant: str | None = None,
    agent: str | None = None,
    current: bool | None = None,
    limit: int = MOST_LISTED,
) -> list[AgentIncident]:
    """Incidents, newest first: with `current` only those whose alarm is still on. Raises `StoreUnavailable`."""
    query = _all()
    if tenant is not None:
        query = query.where(_INCIDENTS.tenant == tenant)
    if agent is not None:
        query = query.where(_INCIDENTS.agent == agent)
    if current is not None:
        query = query.where(_INCIDENTS.over_at.is_(None) if current else _INCIDENTS.over_at.is_not(None))
    ordered = query.order_by(_INCIDENTS.opened_at.desc(), _INCIDENTS.id).limit(limit)
    return [AgentIncident(**row) for row in await fetch_rows(engine, ordered)]


async def find_incident(engine: AsyncEngine, id_: UUID, tenant: str | None = None) -> AgentIncident | None:
    """One incident; `None` if there is none, or if it is another tenant's. Raises `StoreUnavailable`."""
    query = _all().where(_INCIDENTS.id == id_)
    if tenant is not None:
        query = query.where(_INCIDENTS.tenant == tenant)
    rows = await fetch_rows(engine, query)
    return AgentIncident(**rows[0]) if rows else None


def _all() -> Select[Any]:
    return select(*(_INCIDENTS[name] for name in AgentIncident.__dataclass_fields__))
