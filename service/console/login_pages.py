"""Logging in to the console and out of it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from service.access.access_tokens import TokenRefusal
from service.access.identities import LoginRefused
from service.api.access import TOKEN_MESSAGES, RunningService, log_in, login_refused
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields, check_form
from service.api.visits import is_console
from service.console.rendering import SAFE_HEADERS, page

router = APIRouter(include_in_schema=False)
LOGIN = "/console/login"
_HOME = "/console"
_CALLBACK = "/console/login/oidc/callback"
_NEXT = "next"
Next = Annotated[str, Query(max_length=4000)]


@router.get(LOGIN)
async def show_login(service: RunningService, next: Next = _HOME) -> Response:
    """Asks for a token, or sends the person to the provider."""
    return _login_page(service.login.oidc is not None, safe_next(next))


@router.post(LOGIN)
async def do_login(request: Request, service: RunningService, fields: FormFields) -> Response:
    """Begins a session for the bearer of a token."""
    check_form(request, fields)
    wanted = safe_next(fields.get(_NEXT, ""))
    found = log_in(request, fields.get("token", "").strip())
    if isinstance(found, TokenRefusal):
        return _login_page(service.login.oidc is not None, wanted, TOKEN_MESSAGES[found], status=401)
    return _redirect(wanted)


@router.post("/console/logout")
async def do_logout(request: Request, fields: FormFields) -> Response:
    """Ends the session."""
    check_form(request, fields)
    request.session.clear()
    return _redirect(LOGIN)


@router.get("/console/login/oidc")
async def begin_oidc(request: Request, service: RunningService, next: Next = _HOME) -> Response:
    """Sends the person to the provider."""
    if service.login.oidc is None:
        raise _no_provider()
    request.session[_NEXT] = safe_next(next)
    sent = await service.login.oidc.begin(request, service.login.base_url(request.scope) + _CALLBACK)
    sent.headers.update(SAFE_HEADERS)
    return sent


@router.get(_CALLBACK)
async def finish_oidc(request: Request, service: RunningService) -> Response:
    """Begins a session for the person whom the provider sent back."""
    login = service.login
    if login.oidc is None:
        raise _no_provider()
    wanted = safe_next(str(request.session.get(_NEXT, "")))
    try:
        person = await login.oidc.finish(request)
    except LoginRefused as error:
        raise login_refused(error) from error
    login.remember_person(request.session, person)
    return _redirect(wanted)


def safe_next(address: str) -> str:
    """The page of the console to go to after the login; its first one for an address that is no page of it.

    >>> safe_next("/console/evaluations?agent=a"), safe_next("//evil.example/console"), safe_next("/console/../x")
    ('/console/evaluations?agent=a', '/console', '/console')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return _HOME
    if parts.scheme or parts.netloc or not is_console(parts.path) or "\\" in address or not address.isprintable():
        return _HOME
    if ".." in parts.path or "//" in parts.path or parts.path.startswith((LOGIN, "/console/logout")):
        return _HOME
    return address


def login_address(path: str, query: str) -> str:
    """The address of the login, from which a person comes back to this page."""
    wanted = safe_next(f"{path}?{query}" if query else path)
    return LOGIN if wanted == _HOME else f"{LOGIN}?{urlencode({_NEXT: wanted})}"


def _login_page(has_provider: bool, wanted: str, fault: str | None = None, status: int = 200) -> Response:
    shown = {"title": "Log in", "wanted": wanted, "has_provider": has_provider, "fault": fault}
    return page("login.html", shown, status=status)


def _redirect(address: str) -> Response:
    return RedirectResponse(address, status_code=303, headers=SAFE_HEADERS)


def _no_provider() -> ApiError:
    return ApiError(404, "NOT_FOUND", "this service has no provider to log in at", "Log in with a token.")
