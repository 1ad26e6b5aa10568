"""Tokens in the settings: what they may be, and what they give access to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, SecretStr

from service.settings.group import SettingsGroup

ALL_TENANTS = "*"
"""The key of `http.tokens` whose token reads and writes for every tenant."""
MIN_TOKEN_LENGTH = 24
_MIN_DIFFERENT = 8
"""Least number of different characters in a token: fewer are easy to guess."""
_HASHED = re.compile(r"sha256:([0-9a-fA-F]{64})")


class AccessScope(StrEnum):
    """What a token may be used for."""

    PUBLISH = "publish"
    """Publish events and spans."""
    READ = "read"
    """Read evaluations, labels, reports, rules, the console and, for all tenants, metrics."""
    REVIEW = "review"
    """Label answers."""
    ADMIN = "admin"
    """Change rules, and say with which probability a labelled answer was drawn."""


ALL_SCOPES = frozenset(AccessScope)


class TokenSettings(SettingsGroup):
    """One token of the settings."""

    token: SecretStr = Field(description="The token, or `sha256:` and its SHA-256 in hexadecimal.")
    scopes: frozenset[AccessScope] = Field(default=ALL_SCOPES, min_length=1, description="What it may be used for.")

    @property
    def digest(self) -> str:
        """The token's SHA-256."""
        hashed = _HASHED.fullmatch(self.token.get_secret_value())
        return hashed[1].lower() if hashed else token_digest(self.token.get_secret_value())


def token_digest(token: str) -> str:
    """The form in which tokens are kept. Without salt, because a token is long and random."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def as_token_settings(value: object) -> object:
    """A token written as text has all scopes."""
    return {"token": value} if isinstance(value, str | SecretStr) else value


def check_tokens(tokens: Mapping[str, TokenSettings]) -> None:
    """Raises `ValueError` for a token that is easy to guess, and for one that two tenants share."""
    owners: dict[str, str] = {}
    for owner, each in tokens.items():
        text = each.token.get_secret_value()
        if text.startswith("sha256:"):
            if not _HASHED.fullmatch(text):
                raise ValueError(f"tokens: the hash of {owner!r} is not sha256: and 64 hexadecimal digits")
        elif text != text.strip() or not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError(f"tokens: the token of {owner!r} has a space or a character that no header can hold")
        elif len(text) < MIN_TOKEN_LENGTH or len(set(text)) < _MIN_DIFFERENT:
            raise ValueError(
                f"tokens: the token of {owner!r} is easy to guess: use at least {MIN_TOKEN_LENGTH} characters,"
                " such as the output of `openssl rand -hex 24`"
            )
        other = owners.setdefault(each.digest, owner)
        if other != owner:
            raise ValueError(f"tokens: {other!r} and {owner!r} have the same token: give each its own")
