"""What a refusal looks like: `{"error": {"code", "message", "fix"}}`, with the status that fits."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from consumers.errors import RefusedByStore, Unavailable
from consumers.pool.flight import PoolClosed
from consumers.wire.events import InvalidRules
from consumers.wire.texts import shorten
from service.logs import log
from service.storage.rule_store import RulesConflict
from service.storage.scores.evaluation_pages import InvalidCursor


class ErrorBody(BaseModel):
    """What went wrong and what to do."""

    code: str = Field(description="Stable, for programs.", examples=["INVALID_PARAMETER"])
    message: str = Field(description="One line for a person.", examples=["limit: Input should be less than 501"])
    fix: str = Field(description="What to do.", examples=["Mend the parameter and send the request again."])


class ErrorReply(BaseModel):
    """Every reply that is no success."""

    error: ErrorBody


class ApiError(Exception):
    """A refusal with its status."""

    def __init__(self, status: int, code: str, message: str, fix: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers
        self.body = ErrorBody(code=code, message=message, fix=fix)


def refusal(status: int, code: str, message: str, fix: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A refusal as a response."""
    body = ErrorReply(error=ErrorBody(code=code, message=message, fix=fix))
    return JSONResponse(body.model_dump(), status, headers)


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry of a route's refusals."""
    return {status: {"model": ErrorReply} for status in statuses}


_BY_STATUS = {
    404: ("NOT_FOUND", "See /docs for the routes there are."),
    405: ("METHOD_NOT_ALLOWED", "See /docs for the methods of this route."),
}
_WORLD: dict[type[Exception], tuple[int, str, str]] = {
    Unavailable: (503, "UNAVAILABLE", "Send the request again in a few seconds."),
    PoolClosed: (503, "SHUTTING_DOWN", "Send the request again in a few seconds; what was accepted is a duplicate."),
    InvalidRules: (422, "INVALID_RULES", "Mend the rules and send them again; the old version stays in force."),
    RulesConflict: (412, "RULES_CHANGED", "Read the newest version and send your change with its ETag."),
    InvalidCursor: (400, "INVALID_CURSOR", "Start again without the cursor."),
    RefusedByStore: (400, "REFUSED_BY_STORE", "Mend the value that the database cannot hold."),
}


async def _api_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)  # noqa: S101 registered for it alone
    return JSONResponse({"error": error.body.model_dump()}, error.status, error.headers)


async def _world(_: Request, error: Exception) -> JSONResponse:
    status, code, fix = next(entry for kind, entry in _WORLD.items() if isinstance(error, kind))
    return refusal(status, code, str(error), fix, {"Retry-After": "2"} if status == 503 else None)


async def _validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 registered for it alone
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"][1:]) or "request"
    message = f"{shorten(where)}: {fault['msg']}, got {shorten(repr(fault.get('input')))}"
    return refusal(400, "INVALID_PARAMETER", message, "Mend the parameter and send the request again.")


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 registered for it alone
    code, fix = _BY_STATUS.get(error.status_code, ("HTTP_ERROR", "See /docs."))
    return refusal(error.status_code, code, str(error.detail), fix, dict(error.headers or {}))


async def _bug(request: Request, error: Exception) -> JSONResponse:
    log.error("request_failed", method=request.method, path=shorten(request.url.path), exc_info=error)
    return refusal(500, "INTERNAL_ERROR", "The service failed on this request.", "Report it with the log's entry.")


def handle_errors(app: FastAPI) -> None:
    """Makes every refusal of `app` look the same."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _bug)
    for kind in _WORLD:
        app.add_exception_handler(kind, _world)
