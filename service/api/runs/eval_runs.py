"""Keeps the answers of a run of `sqlassay eval run`, for the console to compare with another run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evals.runner.answers import Equivalence
from evals.runner.cases import MOST_SQL
from service.api.access import Publisher, RunningService
from service.api.bodies import read_body
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.api.rules import TenantName
from service.api.training import NDJSON
from service.storage.console.eval_runs import keep_run

router = APIRouter(tags=["runs"])
MOST_ANSWERS = 5_000
"""Most answers of a run that are kept."""
_Text = Annotated[str, Field(max_length=MOST_SQL)]
_Word = Annotated[str, Field(max_length=200)]
RUN_NAME, LONGEST_NAME = r"^[^\x00/]+$", 128
RunName = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME, pattern=RUN_NAME, examples=["v7"])]


class _RunReason(BaseModel):
    code: _Word


class _RunError(BaseModel):
    kind: _Word
    detail: _Text = ""


class RunAnswer(BaseModel):
    """What is kept of a line of `cases.jsonl`."""

    model_config = ConfigDict(extra="ignore")

    case_id: Annotated[str, Field(min_length=1, max_length=1_000)]
    sample: int = 1
    method: _Word | None = None
    question: _Text
    gold_sql: _Text
    generated_sql: _Text | None
    passed: bool = Field(alias="pass")
    equivalence: Equivalence
    rationale: _Text = ""
    score: float | None = None
    p_correct: float | None = None
    verdict: _Word | None = None
    reasons: list[_RunReason] = []
    unscored: _Word | None = None
    error: _RunError | None = None
    question_kinds: list[_Word] = []
    metadata: dict[str, Any] = {}

    @field_validator("*", mode="before")
    @classmethod
    def _leave_out_nul(cls, value: object) -> object:
        # PostgreSQL keeps no such character
        return value.replace("\0", "") if isinstance(value, str) else value

    def kept(self) -> dict[str, Any]:
        """The answer as the console reads it."""
        dialect = self.metadata.get("dialect")
        fields = self.model_dump(
            mode="json", by_alias=True, exclude={"metadata", "sample", "method", "reasons", "error"}
        )
        return {
            **fields,
            "reasons": [each.code for each in self.reasons],
            "error": f"{self.error.kind}: {self.error.detail}" if self.error else None,
            "dialect": dialect[:40] if isinstance(dialect, str) else None,
        }


class KeptRun(BaseModel):
    """A run that was kept."""

    id: UUID
    name: str
    cases: int
    passed: int
    address: str = Field(description="Where the console compares it with the run before.")


@router.put(
    "/v1/tenants/{tenant}/eval-runs/{name}",
    response_model=KeptRun,
    responses=errors(400, 401, 403, 413, 415, 422, 503),
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}}},
    summary="Keep a run of a benchmark",
)
async def put_run(
    tenant: TenantName, name: RunName, request: Request, service: RunningService, caller: Publisher
) -> Response:
    """Keeps the lines of `cases.jsonl`, in place of a run of that name. Of each case the first sample is kept."""
    caller.only(tenant)
    async with read_body(request, service, caller, {NDJSON}) as body:
        body.reserve(2 * len(body.raw))
        answers = await body.run(lambda: read_run(body.raw))
    kept = await keep_run(
        service.engine, tenant=tenant, name=name, answers=answers, sent_by=caller.name, now=datetime.now(UTC)
    )
    passed = sum(each["pass"] for each in answers)
    address = f"/console/compare/runs?run={kept}"
    return as_json({"id": kept, "name": name, "cases": len(answers), "passed": passed, "address": address})


def read_run(raw: bytes) -> list[dict[str, Any]]:
    """The first answer of each case. Raises a 422 for a bad line, and a 413 for too many lines."""
    lines = [(number, line) for number, line in enumerate(raw.splitlines(), 1) if line.strip()]
    if len(lines) > MOST_ANSWERS:
        raise ApiError(413, "BODY_TOO_LARGE", f"the run has over {MOST_ANSWERS} answers", "Send fewer cases.")
    found: dict[str, dict[str, Any]] = {}
    methods: set[str | None] = set()
    for number, line in lines:
        try:
            answer = RunAnswer.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"])) or "it"
            raise _invalid(f"line {number}, {where}: {fault['msg']}") from None
        methods.add(answer.method)
        found.setdefault(answer.case_id, answer.kept())
    if not found:
        raise _invalid("there is no answer")
    if len(methods) > 1:
        raise _invalid("the run has answers of several methods: send those of each as a run of its own")
    return list(found.values())


def _invalid(message: str) -> ApiError:
    return ApiError(422, "INVALID_RUN", message, "Send the cases.jsonl that `sqlassay eval run` wrote.")
