"""Who calls: a tenant's token reads and writes its own rows, the `*` token everyone's; without tokens all may."""

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
    """Whom a request acts for."""

    tenant: str | None
    """The only tenant it may see; `None` is all."""
    name: str | None = None
    """Whose token it showed."""

    def only(self, tenant: str | None) -> str | None:
        """The tenant to restrict a reading to; raises a 403 for one that is not the caller's."""
        if self.tenant is None:
            return tenant
        if tenant not in {None, self.tenant}:
            raise forbidden(f"this token is of another tenant than {tenant!r}")
        return self.tenant


def service_of(request: Request) -> Service:
    """The running service."""
    return cast("Service", request.app.state.service)


def caller_of(request: Request) -> Caller:
    """Who shows which token; raises a 401 where one is needed and none fits."""
    scheme, _, shown = request.headers.get("authorization", "").partition(" ")
    return _caller(request, shown.strip() if scheme.lower() == "bearer" else "", "Bearer")


def reader_of(request: Request) -> Caller:
    """Who looks at the console: the password that a browser asks for is the token, whatever the name.

    Raises a 401, upon which the browser asks.
    """
    scheme, _, shown = request.headers.get("authorization", "").partition(" ")
    return _caller(request, _password(shown) if scheme.lower() == "basic" else shown.strip(), 'Basic realm="SQLAssay"')


def _password(shown: str) -> str:
    try:
        return base64.b64decode(shown, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _caller(request: Request, shown: str, challenge: str) -> Caller:
    tokens = service_of(request).settings.http.tokens
    if not tokens:
        return Caller(None)
    owner = owner_of(shown, tokens) if shown else None
    if owner is None:
        raise ApiError(
            401,
            "UNAUTHORIZED",
            "this service needs a token, and none that it knows was shown",
            "Send the header Authorization: Bearer <token>.",
            {"WWW-Authenticate": challenge},
        )
    return Caller(None if owner == ALL_TENANTS else owner, owner)


def owner_of(shown: str, tokens: Mapping[str, SecretStr]) -> str | None:
    """Whose token was shown, comparing with all of them in constant time so that time tells nothing."""
    owner: str | None = None
    for tenant, secret in tokens.items():
        if hmac.compare_digest(shown.encode("utf-8", "replace"), secret.get_secret_value().encode()):
            owner = tenant
    return owner


def forbidden(message: str) -> ApiError:
    """A 403."""
    return ApiError(403, "FORBIDDEN", message, "Use the token of that tenant.")


RunningService = Annotated[Service, Depends(service_of)]
CallingTenant = Annotated[Caller, Depends(caller_of)]
