"""Settings of the login to the console: sessions, OpenID Connect, and a reverse proxy that logs people in."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from consumers.wire.tenants import TENANT_RULE, is_tenant
from service.settings.access_settings import ALL_TENANTS, AccessScope
from service.settings.group import SettingsGroup

_MIN_SECRET = 32
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _read_network(value: object) -> object:
    if isinstance(value, Network):
        return value
    try:
        return ipaddress.ip_network(str(value))
    except ValueError:
        raise ValueError(f"{value!r} is not an address, or a network such as 10.0.0.0/8") from None


class LoginSettings(SettingsGroup):
    """Sessions of the console."""

    secret: SecretStr | None = Field(
        default=None,
        description="Signs the console's cookies, at least 32 characters; unset: one is made and kept in the database, "
        "so that all processes have the same.",
    )
    hours: float = Field(default=12.0, gt=0, le=24 * 30, description="Hours until a person has to log in again.")
    attempts: int = Field(
        default=10, ge=1, le=1000, description="Wrong tokens from one address in five minutes; more wait."
    )
    public_url: str | None = Field(
        default=None,
        description="Address under which people open the service, such as https://assay.example; unset: that of each "
        "request. Set it behind a proxy that ends TLS.",
    )

    @field_validator("secret")
    @classmethod
    def _secret_is_long(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value()) < _MIN_SECRET:
            raise ValueError(f"use at least {_MIN_SECRET} characters, such as the output of `openssl rand -hex 32`")
        return secret

    @field_validator("public_url")
    @classmethod
    def _url_has_no_path(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
            raise ValueError(f"{url[:80]!r} is not an address such as https://assay.example, without a path")
        return f"{parts.scheme}://{parts.netloc.lower()}"


class IdentitySettings(SettingsGroup):
    """What a person may access, from what a provider or a proxy says about the person."""

    tenant: str | None = Field(
        default=None, description='The tenant of every person, "*" for all; where no source of tenants is named.'
    )
    tenants: Mapping[str, str] = Field(
        default_factory=dict[str, str],
        description='The tenant of each value that is sent, as JSON: {"bakers-team": "bakers", "staff": "*"}; unset: '
        "the value is the tenant's name.",
    )
    roles: Mapping[str, frozenset[AccessScope]] = Field(
        default_factory=dict[str, frozenset[AccessScope]],
        description='The scopes of each role that is sent, as JSON: {"analyst": ["read", "review"]}; unset: the '
        "names of the scopes.",
    )
    everyone: frozenset[AccessScope] = Field(
        default=frozenset(), description='Scopes of every person who logs in, as JSON: ["read"].'
    )

    @field_validator("tenant")
    @classmethod
    def _tenant_is_a_name(cls, tenant: str | None) -> str | None:
        return None if tenant is None else _checked(tenant)

    @field_validator("tenants")
    @classmethod
    def _tenants_are_names(cls, tenants: Mapping[str, str]) -> Mapping[str, str]:
        return {value: _checked(tenant) for value, tenant in tenants.items()}


def _checked(tenant: str) -> str:
    if tenant != ALL_TENANTS and not is_tenant(tenant):
        raise ValueError(f"{tenant[:40]!r} is not a tenant's name: {TENANT_RULE}")
    return tenant


class OidcSettings(IdentitySettings):
    """Login with OpenID Connect."""

    issuer: str | None = Field(
        default=None, description="The provider's issuer URL; set, people log in there. Unset is no such login."
    )
    client_id: str | None = Field(default=None, description="The client's id at the provider.")
    client_secret: SecretStr | None = Field(default=None, description="The client's secret; unset for a public client.")
    scopes: str = Field(default="openid profile email", description="Scopes that are asked for.")
    name_claim: str = Field(
        default="email", min_length=1, description="The claim with the person's name; without it, `sub` is taken."
    )
    tenant_claim: str | None = Field(
        default=None, description="The claim with the person's tenant; dots lead into nested claims."
    )
    roles_claim: str | None = Field(
        default=None, description="The claim with the person's roles; dots lead into nested claims."
    )

    @model_validator(mode="after")
    def _all_or_nothing(self) -> Self:
        if self.issuer is None:
            return self
        parts = urlsplit(self.issuer)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"issuer {self.issuer[:80]!r} is not a URL")
        if not self.client_id:
            raise ValueError("issuer is set and client_id is not: set SQLASSAY_OIDC__CLIENT_ID")
        if "openid" not in self.scopes.split():
            raise ValueError(f"scopes {self.scopes!r} lacks openid, without which the provider names nobody")
        _check_sources(self, "SQLASSAY_OIDC", "claim", self.tenant_claim, self.roles_claim)
        return self


class ProxySettings(IdentitySettings):
    """Login by a reverse proxy that names the person in a header."""

    addresses: tuple[Annotated[Network, BeforeValidator(_read_network)], ...] = Field(
        default=(),
        description='Addresses of the proxies, as JSON: ["10.0.0.5", "10.1.0.0/24"]; from others their headers are '
        "not believed. Unset is no such login.",
    )
    name_header: str = Field(default="X-Forwarded-User", description="The header with the person's name.")
    tenant_header: str | None = Field(default=None, description="The header with the person's tenant.")
    roles_header: str | None = Field(default=None, description="The header with the person's roles, between commas.")

    @field_validator("name_header", "tenant_header", "roles_header")
    @classmethod
    def _header_is_a_name(cls, header: str | None) -> str | None:
        if header is not None and (not _HEADER.fullmatch(header) or header.lower() == "authorization"):
            raise ValueError(f"{header[:40]!r} cannot be the name of such a header")
        return header

    @model_validator(mode="after")
    def _roles_and_tenants_are_known(self) -> Self:
        if self.addresses:
            _check_sources(self, "SQLASSAY_PROXY", "header", self.tenant_header, self.roles_header)
        return self


def _check_sources(settings: IdentitySettings, prefix: str, kind: str, tenants: str | None, roles: str | None) -> None:
    """Raises `ValueError` where nothing, or two things, say which tenant or which scopes a person has."""
    if (tenants is None) == (settings.tenant is None):
        raise ValueError(
            f'set either {prefix}__TENANT, the tenant of every person ("*" is all), or {prefix}__TENANT_{kind.upper()},'
            f" the {kind} that names it"
        )
    if roles is None and not settings.everyone:
        raise ValueError(
            f'nobody would have a scope: set {prefix}__EVERYONE to ["read"], or {prefix}__ROLES_{kind.upper()} to the'
            f" {kind} that names roles"
        )
