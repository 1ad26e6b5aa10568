"""The page of slices: where an agent loses most, and what got worse since the period before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.counts import CAUSES, AgentLoss, SliceCounts, SliceKind
from evals.slices.significance import FALSE_DISCOVERIES, LEAST_QUESTIONS, SHRINKING
from evals.slices.worst import WorstSlice
from service.api.access import ConsoleReader, RunningService
from service.console.forms import RANGES, BrowserForm
from service.console.rendering import link, page
from service.console.spelling import spelled
from service.storage.slices.answer_slices import MOST_ANSWERS
from service.storage.slices.slice_reports import Periods, changed_slices, periods, slice_report
from service.storage.sums.reading import AnswerScope

router = APIRouter(include_in_schema=False)
_MOST_SHOWN = 40
"""Most slices in one table."""
_LISTED_BY = {SliceKind.REASON: "reason", SliceKind.VERSION: "agent_version"}
"""Kinds by which the list of answers can be filtered, with the parameter."""
_SEARCHED = frozenset({SliceKind.TABLE, SliceKind.COLUMN})
"""Kinds whose answers a search for the value finds."""
_NOTES = {
    "most": MOST_ANSWERS,
    "least": LEAST_QUESTIONS,
    "shrinking": round(SHRINKING),
    "false_discoveries": FALSE_DISCOVERIES,
}


class SlicesForm(BrowserForm):
    """The form above the slices."""

    view: Literal["worst", "changes"] = "worst"
    kind: SliceKind | None = None


@router.get("/console/slices")
async def show_slices(
    query: Annotated[SlicesForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows the slices of agents by right answers lost."""
    form, suggestions = await spelled(query, service.engine, reader)
    now = datetime.now(UTC)
    wanted = form.at(now).wanted(reader)
    shown = await (
        _worst(service.engine, form, wanted)
        if form.view == "worst"
        else _changes(service.engine, form, periods(wanted, now))
    )
    shared = {
        "title": "Slices",
        "form": form,
        "given": form.given(),
        "kinds": [(each.value, each.value) for each in SliceKind],
        "ranges": RANGES,
        "suggestions": suggestions,
        "notes": _NOTES,
    }
    return page("slices.html", shared | shown, carried=form.carried())


async def _worst(engine: AsyncEngine, form: SlicesForm, wanted: AnswerScope) -> dict[str, Any]:
    found, report = await slice_report(engine, wanted)
    chosen = [each for each in report.slices if form.kind in {None, each.counts.kind}]
    costly = [each for each in chosen if each.lost > 0]
    return {
        "agents": found.agents,
        "answers": sum(each.all.answers for each in found.agents),
        "report": report,
        "tables": _tables([(each, _link(each.counts, form)) for each in costly]),
        "versions": _versions(report.slices, form) if form.kind in {None, SliceKind.VERSION} else [],
    }


async def _changes(engine: AsyncEngine, form: SlicesForm, compared: Periods) -> dict[str, Any]:
    found = await changed_slices(engine, compared)
    report = found.report
    worse = [each for each in report.slices if each.lost > 0 and form.kind in {None, each.counts.kind}]
    return {
        "agents": found.read.agents,
        "answers": sum(each.all.answers for each in found.read.agents),
        "report": report,
        "tables": _tables([(each, _link(each.counts, form)) for each in worse]),
        "versions": [],
        "changed": [(each, found.since.get(each.now.who), _own(each.now, form)) for each in report.agents],
        "periods": compared,
    }


def _own(agent: AgentLoss, form: SlicesForm) -> str:
    return link("/console/slices", form.given(), tenant=agent.tenant, agent=agent.agent)


def _tables(found: list[tuple[Any, str]]) -> list[tuple[str, int, list[tuple[Any, str]]]]:
    """Where and why, each with the number of slices and the first of them."""
    causes = [each for each in found if each[0].counts.kind in CAUSES]
    places = [each for each in found if each[0].counts.kind not in CAUSES]
    return [("Where", len(places), places[:_MOST_SHOWN]), ("Why", len(causes), causes[:_MOST_SHOWN])]


def _versions(slices: Any, form: SlicesForm) -> list[tuple[WorstSlice, str]]:
    """The versions of agents side by side."""
    versions: list[WorstSlice] = [each for each in slices if each.counts.kind is SliceKind.VERSION]
    ordered = sorted(versions, key=lambda each: (*each.counts.who, each.counts.value))
    return [(each, _link(each.counts, form)) for each in ordered]


def _link(counts: SliceCounts, form: SlicesForm) -> str:
    """The address of the answers of the slice, or of the one that is most likely wrong."""
    kept = {**form.carried(), "tenant": counts.tenant, "agent": counts.agent, "order": "worst"}
    parameter = "search" if counts.kind in _SEARCHED else _LISTED_BY.get(counts.kind)
    if parameter is not None and len(counts.value) <= 128:
        return link("/console/evaluations", {**kept, parameter: counts.value})
    return link(f"/console/evaluations/{counts.example}", kept)
