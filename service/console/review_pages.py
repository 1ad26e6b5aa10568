"""The console's review: what is left to label, one answer at a time, and where labels disagree."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from service.api.access import ConsoleReader, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError
from service.console.forms import RANGES
from service.console.rendering import page
from service.console.review_answer import shown_after, shown_before
from service.console.review_forms import NOTICES, DisagreementForm, ReviewForm, TypedLabel
from service.console.review_keys import ACTION_KEYS, ERROR_KEYS, LABEL_KEYS, all_keys
from service.console.spelling import spelled
from service.settings.access_settings import AccessScope
from service.storage.label_store import labelled_evaluation
from service.storage.reviewing.disagreements import Between, disagreements
from service.storage.reviewing.review_progress import review_progress
from service.storage.reviewing.reviewed_answers import ReviewState, review_state, sample_counts

router = APIRouter(include_in_schema=False)
_MOST_AGENTS = 200
_KEYS: Mapping[str, object] = {"labels": LABEL_KEYS, "errors": ERROR_KEYS, "actions": ACTION_KEYS, "all": all_keys()}


@router.get("/console/review")
async def show_review(
    query: Annotated[ReviewForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows how far the labels of each agent are, and leads to the next answer."""
    form, suggestions = await spelled(query, service.engine, reader)
    now, tenant, reviewer = datetime.now(UTC), reader.only(form.tenant), name_of(form, reader)
    version = form.agent_version
    counts = await sample_counts(service.engine, tenant, form.agent, now, agent_version=version)
    rows = await review_progress(service.engine, tenant, form.agent, reviewer, now, agent_version=version)
    shown = {
        "title": "Review",
        "form": form,
        "given": form.kept(),
        "reviewer": reviewer,
        "suggestions": suggestions,
        "rows": [(row, counts.get((row.now.tenant, row.now.agent))) for row in rows[:_MOST_AGENTS]],
        "more": len(rows[_MOST_AGENTS:]),
        "may_label": AccessScope.REVIEW in reader.scopes,
        "notice": NOTICES[form.notice] if form.notice else "",
    }
    return page("review.html", shown, carried=form.carried())


@router.get("/console/review/disagreements")
async def show_disagreements(
    query: Annotated[DisagreementForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows the answers about which reviewers disagree with each other, or with the judge."""
    form, suggestions = await spelled(query, service.engine, reader)
    wanted = form.at(datetime.now(UTC)).wanted(reader)
    found = await disagreements(service.engine, form.between, wanted, limit=form.limit, cursor=form.cursor)
    shown = {
        "title": "Disagreements",
        "page": found,
        "given": form.given(),
        "between": form.between,
        "kinds": {Between.REVIEWERS: "Between reviewers", Between.JUDGE: "Between people and judge"},
        "ranges": RANGES,
        "suggestions": suggestions,
    }
    return page("review_disagreements.html", shown, carried=form.carried())


@router.get("/console/review/{evaluation_id}")
async def show_review_answer(
    evaluation_id: UUID, query: Annotated[ReviewForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Shows one answer to label it, and after the label what the judge says."""
    found = await answer_of(service.engine, evaluation_id, reader)
    now, reviewer = datetime.now(UTC), name_of(query, reader)
    state = await review_state(service.engine, event_of(found), reviewer or "", now)
    last = state.past[0] if state.past else None
    typed = TypedLabel.of(last) if last and last["withdrawn"] and state.label is None else None
    return await answer_page(service.engine, found, query, reader, state, typed=typed)


async def answer_of(engine: AsyncEngine, evaluation_id: UUID, reader: Caller) -> dict[str, Any]:
    """The answer with its labels; raises a 404 where there is none that the caller may see."""
    found = await labelled_evaluation(engine, evaluation_id, reader.tenant)
    if found is None:
        message = f"there is no answer {evaluation_id}"
        raise ApiError(404, "NOT_FOUND", message, "Go back to the review and take the next answer.")
    return found


def event_of(found: Mapping[str, Any]) -> EventKey:
    """The event of an answer."""
    return EventKey(found["tenant"], found["source"], found["event_id"])


def name_of(form: ReviewForm, caller: Caller) -> str | None:
    """The name under which the caller labels: as entered, else that of the login."""
    return form.reviewer or caller.name


async def answer_page(
    engine: AsyncEngine,
    found: Mapping[str, Any],
    form: ReviewForm,
    reader: Caller,
    state: ReviewState,
    *,
    typed: TypedLabel | None = None,
    fault: str | None = None,
) -> Response:
    """The page of one answer, with the label as it was typed and why it was not stored."""
    now, reviewer = datetime.now(UTC), name_of(form, reader)
    of = found["tenant"], found["agent"]
    progress = await review_progress(engine, *of, reviewer, now, agent_version=form.agent_version)
    counts = await sample_counts(engine, *of, now, agent_version=form.agent_version)
    revealed = state.label is not None or not form.blind
    shown: dict[str, Any] = {
        "title": "Review",
        "form": form,
        "given": form.kept(),
        "reviewer": reviewer,
        # a thousand lines of SQL must not hold up the event loop
        "answer": await asyncio.to_thread(shown_before, found),
        "after": shown_after(found, reviewer or "") if revealed else None,
        "state": state,
        "typed": typed or TypedLabel(),
        "filled": typed is not None,
        "fault": fault,
        "keys": _KEYS,
        "progress": progress[0] if progress else None,
        "counts": counts.get(of),
        "may_label": AccessScope.REVIEW in reader.scopes,
        "notice": NOTICES[form.notice] if form.notice else "",
    }
    status = 422 if fault else 200
    return page("review_answer.html", shown, carried=form.carried(), status=status)
