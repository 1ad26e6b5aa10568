"""Authentication: a token gives access to its tenant's rows, or to all, within its scopes.

Without any tokens in the settings and the database, access is open.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple, cast

from fastapi import Depends, Request

from service.access.access_tokens import Access, TokenRefusal
from service.access.failed_logins import WAIT_SECONDS
from service.access.identities import LoginRefused
from service.api.caller import Caller
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields, check_form
from service.api.visits import current_visit
from service.logs import LimitedLine
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope, token_digest
from service.storage.audit import Actor, Via, act_as

_READS = frozenset({"GET", "HEAD"})
_refused = LimitedLine("token_refused")
TOKEN_MESSAGES = {
    TokenRefusal.MISSING: "a token is required",
    TokenRefusal.UNKNOWN: "this token is not known",
    TokenRefusal.EXPIRED: "this token has expired",
    TokenRefusal.REVOKED: "this token was revoked",
}


class CallOrigin(NamedTuple):
    """Where a request comes from, for the log of refused ones."""

    client: str | None
    """Its address."""
    path: str


def service_of(request: Request) -> Service:
    """Returns the running service."""
    return cast("Service", request.app.state.service)


def caller_of(request: Request, scope: AccessScope) -> Caller:
    """Authenticates the caller by bearer token. Raises a 401 without a valid one, and a 403 without the scope."""
    return bearer(service_of(request), request.headers.get("authorization", ""), scope, _origin(request))


def bearer(service: Service, authorization: str, scope: AccessScope, origin: CallOrigin) -> Caller:
    """Authenticates the caller by the credentials that it sent; see `caller_of`."""
    scheme, token = _credentials(authorization)
    access = service.tokens.find(token if scheme == "bearer" else "")
    return _permitted(service, access, scope, "Bearer", origin)


def caller_with(scope: AccessScope) -> Callable[[Request], Awaitable[Caller]]:
    """The dependency of a route that needs a scope."""

    # not in a thread: what it says of who acts would end with the thread
    async def authenticate(request: Request) -> Caller:
        caller = caller_of(request, scope)
        act_as(Actor(name=caller.name, via=Via.API))
        return caller

    return authenticate


def console_caller_with(scope: AccessScope) -> Callable[[Request, FormFields], Awaitable[Caller]]:
    """The dependency of a page of the console that needs a scope.

    A person is known by a session, by what a listed proxy says, or by a token as a Basic password or bearer token.
    Raises a 401 without any, a 403 without the scope, and a 403 for a POST whose field `csrf` or header
    `X-CSRF-Token` is not the `csrf` that every template has.
    """

    async def authenticate(request: Request, fields: FormFields) -> Caller:
        visit = current_visit()
        access, visit.by_session = _visitor(request)
        visit.is_open = service_of(request).tokens.is_open
        if isinstance(access, Access):
            visit.caller = Caller(access.tenant, access.name, access.scopes)
        caller = _permitted(service_of(request), access, scope, 'Basic realm="SQLAssay"', _origin(request))
        # no browser sends a bearer token by itself
        if request.method not in _READS and _sent(request)[0] != "bearer":
            check_form(request, fields)
        act_as(Actor(name=caller.name, via=Via.CONSOLE))
        return caller

    return authenticate


def _visitor(request: Request) -> tuple[Access | TokenRefusal, bool]:
    """What a visitor of the console may access, and whether by a session."""
    service, (scheme, token) = service_of(request), _sent(request)
    if scheme:
        return _guessed(request, _password(token) if scheme == "basic" else token), False
    try:
        proxied = service.login.proxied(request.scope)
    except LoginRefused as error:
        raise login_refused(error) from error
    if proxied is not None:
        return proxied, False
    found = service.login.access(request.session, service.tokens)
    return (service.tokens.find(""), False) if found is None else (found, isinstance(found, Access))


def _guessed(request: Request, token: str) -> Access | TokenRefusal:
    """What a token that a person may have typed gives access to. Raises a 429 for one wrong token too many.

    A right token is never refused: people behind one address do not pay for what another of them sends.
    """
    found = service_of(request).tokens.find(token)
    if isinstance(found, TokenRefusal) and token:
        login = service_of(request).login
        address = login.address(request.scope)
        if not login.failures.may_try(address):
            raise too_many_failures()
        login.failures.failed(address)
    return found


def log_in(request: Request, token: str) -> Access | TokenRefusal:
    """Begins a session for the bearer of a token. Raises a 429 for one wrong token of its address too many."""
    service = service_of(request)
    found = _guessed(request, token)
    if isinstance(found, TokenRefusal):
        _count(service, found, _origin(request))
    else:
        service.login.remember_token(request.session, token_digest(token))
    return found


def login_refused(error: LoginRefused) -> ApiError:
    """The 403 for a person who is known and may not log in."""
    fix = "Ask who runs this service. SQLASSAY_OIDC__… and SQLASSAY_PROXY__… say who may."
    return ApiError(403, "LOGIN_REFUSED", str(error), fix)


def too_many_failures() -> ApiError:
    """The 429 for an address from which too many logins failed."""
    fix = f"Log in with a valid token, or wait {WAIT_SECONDS // 60} minutes."
    return ApiError(429, "TOO_MANY_LOGINS", "too many logins failed", fix, {"Retry-After": str(WAIT_SECONDS)})


def _sent(request: Request) -> tuple[str, str]:
    """The scheme and the credentials of a request's header `Authorization`."""
    return _credentials(request.headers.get("authorization", ""))


def _credentials(authorization: str) -> tuple[str, str]:
    scheme, _, token = authorization.partition(" ")
    return scheme.lower(), token.strip()


def _origin(request: Request) -> CallOrigin:
    return CallOrigin(request.client.host if request.client else None, request.scope["path"])


def _password(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _permitted(
    service: Service, access: Access | TokenRefusal, scope: AccessScope, challenge: str, origin: CallOrigin
) -> Caller:
    if isinstance(access, TokenRefusal):
        _count(service, access, origin)
        fix = "Send the header Authorization: Bearer <token>. `sqlassay tokens create` makes one."
        raise ApiError(401, "UNAUTHORIZED", TOKEN_MESSAGES[access], fix, {"WWW-Authenticate": challenge})
    if scope not in access.scopes:
        _count(service, TokenRefusal.SCOPE, origin, access.name)
        message = f"{access.name!r} does not have the scope {scope.value!r}"
        fix = f"Use a token with that scope: sqlassay tokens create --scope {scope.value}."
        raise ApiError(403, "MISSING_SCOPE", message, fix)
    return Caller(access.tenant, access.name, access.scopes)


def _count(service: Service, why: TokenRefusal, origin: CallOrigin, name: str | None = None) -> None:
    service.metrics.token_refused(why.value)
    _refused.warning(reason=why.value, client=origin.client, path=origin.path[:80], token=name)


RunningService = Annotated[Service, Depends(service_of)]
Publisher = Annotated[Caller, Depends(caller_with(AccessScope.PUBLISH))]
Reader = Annotated[Caller, Depends(caller_with(AccessScope.READ))]
ConsoleReader = Annotated[Caller, Depends(console_caller_with(AccessScope.READ))]
ConsoleReviewer = Annotated[Caller, Depends(console_caller_with(AccessScope.REVIEW))]
ConsoleAdministrator = Annotated[Caller, Depends(console_caller_with(AccessScope.ADMIN))]
Reviewer = Annotated[Caller, Depends(caller_with(AccessScope.REVIEW))]
Administrator = Annotated[Caller, Depends(caller_with(AccessScope.ADMIN))]
