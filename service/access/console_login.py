"""What the login to the console needs: the secret of its cookies, the count of failures, and the provider."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from fastapi.datastructures import Headers
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import Scope

from service.access.access_tokens import Access, AccessTokens, TokenRefusal
from service.access.failed_logins import FailedLogins
from service.access.oidc import OidcLogin, open_oidc
from service.access.proxy_identity import client_address, is_proxy, proxy_identity
from service.settings import Settings
from service.settings.access_settings import AccessScope
from service.storage.session_secrets import session_secret

_WHO = "who"
Session = MutableMapping[str, Any]
"""The content of a signed cookie. Its reader is the browser's user: it holds no secret of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleLogin:
    """How people log in to the console."""

    settings: Settings
    secret: str
    """Signs the cookies."""
    failures: FailedLogins
    oidc: OidcLogin | None

    def remember_token(self, session: Session, digest: str) -> None:
        """Logs the bearer of a token in. The session ends with the token."""
        self._begin(session, {"token": digest})

    def remember_person(self, session: Session, person: Access) -> None:
        """Logs a person in whom the provider knows."""
        said = {"name": person.name, "tenant": person.tenant, "scopes": sorted(person.scopes)}
        self._begin(session, {"person": said, "issuer": self.settings.oidc.issuer})

    def _begin(self, session: Session, who: dict[str, object]) -> None:
        # nothing of the session before the login stays, its form token neither
        session.clear()
        until = datetime.now(UTC) + timedelta(hours=self.settings.login.hours)
        session[_WHO] = who | {"until": until.timestamp()}

    def access(self, session: Session, tokens: AccessTokens) -> Access | TokenRefusal | None:
        """What a session gives access to; `None` where nobody is logged in."""
        who = session.get(_WHO)
        if who is None:
            return None
        found = self._access(who, tokens)
        if isinstance(found, TokenRefusal):
            session.clear()
        return found

    def _access(self, who: dict[str, Any], tokens: AccessTokens) -> Access | TokenRefusal:
        if who["until"] <= datetime.now(UTC).timestamp():
            return TokenRefusal.EXPIRED
        if "token" in who:
            return tokens.find_digest(who["token"])
        if self.oidc is None or who["issuer"] != self.settings.oidc.issuer:
            return TokenRefusal.UNKNOWN
        said = who["person"]
        scopes = frozenset(AccessScope(each) for each in said["scopes"])
        return Access(name=said["name"], tenant=said["tenant"], scopes=scopes)

    def proxied(self, scope: Scope) -> Access | None:
        """The person whom a listed proxy names; raises `LoginRefused`."""
        return proxy_identity(Headers(scope=scope), _peer(scope), self.settings.proxy)

    def address(self, scope: Scope) -> str:
        """The address that failures of a request are counted for."""
        return client_address(Headers(scope=scope), _peer(scope), self.settings.proxy)

    def base_url(self, scope: Scope) -> str:
        """The address under which the person opened the console, without a path."""
        public = self.settings.login.public_url
        return public or f"{'https' if self.is_https(scope) else 'http'}://{Headers(scope=scope).get('host', '')}"

    def is_https(self, scope: Scope) -> bool:
        """Whether the person's browser came by https, directly or through a listed proxy."""
        headers, public = Headers(scope=scope), urlsplit(self.settings.login.public_url or "")
        if scope["scheme"] == "https":
            return True
        if public.scheme == "https" and headers.get("host", "").lower() == public.netloc:
            return True
        return headers.get("x-forwarded-proto") == "https" and is_proxy(_peer(scope), self.settings.proxy)


async def open_login(settings: Settings, engine: AsyncEngine) -> ConsoleLogin:
    """The login that the settings describe; raises `StoreUnavailable`."""
    given = settings.login.secret
    return ConsoleLogin(
        settings=settings,
        secret=given.get_secret_value() if given is not None else await session_secret(engine),
        failures=FailedLogins(settings.login.attempts),
        oidc=open_oidc(settings.oidc),
    )


def _peer(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None
