"""The page of the list of answers, the style sheet and scripts of all pages, and the way from `/` to the console."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from references.reference_verdict import ReferenceVerdict
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service import console
from service.api.access import ConsoleReader, RunningService
from service.console.exports import MOST_EXPORTED
from service.console.forms import RANGES, ListForm
from service.console.reason_choices import reason_groups, shown_reasons
from service.console.rendering import page, style_sheet
from service.console.review_keys import ERROR_KEYS
from service.console.spelling import spelled
from service.storage.feedback.feedback_reading import feedback_counts
from service.storage.scores.answer_counts import MOST_READ, AnswerCount, answer_count, reason_counts
from service.storage.scores.evaluation_pages import FeedbackSaid, Order, evaluation_page

router = APIRouter(include_in_schema=False)
_FOLDED = ("agent_version", "from_day", "to_day", "judge")
"""Fields that are folded away with the choices, unless one of them is set."""
_CHOICES = {
    "unscored": [("false", "scored"), ("true", "no score")],
    "tier": [(each.value, each.value) for each in Tier],
    "verdict": [(each.value, each.value) for each in Verdict],
    "filter_status": [(each.value, each.value) for each in FilterStatus],
    "reviewed": [("true", "with a label"), ("false", "without a label")],
    "error_type": [(kind.value, f"{kind.value}: {each.words}") for kind, each in ERROR_KEYS.items()],
    "feedback": [
        (FeedbackSaid.DISSATISFIED.value, "somebody is not satisfied"),
        (FeedbackSaid.SATISFIED.value, "somebody is satisfied"),
        (FeedbackSaid.ANY.value, "with feedback"),
    ],
    "reference": [(each.value, each.value) for each in ReferenceVerdict],
}


@router.get("/")
async def home() -> Response:
    """Redirects to the console."""
    return RedirectResponse("/console", status_code=307)


@router.get("/console/style.css")
async def style() -> Response:
    """Serves the style sheet."""
    return Response(style_sheet(), media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})


@router.get("/console/review.js")
@router.get("/console/times.js")
async def script(request: Request) -> Response:
    """Serves a script: of the keys of the review, or of times in the reader's zone."""
    name = request.url.path.rpartition("/")[2]
    text = (files(console) / "static" / name).read_text(encoding="utf-8")
    return Response(text, media_type="text/javascript", headers={"X-Content-Type-Options": "nosniff"})


@router.get("/console/evaluations")
async def show_evaluations(
    query: Annotated[ListForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Lists answers, newest first or worst first."""
    form, suggestions = await spelled(query, service.engine, reader)
    wanted = form.at(datetime.now(UTC)).wanted(reader)
    order = form.shown_order
    # the list of the worst leaves out what has no score
    counted = replace(wanted, unscored=False) if order is Order.WORST else wanted
    found, total, counts = await asyncio.gather(
        evaluation_page(service.engine, wanted, order=order, limit=form.limit, cursor=form.cursor),
        answer_count(service.engine, counted),
        reason_counts(service.engine, wanted),
    )
    if found.next_cursor is None and form.cursor is None:
        total = AnswerCount(answers=len(found.items), more=False)
    shown = {
        "title": "Worst answers" if order is Order.WORST else "Newest answers",
        "page": found,
        "chips": [shown_reasons(row["reason_codes"], form.reason) for row in found.items],
        "said": await feedback_counts(service.engine, found.items),
        "total": total,
        "given": form.given(),
        "order": order,
        "choices": _CHOICES,
        "more_set": not form.given().keys().isdisjoint({*_CHOICES, *_FOLDED}),
        "reasons": reason_groups(counts),
        "reasons_read": MOST_READ,
        "ranges": RANGES,
        "suggestions": suggestions,
        "most": MOST_EXPORTED,
    }
    return page("answers.html", shown, carried=form.carried())
