"""Connects to the host that takes writes: a primary and its standbys may both be named."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

import asyncpg

from service.storage.libpq_url import SYSTEM

CONNECT_SECONDS = 10.0
"""Seconds to connect to a single host, where the URL does not say."""
_SECONDS_EACH = 3.0
"""The same for each of several: a host that accepts connections and answers none must not keep us from the others."""
_NOT_THIS_HOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.TargetServerAttributeNotMatched,
)
_IN_DSN = (
    "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslpassword", "sslnegotiation",
    "ssl_min_protocol_version", "ssl_max_protocol_version", "application_name", "options",
)  # fmt: skip
"""Parameters that the driver takes in a URL only."""


@dataclass(slots=True)
class ConnectFirstWritable:
    """Connects as libpq's parameters say; of several hosts to one that takes writes, the last that did first."""

    _last: int = 0
    """Position of the host that took writes last."""

    async def __call__(
        self,
        *,
        host: str | Sequence[str] | None = None,
        port: int | Sequence[int] | None = None,
        connect_timeout: str = "",
        **options: Any,
    ) -> Any:
        """Raises the last host's error if none takes writes."""
        hosts = [host] if host is None or isinstance(host, str) else host
        ports = [port] if port is None or isinstance(port, int) else port
        several = {"target_session_attrs": "read-write"} if len(hosts) > 1 else {}
        # 0 is no limit to libpq, as if it were not said
        seconds = float(connect_timeout or 0) or (_SECONDS_EACH if several else CONNECT_SECONDS)
        options = {**several, **_as_driver_takes(options), "timeout": seconds}
        error: Exception = OSError("no host is named")
        connect = cast("Callable[..., Awaitable[Any]]", asyncpg.connect)  # pyright: ignore[reportUnknownMemberType] its arguments are untyped
        for step in range(len(hosts)):
            place = (self._last + step) % len(hosts)
            try:
                connection = await connect(host=hosts[place], port=ports[place], **options)
            except _NOT_THIS_HOST as failure:
                error = failure
            else:
                self._last = place
                return connection
        raise error


def _as_driver_takes(options: dict[str, Any]) -> dict[str, Any]:
    in_dsn = {name: options[name] for name in _IN_DSN if name in options}
    others = {name: value for name, value in options.items() if name not in in_dsn}
    if in_dsn.get("sslrootcert") == SYSTEM:
        context = ssl.create_default_context()
        if "sslcert" in in_dsn:
            context.load_cert_chain(in_dsn["sslcert"], in_dsn.get("sslkey"), in_dsn.get("sslpassword", ""))
        others["ssl"] = context
    return {"dsn": f"postgresql://?{urlencode(in_dsn, quote_via=quote)}", **others} if in_dsn else others
