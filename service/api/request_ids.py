"""The id of each request: in a header of the reply, on each error page, and in the log lines that the request causes.

A person who reports an error names the id. With it, the operator finds the request in the log.
"""

from __future__ import annotations

import re
import uuid

import structlog
from fastapi.datastructures import Headers
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-ID"
_KEY = "sqlassay.request_id"
_VALID = re.compile(r"[A-Za-z0-9_.-]{8,64}")
"""What a proxy may send: nothing that could pass for another field of a log line."""


class RequestIds:
    """Gives each request the id that a proxy sent in `X-Request-ID`, or a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _given(Headers(scope=scope).get(HEADER, "")) or uuid.uuid4().hex[:16]
        # in the scope: the handler of unexpected errors runs outside this middleware
        scope[_KEY] = request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self.app(scope, receive, send_with_id)


def request_id_of(scope: Scope) -> str:
    """The id of a request; empty before it has one."""
    return str(scope.get(_KEY, ""))


def _given(sent: str) -> str | None:
    return sent if _VALID.fullmatch(sent) else None
