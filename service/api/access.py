"""Authentication: a tenant's token gives access to its own rows, the `*` token to all rows.

Without any tokens in the settings, access is open.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request
from pydantic import SecretStr

from service.api.errors import ApiError
from service.pipeline.running import Service
from service.settings.intake_settings import ALL_TENANTS


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request."""

    tenant: str | None
    """The only tenant it may access. None means all tenants."""
    name: str | None = None
    """The owner of its token."""

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


def caller_of(request: Request) -> Caller:
    """Authenticates the caller by bearer token. Raises a 401 when a token is required and none is valid."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return _caller(request, token.strip() if scheme.lower() == "bearer" else "", "Bearer")


def reader_of(request: Request) -> Caller:
    """Authenticates a console user. The browser asks for a password, which is the token; any user name works.

    Raises a 401 without a valid token, so that the browser asks.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return _caller(request, _password(token) if scheme.lower() == "basic" else token.strip(), 'Basic realm="SQLAssay"')


def _password(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _caller(request: Request, token: str, challenge: str) -> Caller:
    tokens = service_of(request).settings.http.tokens
    if not tokens:
        return Caller(None)
    owner = owner_of(token, tokens) if token else None
    if owner is None:
        raise ApiError(
            401,
            "UNAUTHORIZED",
            "a valid token is required",
            "Send the header Authorization: Bearer <token>.",
            {"WWW-Authenticate": challenge},
        )
    return Caller(None if owner == ALL_TENANTS else owner, owner)


def owner_of(token: str, tokens: Mapping[str, SecretStr]) -> str | None:
    """Returns the owner of a token. Compares with every token in constant time, so that timing reveals nothing."""
    owner: str | None = None
    for tenant, secret in tokens.items():
        if hmac.compare_digest(token.encode("utf-8", "replace"), secret.get_secret_value().encode()):
            owner = tenant
    return owner


def forbidden(message: str) -> ApiError:
    """A 403 error."""
    return ApiError(403, "FORBIDDEN", message, "Use the token of that tenant.")


RunningService = Annotated[Service, Depends(service_of)]
CallingTenant = Annotated[Caller, Depends(caller_of)]
