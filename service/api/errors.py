"""Error replies: `{"error": {"code", "message", "fix"}}` with the matching status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

from consumers.errors import RefusedByStore, Unavailable
from consumers.pool.flight import PoolClosed
from consumers.wire.rules_document import InvalidRules
from consumers.wire.schema_document import InvalidSchema
from consumers.wire.texts import shorten
from service.api.request_ids import HEADER, request_id_of
from service.logs import log
from service.storage.rule_store import RulesConflict
from service.storage.scores.evaluation_pages import InvalidCursor, SearchTooSlow
from service.storage.slices.answer_slices import SlicesTooSlow
from service.storage.slices.slice_reports import EmptyPeriod


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


def error_reply(
    status: int, code: str, message: str, fix: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
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
_LONGEST_CHOICE = 200
"""Longest list of values that an error repeats, in characters."""
_NARROWER = "Choose a tenant, an agent or a shorter time."
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
    SearchTooSlow: (400, "SEARCH_TOO_SLOW", _NARROWER),
    SlicesTooSlow: (400, "SLICES_TOO_SLOW", _NARROWER),
    EmptyPeriod: (400, "INVALID_PARAMETER", "Choose a time that begins before it ends and before now."),
    RefusedByStore: (400, "REFUSED_BY_STORE", "Correct the value that the database cannot store."),
}
_PARAMETERS: dict[type[Exception], tuple[str, ...]] = {InvalidCursor: ("cursor",), SearchTooSlow: ("search",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRequest:
    """Why a request is refused."""

    status: int
    body: ErrorBody
    headers: dict[str, str] | None = None
    parameters: tuple[str, ...] = ()
    """The parameters of the URL's query that are wrong."""


Presenter = Callable[[Request, RefusedRequest], Response]
"""Writes a refusal as the reply to its request."""


def present_json(_: Request, refusal: RefusedRequest) -> Response:
    """The error reply of the API."""
    return JSONResponse({"error": refusal.body.model_dump()}, refusal.status, refusal.headers)


def _api_error(_: Request, error: Exception) -> RefusedRequest:
    assert isinstance(error, ApiError)  # noqa: S101 registered for it alone
    return RefusedRequest(status=error.status, body=error.body, headers=error.headers)


def _known_exception(_: Request, error: Exception) -> RefusedRequest:
    status, code, fix = next(entry for kind, entry in _BY_EXCEPTION.items() if isinstance(error, kind))
    return RefusedRequest(
        status=status,
        body=ErrorBody(code=code, message=str(error), fix=fix),
        headers={"Retry-After": "2"} if status == 503 else None,
        parameters=_PARAMETERS.get(type(error), ()),
    )


def _validation(request: Request, error: Exception) -> RefusedRequest:
    assert isinstance(error, RequestValidationError)  # noqa: S101 registered for it alone
    faults = error.errors()
    message = f"{shorten(_place(faults[0]['loc']))}: {_wanted(faults[0])}, got {shorten(repr(faults[0].get('input')))}"
    fix = "Correct the parameter and send the request again."
    if _is_unknown(faults[0]):
        fix = f"Leave it out. The parameters are {', '.join(_known_parameters(request.scope['route'].dependant))}."
    return RefusedRequest(
        status=400,
        body=ErrorBody(code="INVALID_PARAMETER", message=message, fix=fix),
        parameters=tuple(str(each["loc"][1]) for each in faults if each["loc"][0] == "query" and len(each["loc"]) > 1),
    )


def _place(loc: Sequence[object]) -> str:
    """The parameter or field, without the names that pydantic gives to the branches of a type.

    >>> _place(("query", "reason", "str-enum[ReasonCode]")), _place(("body",))
    ('reason', 'request')
    """
    return ".".join(part for each in loc[1:] if "[" not in (part := str(each))) or "request"


def _is_unknown(fault: Mapping[str, Any]) -> bool:
    """Whether the URL's query has a parameter that there is not."""
    return fault["type"] == "extra_forbidden" and fault["loc"][0] == "query"


def _known_parameters(dependant: Dependant) -> list[str]:
    """The parameters of a route's query, and of what the route depends on."""
    names: list[str] = []
    for each in dependant.query_params:
        fields = getattr(each.field_info.annotation, "model_fields", None)
        names += list(fields) if fields else [each.alias]
    return names + [name for each in dependant.dependencies for name in _known_parameters(each)]


def _wanted(fault: Mapping[str, Any]) -> str:
    """What the value should be, in short."""
    if _is_unknown(fault):
        return "there is no such parameter"
    if fault["type"].startswith("uuid"):
        return "is no id: ids are UUIDs"
    if fault["type"] == "enum" and len(fault["msg"]) > _LONGEST_CHOICE:
        return "is not one of the values that /docs lists"
    return str(fault["msg"])


def _http(request: Request, error: Exception) -> RefusedRequest:
    assert isinstance(error, HTTPException)  # noqa: S101 registered for it alone
    headers = {"Allow": ", ".join(_methods(request))} if error.status_code == 405 else dict(error.headers or {})
    code, fix = _BY_STATUS.get(error.status_code, ("HTTP_ERROR", "See /docs."))
    body = ErrorBody(code=code, message=str(error.detail), fix=fix)
    return RefusedRequest(status=error.status_code, body=body, headers=headers)


def _methods(request: Request) -> list[str]:
    """The methods of all routes with this path: the exception knows only those of the first."""
    # an included router is one route to the application
    routes = [each.original_route for each in iter_route_contexts(request.app.routes)]
    matching = [each for each in routes if each.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for each in matching for method in getattr(each, "methods", None) or ()})


def _unexpected(request: Request, error: Exception) -> RefusedRequest:
    request_id = request_id_of(request.scope)
    path = shorten(request.url.path)
    log.error("request_failed", method=request.method, path=path, request_id=request_id, exc_info=error)
    message, fix = "The service failed on this request.", f"Report it with the request's id, {request_id or 'unknown'}."
    return RefusedRequest(status=500, body=ErrorBody(code="INTERNAL_ERROR", message=message, fix=fix))


def handle_errors(app: FastAPI, present: Presenter = present_json) -> None:
    """Makes every error reply of `app` look the same."""

    def handle(kind: type[Exception], explain: Callable[[Request, Exception], RefusedRequest]) -> None:
        async def answer(request: Request, error: Exception) -> Response:
            reply = present(request, explain(request, error))
            # the reply to an unexpected error passes no middleware
            reply.headers[HEADER] = request_id_of(request.scope)
            return reply

        app.add_exception_handler(kind, answer)

    handle(ApiError, _api_error)
    handle(RequestValidationError, _validation)
    handle(HTTPException, _http)
    handle(Exception, _unexpected)
    for kind in _BY_EXCEPTION:
        handle(kind, _known_exception)
