"""The FastAPI application over a running service."""

from __future__ import annotations

import time

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from scoring import EVALUATOR_VERSION
from service.api import (
    audit,
    canaries,
    docs_page,
    evaluations,
    events,
    health,
    incidents,
    labels,
    review,
    rules,
    schemas,
    slices,
    traces,
)
from service.api.errors import handle_errors
from service.api.feedback import feedback_routes
from service.api.openapi_document import openapi_document
from service.api.request_guard import RequestGuard
from service.api.request_ids import RequestIds
from service.api.runs import eval_runs
from service.api.visits import ConsoleSessions
from service.console import (
    agent_page,
    answer_list_page,
    answer_page,
    audit_page,
    error_pages,
    exports,
    incident_page,
    login_pages,
    meanings,
    overview_page,
    review_actions,
    review_pages,
    rules_page,
    saved_views_page,
    slices_page,
    status_page,
    trust_page,
)
from service.console.comparing import compare_pages, run_pages
from service.pipeline.running import ProcessRole, Service

_API = (
    *(events, traces, evaluations, labels, feedback_routes, review, canaries, slices, incidents),
    *(rules, schemas, eval_runs, audit, docs_page),
)
_CONSOLE = (
    *(overview_page, agent_page, answer_page, meanings, exports, answer_list_page, review_actions, review_pages),
    *(login_pages, slices_page, incident_page, run_pages, compare_pages, status_page, trust_page, rules_page),
    *(audit_page, saved_views_page),
)
_METHODS = {"GET", "POST", "PUT", "HEAD", "OPTIONS"}


def build_app(service: Service | None = None, lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """The routes, served from `service` or from the one that `lifespan` puts in `app.state.service`."""
    app = FastAPI(
        title="SQLAssay",
        version=EVALUATOR_VERSION,
        description="Scores live text-to-SQL answers, 0 to 100, without a schema or a reference query.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    worker_only = service is not None and service.role is ProcessRole.WORKER
    for module in (health,) if worker_only else (*_API, *_CONSOLE, health):
        app.include_router(module.router)
    handle_errors(app, error_pages.present_error)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)
    app.add_middleware(ConsoleSessions)
    app.add_middleware(RequestGuard)
    app.add_middleware(RequestTiming)
    app.add_middleware(RequestIds)
    app.openapi = lambda: openapi_document(app)
    return app


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
