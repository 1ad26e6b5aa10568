"""The overview: which agents fare badly, since when, and what is found in their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from service.api.access import ConsoleReader, RunningService
from service.api.caller import Caller
from service.console.forms import ANY_TIME, RANGES, ReportForm
from service.console.overview.agent_cards import AgentCard, agent_cards
from service.console.rendering import ago, page
from service.console.spelling import spelled
from service.pipeline.running import Service
from service.storage.scores.estimated_reports import EstimatedRow, estimated_report
from service.storage.scores.recent_findings import MOST_ANSWERS
from service.storage.status.intake_status import last_answers
from service.storage.sums.reading import AnswerScope, Period

router = APIRouter(include_in_schema=False)
_LENGTHS = {Period.DAY: timedelta(days=1), Period.WEEK: timedelta(days=7)}

MOST_LINES = 200
"""Most lines of the table by day or week."""


@router.get("/console")
async def show_report(
    query: Annotated[ReportForm, Query()], request: Request, service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows how each agent fares: those with an alarm first, then the worst."""
    now = datetime.now(UTC)
    if query.tenant is None and query.agent is None:
        # no name to correct: names and agents are read one beside the other
        (form, suggestions), lines = await asyncio.gather(
            spelled(query, service.engine, reader), _lines(service, query, reader, now)
        )
    else:
        form, suggestions = await spelled(query, service.engine, reader)
        lines = await _lines(service, form, reader, now)
    wanted = form.at(now).wanted(reader)
    last = {(each.tenant, each.agent): each for each in await last_answers(service.engine, wanted.tenant, now)}
    present = {(card.row.tenant, card.row.agent) for card in lines.cards}
    shown = {
        "title": "Agents",
        "rows": [(row, _answers_of(row, wanted, form)) for row in lines.rows[:MOST_LINES]],
        "cut_after": MOST_LINES if len(lines.rows) > MOST_LINES else None,
        "cards": [(card, _answers_of(card.row, wanted, form)) for card in lines.cards],
        "given": form.given(),
        "form": form,
        "ranges": RANGES,
        "suggestions": suggestions,
        "last": {who: ago(now - each.occurred_at) for who, each in last.items()},
        "silent": [each for who, each in last.items() if who not in present and wanted.agent in {None, each.agent}],
        "site": str(request.base_url).rstrip("/"),
        "newest": MOST_ANSWERS,
        "judged_wrong_bound": service.settings.alarms.judged_wrong,
    }
    return page("agents.html", shown, carried=form.carried())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """The table of the page: a card for each agent, or a row for each of its days or weeks."""

    cards: Sequence[AgentCard] = ()
    rows: Sequence[EstimatedRow] = ()


async def _lines(service: Service, form: ReportForm, reader: Caller, now: datetime) -> _Lines:
    wanted, by_version = form.at(now).wanted(reader), form.by == "agent_version"
    if form.every is None:
        return _Lines(cards=await agent_cards(service, wanted, now, by_version=by_version))
    most = MOST_LINES + 1
    rows = await estimated_report(service.engine, wanted, by_version=by_version, period=form.every, most=most)
    return _Lines(rows=rows)


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
