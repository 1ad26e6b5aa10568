"""The overview: which agents fare badly, since when, and what is found in their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.access import ConsoleReader, RunningService
from service.api.caller import Caller
from service.console.forms import ANY_TIME, RANGES, AgentOrder, ReportForm
from service.console.overview.agent_cards import AgentCard, agent_cards
from service.console.rendering import ago, page
from service.console.spelling import spelled
from service.pipeline.running import Service
from service.storage.scores.estimated_reports import EstimatedRow, estimated_report
from service.storage.scores.recent_findings import MOST_ANSWERS
from service.storage.status.intake_status import LastAnswer, last_answers
from service.storage.sums.reading import AnswerScope, Period

router = APIRouter(include_in_schema=False)
_LENGTHS = {Period.DAY: timedelta(days=1), Period.WEEK: timedelta(days=7)}

AGENTS_ON_A_PAGE = 25
_ORDERS = {
    AgentOrder.WORST: "alarms, then the worst",
    AgentOrder.NAME: "name",
    AgentOrder.MEAN: "lowest mean",
    AgentOrder.WRONG: "most judged wrong",
    AgentOrder.ANSWERS: "most answers",
}
MOST_LINES = 200
"""Most lines of the table by day or week."""


@router.get("/console")
async def show_report(
    query: Annotated[ReportForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows how each agent fares: those with an alarm first, then the worst."""
    now = datetime.now(UTC)
    if query.tenant is None and query.agent is None:
        # no name to correct: names and agents are read one beside the other
        (form, suggestions), (lines, last) = await asyncio.gather(
            spelled(query, service.engine, reader), _read(service, query, reader, now)
        )
    else:
        form, suggestions = await spelled(query, service.engine, reader)
        lines, last = await _read(service, form, reader, now)
    wanted = form.at(now).wanted(reader)
    found = sorted_cards(lines.cards, form)
    pages = max(1, -(-len(found) // AGENTS_ON_A_PAGE))
    place = min(form.page, pages)
    first = AGENTS_ON_A_PAGE * (place - 1)
    present = {(card.row.tenant, card.row.agent) for card in lines.cards}
    shown = {
        "title": "Agents",
        "rows": [(row, _answers_of(row, wanted, form)) for row in lines.rows[:MOST_LINES]],
        "cut_after": MOST_LINES if len(lines.rows) > MOST_LINES else None,
        "cards": [(card, _answers_of(card.row, wanted, form)) for card in found[first : first + AGENTS_ON_A_PAGE]],
        "agents": len(found),
        "pages": range(1, pages + 1),
        "place": place,
        "orders": _ORDERS,
        "given": form.given(),
        "form": form,
        "ranges": RANGES,
        "suggestions": suggestions,
        "last": {who: ago(now - each.occurred_at) for who, each in last.items()},
        "silent": [each for who, each in last.items() if who not in present and wanted.agent in {None, each.agent}],
        "newest": MOST_ANSWERS,
        "judged_wrong_bound": service.settings.alarms.judged_wrong,
    }
    return page("agents.html", shown, carried=form.carried())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """The table of the page: a card for each agent, or a row for each of its days or weeks."""

    cards: Sequence[AgentCard] = ()
    rows: Sequence[EstimatedRow] = ()


async def _read(
    service: Service, form: ReportForm, reader: Caller, now: datetime
) -> tuple[_Lines, dict[tuple[str, str], LastAnswer]]:
    """The table, and the last answer of each tenant's agents."""
    tenant = form.at(now).wanted(reader).tenant
    lines, last = await asyncio.gather(_lines(service, form, reader, now), last_answers(service.engine, tenant, now))
    return lines, {(each.tenant, each.agent): each for each in last}


async def _lines(service: Service, form: ReportForm, reader: Caller, now: datetime) -> _Lines:
    wanted, by_version = form.at(now).wanted(reader), form.by == "agent_version"
    if form.every is None:
        return _Lines(cards=await agent_cards(service, wanted, now, by_version=by_version))
    most = MOST_LINES + 1
    rows = await estimated_report(service.engine, wanted, by_version=by_version, period=form.every, most=most)
    return _Lines(rows=rows)


def sorted_cards(cards: Sequence[AgentCard], form: ReportForm) -> list[AgentCard]:
    """The cards that the form asks for, in its order; agents without a figure come last."""
    wanted = (form.name or "").casefold()
    found = [card for card in cards if any(wanted in name.casefold() for name in (card.row.agent, card.row.tenant))]
    if form.sort is not AgentOrder.WORST:
        found.sort(key=lambda card: _place(card.row, form.sort))
    return found


def _place(row: EstimatedRow, order: AgentOrder) -> tuple[bool, float, str, str]:
    figures = {
        AgentOrder.MEAN: row.mean,
        AgentOrder.WRONG: None if row.judged_wrong is None else -row.judged_wrong,
        AgentOrder.ANSWERS: -row.received,
        AgentOrder.NAME: 0.0,
    }
    figure = figures[order]
    return figure is None, figure or 0.0, row.agent.casefold(), row.tenant


def _answers_of(row: EstimatedRow, wanted: AnswerScope, form: ReportForm) -> dict[str, object]:
    """The parameters of the list of the answers in a row of the report."""
    named = {"tenant": row.tenant, "agent": row.agent}
    if row.agent_version is not None:
        named["agent_version"] = row.agent_version
    if row.period is None or form.every is None:
        return {**form.carried(), **named}
    length, last = _LENGTHS[form.every], datetime.max.replace(tzinfo=UTC)
    after = row.period + length if row.period < last - length else last
    since = max(filter(None, (row.period, wanted.since)))
    until = min(filter(None, (after, wanted.until)))
    times = {"since": since.isoformat(), "until": until.isoformat()}
    return {**form.carried(), **named, **ANY_TIME, **times}
