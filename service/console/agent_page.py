"""The page of one agent: its trend, its versions, its alarm, and which reasons became more frequent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.access import ConsoleReader, RunningService
from service.console.forms import RANGES, ReportForm
from service.console.overview.agent_cards import agent_cards, week_scopes
from service.console.overview.agent_versions import AgentVersion, agent_versions
from service.console.overview.agent_weeks import AgentDay, agent_weeks
from service.console.overview.line_charts import line_chart
from service.console.overview.reason_changes import ReasonChange, reason_changes
from service.console.rendering import page
from service.console.spelling import spelled
from service.storage.scores.recent_findings import RecentFindings, recent_findings

router = APIRouter(include_in_schema=False)
_COMPARED = 500
"""Newest answers of each week whose reasons are compared."""
_MOST_REASONS = 12
_LEAST_DAYS = 7


@router.get("/console/agents")
async def show_agent(query: Annotated[ReportForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """Shows how one agent fared, day by day and version by version; without an agent, the agents to choose from."""
    form, suggestions = await spelled(query, service.engine, reader)
    now = datetime.now(UTC)
    wanted = form.at(now).wanted(reader)
    cards = await agent_cards(service, wanted, now)
    shown = {
        "title": "Agent",
        "given": form.given(),
        "ranges": RANGES,
        "suggestions": suggestions,
        "choices": [(each, {**form.carried(), "tenant": each.row.tenant, "agent": each.row.agent}) for each in cards],
    }
    if form.agent is None or len(cards) != 1:
        return page("agent_choice.html", shown, carried=form.carried())
    (card,) = cards
    who = card.row.tenant, card.row.agent
    own = replace(wanted, tenant=who[0], agent=who[1])
    weeks = await agent_weeks(service.engine, own, now)
    asked = [(scope, [who]) for scope in week_scopes(own, weeks)]
    before, after = await recent_findings(service.engine, asked, most=_COMPARED)
    days = _since_first(weeks.days.get(who, []))
    versions = await agent_versions(service.engine, own)
    shown |= {
        "card": card,
        "answers": {**form.carried(), "tenant": who[0], "agent": who[1]},
        "versions": versions,
        "began_last": _began_last(versions, card.since),
        "days": [each for each in reversed(days) if each.received],
        "chart": _chart(days),
        "reasons": _compared(before.get(who), after.get(who)),
        "week": weeks.week.date(),
        "week_before": weeks.week_before.date(),
    }
    return page("agent.html", shown, carried=form.carried())


def _since_first(days: list[AgentDay]) -> list[AgentDay]:
    """The days from the first one with answers on, and at least a week."""
    first = next((place for place, each in enumerate(days) if each.received), 0)
    return days[min(first, len(days) - _LEAST_DAYS) :]


def _began_last(versions: Sequence[AgentVersion], alarm: datetime | None) -> AgentVersion | None:
    """The version that began last before the alarm went on, where there are several."""
    before = [each for each in versions if each.first and (alarm is None or each.first <= alarm.date())]
    return before[0] if before and len(versions) > 1 else None


def _chart(days: Sequence[AgentDay]) -> object:
    if not any(each.scored for each in days):
        return None
    lines = {"mean p(correct)": [each.mean_p for each in days], "judged wrong": [each.judged_wrong for each in days]}
    return line_chart([f"{each.day:%m-%d}" for each in days], lines, highest=1.0)


def _compared(before: RecentFindings | None, after: RecentFindings | None) -> list[ReasonChange]:
    """The reasons that changed most, those that rose first; those that are as frequent as before are left out last."""
    changes = reason_changes(before or RecentFindings(), after or RecentFindings())
    most = sorted(changes, key=lambda each: -max(abs(each.difference), each.after or 0.0))[:_MOST_REASONS]
    return [each for each in changes if each in most]
