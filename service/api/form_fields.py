"""Reads the fields of a form that a page of the console sent, and tells its own forms from those of other sites."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from http.cookies import CookieError, SimpleCookie
from typing import Annotated, cast
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from fastapi.datastructures import Headers
from starlette.datastructures import ImmutableMultiDict, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.bodies import content_type, read_body
from service.api.caller import Caller
from service.api.errors import ApiError
from service.pipeline.running import Service

FORM = "application/x-www-form-urlencoded"
MAX_FORM_BYTES = 1024 * 1024
CSRF_FIELD = "csrf"
"""The hidden field that each form of the console sends."""
CSRF_HEADER = "X-CSRF-Token"
"""The header that a script of the console sends in its place."""
_COOKIE = "sqlassay_form"
_MOST_FIELDS = 2_000
_token: ContextVar[str] = ContextVar("csrf_token", default="")


def csrf_token() -> str:
    """The value of `CSRF_FIELD` for the forms of the page that is being answered; empty outside the console."""
    return _token.get()


class FormTokens:
    """Gives each browser that opens the console a token, which its forms must send back."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_console(scope["path"]):
            await self.app(scope, receive, send)
            return
        known = _of_cookie(Headers(scope=scope).get("cookie", ""))
        token = known or secrets.token_urlsafe(32)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and not known:
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{_COOKIE}={token}; Path=/console; HttpOnly; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        before = _token.set(token)
        try:
            await self.app(scope, receive, with_cookie)
        finally:
            _token.reset(before)


def is_console(path: str) -> bool:
    """Whether a path is a page of the console."""
    return path == "/console" or path.startswith("/console/")


async def form_fields(request: Request) -> AsyncGenerator[ImmutableMultiDict[str, str]]:
    """The fields of the form in the request's body; none where the body is no form.

    Raises a 413 for a form that is too large, and a 400 for one that is not UTF-8.
    """
    if content_type(request) != FORM:
        yield ImmutableMultiDict()
        return
    service = cast("Service", request.app.state.service)
    async with read_body(request, service, Caller(tenant=None), {FORM}) as body:
        if len(body.raw) > MAX_FORM_BYTES:
            raise ApiError(413, "BODY_TOO_LARGE", f"the form is over {MAX_FORM_BYTES} bytes", "Shorten its fields.")
        yield _fields(body.raw)


def _fields(raw: bytes) -> ImmutableMultiDict[str, str]:
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        message = f"the form is not UTF-8, or has more than {_MOST_FIELDS} fields"
        raise ApiError(400, "INVALID_FORM", message, "Reload the page and fill in the form again.") from None
    return ImmutableMultiDict(pairs)


FormFields = Annotated[ImmutableMultiDict[str, str], Depends(form_fields)]


def check_form(request: Request, fields: ImmutableMultiDict[str, str]) -> None:
    """Raises a 403 unless the form, or the script, sent the token of this browser."""
    sent = request.headers.get(CSRF_HEADER) or fields.get(CSRF_FIELD) or ""
    if not csrf_token() or not hmac.compare_digest(sent.encode(), csrf_token().encode()):
        message = "this form comes from another site, or from a page that is too old"
        raise ApiError(403, "FORM_REFUSED", message, "Reload the page and send the form again.")


def _of_cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""
