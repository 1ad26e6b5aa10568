"""Access tokens in PostgreSQL: only their SHA-256 is stored."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import RefusedByStore
from service.settings.access_settings import AccessScope, token_digest
from service.storage.audit import AuditAction, Change, note_change
from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import ACCESS_TOKENS

_PREFIX = "sqa_"
"""First characters of a token, by which scanners for leaked secrets find it."""


class TokenNameTaken(Exception):  # noqa: N818 named like RulesConflict
    """Another token has the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """An access token without its secret."""

    id: str
    name: str
    tenant: str | None
    """`None` is all tenants."""
    scopes: frozenset[AccessScope]
    digest: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """To the minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """What a token is created with."""

    tenant: str | None
    scopes: frozenset[AccessScope]
    name: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PostgresTokens:
    """The table of tokens. Its methods raise `StoreUnavailable`."""

    engine: AsyncEngine

    async def create(self, new: NewToken) -> tuple[str, StoredToken]:
        """Stores a new token and returns it with its secret, which is nowhere else; raises `TokenNameTaken`."""
        secret, identity = _PREFIX + secrets.token_urlsafe(32), secrets.token_hex(4)
        values = {
            "id": identity,
            "name": new.name or f"{new.tenant or 'all'}-{identity}",
            "tenant": new.tenant,
            "scopes": sorted(new.scopes),
            "digest": token_digest(secret),
            "expires_at": new.expires_at,
        }
        try:
            with translate_errors(self.engine.url):
                async with self.engine.begin() as connection:
                    query = insert(ACCESS_TOKENS).values(values).returning(ACCESS_TOKENS)
                    row = (await connection.execute(query)).mappings().one()
                    await note_change(connection, _change(AuditAction.TOKEN_CREATED, _token(dict(row))))
        except RefusedByStore:
            raise TokenNameTaken(values["name"]) from None
        return secret, _token(dict(row))

    async def all(self) -> Sequence[StoredToken]:
        """Every token, newest first, revoked ones included."""
        newest = ACCESS_TOKENS.c.created_at.desc(), ACCESS_TOKENS.c.id
        return [_token(row) for row in await fetch_rows(self.engine, select(ACCESS_TOKENS).order_by(*newest))]

    async def revoke(self, name: str) -> StoredToken | None:
        """Revokes the token with this name or id. None if there is none that is in force."""
        table = ACCESS_TOKENS.c
        wanted = or_(table.name == name, table.id == name), table.revoked_at.is_(None)
        query = update(ACCESS_TOKENS).where(*wanted).values(revoked_at=func.now()).returning(ACCESS_TOKENS)
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                row = (await connection.execute(query)).mappings().first()
                revoked = _token(dict(row)) if row is not None else None
                if revoked is not None:
                    await note_change(connection, _change(AuditAction.TOKEN_REVOKED, revoked))
        return revoked

    async def used(self, times: Mapping[str, datetime]) -> None:
        """Stores when tokens were last used, by id."""
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                for identity, moment in times.items():
                    latest = func.greatest(ACCESS_TOKENS.c.last_used_at, moment)
                    query = update(ACCESS_TOKENS).where(ACCESS_TOKENS.c.id == identity)
                    await connection.execute(query.values(last_used_at=latest))


def _change(action: AuditAction, token: StoredToken) -> Change:
    expires = token.expires_at.isoformat() if token.expires_at is not None else None
    said: dict[str, object] = {"scopes": sorted(token.scopes), "expires_at": expires}
    created = action is AuditAction.TOKEN_CREATED
    return Change(
        action=action,
        tenant=token.tenant,
        subject=token.name,
        before=None if created else said,
        after=said if created else None,
    )


def _token(row: Mapping[str, object]) -> StoredToken:
    scopes = frozenset(each for each in AccessScope if each.value in cast("list[str]", row["scopes"]))
    return StoredToken(**{**row, "scopes": scopes})  # pyright: ignore[reportArgumentType] a row's columns are the fields
