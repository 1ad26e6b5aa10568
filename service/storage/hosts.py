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
_SEVERAL = re.compile(r"(?P<before>[^/]+://(?:[^@]*@)?)(?P<hosts>[^/?@]+,[^/?@]+)(?P<after>(?:[/?].*)?)")
_URL = re.compile(
    r"""(?:postgres|postgresql|postgresql\+asyncpg)://
        (?:[^\s:/@?#]*(?::[^\s@]*)?@)?
        (?P<hosts>HOST(?:,HOST)*)?
        (?:/[^\s/@:?#]*)?
        (?:\?(?P<options>[^\s@#]*))?""".replace("HOST", r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"),
    re.VERBOSE | re.ASCII,
)
_PORT = re.compile(r":(\d+)(?=,|$)")
_LAST_PORT = 65_535
_NUMBERS = frozenset(
    {"port", "timeout", "command_timeout", "statement_cache_size", "prepared_statement_cache_size"}
    | {"max_cached_statement_lifetime", "max_cacheable_statement_size"}
)
_OPTIONS = _NUMBERS | {"host", "user", "password", "passfile", "ssl", "sslmode", "direct_tls", "target_session_attrs"}
"""What the part after `?` may set."""


def is_database_url(text: str) -> bool:
    """Whether every part of a URL is where it belongs. What is not may be a part of the password.

    >>> is_database_url("postgresql://me:p%40ss@db:5432/assay?ssl=require"), is_database_url("postgresql://[::1]/assay")
    (True, True)
    >>> is_database_url("postgresql://me:p@ss/word@db:5432/assay"), is_database_url("host=db password=p")
    (False, False)
    """
    found = _URL.fullmatch(text)
    if found is None or any(int(port) > _LAST_PORT for port in _PORT.findall(found["hosts"] or "")):
        return False
    pairs = [each.partition("=") for each in (found["options"] or "").split("&") if each]
    return all(name in _OPTIONS and (name not in _NUMBERS or _is_number(value)) for name, _, value in pairs)


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?(?:,\d{1,9})*", value, re.ASCII) is not None


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
