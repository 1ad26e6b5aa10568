"""Error replies: `{"error": {"code", "message", "fix"}}` with the matching status."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from consumers.errors import RefusedByStore, Unavailable
from consumers.pool.flight import PoolClosed
from consumers.wire.rules_document import InvalidRules
from consumers.wire.schema_document import InvalidSchema
from consumers.wire.texts import shorten
from service.logs import log
from service.storage.rule_store import RulesConflict
from service.storage.scores.evaluation_pages import InvalidCursor


class ErrorBody(BaseModel):
    """What went wrong, and how to fix it."""

    code: str = Field(description="A stable code for programs.", examples=["INVALID_PARAMETER"])
    message: str = Field(description="What went wrong, in one line.", examples=["limit: Input should be less than 501"])
    fix: str = Field(description="How to fix it.", examples=["Correct the parameter and send the request again."])


class ErrorReply(BaseModel):
    """The body of every error reply."""

    error: ErrorBody


class ApiError(Exception):
    """An error reply with its status."""

    def __init__(self, status: int, code: str, message: str, fix: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers
        self.body = ErrorBody(code=code, message=message, fix=fix)


def error_reply(status: int, code: str, message: str, fix: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Builds an error reply."""
    body = ErrorReply(error=ErrorBody(code=code, message=message, fix=fix))
    return JSONResponse(body.model_dump(), status, headers)


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry for a route's error replies."""
    return {status: {"model": ErrorReply} for status in statuses}


_BY_STATUS = {
    404: ("NOT_FOUND", "See /docs for the available routes."),
    405: ("METHOD_NOT_ALLOWED", "See /docs for the methods that this route allows."),
}
_BY_EXCEPTION: dict[type[Exception], tuple[int, str, str]] = {
    Unavailable: (503, "UNAVAILABLE", "Send the request again in a few seconds."),
    PoolClosed: (
        503,
        "SHUTTING_DOWN",
        "Send the request again in a few seconds. Events that were accepted will be duplicates.",
    ),
    InvalidRules: (422, "INVALID_RULES", "Correct the rules and send them again. The old version stays in force."),
    InvalidSchema: (422, "INVALID_SCHEMA", "Correct the schema and send it again. The old one stays in force."),
    RulesConflict: (412, "RULES_CHANGED", "Read the newest version and send your change with its ETag."),
    InvalidCursor: (400, "INVALID_CURSOR", "Start again without the cursor."),
    RefusedByStore: (400, "REFUSED_BY_STORE", "Correct the value that the database cannot store."),
}


async def _api_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)  # noqa: S101 registered for it alone
    return JSONResponse({"error": error.body.model_dump()}, error.status, error.headers)


async def _known_exception(_: Request, error: Exception) -> JSONResponse:
    status, code, fix = next(entry for kind, entry in _BY_EXCEPTION.items() if isinstance(error, kind))
    return error_reply(status, code, str(error), fix, {"Retry-After": "2"} if status == 503 else None)


async def _validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 registered for it alone
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"][1:]) or "request"
    message = f"{shorten(where)}: {fault['msg']}, got {shorten(repr(fault.get('input')))}"
    return error_reply(400, "INVALID_PARAMETER", message, "Correct the parameter and send the request again.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 registered for it alone
    if error.status_code == 405:
        error.headers = {"Allow": ", ".join(_methods(request))}
    code, fix = _BY_STATUS.get(error.status_code, ("HTTP_ERROR", "See /docs."))
    return error_reply(error.status_code, code, str(error.detail), fix, dict(error.headers or {}))


def _methods(request: Request) -> list[str]:
    """The methods of all routes with this path: the exception knows only those of the first."""
    routes: list[BaseRoute] = request.app.routes
    matching = [each for each in routes if each.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for each in matching for method in getattr(each, "methods", None) or ()})


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("request_failed", method=request.method, path=shorten(request.url.path), exc_info=error)
    return error_reply(500, "INTERNAL_ERROR", "The service failed on this request.", "Report it with the log entry.")


def handle_errors(app: FastAPI) -> None:
    """Makes every error reply of `app` look the same."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)
    for kind in _BY_EXCEPTION:
        app.add_exception_handler(kind, _known_exception)
