"""Refuses what a web page makes a browser send: foreign `Host` names (DNS rebinding) and writes from other origins.

A request whose end two servers could read differently is refused too, and its connection closed.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from fastapi.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.errors import error_reply
from service.pipeline.running import Service
from service.settings.intake_settings import HttpSettings

PROBES = frozenset({"/healthz", "/readyz"})
"""Paths that answer under every name. They tell nothing but whether the process is well."""
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class RequestGuard:
    """Lets a request pass if its `Host` is a name of this service and, if it writes, it comes from no other site."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _has_two_ends(scope):
            await _AMBIGUOUS(scope, receive, send)
            return
        service: Service | None = scope["app"].state.service if scope["type"] == "http" else None
        if service is None or scope["path"] in PROBES:
            await self.app(scope, receive, send)
            return
        refusal = _refusal(scope["method"], Headers(scope=scope), service.settings.http)
        await (refusal or self.app)(scope, receive, send)


_AMBIGUOUS = error_reply(
    400,
    "AMBIGUOUS_LENGTH",
    "the request has Transfer-Encoding beside Content-Length, or in HTTP/1.0",
    "Send one of the two headers.",
    # what follows on the connection may be a part of this request for the server before this one
    {"Connection": "close"},
)


def _has_two_ends(scope: Scope) -> bool:
    names = {name for name, _ in scope["headers"]}
    return b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0")


def _refusal(method: str, headers: Mapping[str, str], http: HttpSettings) -> ASGIApp | None:
    host = headers.get("host", "")
    name = host_name(host)
    if not is_own_name(name, http):
        message = f"this service is not called {name[:80]!r}"
        return error_reply(421, "HOST_NOT_ALLOWED", message, f"Add the name to {_SETTING}, or call it by its address.")
    origin = headers.get("origin")
    if origin is None or method in _READS or _is_same(origin, host, http):
        return None
    message = f"a page of {origin[:80]!r} may not write here"
    return error_reply(403, "FOREIGN_ORIGIN", message, f"Call from a server, or add that name to {_SETTING}.")


_SETTING = "SQLASSAY_HTTP__ALLOWED_HOSTS"


def host_name(host: str) -> str:
    """The name in a `Host` header, without its port; all of it if what follows the name is no port.

    >>> host_name("Assay.Example.:8321"), host_name("[::1]:80"), host_name("localhost:80.evil.example")
    ('assay.example', '::1', 'localhost:80.evil.example')
    """
    found = _HOST.fullmatch(host.lower())
    return host.lower() if found is None else (found["address"] or found["name"]).removesuffix(".")


_HOST = re.compile(r"(?:\[(?P<address>[^\[\]]*)\]|(?P<name>[^:\[\]]*))(?::[0-9]{0,5})?")


def is_own_name(name: str, http: HttpSettings) -> bool:
    """Whether a request for this name may be answered.

    An address always may: a page that was found under an address is of this service, not of an attacker's name.
    """
    if name in http.allowed_hosts or name == http.host.lower() or _is_address(name):
        return True
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return not http.allowed_hosts and not http.is_loopback


def _is_same(origin: str, host: str, http: HttpSettings) -> bool:
    try:
        place = urlsplit(origin).netloc.lower()
    except ValueError:
        return False
    return bool(place) and (place == host.lower() or host_name(place) in http.allowed_hosts)


def _is_address(name: str) -> bool:
    if "%" in name:  # what follows is a zone, which may hold any text; no client sends one
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
