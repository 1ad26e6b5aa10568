"""The page of one agent: its trend, its versions, its alarm, and which reasons became more frequent."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.access import ConsoleReader, RunningService
from service.console.forms import RANGES, ReportForm
from service.console.overview.agent_cards import AgentCard, agent_cards
from service.console.overview.agent_versions import AgentVersion, agent_versions
from service.console.overview.agent_weeks import AgentDay, agent_weeks
from service.console.overview.line_charts import line_chart
from service.console.overview.reason_changes import ReasonChange, top_reasons
from service.console.rendering import ago, page
from service.console.spelling import spelled
from service.storage.scores.recent_findings import MOST_ANSWERS
from service.storage.status.intake_status import last_answers

router = APIRouter(include_in_schema=False)
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
    weeks, versions, last = await asyncio.gather(
        agent_weeks(service.engine, own, now),
        agent_versions(service.engine, own),
        last_answers(service.engine, who[0], now, agent=who[1]),
    )
    days = _since_first(weeks.days.get(who, []))
    releases = _releases(versions, days)
    shown |= {
        "card": card,
        "last": last[0] if last else None,
        "ago": ago,
        "now": now,
        "answers": {**form.carried(), "tenant": who[0], "agent": who[1]},
        "versions": versions,
        "began_last": _began_last(versions, card.since),
        "days": [each for each in reversed(days) if each.received],
        "chart": _chart(days, releases),
        "releases": releases,
        "reasons": _reasons(card),
        "newest": MOST_ANSWERS,
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


def _releases(versions: Sequence[AgentVersion], days: Sequence[AgentDay]) -> dict[date, list[str]]:
    """The versions that began on each of these days, but for those of before all of them."""
    shown = {each.day.date() for each in days if each.received}
    began: dict[date, list[str]] = {}
    for each in reversed(versions):
        if each.first is not None and each.first in shown and each.first > min(shown):
            began.setdefault(each.first, []).append(each.row.agent_version or "without a name")
    return began


def _chart(days: Sequence[AgentDay], releases: Collection[date]) -> object:
    if not any(each.scored for each in days):
        return None
    lines = {"mean p(correct)": [each.mean_p for each in days], "judged wrong": [each.judged_wrong for each in days]}
    marks = [each.day.date() in releases for each in days]
    return line_chart([f"{each.day:%m-%d}" for each in days], lines, highest=1.0, marks=("a version began", marks))


def _reasons(card: AgentCard) -> list[tuple[ReasonChange, float]]:
    """The reasons that changed most or are most frequent, each with its share of the newest answers.

    Those that surely rose come first, then the most frequent.
    """
    newest = dict(top_reasons(card.findings))
    compared = {each.code for each in card.changes}
    others = [ReasonChange(code=code, before=None, after=None, p_value=None) for code in newest if code not in compared]
    shown = [(each, newest.get(each.code, 0.0)) for each in (*card.changes, *others)]
    most = sorted(shown, key=lambda each: -max(abs(each[0].difference), each[1]))[:_MOST_REASONS]
    return sorted(most, key=lambda each: (-each[0].difference if each[0].real else 0.0, -each[1]))
