"""Refuses to serve a named database to everybody, unless a setting says so."""

from __future__ import annotations

from service.settings import Settings
from service.settings.loading import SettingsError
from service.storage.database import open_database
from service.storage.token_store import PostgresTokens


async def refuse_open_access(settings: Settings) -> None:
    """Raises `SettingsError` where nobody would have to log in to rows that outlive the process.

    The embedded database is one person's trial. Raises `StoreUnavailable`.
    """
    if settings.database.url is None or settings.needs_login or settings.http.without_login:
        return
    async with open_database(settings) as engine:
        tokens = await PostgresTokens(engine).all()
    if not tokens:
        raise SettingsError(
            "SQLASSAY_DATABASE__URL is set, and there is neither a token nor a login: run `sqlassay tokens create`, or"
            " set SQLASSAY_HTTP__TOKENS, SQLASSAY_HTTP__REQUIRE_TOKENS=on, SQLASSAY_OIDC__ISSUER or"
            " SQLASSAY_PROXY__ADDRESSES. To let everybody on this machine do everything, set"
            " SQLASSAY_HTTP__WITHOUT_LOGIN=on"
        )
