"""Authentication: a token gives access to its tenant's rows, or to all, within its scopes.

Without any tokens in the settings and the database, access is open.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Annotated, cast

from fastapi import Depends, Request

from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.form_fields import FormFields, check_form
from service.logs import LimitedLine
from service.pipeline.access_tokens import TokenRefusal
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope

_READS = frozenset({"GET", "HEAD"})
_refused = LimitedLine("token_refused")
_MESSAGES = {
    TokenRefusal.MISSING: "a token is required",
    TokenRefusal.UNKNOWN: "this token is not known",
    TokenRefusal.EXPIRED: "this token has expired",
    TokenRefusal.REVOKED: "this token was revoked",
}


def service_of(request: Request) -> Service:
    """Returns the running service."""
    return cast("Service", request.app.state.service)


def caller_of(request: Request, scope: AccessScope) -> Caller:
    """Authenticates the caller by bearer token. Raises a 401 without a valid one, and a 403 without the scope."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return _caller(request, token.strip() if scheme.lower() == "bearer" else "", scope, "Bearer")


def caller_with(scope: AccessScope) -> Callable[[Request], Caller]:
    """The dependency of a route that needs a scope."""

    def authenticate(request: Request) -> Caller:
        return caller_of(request, scope)

    return authenticate


def console_caller_with(scope: AccessScope) -> Callable[[Request, FormFields], Caller]:
    """The dependency of a page of the console that needs a scope.

    The browser asks for a password, which is the token; any user name works. Scripts may send a bearer token.
    Raises a 401 without a valid token, so that the browser asks, a 403 without the scope, and a 403 for a POST whose
    field `csrf` or header `X-CSRF-Token` is not `csrf_token()`, which every template has as `csrf`.
    """

    def authenticate(request: Request, fields: FormFields) -> Caller:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        secret = _password(token) if scheme.lower() == "basic" else token.strip()
        caller = _caller(request, secret, scope, 'Basic realm="SQLAssay"')
        # no browser sends a bearer token by itself
        if request.method not in _READS and scheme.lower() != "bearer":
            check_form(request, fields)
        return caller

    return authenticate


def _password(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _caller(request: Request, token: str, scope: AccessScope, challenge: str) -> Caller:
    service = service_of(request)
    access = service.tokens.find(token)
    if isinstance(access, TokenRefusal):
        _count(request, access)
        fix = "Send the header Authorization: Bearer <token>. `sqlassay tokens create` makes one."
        raise ApiError(401, "UNAUTHORIZED", _MESSAGES[access], fix, {"WWW-Authenticate": challenge})
    if scope not in access.scopes:
        _count(request, TokenRefusal.SCOPE, access.name)
        message = f"token {access.name!r} does not have the scope {scope.value!r}"
        fix = f"Use a token with that scope: sqlassay tokens create --scope {scope.value}."
        raise ApiError(403, "MISSING_SCOPE", message, fix)
    return Caller(access.tenant, access.name, access.scopes)


def _count(request: Request, why: TokenRefusal, name: str | None = None) -> None:
    service_of(request).metrics.token_refused(why.value)
    client = request.client.host if request.client else None
    _refused.warning(reason=why.value, client=client, path=request.scope["path"][:80], token=name)


RunningService = Annotated[Service, Depends(service_of)]
Publisher = Annotated[Caller, Depends(caller_with(AccessScope.PUBLISH))]
Reader = Annotated[Caller, Depends(caller_with(AccessScope.READ))]
ConsoleReader = Annotated[Caller, Depends(console_caller_with(AccessScope.READ))]
ConsoleReviewer = Annotated[Caller, Depends(console_caller_with(AccessScope.REVIEW))]
ConsoleAdministrator = Annotated[Caller, Depends(console_caller_with(AccessScope.ADMIN))]
Reviewer = Annotated[Caller, Depends(caller_with(AccessScope.REVIEW))]
Administrator = Annotated[Caller, Depends(caller_with(AccessScope.ADMIN))]
