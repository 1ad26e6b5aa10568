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
from service.api.request_guard import RequestGuard
from service.console import pages
from service.pipeline.running import ProcessRole, Service

_METHODS = {"GET", "POST", "PUT", "HEAD", "OPTIONS"}


def build_app(service: Service | None = None, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """The routes, served from `service` or from the one that `lifespan` puts in `app.state.service`."""
    app = FastAPI(
        title="SQLAssay",
        version=EVALUATOR_VERSION,
        description="Scores live text-to-SQL answers, 0 to 100, without a schema or a reference query.",
        lifespan=lifespan,
    )
    app.state.service = service
    worker_only = service is not None and service.role is ProcessRole.WORKER
    for module in (health,) if worker_only else (events, traces, evaluations, labels, rules, health, pages):
        app.include_router(module.router)
    handle_errors(app)
    app.add_middleware(RequestGuard)
    app.add_middleware(RequestTiming)
    app.openapi = lambda: _openapi(app)
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document without FastAPI's 422 responses: a wrong parameter is a 400 here."""
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


class RequestTiming:
    """Measures the time of each HTTP request, by route and status."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        # the route template and not the path, whose ids would make endless label values
        route = getattr(scope.get("route"), "path", "unmatched")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        service.metrics.answered(method, route, status, seconds)
