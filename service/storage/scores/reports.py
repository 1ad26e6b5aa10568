"""The report per agent: mean score, 90th percentile and coverage (the paper's Table 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.sums.reading import AnswerScope, Sums, read_sums


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One agent's line of the report."""

    tenant: str
    agent: str
    agent_version: str | None
    """`None` also where the report does not separate versions."""
    period: datetime | None
    """When the row's day or week begins; `None` where the report does not separate them."""
    received: int
    """Stored events, without those that the sample rate left out."""
    scored: int
    mean: float | None
    """Mean Φ of the scored events, 0 to 100."""
    p90: float | None
    """90th percentile of Φ, rounded down to a whole point."""
    coverage: float | None
    """Scored ÷ received, 0 to 1."""
    mean_p_correct: float | None
    """Mean of the probabilities without memory."""
    judged_wrong: float | None
    """Share of the scored events with verdict Potentially Incorrect or Incorrect."""


async def report(
    engine: AsyncEngine, wanted: AnswerScope | None = None, *, by_version: bool = False
) -> list[ReportRow]:
    """A line per tenant and agent (and version), best mean first.

    Means leave out rows without a score; coverage shows how many those are.
    """
    return report_rows(await read_sums(engine, wanted or AnswerScope(), by_version=by_version))


def report_rows(sums: Iterable[Sums]) -> list[ReportRow]:
    """A line per tenant, agent and version of the sums, best mean first; where there are periods, in their order."""
    by_agent: dict[tuple[str, str, str, float], Sums] = {}
    for each in sums:
        begin = each.period.timestamp() if each.period is not None else 0.0
        who = (each.tenant, each.agent, each.agent_version or "", begin)
        by_agent[who] = by_agent[who] + each if who in by_agent else each
    rows = [_report_row(by_agent[who]) for who in sorted(by_agent)]
    if any(row.period is not None for row in rows):
        return rows
    return sorted(rows, key=lambda row: (row.mean is None, -(row.mean or 0.0)))


def _report_row(sums: Sums) -> ReportRow:
    return ReportRow(
        tenant=sums.tenant,
        agent=sums.agent,
        agent_version=sums.agent_version,
        period=sums.period,
        received=sums.received,
        scored=sums.scored,
        mean=_ratio(sums.score, sums.scored, 2),
        p90=_rounded(sums.percentile(0.9), 2),
        coverage=_ratio(sums.scored, sums.received, 4),
        mean_p_correct=_ratio(sums.p_alone, sums.scored, 4),
        judged_wrong=_ratio(sums.judged_wrong, sums.scored, 4),
    )


def _ratio(total: float, count: int, digits: int) -> float | None:
    return _rounded(total / count, digits) if count else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
