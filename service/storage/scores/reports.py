"""The report per agent: mean score, 90th percentile and coverage (the paper's Table 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring.query import UnscoredReason
from scoring.verdict import Verdict
from service.storage.database import fetch_rows
from service.storage.scores.evaluation_pages import EvaluationFilter, current_rows
from service.storage.tables import EVALUATIONS

JUDGED_WRONG = (Verdict.POTENTIALLY_INCORRECT.value, Verdict.INCORRECT.value)
"""Verdicts that call the answer wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One agent's line of the report."""

    tenant: str
    agent: str
    agent_version: str | None
    """`None` also where the report does not separate versions."""
    received: int
    """Stored events, without those that the sample rate left out."""
    scored: int
    mean: float | None
    """Mean Φ of the scored events, 0 to 100."""
    p90: float | None
    """90th percentile of Φ."""
    coverage: float | None
    """Scored ÷ received, 0 to 1."""
    mean_p_correct: float | None
    """Mean of the probabilities without memory."""
    judged_wrong: float | None
    """Share of the scored events with verdict Potentially Incorrect or Incorrect."""


async def report(
    engine: AsyncEngine, wanted: EvaluationFilter | None = None, *, by_version: bool = False
) -> list[ReportRow]:
    """A line per tenant and agent (and version), best mean first.

    Means leave out rows without a score; coverage shows how many those are.
    """
    table = EVALUATIONS.c
    groups = [table.tenant, table.agent, *([table.agent_version] if by_version else [])]
    scored, count = table.score.is_not(None), func.count(table.score)
    received = func.count().filter(table.unscored.is_distinct_from(UnscoredReason.NOT_SAMPLED.value))
    wrong = func.count().filter(scored, table.verdict.in_(JUDGED_WRONG))
    query = (
        select(
            *groups,
            received.label("received"),
            count.label("scored"),
            func.avg(table.score).label("mean"),
            func.percentile_cont(0.9).within_group(table.score).label("p90"),
            (count * 1.0 / func.nullif(received, 0)).label("coverage"),
            # never with memory: the best agent is often the one that disagrees; older rows were judged alone
            func.avg(func.coalesce(table.p_alone, table.p_correct)).filter(scored).label("mean_p_correct"),
            (wrong * 1.0 / func.nullif(count, 0)).label("judged_wrong"),
        )
        .where(*current_rows(wanted or EvaluationFilter()))
        .group_by(*groups)
        .order_by(func.avg(table.score).desc().nulls_last(), *groups)
    )
    return [_report_row(row) for row in await fetch_rows(engine, query)]


def _report_row(row: Mapping[str, Any]) -> ReportRow:
    digits = {"mean": 2, "p90": 2, "coverage": 4, "mean_p_correct": 4, "judged_wrong": 4}
    rounded = {name: None if row[name] is None else round(float(row[name]), places) for name, places in digits.items()}
    return ReportRow(
        tenant=row["tenant"],
        agent=row["agent"],
        agent_version=row.get("agent_version"),
        received=row["received"],
        scored=row["scored"],
        **rounded,
    )
