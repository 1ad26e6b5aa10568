"""Shows what went wrong on a page of the console as a page, with links that lead on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from consumers.wire.texts import shorten
from service.api.errors import RefusedRequest, present_json
from service.api.request_ids import request_id_of
from service.console.login_pages import LOGIN, login_address
from service.console.rendering import SAFE_HEADERS, page
from service.logs import LimitedLine

_HEADINGS = {
    400: "This page cannot be shown",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    429: "Too many failed logins",
    405: "This page can only be read",
    503: "The service cannot answer now",
}
_FIXES = {
    "UNAUTHORIZED": "Log in with a token. `sqlassay tokens create` makes one.",
    "INVALID_PARAMETER": "Correct it in the address, or follow a link below.",
    "INVALID_CURSOR": "Begin at the first page of the list.",
    "METHOD_NOT_ALLOWED": "Follow a link below.",
    "UNAVAILABLE": "Reload the page in a few seconds.",
    "SHUTTING_DOWN": "Reload the page in a few seconds.",
}
"""What a person does, where it is not what a program does."""

_shown = LimitedLine("error_page_shown")
_LISTS = frozenset({"/console", "/console/evaluations"})


def present_error(request: Request, refusal: RefusedRequest) -> Response:
    """The error as a page for paths of the console, as JSON for all others."""
    path: str = request.scope["path"]
    if path != "/console" and not path.startswith("/console/"):
        return present_json(request, refusal)
    if refusal.status == 401 and _is_browser(request):
        if request.method == "GET":
            address = login_address(path, request.scope["query_string"].decode("ascii", "replace"))
            return RedirectResponse(address, status_code=303, headers=SAFE_HEADERS)
        # without the challenge: the browser would open its own window for a password
        refusal = replace(refusal, headers=None)
    message, fix = refusal.body.message, _FIXES.get(refusal.body.code, refusal.body.fix)
    if refusal.status == 404 and request.scope.get("route") is None:
        message, fix = f"There is no page {shorten(path)}.", "Follow a link below."
    shown = {
        "title": "Error",
        "heading": _HEADINGS.get(refusal.status, "The service failed"),
        "code": refusal.body.code,
        "message": message,
        "fix": fix,
        "request_id": request_id_of(request.scope),
        "failed": refusal.status == 500,
        "time": datetime.now(UTC),
        "ways_out": list(_ways_out(request, refusal)),
    }
    _shown.warning(status=refusal.status, code=refusal.body.code, path=shorten(path))
    return page("error.html", shown, status=refusal.status, headers=refusal.headers)


def _is_browser(request: Request) -> bool:
    """Whether a person's browser asks, which no script does that sends a token."""
    return "text/html" in request.headers.get("accept", "") and "authorization" not in request.headers


def _ways_out(request: Request, refusal: RefusedRequest) -> Iterator[tuple[str, str]]:
    """Links that lead on, each with its text."""
    if refusal.status in {401, 403, 429}:
        yield LOGIN, "Log in"
    given = request.query_params.multi_items()
    if refusal.status == 400 and given:
        here = quote(re.sub(r"\.(csv|jsonl)$", "", request.scope["path"]))
        kept = [(name, value) for name, value in given if name not in refusal.parameters]
        if refusal.parameters and len(kept) < len(given):
            without = shorten(", ".join(dict.fromkeys(refusal.parameters)))
            yield f"{here}?{urlencode(kept)}" if kept else here, f"This page without {without}"
        if refusal.parameters or here in _LISTS:
            yield here, "This page without any filter"
    yield "/console", "All agents"
    yield "/console/evaluations?order=worst", "The worst answers"
    yield "/console/evaluations", "The newest answers"
