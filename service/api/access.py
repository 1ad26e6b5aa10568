"""Authentication: a token gives access to its tenant's rows, or to all, within its scopes.

Without any tokens in the settings and the database, access is open.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from service.api.errors import ApiError
from service.logs import LimitedLine
from service.pipeline.access_tokens import TokenRefusal
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope

_refused = LimitedLine("token_refused")
_MESSAGES = {
    TokenRefusal.MISSING: "a token is required",
    TokenRefusal.UNKNOWN: "this token is not known",
    TokenRefusal.EXPIRED: "this token has expired",
    TokenRefusal.REVOKED: "this token was revoked",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request."""

    tenant: str | None
    """The only tenant it may access. None means all tenants."""
    name: str | None = None
    """The name of its token."""
    scopes: frozenset[AccessScope] = frozenset()
    """What its token permits."""

    def only(self, tenant: str | None) -> str | None:
        """Returns the tenant to restrict a query to. Raises a 403 when the caller may not access `tenant`."""
        if self.tenant is None:
            return tenant
        if tenant not in {None, self.tenant}:
            raise forbidden(f"this token does not give access to tenant {tenant!r}")
        return self.tenant


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


def reader_of(request: Request) -> Caller:
    """Authenticates a console user. The browser asks for a password, which is the token; any user name works.

    Raises a 401 without a valid token, so that the browser asks.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    secret = _password(token) if scheme.lower() == "basic" else token.strip()
    return _caller(request, secret, AccessScope.READ, 'Basic realm="SQLAssay"')


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


def forbidden(message: str) -> ApiError:
    """A 403 error."""
    return ApiError(403, "FORBIDDEN", message, "Use the token of that tenant.")


RunningService = Annotated[Service, Depends(service_of)]
Publisher = Annotated[Caller, Depends(caller_with(AccessScope.PUBLISH))]
Reader = Annotated[Caller, Depends(caller_with(AccessScope.READ))]
ConsoleReader = Annotated[Caller, Depends(reader_of)]
Reviewer = Annotated[Caller, Depends(caller_with(AccessScope.REVIEW))]
Administrator = Annotated[Caller, Depends(caller_with(AccessScope.ADMIN))]
