"""The FastAPI application over a running service."""

from __future__ import annotations

import time
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from scoring import EVALUATOR_VERSION
from service.api import evaluations, events, health, labels, rules, traces
from service.api.errors import handle_errors
from service.console import pages
from service.pipeline.running import Role, Service

_METHODS = {"GET", "POST", "PUT", "HEAD", "OPTIONS"}


def build_app(service: Service | None = None, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """The routes over `service`, or over the one that `lifespan` puts in `app.state.service`."""
    app = FastAPI(
        title="SQLAssay",
        version=EVALUATOR_VERSION,
        description="Scores live text-to-SQL answers, 0 to 100, without a schema or a reference query.",
        lifespan=lifespan,
    )
    app.state.service = service
    only_works = service is not None and service.role is Role.WORKER
    for module in (health,) if only_works else (events, traces, evaluations, labels, rules, health, pages):
        app.include_router(module.router)
    handle_errors(app)
    app.add_middleware(Timing)
    app.openapi = lambda: _openapi(app)
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The contract, without the 422 that FastAPI adds to every route: a wrong parameter is a 400 here."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        for route in schema["paths"].values():
            for operation in route.values():
                if "HTTPValidationError" in str(operation["responses"].get("422")):
                    del operation["responses"]["422"]
        for name in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema


class Timing:
    """Observes how long each request took, by route and status."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on; only HTTP is timed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watch)
        finally:
            _observe(scope, status, time.monotonic() - started)


def _observe(scope: Scope, status: int, seconds: float) -> None:
    service: Service | None = scope["app"].state.service
    if service is not None:
        # the template, never the path: ids in labels would never end
        route = getattr(scope.get("route"), "path", "unmatched")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        service.metrics.answered(method, route, status, seconds)
