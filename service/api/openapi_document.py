"""The OpenAPI document: what FastAPI derives from the routes, with the errors that any of them may answer."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_WRITES = frozenset({"post", "put"})
_ANY = {"421": "A name in `Host` that is not this service's."}
_OF_TOKENS = {"403": "A token of another tenant, or without the scope."}
_OF_WRITES = {"408": "The body came too slowly.", "415": "No content type, or one that is not read."}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document, derived once."""
    if app.openapi_schema is None:
        app.openapi_schema = _derived(app)
    return app.openapi_schema


def _derived(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for route in document["paths"].values():
        for method, operation in route.items():
            _complete(operation, writes=method in _WRITES)
    parts = document["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(name, None)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return document


def _complete(operation: dict[str, Any], *, writes: bool) -> None:
    responses: dict[str, Any] = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        # a wrong parameter is a 400 here
        del responses["422"]
    needs_token = "401" in responses
    if needs_token:
        # the empty one stands for a service without tokens
        operation["security"] = [{"token": []}, {}]
    for status, text in {**_ANY, **(_OF_TOKENS if needs_token else {}), **(_OF_WRITES if writes else {})}.items():
        responses.setdefault(status, {"description": text, "content": _ERROR})


_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorReply"}}}
