"""The page of slices: where an agent loses most, and what got worse since the period before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.changes import PeriodAnswers, WorseSlice
from evals.slices.counts import AgentLoss, SliceCounts, SliceKind
from evals.slices.significance import FALSE_DISCOVERIES, LEAST_QUESTIONS, SHRINKING
from evals.slices.worst import WorstSlice, labels_say_otherwise
from scoring.query import UnscoredReason
from scoring.reasons import ReasonCode
from service.api.access import ConsoleReader, RunningService
from service.console.forms import ANY_TIME, RANGES, BrowserForm, RecentDays
from service.console.rendering import link, page
from service.console.spelling import spelled
from service.storage.incidents.agent_incidents import AgentIncident, agent_incidents
from service.storage.scores.evaluation_pages import FeedbackSaid
from service.storage.slices.answer_slices import MOST_ANSWERS
from service.storage.slices.slice_reports import changed_slices, compared_periods, slice_report
from service.storage.sums.reading import AnswerScope

router = APIRouter(include_in_schema=False)
_MOST_SHOWN, _MOST_UNFOLDED, _LEAST_UNFOLDED = 40, 10, 3
"""Slices of one table: at most, and at most and at least before the reader unfolds the rest."""
_LONGEST = 128
"""Most letters of a value that a filter of the list takes."""
_REASONS = frozenset({*ReasonCode, *UnscoredReason})
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
        _worst(service.engine, form, wanted) if form.view == "worst" else _changes(service.engine, form, wanted, now)
    )
    shared = {
        "title": "Slices",
        "form": form,
        "given": form.given(),
        "kinds": [(each.value, each.value) for each in SliceKind],
        "ranges": RANGES,
        "suggestions": suggestions,
        "notes": _NOTES,
        "heard": any(each.complained for each in shown["agents"]),
    }
    return page("slices.html", shared | shown, carried=form.carried())


async def _worst(engine: AsyncEngine, form: SlicesForm, wanted: AnswerScope) -> dict[str, Any]:
    found, report = await slice_report(engine, wanted)
    chosen = [each for each in report.slices if form.kind in {None, each.counts.kind}]
    costly = [each for each in chosen if each.lost > 0]
    carried = {**form.carried(), **_times(wanted, found)}
    tables = _tables(costly, carried)
    return {
        "agents": found.agents,
        "answers": sum(each.all.answers for each in found.agents),
        "report": report,
        "tables": tables,
        "first_cause": _first_cause(found.agents, tables),
        "versions": _versions(report.slices, carried) if form.kind in {None, SliceKind.VERSION} else [],
    }


async def _changes(engine: AsyncEngine, form: SlicesForm, wanted: AnswerScope, now: datetime) -> dict[str, Any]:
    compared = await compared_periods(engine, wanted, now)
    found = await changed_slices(engine, compared)
    report = found.report
    worse = [each for each in report.slices if each.lost > 0 and form.kind in {None, each.counts.kind}]
    falls = {} if compared.of_versions else await _falls(engine, wanted)
    return {
        "agents": found.read.agents,
        "answers": sum(each.all.answers for each in found.read.agents),
        "report": report,
        "tables": _tables(worse, {**form.carried(), **_times(compared.now, found.read)}),
        "versions": [],
        "changed": [(each, found.since.get(each.now.who), _own(each.now, form, falls)) for each in report.agents],
        "periods": compared,
        "incident": await _incident(engine, compared.now),
        "falls": falls,
        "mixed": {} if compared.of_versions else _mixed_versions(found.read),
        # without a begin it is the last week, never all answers
        "ranges": {value: words for value, words in RANGES.items() if value is not RecentDays.ALL},
    }


async def _incident(engine: AsyncEngine, scope: AnswerScope) -> AgentIncident | None:
    """The newest incident of the agent and version."""
    if scope.agent is None or scope.agent_version is None:
        return None
    found = await agent_incidents(engine, tenant=scope.tenant, agent=scope.agent)
    return next((each for each in found if each.agent_version == scope.agent_version), None)


async def _falls(engine: AsyncEngine, scope: AnswerScope) -> dict[tuple[str, str], AgentIncident]:
    """The incident of each agent whose alarm is on."""
    found = await agent_incidents(engine, tenant=scope.tenant, agent=scope.agent, current=True)
    return {(each.tenant, each.agent): each for each in found}


def _mixed_versions(read: PeriodAnswers) -> dict[tuple[str, str], list[str]]:
    """The versions of each agent that answered as several: shares of the time are of all of them together."""
    versions: dict[tuple[str, str], list[SliceCounts]] = {}
    for each in read.slices:
        if each.kind is SliceKind.VERSION:
            versions.setdefault(each.who, []).append(each)
    named = {agent.who: _named_versions(versions.get(agent.who, ()), agent.all.answers) for agent in read.agents}
    return {who: names for who, names in named.items() if len(names) > 1}


def _named_versions(versions: Sequence[SliceCounts], answers: int) -> list[str]:
    names = sorted(each.value for each in versions)
    # versions with few questions are not read, and some answers name none
    return [*names, "others"] if sum(each.own.answers for each in versions) < answers else names


def _times(scope: AnswerScope, read: PeriodAnswers) -> dict[str, str | None]:
    """The parameters of a list of the answers that were read: not all of the time are, where there are many."""
    first = min((each.first for each in read.agents), default=None)
    all_read = sum(each.all.answers for each in read.agents) < MOST_ANSWERS
    times = {"since": scope.since if all_read else first, "until": scope.until}
    return {**ANY_TIME, **{name: time and time.isoformat() for name, time in times.items()}}


def _own(agent: AgentLoss, form: SlicesForm, falls: Mapping[tuple[str, str], AgentIncident]) -> str:
    """The slices of one agent: of the version that fell against the one before, where one did."""
    fell = falls.get(agent.who)
    version = {} if fell is None or fell.agent_version is None else {**ANY_TIME, "agent_version": fell.agent_version}
    return link("/console/slices", {**form.given(), **version}, tenant=agent.tenant, agent=agent.agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A slice, and where its link leads."""

    found: WorstSlice | WorseSlice
    address: str
    """The list of its answers."""
    complained: str
    """The list of those of them that a user complains of."""
    disputed: bool
    """Whether the labels say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Slices under one heading: those to look at, and the rest."""

    heading: str
    first: Sequence[_Row]
    rest: Sequence[_Row]
    disputed: Sequence[_Row]
    """Those that labels contradict."""
    beyond_chance: int
    """How many of the others are."""
    unlisted: int
    """How many are in neither."""


def _tables(found: Sequence[WorstSlice | WorseSlice], carried: Mapping[str, object]) -> list[_Table]:
    """Where and why."""
    causes = [each for each in found if each.counts.is_cause]
    places = [each for each in found if not each.counts.is_cause]
    return [_table("Where", places, carried), _table("Why", causes, carried)]


def _table(heading: str, found: Sequence[WorstSlice | WorseSlice], carried: Mapping[str, object]) -> _Table:
    """Those beyond chance first, each group by what it costs; what labels contradict apart."""
    disputed = [each for each in found if labels_say_otherwise(each.counts)]
    others = [each for each in found if not labels_say_otherwise(each.counts)]
    sure = sum(each.sure for each in others)
    rows = [_row(each, carried) for each in sorted(others, key=lambda each: not each.sure)[:_MOST_SHOWN]]
    unfolded = min(max(sure, _LEAST_UNFOLDED), _MOST_UNFOLDED)
    return _Table(
        heading=heading,
        first=rows[:unfolded],
        rest=rows[unfolded:],
        disputed=[_row(each, carried) for each in disputed[:_MOST_SHOWN]],
        beyond_chance=sure,
        unlisted=len(others) - len(rows),
    )


def _first_cause(agents: Iterable[AgentLoss], tables: Sequence[_Table]) -> tuple[AgentLoss, _Row] | None:
    """The agent with the largest share of wrong answers that has a cause, and its first one."""
    rows = [row for table in tables for row in (*table.first, *table.rest) if row.found.counts.is_cause]
    for agent in sorted(agents, key=lambda each: -each.all.share):
        for row in rows:
            if row.found.counts.who == agent.who:
                return agent, row
    return None


def _versions(slices: Sequence[WorstSlice], carried: Mapping[str, object]) -> list[_Row]:
    """The versions of agents side by side."""
    versions = [each for each in slices if each.counts.kind is SliceKind.VERSION]
    return [_row(each, carried) for each in sorted(versions, key=lambda each: (*each.counts.who, each.counts.value))]


def _row(found: WorstSlice | WorseSlice, carried: Mapping[str, object]) -> _Row:
    counts = found.counts
    own = {"tenant": counts.tenant, "agent": counts.agent, "order": "worst", **_filters(counts)}
    answers = {**carried, **own}
    return _Row(
        found=found,
        address=link("/console/evaluations", answers),
        complained=link("/console/evaluations", answers, feedback=FeedbackSaid.DISSATISFIED),
        disputed=labels_say_otherwise(counts),
    )


def _filters(counts: SliceCounts) -> dict[str, str]:
    """The filters of the list that find just the answers of a slice."""
    match counts.kind:
        case SliceKind.VERSION if len(counts.value) <= _LONGEST:
            return {"agent_version": counts.value}
        case SliceKind.REASON if counts.value in _REASONS:
            return {"reason": counts.value}
        case _:
            return {"slice_kind": counts.kind.value, "slice_value": counts.value}
