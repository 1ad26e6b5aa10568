"""Two runs of a benchmark: which cases flipped, and two answers side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field, ValidationError

from evals.version_comparison import VersionAnswer, compare_versions
from scoring.query import Unscored
from scoring.record import sql_record
from scoring.sql import read_sql
from service.api.access import ConsoleReader, ConsoleReviewer, RunningService
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.api.rules import TenantName
from service.api.runs.eval_runs import LONGEST_NAME, MOST_ANSWERS, RUN_NAME, read_run
from service.console.answer.differences import SqlDifference, differences
from service.console.answer.sql_text import ShownSql, show_sql
from service.console.forms import BrowserForm
from service.console.rendering import link, page
from service.pipeline.running import Service
from service.storage.console.eval_runs import delete_run, find_run, keep_run, list_runs

router = APIRouter(include_in_schema=False)
RUNS = "/console/compare/runs"
_MOST_SHOWN = 10
"""Most flipped cases, and most kinds of questions, before the reader unfolds the rest."""


class RunsForm(BrowserForm):
    """Which runs to compare; `against_run` is the one that was sent before unless it is said."""

    run: UUID | None = None
    against_run: UUID | None = None


@router.get(RUNS)
async def show_runs(form: Annotated[RunsForm, Query()], service: RunningService, reader: ConsoleReader) -> Response:
    """Lists runs, and compares one with another: without `run`, the one that was sent last."""
    runs = await list_runs(service.engine, reader.only(form.tenant))
    shown: dict[str, Any] = {
        "title": "Compare",
        "runs": runs,
        "given": form.given(),
        "tenant": form.tenant or reader.tenant or "default",
        "most_answers": MOST_ANSWERS,
        "most_bytes": service.settings.limits.max_body_bytes,
        "found": None,
        "now": None,
        "before": None,
    }
    now = next((each["id"] for each in runs if form.run in {None, each["id"]}), form.run)
    before = form.against_run or _before(runs, now)
    if now is not None:
        shown["now"] = await _run(service, now, reader.tenant)
    if now is not None and before is not None:
        shown["before"] = await _run(service, before, reader.tenant)
        shown |= await asyncio.to_thread(_compared, shown["before"], shown["now"])
    return page("compare_runs.html", shown, carried=form.carried())


def _before(runs: Sequence[Mapping[str, Any]], now: UUID | None) -> UUID | None:
    """The run of the same tenant that was sent before."""
    chosen = next((each for each in runs if each["id"] == now), None)
    if chosen is None:
        return None
    older = [each for each in runs[runs.index(chosen) + 1 :] if each["tenant"] == chosen["tenant"]]
    return older[0]["id"] if older else None


def _compared(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The cases of both that ask the same and have the same gold SQL."""
    asked = [
        {each["case_id"]: (each["question"], each["gold_sql"]) for each in run["answers"]} for run in (before, now)
    ]
    others = {each for each in asked[0].keys() & asked[1].keys() if asked[0][each] != asked[1][each]}
    earlier, later = _answers(before, others), _answers(now, others)
    both = {each.case for each in earlier} & {each.case for each in later}
    passed = [sum(not each.wrong for each in answers if each.case in both) for answers in (earlier, later)]
    return {
        "found": compare_versions(earlier, later),
        "passed": passed,
        "others": len(others),
        "shown": _MOST_SHOWN,
    }


def _answers(run: Mapping[str, Any], others: set[str]) -> list[VersionAnswer]:
    return [
        VersionAnswer(
            id=each["case_id"],
            question=each["question"],
            kind=", ".join(each["question_kinds"]) or "nothing of these",
            wrong=not each["pass"],
            case=each["case_id"],
        )
        for each in run["answers"]
        if each["case_id"] not in others
    ]


@router.get(RUNS + "/{against_id}/{run_id}")
async def show_case(
    against_id: UUID, run_id: UUID, service: RunningService, reader: ConsoleReader, case: str = ""
) -> Response:
    """Shows the answers of two runs to one case side by side, with what differs in their SQL."""
    runs = [await _run(service, each, reader.tenant) for each in (against_id, run_id)]
    rows = [next((each for each in run["answers"] if each["case_id"] == case), None) for run in runs]
    before, now = rows
    if before is None or now is None:
        raise ApiError(404, "NOT_FOUND", f"one of the runs has no case {case[:80]!r}", f"Choose one from {RUNS}.")
    sql, differing, read = await asyncio.to_thread(_laid_out, before, now)
    shown = {
        "title": "Compare",
        "case": case,
        "question": now["question"],
        "gold": sql[2],
        "sides": list(zip(("before", "now"), runs, (before, now), sql, strict=False)),
        "differences": differing,
        "read": read,
        "back": link(RUNS, {"run": run_id, "against_run": against_id}),
    }
    return page("compare_case.html", shown, carried={"tenant": runs[1]["tenant"]})


def _laid_out(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[list[ShownSql], list[SqlDifference], bool]:
    texts = [(each["generated_sql"] or "", each["dialect"]) for each in (before, now)]
    here, there = (read_sql(*each) for each in texts)
    sql = [show_sql(*each) for each in (*texts, (now["gold_sql"], now["dialect"]))]
    if isinstance(here, Unscored) or isinstance(there, Unscored):
        return sql, [], False
    return sql, differences(sql_record(here), sql_record(there)), True


class UploadForm(BaseModel):
    """The form that uploads a run."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=RUN_NAME)]
    tenant: TenantName
    file: str


@router.post(RUNS)
async def upload_run(
    fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Keeps the run of a file that a person chose, and compares it with the one before."""
    try:
        form = UploadForm.model_validate(dict(fields))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        fix = "Choose the cases.jsonl of the run, and give it a name."
        raise ApiError(400, "INVALID_PARAMETER", f"{fault['loc'][0]}: {fault['msg']}", fix) from None
    reader.only(form.tenant)
    answers = await asyncio.to_thread(read_run, form.file.encode())
    kept = await keep_run(
        service.engine,
        tenant=form.tenant,
        name=form.name,
        answers=answers,
        sent_by=reviewer.name,
        now=datetime.now(UTC),
    )
    return RedirectResponse(link(RUNS, {"tenant": fields.get("tenant"), "run": kept}), status_code=303)


@router.post(RUNS + "/{run_id}/delete")
async def delete_this_run(run_id: UUID, service: RunningService, reviewer: ConsoleReviewer) -> Response:
    """Deletes a run, and leads back to the others."""
    if not await delete_run(service.engine, run_id, reviewer.tenant):
        raise _absent(run_id)
    return RedirectResponse(RUNS, status_code=303)


async def _run(service: Service, id_: UUID, tenant: str | None) -> dict[str, Any]:
    run = await find_run(service.engine, id_, tenant)
    if run is None:
        raise _absent(id_)
    return run


def _absent(id_: UUID) -> ApiError:
    return ApiError(404, "NOT_FOUND", f"there is no run {id_}", f"Choose one from {RUNS}.")
