"""The console's routes: the same data as the API, as web pages."""

from __future__ import annotations

from datetime import UTC, datetime
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
from service.console.forms import RANGES, ListForm
from service.console.rendering import page, style_sheet
from service.console.spelling import spelled
from service.storage.scores.evaluation_pages import Order, evaluation_page

router = APIRouter(include_in_schema=False)
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


@router.get("/")
async def home() -> Response:
    """Redirects to the console."""
    return RedirectResponse("/console", status_code=307)


@router.get("/console/style.css")
async def style() -> Response:
    """Serves the style sheet."""
    return Response(style_sheet(), media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})


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
