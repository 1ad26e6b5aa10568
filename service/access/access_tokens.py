"""The tokens in force: those of the settings, and those of the table, read again every few seconds."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from service.logs import LimitedLine, log
from service.settings import Settings
from service.settings.access_settings import ALL_SCOPES, ALL_TENANTS, AccessScope, TokenSettings, token_digest
from service.settings.intake_settings import HttpSettings
from service.storage.token_store import PostgresTokens, StoredToken

_REFRESH_SECONDS = 2.0
"""Longest time until a revoked token is refused, while the database answers."""
_USE_INTERVAL = timedelta(minutes=1)
"""How exactly the last use of a token is stored."""
_unread = LimitedLine("tokens_unread", seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What the bearer of a token may do."""

    name: str | None
    """The token's name. None where access is open."""
    tenant: str | None
    """The only tenant it gives access to; `None` is all."""
    scopes: frozenset[AccessScope]


OPEN = Access(name=None, tenant=None, scopes=ALL_SCOPES)


class TokenRefusal(StrEnum):
    """Why a request is refused."""

    MISSING = "missing"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    REVOKED = "revoked"
    SCOPE = "scope"
    """The token is valid, but not for this."""


@dataclass(slots=True, kw_only=True)
class AccessTokens:
    """Knows every token by its SHA-256."""

    http: HttpSettings
    store: PostgresTokens
    login_elsewhere: bool = False
    """Whether people log in with OpenID Connect or at a proxy, so that access is never open."""
    _stored: Mapping[str, StoredToken] = field(default_factory=dict[str, StoredToken])
    _used: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def find(self, token: str, now: datetime | None = None) -> Access | TokenRefusal:
        """What a token gives access to. Without any token in the settings or the table, access is open."""
        if self.is_open:
            return OPEN
        return self.find_digest(token_digest(token), now) if token else TokenRefusal.MISSING

    def find_digest(self, digest: str, now: datetime | None = None) -> Access | TokenRefusal:
        """What the token with this SHA-256 gives access to."""
        return self._of_settings(digest) or self._of_table(digest, now or datetime.now(UTC))

    @property
    def is_open(self) -> bool:
        """Whether everybody who reaches the service may do everything."""
        closed = self.http.tokens or self.http.require_tokens or self.login_elsewhere or self._stored
        return not closed

    def _of_settings(self, digest: str) -> Access | None:
        found: Access | None = None
        for owner, each in self.http.tokens.items():
            # all are compared, each in constant time, so that timing reveals nothing
            if hmac.compare_digest(digest, each.digest):
                found = _settings_access(owner, each)
        return found

    def _of_table(self, digest: str, now: datetime) -> Access | TokenRefusal:
        stored = self._stored.get(digest)
        if stored is None:
            return TokenRefusal.UNKNOWN
        if stored.revoked_at is not None:
            return TokenRefusal.REVOKED
        if stored.expires_at is not None and stored.expires_at <= now:
            return TokenRefusal.EXPIRED
        if stored.last_used_at is None or now - stored.last_used_at >= _USE_INTERVAL:
            self._used[stored.id] = now
        return Access(name=stored.name, tenant=stored.tenant, scopes=stored.scopes)

    async def refresh(self) -> None:
        """Stores the times of use and reads the table again; raises `StoreUnavailable`."""
        used, self._used = self._used, {}
        if used:
            await self.store.used(used)
        self._stored = {each.digest: each for each in await self.store.all()}


@asynccontextmanager
async def open_tokens(settings: Settings, engine: AsyncEngine) -> AsyncGenerator[AccessTokens]:
    """The tokens, read now and again every few seconds. While they cannot be read, they stay as they were."""
    elsewhere = settings.oidc.issuer is not None or bool(settings.proxy.addresses)
    tokens = AccessTokens(http=settings.http, store=PostgresTokens(engine), login_elsewhere=elsewhere)
    await tokens.refresh()
    if tokens.is_open and settings.database.url is not None:
        _warn_of_open_access()
    task = asyncio.create_task(_refresh_always(tokens), name="access-tokens")
    try:
        yield tokens
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        with suppress(Unavailable):
            await tokens.refresh()


def _warn_of_open_access() -> None:
    """Says what closes a service whose database outlives it; the embedded database is one person's trial."""
    log.warning(
        "login_open",
        detail="everybody who reaches this address may read and change the rows of all tenants: run sqlassay tokens"
        " create, or set SQLASSAY_HTTP__TOKENS, SQLASSAY_HTTP__REQUIRE_TOKENS, SQLASSAY_OIDC__ISSUER or"
        " SQLASSAY_PROXY__ADDRESSES",
    )


async def _refresh_always(tokens: AccessTokens) -> None:
    while True:
        await asyncio.sleep(_REFRESH_SECONDS)
        try:
            await tokens.refresh()
        except Unavailable as error:
            _unread.warning(detail=str(error))


def _settings_access(owner: str, token: TokenSettings) -> Access:
    return Access(name=owner, tenant=None if owner == ALL_TENANTS else owner, scopes=token.scopes)
