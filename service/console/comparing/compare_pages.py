"""Two versions of an agent: where the later one is worse, which questions flipped, and two answers side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from evals.version_comparison import compare_versions
from service.api.access import ConsoleReader, RunningService
from service.api.errors import ApiError
from service.api.evaluations import Name
from service.console.answer.differences import differences
from service.console.answer.sql_text import ShownSql, show_sql
from service.console.forms import BrowserForm
from service.console.overview.agent_versions import agent_versions
from service.console.rendering import page
from service.console.spelling import spelled
from service.pipeline.running import Service
from service.storage.incidents.agent_incidents import JudgedShare, agent_incidents
from service.storage.label_store import labelled_evaluation
from service.storage.scores.version_answers import MOST_COMPARED, version_answers
from service.storage.slices.slice_reports import Periods, compared_periods
from service.storage.sums.reading import AnswerScope, read_sums

router = APIRouter(include_in_schema=False)
_MOST_SHOWN = 10
"""Most flipped questions, and most kinds of questions, before the reader unfolds the rest."""


class CompareForm(BrowserForm):
    """Which versions to compare; `against` is the one before unless it is said."""

    against: Name | None = None


@router.get("/console/compare")
async def show_comparison(
    query: Annotated[CompareForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Compares a version of an agent with another one: without `agent_version`, the one that began last."""
    form, suggestions = await spelled(query, service.engine, reader)
    now = datetime.now(UTC)
    wanted = form.at(now).wanted(reader)
    shown: dict[str, Any] = {"title": "Compare", "form": form, "given": form.given(), "suggestions": suggestions}
    versions = await _versions(service, wanted) if wanted.agent else []
    version = form.agent_version or (versions[0] if versions else None)
    if version is None:
        return page("compare.html", shown | {"versions": versions, "periods": None}, carried=form.carried())
    compared = await compared_periods(service.engine, replace(wanted, agent_version=version), now)
    if form.against is not None:
        earlier = replace(compared.before, agent_version=form.against, since=None, until=None)
        compared = Periods(compared.now, earlier)
    shown |= await _compared(service, compared)
    return page("compare.html", shown | {"versions": versions}, carried=form.carried())


async def _versions(service: Service, wanted: AnswerScope) -> list[str]:
    """The names of the agent's versions, the one that began last first."""
    # the begin of a version is not cut by the time asked for
    everything = replace(wanted, agent_version=None, since=None, until=None)
    found = await agent_versions(service.engine, everything)
    return [each.row.agent_version for each in found if each.row.agent_version]


async def _compared(service: Service, compared: Periods) -> dict[str, Any]:
    engine, scope = service.engine, compared.now
    before, now, share_before, share_now, incidents = await asyncio.gather(
        version_answers(engine, compared.before),
        version_answers(engine, compared.now),
        _judged(service, compared.before),
        _judged(service, compared.now),
        agent_incidents(engine, tenant=scope.tenant, agent=scope.agent),
    )
    found = await asyncio.to_thread(compare_versions, before, now)
    return {
        "periods": compared,
        "before": share_before,
        "now": share_now,
        "found": found,
        "most": MOST_COMPARED,
        "shown": _MOST_SHOWN,
        "incident": next((each for each in incidents if each.agent_version == scope.agent_version), None),
        "answers": {"tenant": scope.tenant, "agent": scope.agent, "agent_version": scope.agent_version},
    }


async def _judged(service: Service, scope: AnswerScope) -> JudgedShare:
    sums = await read_sums(service.engine, scope, histogram=False)
    return JudgedShare(answers=sum(each.scored for each in sums), wrong=sum(each.judged_wrong for each in sums))


@router.get("/console/compare/{before_id}/{now_id}")
async def show_pair(before_id: UUID, now_id: UUID, service: RunningService, reader: ConsoleReader) -> Response:
    """Shows two answers side by side, with what differs in their SQL."""
    rows = [await _answer(service, each, reader.tenant) for each in (before_id, now_id)]
    before, now = rows
    shown = {
        "title": "Compare",
        "sides": list(zip(("before", "now"), rows, await asyncio.to_thread(_laid_out, rows), strict=True)),
        "differences": differences(_written(before), _written(now)),
        "read": bool(_written(before) and _written(now)),
        "answers": {"tenant": now["tenant"], "agent": now["agent"], "agent_version": now["agent_version"]},
        "versions": {**({"against": before["agent_version"]} if before["agent_version"] else {})},
    }
    return page("compare_pair.html", shown, carried={"tenant": now["tenant"], "agent": now["agent"]})


def _laid_out(rows: list[dict[str, Any]]) -> list[ShownSql]:
    return [show_sql(row["sql"] or "", _written(row).get("dialect") or row["dialect"]) for row in rows]


def _written(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return row["record"].get("sql_spec") or {}


async def _answer(service: Service, id_: UUID, tenant: str | None) -> dict[str, Any]:
    row = await labelled_evaluation(service.engine, id_, tenant)
    if row is None:
        raise ApiError(404, "NOT_FOUND", f"there is no evaluation {id_}", "Choose two from /console/compare.")
    return row
