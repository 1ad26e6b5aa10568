"""Reads where agents lose most, and what got worse: answers by table, column, condition, question and version."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from evals.slices.counts import SliceKind
from service.api.access import Reader, RunningService
from service.api.errors import errors
from service.api.evaluations import AnswerFilter
from service.api.replies import as_json
from service.storage.slices.slice_lines import agent_line, changed_agent_line, changed_slice_line, slice_line
from service.storage.slices.slice_reports import changed_slices, compared_periods, slice_report

router = APIRouter(tags=["slices"])
MOST_LISTED = 1000
"""Slices in one reply."""
_COMPLAINED = "Answers with which a user is dissatisfied. It is no label, and orders nothing."
_ERRORS = errors(400, 401, 403, 503)


class SlicesQuery(AnswerFilter):
    """Which answers to read, and which of their slices to list."""

    kind: SliceKind | None = Field(default=None, description="Only slices of this kind. All are tested all the same.")
    limit: int = Field(default=100, ge=1, le=MOST_LISTED, description="Most slices.")


class _Answers(BaseModel):
    tenant: str
    agent: str
    answers: int
    questions: int = Field(description="Different questions; the same question whatever its case counts once.")
    wrong_share: float = Field(description="Expected share of wrong answers: the mean of 1 − p_alone.")


class _Slice(_Answers):
    kind: SliceKind
    value: str = Field(description="The table, column, condition, version and so on.")
    lost: float = Field(description="Right answers lost in the slice, shrunk. 0 or less: none.")
    p_value: float
    adjusted: float = Field(description="The p-value, adjusted for all slices that were tested with it.")
    sure: bool = Field(description="Whether `adjusted` is at most 0.05.")
    labelled: int
    labelled_wrong: float = Field(description="How many of them reviewers call wrong; half where they are divided.")
    complained: int = Field(description=_COMPLAINED)
    example: UUID = Field(description="The evaluation of the slice that is most likely wrong.")


class SliceAgent(_Answers):
    """The answers of one agent that were read."""

    labelled: int
    labelled_wrong: float
    complained: int = Field(description=_COMPLAINED)
    first: datetime = Field(description="Time of the oldest of them.")
    last: datetime


class SliceLine(_Slice):
    """One slice, against all answers of its agent."""

    same_as: list[str] = Field(description="Other slices of exactly the same answers.")
    low: float = Field(description="Lower bound of the 90 % interval of `wrong_share`.")
    high: float
    agent_share: float = Field(description="`wrong_share` of all answers of the agent.")


class SlicesReply(BaseModel):
    """Where agents lose most."""

    answers: int = Field(description="How many answers were read: the newest of the time.")
    tested: int = Field(description="Slices that were tested together.")
    few: int = Field(description="Slices that were left out because they have too few questions.")
    whole: int = Field(description="Slices that were left out because they hold all questions of their agent.")
    agents: list[SliceAgent]
    items: list[SliceLine] = Field(description="The slices, most right answers lost first.")


class EarlierAnswers(BaseModel):
    """The same in the period before."""

    answers: int
    questions: int
    wrong_share: float


class ChangedAgent(_Answers):
    """One agent, against the period before."""

    before: EarlierAnswers
    lost: float
    p_value: float
    adjusted: float
    sure: bool
    worse_since: date | None = Field(description="Where it surely is worse: since this day.")


class ChangedSlice(_Slice):
    """One slice, against the period before.

    Of a cause (a fault, or a reason that lowers scores) `wrong_share` and `before` are shares of all answers of the
    agent: of those that are expected to be wrong and have it.
    """

    new: bool = Field(description="It had too few questions before: it is compared with all answers of its agent.")
    before: EarlierAnswers


class SliceChanges(BaseModel):
    """What got worse since the period before."""

    since: datetime = Field(description="When the period began.")
    until: datetime
    before_since: datetime = Field(description="When the period before it began.")
    answers: int
    tested: int
    few: int
    without_before: int = Field(description="Agents without answers in the period before.")
    agents: list[ChangedAgent]
    items: list[ChangedSlice] = Field(description="The slices, most right answers lost since first.")


@router.get("/v1/slices", response_model=SlicesReply, responses=_ERRORS, summary="Where agents lose most")
async def list_slices(query: Annotated[SlicesQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns the slices of the newest answers by right answers lost, each tested against its agent's other answers."""
    found, report = await slice_report(service.engine, query.wanted(caller))
    chosen = [each for each in report.slices if query.kind in {None, each.counts.kind}]
    return as_json(
        {
            "answers": sum(each.all.answers for each in found.agents),
            "tested": report.tested,
            "few": report.few,
            "whole": report.whole,
            "agents": [agent_line(each) for each in found.agents],
            "items": [slice_line(each) for each in chosen[: query.limit]],
        }
    )


@router.get("/v1/slices/changes", response_model=SliceChanges, responses=_ERRORS, summary="What got worse")
async def list_changed_slices(
    query: Annotated[SlicesQuery, Query()], service: RunningService, caller: Reader
) -> Response:
    """Compares agents and slices with the time of the same length before; without `since`, the last seven days.

    With `agent_version`, compares the version with the answers of the 28 days before its first one.
    """
    compared = await compared_periods(service.engine, query.wanted(caller), datetime.now(UTC))
    found = await changed_slices(service.engine, compared)
    report = found.report
    chosen = [each for each in report.slices if query.kind in {None, each.counts.kind}]
    reply: dict[str, Any] = {
        "since": compared.now.since,
        "until": compared.now.until,
        "before_since": compared.before.since,
        "answers": sum(each.all.answers for each in found.read.agents),
        "tested": report.tested,
        "few": report.few,
        "without_before": report.without_before,
        "agents": [changed_agent_line(each, found.since.get(each.now.who)) for each in report.agents],
        "items": [changed_slice_line(each) for each in chosen[: query.limit]],
    }
    return as_json(reply)
