"""What the labels of a reviewer have brought: the estimate of an agent before them, and now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time

from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.reviewing.review_draws import FIRST_SAMPLE, WINDOW
from service.storage.scores.estimated_reports import EstimatedRow, LatestLabels, estimated_report
from service.storage.sums.reading import AnswerScope


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewProgress:
    """One agent's estimate over the answers that are drawn from, with and without a reviewer's labels of today."""

    now: EstimatedRow
    before: EstimatedRow
    """Without the labels that the reviewer gave today (UTC)."""

    @property
    def wanted(self) -> int:
        """How many labels are recommended: the first sample, or all answers where there are fewer."""
        return min(FIRST_SAMPLE, self.now.received)


async def review_progress(
    engine: AsyncEngine,
    tenant: str | None,
    agent: str | None,
    reviewer: str | None,
    now: datetime,
    *,
    agent_version: str | None = None,
) -> list[ReviewProgress]:
    """The progress of each agent, or of one version of it, the widest interval first. Raises `StoreUnavailable`."""
    scope = AnswerScope(tenant=tenant, agent=agent, agent_version=agent_version, since=now - WINDOW)
    rows = await estimated_report(engine, scope)
    before = rows
    if reviewer is not None:
        midnight = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
        before = await estimated_report(engine, scope, without=LatestLabels(reviewer=reviewer, since=midnight))
    earlier = {(row.tenant, row.agent): row for row in before}
    found = [ReviewProgress(now=row, before=earlier.get((row.tenant, row.agent), row)) for row in rows]
    return sorted(found, key=lambda each: (each.now.low - each.now.high, each.now.tenant, each.now.agent))
