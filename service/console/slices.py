"""The page of slices: where an agent loses most, and what got worse since the period before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.changes import ChangeReport, changes
from evals.slices.counts import CAUSES, AgentLoss, SliceCounts, SliceKind
from evals.slices.significance import FALSE_DISCOVERIES, LEAST_QUESTIONS, SHRINKING
from evals.slices.since import WorseSince
from evals.slices.worst import WorstSlice, worst_slices
from service.api.access import ConsoleReader, RunningService
from service.api.errors import ApiError
from service.console.forms import BrowserForm, RecentDays
from service.console.rendering import link, page
from service.console.spelling import spelled
from service.storage.slices.answer_slices import MOST_ANSWERS, SlicesTooSlow, read_slices
from service.storage.slices.daily_losses import days_worse_since
from service.storage.sums.reading import AnswerScope

router = APIRouter(include_in_schema=False)
_MOST_SHOWN = 40
"""Most slices in one table."""
_RANGES = {RecentDays.TODAY: "Today", RecentDays.WEEK: "7 days", RecentDays.MONTH: "30 days", RecentDays.ALL: "All"}
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


@dataclass(frozen=True, slots=True)
class Periods:
    """A period and the one of the same length before it."""

    now: AnswerScope
    before: AnswerScope


@router.get("/console/slices")
async def show_slices(
    query: Annotated[SlicesForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows the slices of agents by right answers lost."""
    form, suggestions = await spelled(query, service.engine, reader)
    now = datetime.now(UTC)
    wanted = form.at(now).wanted(reader)
    try:
        shown = await (
            _worst(service.engine, form, wanted)
            if form.view == "worst"
            else _changes(service.engine, form, _periods(wanted, now))
        )
    except SlicesTooSlow as error:
        fix = "Choose a tenant, an agent or a shorter time."
        raise ApiError(400, "SLICES_TOO_SLOW", str(error), fix) from error
    shared = {
        "title": "Slices",
        "form": form,
        "given": form.given(),
        "kinds": [(each.value, each.value) for each in SliceKind],
        "ranges": _RANGES,
        "suggestions": suggestions,
        "notes": _NOTES,
    }
    return page("slices.html", shared | shown, carried=form.carried())


async def _worst(engine: AsyncEngine, form: SlicesForm, wanted: AnswerScope) -> dict[str, Any]:
    found = await read_slices(engine, wanted)
    report = worst_slices(found.agents, found.slices, few=found.few)
    chosen = [each for each in report.slices if form.kind in {None, each.counts.kind}]
    costly = [each for each in chosen if each.lost > 0]
    return {
        "agents": found.agents,
        "answers": sum(each.all.answers for each in found.agents),
        "report": report,
        "tables": _tables([(each, _link(each.counts, form)) for each in costly]),
        "versions": _versions(report.slices, form) if form.kind in {None, SliceKind.VERSION} else [],
    }


async def _changes(engine: AsyncEngine, form: SlicesForm, periods: Periods) -> dict[str, Any]:
    now, before = await read_slices(engine, periods.now), await read_slices(engine, periods.before)
    report = changes(now, before)
    worse = [each for each in report.slices if each.lost > 0 and form.kind in {None, each.counts.kind}]
    both = replace(periods.now, since=periods.before.since)
    return {
        "agents": now.agents,
        "answers": sum(each.all.answers for each in now.agents),
        "report": report,
        "tables": _tables([(each, _link(each.counts, form)) for each in worse]),
        "versions": [],
        "changed": await _changed(engine, report, form, both),
        "periods": periods,
    }


def _periods(wanted: AnswerScope, now: datetime) -> Periods:
    """The time asked for and the time before; without a begin, the last seven days and the seven before."""
    until = wanted.until or now
    since = wanted.since or _earlier(until, timedelta(days=7))
    if since >= until:
        fix = "Choose a time that begins before it ends and before now."
        raise ApiError(400, "INVALID_PARAMETER", f"the time begins at {since:%Y-%m-%d %H:%M}, after its end", fix)
    latest = replace(wanted, since=since, until=until)
    return Periods(latest, replace(wanted, since=_earlier(since, until - since), until=since))


def _earlier(moment: datetime, length: timedelta) -> datetime:
    earliest = datetime.min.replace(tzinfo=UTC)
    return moment - length if moment - earliest > length else earliest


async def _changed(
    engine: AsyncEngine, report: ChangeReport, form: SlicesForm, both: AnswerScope
) -> list[tuple[Any, WorseSince | None, str]]:
    """Each agent, the day since which it is worse, and the address of its own slices."""
    sure = [each.now.who for each in report.agents if each.sure and each.lost > 0]
    since: Mapping[tuple[str, str], WorseSince] = await days_worse_since(engine, both, sure) if sure else {}
    return [(each, since.get(each.now.who), _own(each.now, form)) for each in report.agents]


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
