"""The visit of a browser to the console: its session, and what every page shows of it."""

from __future__ import annotations

import base64
import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from typing import cast

from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from service.access.console_login import Session
from service.api.caller import Caller
from service.pipeline.running import Service

COOKIE = "sqlassay_session"
_CSRF = "csrf"
_MASKED = "~"
"""How a masked token begins: no token of a session does."""


@dataclass(slots=True)
class Visit:
    """One request of a browser, as the templates see it."""

    csrf: str = ""
    """What its forms must send back."""
    caller: Caller | None = None
    """Who it is, once a page has asked."""
    by_session: bool = False
    """Whether the person logged in at the console, and can log out."""
    is_open: bool = False
    """Whether everybody who reaches the service may do everything."""
    site: str = ""
    """The address under which the browser found the service."""


_visit: ContextVar[Visit | None] = ContextVar("console_visit", default=None)


def current_visit() -> Visit:
    """The visit that is being answered; an empty one outside the console."""
    return _visit.get() or Visit()


class ConsoleSessions:
    """Opens the session of each request to the console: a signed cookie that no script and no other site can read."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_console(scope["path"]):
            await self.app(scope, receive, send)
            return
        login = cast("Service", scope["app"].state.service).login
        opened = SessionMiddleware(
            self._visited,
            secret_key=login.secret,
            session_cookie=COOKIE,
            max_age=round(login.settings.login.hours * 3600),
            path="/console",
            same_site="lax",
            https_only=login.is_https(scope),
        )
        await opened(scope, receive, send)

    async def _visited(self, scope: Scope, receive: Receive, send: Send) -> None:
        site = str(Request(scope).base_url).rstrip("/")
        before = _visit.set(Visit(csrf=csrf_of(scope["session"]), site=site))
        try:
            await self.app(scope, receive, send)
        finally:
            _visit.reset(before)


def csrf_of(session: Session) -> str:
    """The form token of a session, made if it has none."""
    return str(session.setdefault(_CSRF, secrets.token_urlsafe(32)))


def masked(token: str) -> str:
    """The token as a page shows it: another text each time, so that sizes of compressed pages tell nothing of it.

    >>> masked("abc") == masked("abc"), unmasked(masked("abc")), unmasked("abc")
    (False, 'abc', 'abc')
    """
    plain = token.encode()
    pad = secrets.token_bytes(len(plain))
    return _MASKED + base64.urlsafe_b64encode(pad + _xor(pad, plain)).decode()


def unmasked(sent: str) -> str:
    """The token that a form or a script sent; what is no token stays as it is."""
    if not sent.startswith(_MASKED):
        return sent
    try:
        raw = base64.urlsafe_b64decode(sent.removeprefix(_MASKED))
        return _xor(raw[: len(raw) // 2], raw[len(raw) // 2 :]).decode()
    except ValueError:
        return sent


def _xor(pad: bytes, text: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(pad, text, strict=True))


def is_console(path: str) -> bool:
    """Whether a path is a page of the console."""
    return path == "/console" or path.startswith("/console/")
