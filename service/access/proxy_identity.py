"""The person whom a reverse proxy has logged in, by headers that are believed from its addresses only."""

from __future__ import annotations

import ipaddress

from fastapi.datastructures import Headers

from service.access.access_tokens import Access
from service.access.identities import LoginRefused, identity
from service.settings.login_settings import ProxySettings


def proxy_identity(headers: Headers, peer: str | None, settings: ProxySettings) -> Access | None:
    """The person that the proxy names, or `None` where it names nobody; raises `LoginRefused`.

    `peer` is the address that the connection comes from, never one that a header claims.
    """
    if not settings.addresses:
        return None
    name = _only(headers, settings.name_header)
    if name is None:
        return None
    if not is_proxy(peer, settings):
        raise LoginRefused(
            f"the header {settings.name_header} comes from {peer}, which SQLASSAY_PROXY__ADDRESSES does not list"
        )
    tenants = None if settings.tenant_header is None else _words(_only(headers, settings.tenant_header))
    roles = [] if settings.roles_header is None else _words(_only(headers, settings.roles_header))
    return identity(name, settings, tenants=tenants, roles=roles)


def is_proxy(peer: str | None, settings: ProxySettings) -> bool:
    """Whether a connection from this address comes from a listed proxy."""
    try:
        address = ipaddress.ip_address(peer or "")
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any((mapped or address) in each for each in settings.addresses)


def client_address(headers: Headers, peer: str | None, settings: ProxySettings) -> str:
    """Where a request comes from: what a listed proxy says last, else the connection's address."""
    if not is_proxy(peer, settings):
        return peer or ""
    for each in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
        if each.strip() and not is_proxy(each.strip(), settings):
            return each.strip()[:64]
    return peer or ""


def _only(headers: Headers, name: str) -> str | None:
    found = headers.getlist(name)
    if len(found) > 1:
        raise LoginRefused(f"the header {name} is sent {len(found)} times: the proxy must replace what clients send")
    return found[0].strip() or None if found else None


def _words(text: str | None) -> list[str]:
    return [each.strip() for each in (text or "").split(",") if each.strip()]
