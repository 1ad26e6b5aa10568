"""What the overview shows of each agent, worst first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from consumers.errors import RulesUnavailable
from scoring.reasons import IN_FAVOUR, PRIORS
from scoring.rules import Rules, TierBounds
from scoring.verdict import EnrichmentStatus
from service.console.overview.agent_weeks import AgentWeeks, WeekChange, Who, agent_weeks
from service.console.overview.line_charts import sparkline
from service.console.overview.tier_mix import TierShare, tier_mix
from service.pipeline.running import Service
from service.storage.alarms.agent_alarms import AgentAlarmState, agent_alarms
from service.storage.scores.estimated_reports import EstimatedRow, estimated_rows
from service.storage.scores.recent_findings import RecentFindings, recent_findings
from service.storage.sums.reading import AnswerScope, Sums, read_sums

_MOST_AGENTS = 60
"""Most agents whose newest answers are looked at."""
_TOP = 3
"""Most reasons that are shown of an agent."""
_QUIET = frozenset(each.value for each in (*IN_FAVOUR, *PRIORS))
"""Reasons that say nothing of what went wrong."""
_UNHARMED = frozenset({EnrichmentStatus.FAITHFUL.value, EnrichmentStatus.MISSING.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCard:
    """One agent of the overview."""

    row: EstimatedRow
    tiers: list[TierShare]
    trend: str
    """The path of the mean probability by day."""
    change: WeekChange | None
    alarm: AgentAlarmState | None
    since: datetime | None
    """The day since which the alarm has been on, as far as the trend goes back."""
    findings: RecentFindings
    week: datetime
    """When the last week began."""

    @property
    def alarmed(self) -> bool:
        return self.alarm is not None and (self.alarm.fall or self.alarm.below)

    @property
    def reasons(self) -> list[tuple[str, float]]:
        """The most frequent reasons against the newest answers, each with its share of them."""
        return top_reasons(self.findings, _TOP)

    @property
    def questions_changed(self) -> float | None:
        """The share of the enriched questions of the newest answers that lost, added or changed something."""
        enriched = sum(self.findings.enrichments.values()) - self.findings.enrichments[EnrichmentStatus.MISSING.value]
        harmed = sum(count for status, count in self.findings.enrichments.items() if status not in _UNHARMED)
        return harmed / enriched if enriched else None


def top_reasons(findings: RecentFindings, most: int) -> list[tuple[str, float]]:
    """The reasons that speak against the most answers, each with its share."""
    against = [(code, count) for code, count in findings.reasons.most_common() if code not in _QUIET]
    return [(code, count / findings.answers) for code, count in against[:most]]


async def agent_cards(
    service: Service, wanted: AnswerScope, now: datetime, *, by_version: bool = False
) -> list[AgentCard]:
    """A card for each agent: those with an alarm first, then the lowest estimates. Raises `StoreUnavailable`."""
    sums, weeks, alarmed = await asyncio.gather(
        read_sums(service.engine, wanted, by_version=by_version, by_judge=True),
        agent_weeks(service.engine, wanted, now),
        agent_alarms(service.engine, tenant=wanted.tenant, agent=wanted.agent),
    )
    alarms = {(each.tenant, each.agent): each for each in alarmed}
    histograms = _histograms(sums)
    agents = {(each.tenant, each.agent) for each in sums}
    rows, bounds, findings = await asyncio.gather(
        estimated_rows(service.engine, wanted, sums, by_version=by_version),
        tier_bounds(service, {tenant for tenant, _ in agents}),
        recent_findings(service.engine, wanted, [*agents][:_MOST_AGENTS]),
    )
    cards = [
        _card(row, weeks, alarms, findings, tier_mix(histograms.get(_who(row), ()), bounds[row.tenant])) for row in rows
    ]
    return sorted(cards, key=_worst_first)


def _histograms(sums: Iterable[Sums]) -> dict[tuple[str, str, str | None], tuple[int, ...]]:
    """The histogram of each agent or version, over all judges."""
    added: dict[tuple[str, str, str | None], Sums] = {}
    for each in sums:
        who = each.tenant, each.agent, each.agent_version
        added[who] = added[who] + each if who in added else each
    return {who: each.histogram for who, each in added.items()}


async def tier_bounds(service: Service, tenants: Collection[str]) -> dict[str, TierBounds]:
    """The tier bounds of each tenant; the default where its rules cannot be read."""
    rules: Mapping[str, Rules] = {}
    with suppress(RulesUnavailable):
        rules = await service.rules.rules(tenants)
    return {tenant: rules[tenant].tiers if tenant in rules else TierBounds() for tenant in tenants}


def _card(
    row: EstimatedRow,
    weeks: AgentWeeks,
    alarms: Mapping[Who, AgentAlarmState],
    findings: Mapping[Who, RecentFindings],
    tiers: list[TierShare],
) -> AgentCard:
    who = row.tenant, row.agent
    alarm = alarms.get(who)
    return AgentCard(
        row=row,
        tiers=tiers,
        trend=sparkline([each.mean_p for each in weeks.days.get(who, [])]),
        change=weeks.changes.get(who),
        alarm=alarm,
        since=weeks.answered_since(who, alarm.answers) if alarm is not None else None,
        findings=findings.get(who, RecentFindings()),
        week=weeks.week,
    )


def _who(row: EstimatedRow) -> tuple[str, str, str | None]:
    return row.tenant, row.agent, row.agent_version


def _worst_first(card: AgentCard) -> tuple[bool, bool, float, float]:
    estimate = card.row.estimate
    return not card.alarmed, estimate is None, estimate or 0.0, card.row.mean_p_correct or 0.0
