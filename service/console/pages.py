"""The console's routes: the same readings as the API's, shown to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from references.verdict import ReferenceVerdict
from scoring import EVALUATOR_VERSION
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service.api.access import Caller, RunningService, reader_of
from service.api.errors import ApiError
from service.api.evaluations import ListQuery, ReportQuery
from service.storage.scores.evaluation_pages import Order, evaluation_page, find_evaluation
from service.storage.scores.reports import report

router = APIRouter(include_in_schema=False)
Reader = Annotated[Caller, Depends(reader_of)]
_HEADERS = {
    # no script runs, nothing is loaded from elsewhere, and no other site may frame the pages
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_pages = Environment(
    loader=PackageLoader("service.console"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _link(path: str, given: Mapping[str, object], **changed: object) -> str:
    """A path with the query that was given, changed."""
    query = {name: value for name, value in {**given, **changed}.items() if value not in {None, ""}}
    return f"{path}?{urlencode(query)}" if query else path


_pages.globals["link"], _pages.globals["evaluator"] = _link, EVALUATOR_VERSION  # pyright: ignore[reportArgumentType] Jinja types its globals by its own


def _shown(name: str, **values: object) -> HTMLResponse:
    return HTMLResponse(_pages.get_template(name).render(values), headers=_HEADERS)


@router.get("/")
async def home() -> Response:
    """The console is what a person who opens the service wants."""
    return RedirectResponse("/console", status_code=307)


@router.get("/console/style.css")
async def style() -> Response:
    """The one style sheet."""
    text = _pages.get_template("style.css").render()
    return Response(text, media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})


@router.get("/console")
async def show_report(query: Annotated[ReportQuery, Query()], service: RunningService, reader: Reader) -> Response:
    """Quality per agent, worst first."""
    wanted = query.wanted(reader)
    rows = await report(service.engine, wanted, by_version=query.by == "agent_version")
    worst = sorted(rows, key=lambda row: (row.mean_p_correct is None, row.mean_p_correct or 0.0))
    given = query.model_dump(mode="json", exclude_none=True)
    return _shown("report.html", title="Agents", rows=worst, given=given, by=query.by)


@router.get("/console/evaluations")
async def show_evaluations(query: Annotated[ListQuery, Query()], service: RunningService, reader: Reader) -> Response:
    """A page of answers."""
    page = await evaluation_page(
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
    return _shown("evaluations.html", title="Answers", page=page, given=given, choices=choices)


@router.get("/console/evaluations/{evaluation_id}")
async def show_evaluation(evaluation_id: UUID, service: RunningService, reader: Reader) -> Response:
    """One answer with everything that explains its score."""
    found = await find_evaluation(service.engine, evaluation_id, reader.tenant)
    if found is None:
        raise ApiError(
            404, "NOT_FOUND", f"there is no evaluation {evaluation_id}", "Take one from the list of answers."
        )
    record: dict[str, Any] = found["record"]
    return _shown("evaluation.html", title="Answer", row=found, record=record, filters=_filters(record))


def _filters(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Every filter: the place it ended in, what was asked, and what the SQL says."""
    alignment: Any = record.get("alignment")
    places: Any = alignment["filters"] if alignment else {}
    return [(place, str(each.get("span") or ""), _said(each)) for place, found in places.items() for each in found]


def _said(found: Any) -> str:
    return ", ".join(str(each["text"]) for each in found.get("present") or ()) or str(found.get("text") or "")
