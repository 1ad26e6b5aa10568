"""Settings of the HTTP API and of OpenTelemetry spans."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from consumers.decoding import MomentBounds
from consumers.spans import SpanTable
from consumers.wire.tenants import TENANT_RULE, is_tenant
from service.settings.access_settings import ALL_TENANTS, TokenSettings, as_token_settings, check_tokens
from service.settings.group import SettingsGroup

_HOST = re.compile(r"[\w.-]{1,253}")


class HttpSettings(SettingsGroup):
    """The API."""

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; any but loopback needs tokens or a login."
    )
    port: int = Field(default=8321, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    tokens: Mapping[str, Annotated[TokenSettings, BeforeValidator(as_token_settings)]] = Field(
        default_factory=dict[str, TokenSettings],
        description='Bearer token of each tenant, as JSON: {"acme": "…"}; the key "*" is for all tenants.',
    )
    require_tokens: bool = Field(default=False, description="Refuse requests without a token, even if none is set.")
    without_login: bool = Field(
        default=False,
        description="Start on a loopback address although a database is named and there is neither a token nor a "
        "login: everybody on this machine may do everything.",
    )
    allowed_hosts: frozenset[str] = Field(
        default=frozenset(),
        description='Names under which the service is called, as JSON: ["assay.example"]; unset is any name, '
        "or localhost where the host is a loopback address.",
    )
    public_metrics: bool = Field(default=False, description="Serve /metrics without a token although tokens are set.")

    @field_validator("tokens")
    @classmethod
    def _tokens_are_safe(cls, tokens: Mapping[str, TokenSettings]) -> Mapping[str, TokenSettings]:
        wrong = [each for each in tokens if each != ALL_TENANTS and not is_tenant(each)]
        if wrong:
            raise ValueError(f"tokens: {wrong[0][:40]!r} is not a tenant's name: {TENANT_RULE}")
        check_tokens(tokens)
        return tokens

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts_are_names(cls, hosts: frozenset[str]) -> frozenset[str]:
        wrong = sorted(each for each in hosts if not _HOST.fullmatch(each.lower()))
        if wrong:
            raise ValueError(f"{wrong[0]!r} is not a host name: write it without scheme, port and path")
        return frozenset(each.lower().removesuffix(".") for each in hosts)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


class LimitSettings(SettingsGroup):
    """Bounds on memory and latency."""

    max_event_bytes: int = Field(default=1024 * 1024, ge=1024, le=16 * 1024 * 1024, description="Largest event.")
    past_days: int = Field(
        default=3660, ge=1, le=36_600, description="Days before now; an event that occurred earlier is invalid."
    )
    ahead_days: int = Field(
        default=7, ge=0, le=36_600, description="Days after now; an event that occurred later is invalid."
    )
    max_body_bytes: int = Field(
        default=16 * 1024 * 1024, ge=1024, le=256 * 1024 * 1024, description="Largest HTTP body."
    )
    max_pending_bytes: int = Field(
        default=192 * 1024 * 1024,
        ge=1024,
        description="Memory in bytes for HTTP requests handled at once; a sender may hold as much as stays free.",
    )
    max_values: int = Field(default=1_000_000, ge=1000, description="Most JSON values in one HTTP body.")
    body_seconds: float = Field(default=60.0, gt=0, le=3600, description="Seconds in which a body must arrive.")
    stall_seconds: float = Field(
        default=10.0, gt=0, le=600, description="Seconds in which the next 16 KiB of a body must arrive."
    )
    max_events: int = Field(default=10_000, ge=1, description="Most events in one HTTP body.")
    batch_size: int = Field(default=200, ge=1, le=5000, description="Most events scored and stored in one transaction.")
    linger_ms: int = Field(default=5, ge=0, le=1000, description="How long a batch waits for more events.")
    shutdown_seconds: int = Field(default=20, ge=1, description="How long shutdown waits for requests in flight.")

    @property
    def moments(self) -> MomentBounds:
        """When events may have occurred."""
        return MomentBounds(past_days=self.past_days, ahead_days=self.ahead_days)


class SpanSettings(SettingsGroup):
    """Answers that come as OpenTelemetry spans."""

    grpc_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port for OTLP over gRPC, on the address of the API: 4317 by convention, 0 picks a free one; "
        "unset is off.",
    )
    window: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds a trace waits for the rest of its spans after the first."
    )
    most: int = Field(
        default=100_000,
        ge=1,
        description="Spans held at once; past it the oldest traces of the sender that holds most close early.",
    )
    bytes: int = Field(default=192 * 1024 * 1024, ge=1024, description="Memory of open traces, about, in bytes.")
    attributes: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description='Attribute names to read, as JSON: {"question": ["my.question"]}; see the events page.',
    )

    @model_validator(mode="after")
    def _attributes_are_known(self) -> Self:
        known = [each.name for each in fields(SpanTable)]
        unknown = sorted(set(self.attributes) - set(known))
        if unknown:
            raise ValueError(f"attributes: {unknown[0]} is not one of {', '.join(known)}")
        return self

    @property
    def table(self) -> SpanTable:
        """The attribute names that each field of an answer is read from."""
        return SpanTable(**self.attributes)
