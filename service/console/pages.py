"""The console's routes: the same data as the API, as web pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import RedirectResponse, Response

from references.reference_verdict import ReferenceVerdict
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service.api.access import Caller, RunningService, reader_of
from service.api.errors import ApiError
from service.console.forms import ListForm, ReportForm
from service.console.rendering import page, style_sheet
from service.storage.label_store import labelled_evaluation
from service.storage.scores.estimated_reports import estimated_report
from service.storage.scores.evaluation_pages import Order, evaluation_page

router = APIRouter(include_in_schema=False)
Reader = Annotated[Caller, Depends(reader_of)]
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
async def show_report(query: Annotated[ReportForm, Query()], service: RunningService, reader: Reader) -> Response:
    """Shows the quality of each agent, worst first."""
    wanted = query.wanted(reader)
    rows = await estimated_report(service.engine, wanted, by_version=query.by == "agent_version", period=query.every)
    if query.every is None:
        rows.sort(key=lambda row: (row.estimate is None, row.estimate or 0.0, row.mean_p_correct or 0.0))
    given = query.model_dump(mode="json", exclude_none=True)
    shown = {"title": "Agents", "rows": rows, "given": given, "by": query.by, "every": query.every}
    return page("report.html", {**shown, "judged_wrong_bound": _JUDGED_WRONG_BOUND})


@router.get("/console/evaluations")
async def show_evaluations(query: Annotated[ListForm, Query()], service: RunningService, reader: Reader) -> Response:
    """Shows a page of answers."""
    found = await evaluation_page(
        service.engine, query.wanted(reader), order=query.order, limit=query.limit, cursor=query.cursor
    )
    given = query.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    choices = {
        "order": list(Order),
        "tier": list(Tier),
        "verdict": list(Verdict),
        "filter_status": list(FilterStatus),
        "reference": list(ReferenceVerdict),
    }
    return page("evaluations.html", {"title": "Answers", "page": found, "given": given, "choices": choices})


@router.get("/console/evaluations/{evaluation_id}")
async def show_evaluation(evaluation_id: UUID, service: RunningService, reader: Reader) -> Response:
    """Shows one answer with everything that explains its score."""
    found = await labelled_evaluation(service.engine, evaluation_id, reader.tenant)
    if found is None:
        raise ApiError(
            404, "NOT_FOUND", f"there is no evaluation {evaluation_id}", "Choose one from the list of answers."
        )
    record: dict[str, Any] = found["record"]
    return page("evaluation.html", {"title": "Answer", "row": found, "record": record, "filters": _filters(record)})


def _filters(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each filter: its place in the alignment, the words in the question, and the condition in the SQL."""
    alignment: Any = record.get("alignment")
    places: Any = alignment["filters"] if alignment else {}
    return [(place, str(each.get("span") or ""), _sql_text(each)) for place, found in places.items() for each in found]


def _sql_text(found: Any) -> str:
    return ", ".join(str(each["text"]) for each in found.get("present") or ()) or str(found.get("text") or "")
