"""The page of one agent: its trend, its versions, its alarm, and which reasons became more frequent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.access import ConsoleReader, RunningService
from service.console.forms import RANGES, ReportForm
from service.console.overview.agent_cards import agent_cards, top_reasons
from service.console.overview.agent_weeks import AgentDay, agent_weeks
from service.console.overview.line_charts import line_chart
from service.console.rendering import page
from service.console.spelling import spelled
from service.storage.scores.estimated_reports import estimated_report
from service.storage.scores.recent_findings import RecentFindings, recent_findings

router = APIRouter(include_in_schema=False)
_COMPARED = 500
"""Newest answers of each week whose reasons are compared."""
_MOST_REASONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonChange:
    """How often a reason is given in the last week and in the week before, as shares of the answers."""

    code: str
    before: float | None
    after: float | None


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
    last = replace(own, since=weeks.week, until=weeks.end)
    before = replace(own, since=weeks.week_before, until=weeks.week)
    found = await recent_findings(service.engine, last, [who], most=_COMPARED)
    earlier = await recent_findings(service.engine, before, [who], most=_COMPARED)
    days = weeks.days.get(who, [])
    shown |= {
        "card": card,
        "answers": {**form.carried(), "tenant": who[0], "agent": who[1]},
        "versions": await estimated_report(service.engine, own, by_version=True),
        "days": [each for each in reversed(days) if each.received],
        "chart": _chart(days),
        "reasons": _reason_changes(earlier.get(who, RecentFindings()), found.get(who, RecentFindings())),
        "week": weeks.week.date(),
        "week_before": weeks.week_before.date(),
    }
    return page("agent.html", shown, carried=form.carried())


def _chart(days: Sequence[AgentDay]) -> object:
    if not any(each.scored for each in days):
        return None
    lines = {"mean p(correct)": [each.mean_p for each in days], "judged wrong": [each.judged_wrong for each in days]}
    return line_chart([f"{each.day:%m-%d}" for each in days], lines, highest=1.0)


def _reason_changes(before: RecentFindings, after: RecentFindings) -> list[ReasonChange]:
    """The reasons of both weeks, those that became more frequent first."""
    codes = [code for found in (after, before) for code, _ in top_reasons(found, _MOST_REASONS)]
    changes = [
        ReasonChange(code=code, before=_share(before, code), after=_share(after, code)) for code in dict.fromkeys(codes)
    ]
    return sorted(changes, key=lambda each: (each.before or 0.0) - (each.after or 0.0))


def _share(found: RecentFindings, code: str) -> float | None:
    return found.reasons[code] / found.answers if found.answers else None
