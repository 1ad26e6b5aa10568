"""The console's routes: the same data as the API, as web pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from references.reference_verdict import ReferenceVerdict
from scoring.query import UnscoredReason
from scoring.reasons import ReasonCode
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service.api.access import ConsoleReader, RunningService
from service.console.exports import MOST_EXPORTED
from service.console.forms import RANGES, ListForm, ReportForm
from service.console.rendering import page, style_sheet
from service.console.spelling import spelled
from service.storage.scores.estimated_reports import EstimatedRow, estimated_report
from service.storage.scores.evaluation_pages import Order, evaluation_page
from service.storage.sums.reading import AnswerScope, Period

router = APIRouter(include_in_schema=False)
_LENGTHS = {Period.DAY: timedelta(days=1), Period.WEEK: timedelta(days=7)}
_CHOICES = {
    "order": [(each.value, each.value) for each in Order],
    "unscored": [("false", "scored"), ("true", "no score")],
    "tier": [(each.value, each.value) for each in Tier],
    "verdict": [(each.value, each.value) for each in Verdict],
    "filter_status": [(each.value, each.value) for each in FilterStatus],
    "reviewed": [("true", "with a label"), ("false", "without a label")],
    "reference": [(each.value, each.value) for each in ReferenceVerdict],
}
_REASONS = {
    "of an answer with a score": sorted(each.value for each in ReasonCode),
    "why there is no score": sorted(each.value for each in UnscoredReason),
}
_JUDGED_WRONG_BOUND = 0.2
"""The share judged wrong above which the console marks an agent: the chart's default of `judgedWrong`."""


@router.get("/")
async def home() -> Response:
    """Redirects to the console."""
    return RedirectResponse("/console", status_code=307)


@router.get("/console/style.css")
async def style() -> Response:
    """Serves the style sheet."""
    return Response(style_sheet(), media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})


@router.get("/console")
async def show_report(
    query: Annotated[ReportForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows the quality of each agent, worst first."""
    form, suggestions = await spelled(query, service.engine, reader)
    wanted = form.at(datetime.now(UTC)).wanted(reader)
    rows = await estimated_report(service.engine, wanted, by_version=form.by == "agent_version", period=form.every)
    if form.every is None:
        rows.sort(key=lambda row: (row.estimate is None, row.estimate or 0.0, row.mean_p_correct or 0.0))
    shown = {
        "title": "Agents",
        "rows": [(row, _answers_of(row, wanted, form)) for row in rows],
        "given": form.given(),
        "form": form,
        "ranges": RANGES,
        "suggestions": suggestions,
        "judged_wrong_bound": _JUDGED_WRONG_BOUND,
    }
    return page("report.html", shown, carried=form.carried())


@router.get("/console/evaluations")
async def show_evaluations(
    query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows a page of answers."""
    form, suggestions = await spelled(query, service.engine, reader)
    wanted = form.at(datetime.now(UTC)).wanted(reader)
    found = await evaluation_page(service.engine, wanted, order=form.shown_order, limit=form.limit, cursor=form.cursor)
    shown = {
        "title": "Answers",
        "page": found,
        "given": form.given(),
        "order": form.shown_order,
        "choices": _CHOICES,
        "reasons": _REASONS,
        "ranges": RANGES,
        "suggestions": suggestions,
        "most": MOST_EXPORTED,
    }
    return page("evaluations.html", shown, carried=form.carried())


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
    return {**form.carried(), **named, **times, "range": None, "from_day": None, "to_day": None}
