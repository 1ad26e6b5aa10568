"""What the overview shows of each agent, worst first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RulesUnavailable
from scoring.rules import Rules, TierBounds
from scoring.verdict import EnrichmentStatus
from service.console.forms import ANY_TIME
from service.console.overview.agent_weeks import AgentWeeks, WeekChange, agent_weeks
from service.console.overview.line_charts import sparkline, upright_lines
from service.console.overview.reason_changes import ReasonChange, reason_changes, risen, top_reasons
from service.console.overview.tier_mix import TierShare, tier_mix
from service.pipeline.running import Service
from service.storage.alarms.agent_alarms import AgentAlarmState, agent_alarms
from service.storage.incidents.agent_incidents import AgentIncident, agent_incidents
from service.storage.scores.estimated_reports import EstimatedRow, estimated_rows
from service.storage.scores.labelled_groups import labelled_answers
from service.storage.scores.recent_findings import MOST_ANSWERS, RecentFindings, Who, recent_findings
from service.storage.sums.reading import AnswerScope, Sums, read_sums

_MOST_AGENTS = 60
"""Most agents whose newest answers are looked at."""
_TOP = 3
"""Most reasons that are shown of an agent."""
_HALF = 0.5
_UNHARMED = frozenset({EnrichmentStatus.FAITHFUL.value, EnrichmentStatus.MISSING.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCard:
    """One agent of the overview."""

    row: EstimatedRow
    tiers: list[TierShare]
    trend: str
    """The path of the mean probability by day."""
    marks: str
    """The path of marks at the days on which a version began."""
    releases: Mapping[date, list[str]]
    """The versions that began within the trend, by day."""
    mixed: bool
    """Whether the figures are of several versions together."""
    change: WeekChange | None
    alarm: AgentAlarmState | None
    incident: AgentIncident | None
    """What the alarm is about, once the service has looked."""
    since: datetime | None
    """The day since which the alarm has been on, as far as the trend goes back."""
    findings: RecentFindings
    changes: list[ReasonChange]
    """The reasons of the last two weeks."""
    week: datetime
    """When the last week began."""
    week_before: datetime
    end: datetime
    """The end of the last week."""

    @property
    def alarmed(self) -> bool:
        return self.alarm is not None and self.alarm.on

    @property
    def worse(self) -> dict[str, object]:
        """The parameters of a list of the answers of the version that the alarm is about, where it is about one."""
        if self.incident is None or self.incident.agent_version is None or self.row.agent_version is not None:
            return {}
        since = self.incident.since.isoformat()
        return {**ANY_TIME, "agent_version": self.incident.agent_version, "since": since}

    @property
    def reasons(self) -> list[tuple[str, float]]:
        """The most frequent reasons against the newest answers, each with its share of them."""
        return top_reasons(self.findings, _TOP)

    @property
    def risen(self) -> list[ReasonChange]:
        """The reasons that became more frequent in the last week."""
        return risen(self.changes, _TOP)

    @property
    def last_week(self) -> dict[str, object]:
        """The parameters of a list of the answers of the last week."""
        return {**ANY_TIME, "from_day": self.week.date(), "to_day": (self.end - timedelta(days=1)).date()}

    @property
    def mostly_wrong(self) -> bool:
        """Whether hardly half of the answers are right, as far as the estimate tells."""
        return self.row.estimate is not None and self.row.high < _HALF

    @property
    def questions_changed(self) -> float | None:
        """The share of the enriched questions of the newest answers that lost, added or changed something."""
        enriched = sum(self.findings.enrichments.values()) - self.findings.enrichments[EnrichmentStatus.MISSING.value]
        harmed = sum(count for status, count in self.findings.enrichments.items() if status not in _UNHARMED)
        return harmed / enriched if enriched else None


async def agent_cards(
    service: Service, wanted: AnswerScope, now: datetime, *, by_version: bool = False
) -> list[AgentCard]:
    """A card for each agent: those with an alarm first, then the lowest estimates. Raises `StoreUnavailable`."""
    # one beside the other: reading the labels takes longest
    labelled, looked_up = await asyncio.gather(
        labelled_answers(service.engine, wanted, by_version=by_version),
        _look_up(service, wanted, now, by_version=by_version),
    )
    histograms = _histograms(looked_up.sums)
    rows = estimated_rows(looked_up.sums, labelled)
    cards = [
        _card(row, looked_up, tier_mix(histograms.get(_who(row), ()), looked_up.bounds[row.tenant])) for row in rows
    ]
    return sorted(cards, key=_worst_first)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LookedUp:
    """What is stored of the agents, but for the labels."""

    sums: Sequence[Sums]
    mixed: Collection[Who]
    """Agents whose sums are of several versions together."""
    weeks: AgentWeeks
    alarms: Mapping[Who, AgentAlarmState]
    incidents: Mapping[Who, AgentIncident]
    bounds: Mapping[str, TierBounds]
    findings: Mapping[Who, RecentFindings]
    changes: Mapping[Who, list[ReasonChange]]


async def _look_up(service: Service, wanted: AnswerScope, now: datetime, *, by_version: bool) -> _LookedUp:
    of_versions, weeks, alarms, incidents = await asyncio.gather(
        read_sums(service.engine, wanted, by_version=True, by_judge=True),
        agent_weeks(service.engine, wanted, now),
        agent_alarms(service.engine, tenant=wanted.tenant, agent=wanted.agent),
        agent_incidents(service.engine, tenant=wanted.tenant, agent=wanted.agent, current=True),
    )
    agents = {(each.tenant, each.agent) for each in of_versions}
    looked_at = sorted(agents)[:_MOST_AGENTS]
    bounds, (before, after, findings) = await asyncio.gather(
        tier_bounds(service, {tenant for tenant, _ in agents}),
        all_findings(service.engine, wanted, weeks, looked_at),
    )
    return _LookedUp(
        sums=of_versions if by_version else _together(of_versions),
        mixed=() if by_version else _of_several_versions(of_versions),
        weeks=weeks,
        alarms={(each.tenant, each.agent): each for each in alarms},
        incidents={(each.tenant, each.agent): each for each in incidents},
        bounds=bounds,
        findings={who: findings.get(who, RecentFindings()) for who in agents},
        changes={who: _reason_changes(before, after, who) for who in agents},
    )


async def all_findings(
    engine: AsyncEngine, wanted: AnswerScope, weeks: AgentWeeks, agents: Collection[Who], *, most: int = MOST_ANSWERS
) -> tuple[Mapping[Who, RecentFindings], ...]:
    """What is found among the newest answers of the week before, of the last week, and of the scope.

    Where the last week has enough answers, those of the scope are the same. Raises `StoreUnavailable`.
    """
    before = replace(wanted, since=weeks.week_before, until=weeks.week)
    after = replace(wanted, since=weeks.week, until=weeks.end)
    begun = wanted.since is None or wanted.since <= weeks.week
    whole = begun and (wanted.until is None or wanted.until >= weeks.end)
    few = {who for who in agents if not whole or weeks.received(who) < most}
    earlier, later, others = await recent_findings(
        engine, [(before, agents), (after, agents), (wanted, few)], most=most
    )
    return earlier, later, {**others, **{who: found for who, found in later.items() if who not in few}}


def _reason_changes(
    before: Mapping[Who, RecentFindings], after: Mapping[Who, RecentFindings], who: Who
) -> list[ReasonChange]:
    return reason_changes(before.get(who, RecentFindings()), after.get(who, RecentFindings()))


def _of_several_versions(sums: Iterable[Sums]) -> set[Who]:
    versions: dict[Who, set[str | None]] = {}
    for each in sums:
        versions.setdefault((each.tenant, each.agent), set()).add(each.agent_version)
    return {who for who, names in versions.items() if len(names) > 1}


def _together(sums: Iterable[Sums]) -> list[Sums]:
    """The sums of each agent and judge over all versions."""
    added: dict[tuple[str, str, str | None], Sums] = {}
    for each in sums:
        key = each.tenant, each.agent, each.judge
        added[key] = added[key] + each if key in added else replace(each, agent_version=None)
    return list(added.values())


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


def _card(row: EstimatedRow, looked_up: _LookedUp, tiers: list[TierShare]) -> AgentCard:
    who = row.tenant, row.agent
    weeks, alarm = looked_up.weeks, looked_up.alarms.get(who)
    days, releases = weeks.days.get(who, []), weeks.releases.get(who, {})
    return AgentCard(
        row=row,
        tiers=tiers,
        trend=sparkline([each.mean_p for each in days]),
        marks=upright_lines([each.day.date() in releases for each in days]),
        releases=releases,
        mixed=who in looked_up.mixed and row.agent_version is None,
        change=weeks.changes.get(who),
        alarm=alarm,
        incident=looked_up.incidents.get(who),
        since=weeks.answered_since(who, alarm.answers) if alarm is not None else None,
        findings=looked_up.findings[who],
        changes=looked_up.changes[who],
        week=weeks.week,
        week_before=weeks.week_before,
        end=weeks.end,
    )


def _who(row: EstimatedRow) -> tuple[str, str, str | None]:
    return row.tenant, row.agent, row.agent_version


def _worst_first(card: AgentCard) -> tuple[bool, bool, float, float]:
    estimate = card.row.estimate
    return not card.alarmed, estimate is None, estimate or 0.0, card.row.mean_p_correct or 0.0
