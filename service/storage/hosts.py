"""Several hosts of one database: a primary and its standbys. A connection is made to the one that takes writes."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import asyncpg
from sqlalchemy import URL, make_url

CONNECT_SECONDS = 10.0
"""Seconds to connect to a single host."""
_SECONDS_EACH = 3.0
"""The same for each of several: a host that accepts connections and answers none must not keep us from the others."""
_NOT_THIS_HOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.TargetServerAttributeNotMatched,
)
_SEVERAL = re.compile(r"(?P<before>[^/]+://(?:[^/]*@)?)(?P<hosts>[^/?@]+,[^/?@]+)(?P<after>.*)")


def read_hosts(text: str) -> URL:
    """The URL, which may name several hosts as libpq's URLs do.

    >>> read_hosts("postgresql://me@one:5432,two:5433/db").query["host"]
    ('one:5432', 'two:5433')
    >>> read_hosts("postgresql://me@one/db").host
    'one'
    """
    found = _SEVERAL.fullmatch(text)
    if found is None:
        return make_url(text)
    hosts = [each if ":" in each else f"{each}:5432" for each in found["hosts"].split(",")]
    return make_url(found["before"] + found["after"]).update_query_dict({"host": hosts})


def first_writable(url: URL) -> dict[str, Any]:
    """Arguments that make the driver try each of several hosts; none where there is one."""
    hosts = url.query.get("host")
    return {"async_creator_fn": ConnectFirstWritable()} if isinstance(hosts, tuple) else {}


@dataclass(slots=True)
class ConnectFirstWritable:
    """Connects to the first host that takes writes, beginning with the last that did."""

    _last: int = 0
    """Position of the host that took writes last."""

    async def __call__(self, *, host: Sequence[str], port: Sequence[int], **options: Any) -> Any:
        """Raises the last host's error if none takes writes."""
        options = {"target_session_attrs": "read-write", **options, "timeout": _SECONDS_EACH}
        error: Exception = OSError("no host is named")
        connect = cast("Callable[..., Awaitable[Any]]", asyncpg.connect)  # pyright: ignore[reportUnknownMemberType] its arguments are untyped
        for step in range(len(host)):
            place = (self._last + step) % len(host)
            try:
                connection = await connect(host=host[place], port=port[place], **options)
            except _NOT_THIS_HOST as failure:
                error = failure
            else:
                self._last = place
                return connection
        raise error
