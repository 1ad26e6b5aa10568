"""Tokens with which we log in to Kafka: from an OAuth 2 endpoint, or signed for Amazon MSK."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import httpx2
from aiokafka.abc import AbstractTokenProvider
from aiokafka.errors import KafkaConnectionError

from consumers.wire.texts import shorten
from service.logs import log
from service.settings.loading import SettingsError

_USED_SHARE = 0.8
"""A new token is asked for once this share of a token's life is over."""
_UNSAID_SECONDS = 300.0
"""Life of a token whose endpoint does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """A token, and how many seconds it is valid."""

    value: str
    seconds: float


class KeptTokens(AbstractTokenProvider):
    """Gives every connection the same token until most of its life is over.

    Brokers that end a connection with its token (`connections.max.reauth.ms`) get the next one with the new connection.
    """

    def __init__(
        self,
        source: Callable[[], Awaitable[IssuedToken]],
        extensions: Mapping[str, str],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source, self._extensions, self._timer = source, dict(extensions), timer
        self._alone = asyncio.Lock()
        self._kept = IssuedToken(value="", seconds=0.0)
        self._until = float("-inf")

    async def token(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride] the library's own has no type
        """A token that is valid for a while yet; raises `KafkaConnectionError`, and logs why."""
        async with self._alone:
            if self._timer() >= self._until:
                asked = self._timer()
                try:
                    self._kept = await self._source()
                except KafkaConnectionError as error:
                    # the client only says that it could not connect
                    log.warning("kafka_token_failed", error=str(error))
                    raise
                self._until = asked + self._kept.seconds * _USED_SHARE
        return self._kept.value

    def extensions(self) -> dict[str, str]:
        """What is sent beside the token."""
        return self._extensions


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """Asks an OAuth 2 endpoint for a token (RFC 6749, section 4.4)."""

    url: str
    client: str
    secret: str = field(repr=False)
    fields: Mapping[str, str]
    context: ssl.SSLContext
    timeout: float

    async def __call__(self) -> IssuedToken:
        """Raises `KafkaConnectionError`, which names the endpoint and what it said, never the secret."""
        form = {"grant_type": "client_credentials", **self.fields}
        try:
            async with httpx2.AsyncClient(verify=self.context, timeout=self.timeout) as client:
                reply = await client.post(self.url, data=form, auth=(self.client, self.secret))
        except httpx2.HTTPError as error:
            what = shorten(str(error) or type(error).__name__, 200)
            raise KafkaConnectionError(f"{self.url} gives no token: {what}") from None
        try:
            said: Any = reply.json()
            if reply.is_success:
                return IssuedToken(value=said["access_token"], seconds=float(said.get("expires_in", _UNSAID_SECONDS)))
            what = said["error"]
        except (ValueError, KeyError, TypeError, AttributeError):
            what = "no JSON of a token endpoint"
        raise KafkaConnectionError(f"{self.url} gives no token: status {reply.status_code}, {shorten(str(what), 200)}")


@dataclass(frozen=True, slots=True)
class MskSigner:
    """Signs tokens for Amazon MSK with the credentials that AWS gives this machine."""

    region: str

    def __post_init__(self) -> None:
        _signer()

    async def __call__(self) -> IssuedToken:
        """Raises `KafkaConnectionError` without credentials."""
        signer = _signer()
        try:
            # it may ask the machine's metadata service for credentials
            value, until = await asyncio.to_thread(signer.generate_auth_token, self.region)
        except Exception as error:
            what = shorten(str(error) or type(error).__name__, 200)
            raise KafkaConnectionError(f"no token could be signed for MSK in {self.region}: {what}") from None
        return IssuedToken(value=value, seconds=until / 1000 - time.time())


def _signer() -> Any:
    try:
        return import_module("aws_msk_iam_sasl_signer.MSKAuthTokenProvider")
    except ImportError as error:
        raise SettingsError(
            f"sasl_mechanism AWS_MSK_IAM needs the extra msk ({error.name} is missing): pip install 'sqlassay[msk]'"
        ) from error
