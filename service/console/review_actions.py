"""The steps of a review that change something: take the next answer, label it, undo, skip."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.keep_labels import KeepLabels, LabelRecord
from service.api.access import ConsoleReader, ConsoleReviewer, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.console.rendering import link, page
from service.console.review_forms import ReviewForm, ReviewNotice, TypedLabel, posted_form, read_moment
from service.console.review_pages import answer_of, answer_page, event_of, name_of
from service.pipeline.running import Service
from service.storage.audit import Actor, Via
from service.storage.label_store import PostgresLabels
from service.storage.reviewing.review_queue import next_answers
from service.storage.reviewing.reviewed_answers import ReviewState, review_state, skip_answer, withdraw_label

router = APIRouter(include_in_schema=False)


@router.post("/console/review/next")
async def take_next(
    fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Hands the next answer to the reviewer, and leads to its page."""
    del reader  # the page that follows shows texts
    return await _next_answer(posted_form(fields), service, reviewer)


@router.post("/console/review/{evaluation_id}")
async def store_label(
    evaluation_id: UUID, fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Stores the label. The same form sent again changes nothing; what cannot be stored is shown with the reason."""
    form, typed = posted_form(fields), TypedLabel.of(fields)
    try:
        return await _store(evaluation_id, form, typed, service, reader, reviewer)
    except Unavailable as error:
        why = f"The label is not stored: {error}. Send it again in a few seconds."
        return _kept(evaluation_id, form, typed, why, 503)
    except ApiError as error:
        if error.status != 404:
            raise
        return _kept(evaluation_id, form, typed, f"The label cannot be stored: {error}.", 404)


@router.post("/console/review/{evaluation_id}/undo")
async def undo_label(
    evaluation_id: UUID, fields: FormFields, service: RunningService, reviewer: ConsoleReviewer
) -> Response:
    """Withdraws the label that the form names, and leads back to the answer."""
    form, now = posted_form(fields), datetime.now(UTC)
    found = await answer_of(service.engine, evaluation_id, reviewer)
    moment = read_moment(fields.get("labelled_at", ""))
    name = _name(form, reviewer)
    done = await withdraw_label(service.engine, event_of(found), name, moment, actor=by(reviewer), now=now)
    return _answer(evaluation_id, form, ReviewNotice.WITHDRAWN if done else ReviewNotice.NOT_WITHDRAWN)


@router.post("/console/review/{evaluation_id}/skip")
async def skip(
    evaluation_id: UUID, fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Gives the answer back, and leads to the next one."""
    form = posted_form(fields)
    found = await answer_of(service.engine, evaluation_id, reader)
    await skip_answer(service.engine, event_of(found), _name(form, reviewer), now=datetime.now(UTC))
    form = form.model_copy(update={"tenant": form.tenant or found["tenant"]})
    return await _next_answer(form, service, reviewer, ReviewNotice.SKIPPED)


async def _next_answer(
    form: ReviewForm, service: Service, reviewer: Caller, notice: ReviewNotice | None = None
) -> Response:
    tenant, name = reviewer.only(form.tenant), name_of(form, reviewer)
    if tenant is None or name is None:
        return _start(form, ReviewNotice.NO_TENANT if tenant is None else ReviewNotice.NO_NAME)
    which = {"agent": form.agent, "agent_version": form.agent_version}
    found = await next_answers(service.engine, tenant, name, now=datetime.now(UTC), limit=1, **which)
    if not found:
        return _start(form, ReviewNotice.NOTHING_LEFT)
    return _answer(found[0]["evaluation_id"], form, notice)


async def _store(
    evaluation_id: UUID, form: ReviewForm, typed: TypedLabel, service: Service, reader: Caller, reviewer: Caller
) -> Response:
    found = await answer_of(service.engine, evaluation_id, reader)
    now, name = datetime.now(UTC), name_of(form, reviewer)
    if name is None:
        fault: str | None = "Enter your name on the review's first page: the label is stored under it."
        name = ""
    else:
        fault = typed.fault or await _correction_fault(service, typed, found)
    state = await review_state(service.engine, event_of(found), name, now)
    if fault is None and not typed.is_that_of(state.label):
        document = typed.document(evaluation_id, found["tenant"], name, blind=is_blind(form, state))
        fault = await _keep(service, document, reviewer, now)
    if fault is not None:
        # what others say stays hidden until a label is stored
        return await answer_page(service.engine, found, form, reader, state, typed=typed, fault=fault)
    notice = ReviewNotice.SAVED if state.holder in {None, name} else ReviewNotice.SAVED_LATE
    if form.quick:
        form = form.model_copy(update={"tenant": form.tenant or found["tenant"]})
        return await _next_answer(form, service, reviewer, notice)
    return _answer(evaluation_id, form, notice)


def by(caller: Caller) -> Actor:
    """The caller, as the audit log names who changes something."""
    return Actor(name=caller.name, via=Via.CONSOLE)


def is_blind(form: ReviewForm, state: ReviewState) -> bool:
    """Whether the label is given before the verdict was shown: a reviewer's first label shows it."""
    return form.blind and state.label is None and not state.past


async def _correction_fault(service: Service, typed: TypedLabel, found: Mapping[str, Any]) -> str | None:
    if not typed.correction.strip():
        return None
    why = await service.sql.fault(typed.correction, found["dialect"])
    return None if why is None else f"The corrected SQL cannot be read: {why}. Correct it, or leave it out."


async def _keep(service: Service, document: Mapping[str, Any], reviewer: Caller, now: datetime) -> str | None:
    """Why the label is not stored; `None` where it is. Raises `Unavailable`."""
    record = LabelRecord(payload=document, sent_at=now)
    store = PostgresLabels(service.engine, by(reviewer))
    [outcome] = await KeepLabels(store=store)([record])
    return None if outcome is None else _why(outcome)


def _why(outcome: Outcome) -> str:
    if outcome.kind is OutcomeKind.DEFERRED:
        raise Unavailable(outcome.detail)
    return f"The label is not stored: {outcome.detail}."


def _name(form: ReviewForm, reviewer: Caller) -> str:
    name = name_of(form, reviewer)
    if name is None:
        raise ApiError(400, "INVALID_PARAMETER", "reviewer: whose label it is", "Enter your name on the review's page.")
    return name


def _start(form: ReviewForm, notice: ReviewNotice) -> Response:
    return _seen(link("/console/review", form.kept(), notice=notice.value))


def _answer(evaluation_id: UUID, form: ReviewForm, notice: ReviewNotice | None) -> Response:
    return _seen(link(f"/console/review/{evaluation_id}", form.kept(), notice=notice.value if notice else None))


def _seen(address: str) -> Response:
    return RedirectResponse(address, status_code=303)


def _kept(evaluation_id: UUID, form: ReviewForm, typed: TypedLabel, why: str, status: int) -> Response:
    shown = {
        "title": "Not stored",
        "evaluation_id": evaluation_id,
        "given": form.kept(),
        "form": form,
        "typed": typed,
        "why": why,
        "again": status == 503,
    }
    return page("review_kept.html", shown, carried=form.carried(), status=status)
