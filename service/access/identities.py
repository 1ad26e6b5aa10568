"""Who a person is, and what the person may access, from what a provider or a proxy says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from consumers.wire.tenants import is_tenant
from consumers.wire.texts import shorten
from service.access.access_tokens import Access
from service.settings.access_settings import ALL_TENANTS, AccessScope
from service.settings.login_settings import IdentitySettings

_MOST_NAME = 128


class LoginRefused(Exception):  # noqa: N818 it names what happened
    """A person is known and may not log in. The message says why, for the person and for who set up the login."""


def identity(
    name: object, settings: IdentitySettings, *, tenants: Sequence[str] | None, roles: Sequence[str]
) -> Access:
    """The person; raises `LoginRefused`. `tenants` is `None` where every person has the tenant of the settings."""
    if not isinstance(name, str) or not name.isprintable() or not name.strip() or len(name) > _MOST_NAME:
        raise LoginRefused(f"the person's name is missing, or is not 1 to {_MOST_NAME} visible characters")
    scopes = settings.everyone.union(*(_scopes(each, settings) for each in roles))
    if not scopes:
        raise LoginRefused(f"{name!r} has no role that gives a scope: {_named(roles)}")
    tenant = settings.tenant if tenants is None else _tenant(name, tenants, settings.tenants)
    return Access(name=name.strip(), tenant=None if tenant == ALL_TENANTS else tenant, scopes=scopes)


def _scopes(role: str, settings: IdentitySettings) -> frozenset[AccessScope]:
    if settings.roles:
        return settings.roles.get(role, frozenset())
    return frozenset(each for each in AccessScope if each.value == role)


def _tenant(name: str, sent: Sequence[str], known: Mapping[str, str]) -> str:
    # only the settings may say that somebody has all tenants
    found = {known[each] for each in sent if each in known} if known else {each for each in sent if is_tenant(each)}
    if ALL_TENANTS in found:
        return ALL_TENANTS
    if len(found) == 1:
        return found.pop()
    why = "several tenants, and a session has one" if found else "no tenant that is known here"
    raise LoginRefused(f"{name!r} has {why}: {_named(sent)}")


def _named(values: Iterable[str]) -> str:
    return shorten(", ".join(map(repr, values))) or "none is sent"


def claim_values(claims: Mapping[str, object], path: str) -> list[str]:
    """The texts of a claim, which may be one or a list.

    >>> claim_values({"realm_access": {"roles": ["a", "b"]}}, "realm_access.roles")
    ['a', 'b']
    >>> claim_values({"https://x.example/role": "a"}, "https://x.example/role"), claim_values({}, "role")
    (['a'], [])
    """
    found: object = claims.get(path)
    if found is None:
        found = claims
        for part in path.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] JSON
    if isinstance(found, str):
        return [found]
    return [each for each in cast("list[object]", found) if isinstance(each, str)] if isinstance(found, list) else []
